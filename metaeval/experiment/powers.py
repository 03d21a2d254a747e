"""How well does a measure tell systems apart?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metaeval.analyses.sentences import listed, on_power
from metaeval.config import ExperimentConfig, PowerConfig
from metaeval.errors import InputError, counted
from metaeval.io.dataset import Track
from metaeval.meta.power import Power, power_by_bootstrap, power_by_tukey
from metaeval.model.labels import PatternRuns, StreamedRuns
from metaeval.model.report import Cell, Column, Kind, Report, Table
from metaeval.stats.pairs import all_pairs
from metaeval.stats.resample import seed_for
from metaeval.study.bootstrap import bootstrap_scores, check_testable
from metaeval.study.item_means import means_over_items, oriented_items
from metaeval.study.labels import LabelStudy
from metaeval.study.notes import note_on_few_items, note_on_few_resamples, note_on_undefined
from metaeval.study.read import read_study
from metaeval.study.study import Part, Study, silently, undefined_notes

BOOTSTRAP, TUKEY = "bootstrap", "tukey"

Found = dict[int, tuple[str, Power]]
"""By place of the measure: the test, and what it found."""


def power(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Discriminative power: the share of pairs of systems that a measure finds different.

    Table `power`: measure, test, pairs, different, power, needed, smallest. Table `power_differences`: measure, rank,
    system, other, difference, p, from the smallest p on: in that order they are the ASL curve.
    """
    study = read_study(config, track=track)
    part = power_tables(study, find_power(study, track=track))
    section = study.config.power or PowerConfig()
    return study.report("power", part, command_line=command_line, sections=[section])


def check_power(study: Study) -> None:
    """Raise an `InputError` where nothing can be tested, or the test that was asked for does not fit a measure."""
    check_testable(study)
    wanted = study.config.power or PowerConfig()
    counted_alone = isinstance(study, LabelStudy) and isinstance(study.runs, (PatternRuns, StreamedRuns))
    if wanted.test == TUKEY and counted_alone:
        raise InputError.at(
            found="--test tukey, and items that are not held one by one",
            expected="items whose answers can be swapped",
            hint="say --test bootstrap",
        )
    by_items = means_over_items(study)
    other = [name for place, name in enumerate(study.measure_names) if place not in by_items]
    if wanted.test == TUKEY and other:
        raise InputError.at(
            found=f"--test tukey, and {listed(other)}",
            expected="measures that are means over items",
            hint="say --test auto, or leave these measures out",
        )


def find_power(study: Study, *, track: Track) -> Found:
    """Compute what `power` tells."""
    check_power(study)
    wanted = study.config.power or PowerConfig()
    by_items = [] if wanted.test == BOOTSTRAP else means_over_items(study)
    found: Found = {}
    for place in track(by_items, "Permutations of systems"):
        # The same permutations for every measure, as the samples of the bootstrap are.
        seed = seed_for(study.config.seed, "power")
        items = oriented_items(study, place)
        found[place] = (TUKEY, power_by_tukey(items, resamples=wanted.resamples, seed=seed, alpha=wanted.alpha))
    rest = [place for place in range(len(study.measure_names)) if place not in found]
    if rest:
        narrowed = _by_measures(study, rest)
        drawn = bootstrap_scores(narrowed, wanted.resamples, track=track)
        scores = narrowed.scores.oriented().values
        for number, place in enumerate(rest):
            found[place] = (BOOTSTRAP, power_by_bootstrap(scores[number], drawn[:, number], alpha=wanted.alpha))
    return dict(sorted(found.items()))


def _by_measures(study: Study, places: Sequence[int]) -> Study:
    """The study of some of its measures only, because to score samples is dear; of items, all are tested alike."""
    if isinstance(study, LabelStudy):
        return replace(study, measures=tuple(study.measures[place] for place in places))
    return study


def power_tables(study: Study, found: Found) -> Part:
    """The tables of `power`, and what to say of them."""
    wanted = study.config.power or PowerConfig()
    names, alpha = study.measure_names, wanted.alpha
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
    return Part([main, _curve(study, found, order)], _notes(study, wanted, found), on_power(shares, alpha=alpha))


def _row(name: str, test: str, found: Power, alpha: float) -> tuple[Cell, ...]:
    tested = int((~np.isnan(found.p)).sum())
    different = int(found.different(alpha=alpha).sum())
    return (name, test, tested, different, found.share(alpha=alpha), found.needed, found.smallest(alpha=alpha))


def _curve(study: Study, found: Found, order: Sequence[int]) -> Table:
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


def _notes(study: Study, wanted: PowerConfig, found: Found) -> list[str]:
    tests = {test for test, _ in found.values()}
    notes = [
        "needed: any larger difference of two systems here is significant; smallest: of those found significant",
    ]
    if TUKEY in tests:
        notes.append(
            f"tukey: randomised Tukey HSD, {counted(wanted.resamples, 'permutation')} of the systems within items, "
            "whose level holds for all pairs at once"
        )
        notes.append(
            "tukey: its range grows with how different the systems are, so that its power depends on which other "
            "systems take part"
        )
    if BOOTSTRAP in tests:
        samples = counted(wanted.resamples, "sample")
        notes.append(f"bootstrap: a paired bootstrap of {samples} of the items, each pair by itself")
        notes += note_on_few_items(study, remedy="compare --test permutation")
    if len(tests) > 1:
        notes.append("the two tests do not compare: say --test bootstrap for one yardstick for all measures")
    untested = [study.measure_names[place] for place, (_, power) in found.items() if np.isnan(power.p).any()]
    if untested:
        notes.append(f"pairs with a system that has no score are not tested ({listed(untested)})")
    for place, (_, of_measure) in found.items():
        notes += note_on_undefined(study.measure_names[place], of_measure.undefined, wanted.resamples)
    return [*notes, *note_on_few_resamples(wanted.resamples, wanted.alpha), *undefined_notes(study.scores)]
