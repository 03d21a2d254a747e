"""The tables of `power`, and what to say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from metaeval.analyses.power.compute import BOOTSTRAP, TUKEY, Power, Powers
from metaeval.analyses.power.settings import PowerSettings
from metaeval.analyses.sentences import best_of, listed
from metaeval.errors import counted
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.stats.pairs import all_pairs
from metaeval.study.differences import note_on_few_items, note_on_few_resamples, note_on_undefined
from metaeval.study.study import Part, Study, undefined_notes


def tabulate(study: Study, settings: PowerSettings, found: Powers) -> Part:
    """The tables of `power`, and what to say of them."""
    names, alpha = study.measure_names, settings.alpha
    # Test by test, because shares of different tests do not compare.
    order = sorted(
        found, key=lambda place: (found[place][0], -np.nan_to_num(found[place][1].share(alpha=alpha), nan=-1))
    )
    main = Table(
        "power",
        f"Discriminative power: pairs of {len(study.systems)} systems found different at {alpha:g}",
        (
            *(Column("measure"), Column("test"), Column("pairs", Kind.COUNT), Column("different", Kind.COUNT)),
            Column("power", Kind.SCORE, higher_is_better=True),
            *(Column(name, Kind.SCORE) for name in ("needed", "smallest")),
        ),
        tuple(_row(names[place], *found[place], alpha) for place in order),
    )
    shares: dict[str, dict[str, float]] = {}
    for place in order:
        test, of_measure = found[place]
        shares.setdefault(test, {})[names[place]] = of_measure.share(alpha=alpha)
    return Part([main, _curve(study, found, order)], _notes(study, settings, found), findings(shares, alpha=alpha))


def _row(name: str, test: str, found: Power, alpha: float) -> tuple[Cell, ...]:
    tested = int((~np.isnan(found.p)).sum())
    different = int(found.different(alpha=alpha).sum())
    return (name, test, tested, different, found.share(alpha=alpha), found.needed, found.smallest(alpha=alpha))


def _curve(study: Study, found: Powers, order: Sequence[int]) -> Table:
    pairs = all_pairs(len(study.systems)).tolist()
    rows: list[tuple[Cell, ...]] = []
    for place in order:
        of_measure, sign = found[place][1], study.scores.directions[place].sign
        sorted_pairs = np.argsort(of_measure.p, kind="stable").tolist()
        rows += (
            (
                study.measure_names[place], rank, *(study.systems[system] for system in pairs[pair]),
                float(of_measure.difference[pair] * sign), float(of_measure.p[pair]),
            )
            for rank, pair in enumerate(sorted_pairs, start=1)
        )  # fmt: skip
    return Table(
        "power_differences",
        "Differences of every two systems, from the smallest p on: the ASL curve",
        (
            Column("measure"),
            Column("rank", Kind.COUNT),
            *(Column("system"), Column("other")),
            *(Column(name, Kind.SCORE) for name in ("difference", "p")),
        ),
        tuple(rows),
        detail=True,
    )


def _notes(study: Study, settings: PowerSettings, found: Powers) -> list[str]:
    tests = {test for test, _ in found.values()}
    notes = [
        "needed: any larger difference of two systems here is significant; smallest: of those found significant",
    ]
    if TUKEY in tests:
        notes.append(
            f"tukey: randomised Tukey HSD, {counted(settings.resamples, 'permutation')} of the systems within items, "
            "whose level holds for all pairs at once"
        )
        notes.append(
            "tukey: its range grows with how different the systems are, so that its power depends on which other "
            "systems take part"
        )
    if BOOTSTRAP in tests:
        samples = counted(settings.resamples, "sample")
        notes.append(f"bootstrap: a paired bootstrap of {samples} of the items, each pair by itself")
        notes += note_on_few_items(study, remedy="compare --test permutation")
    if len(tests) > 1:
        notes.append("the two tests do not compare: say --test bootstrap for one yardstick for all measures")
    untested = [study.measure_names[place] for place, (_, power) in found.items() if np.isnan(power.p).any()]
    if untested:
        notes.append(f"pairs with a system that has no score are not tested ({listed(untested)})")
    for place, (_, of_measure) in found.items():
        notes += note_on_undefined(study.measure_names[place], of_measure.undefined, settings.resamples)
    return [*notes, *note_on_few_resamples(settings.resamples, settings.alpha), *undefined_notes(study.scores)]


def findings(shares: Mapping[str, Mapping[str, float]], *, alpha: float) -> list[Finding]:
    """Which measure tells most systems apart; shares: power by test, as tests do not compare, and by measure."""
    told = []
    for test, of_measures in shares.items():
        names, values = list(of_measures), np.array(list(of_measures.values()))
        most, least = best_of(names, values), best_of(names, -values)
        if not most:
            continue
        high, low = f"{np.nanmax(values):.0%}", f"{np.nanmin(values):.0%}"
        if len(most) == len(names):
            told.append(f"{listed(names)} {_verb('tell', names)} {high} of the pairs of systems apart ({test})")
        else:
            told.append(f"{listed(most)} {_verb('tell', most)} most pairs of systems apart ({high}, {test})")
            # Where the lowest is the highest, the others are undefined.
            told[-1] += f", {listed(least)} fewest ({low})" if least != most else ""
    return [Finding("power", f"at {alpha:g} {'; '.join(told)}")] if told else []


def _verb(verb: str, subjects: Sequence[str]) -> str:
    return f"{verb}s" if len(subjects) == 1 else verb
