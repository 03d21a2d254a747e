"""How well does a measure tell systems apart?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import listed, on_power
from metaeval.config import ExperimentConfig, PowerConfig
from metaeval.errors import InputError, counted
from metaeval.experiment.plan_tables import FEW_ITEMS
from metaeval.io.dataset import Track
from metaeval.meta.power import Power, power_by_bootstrap, power_by_tukey
from metaeval.model.labels import PatternRuns, StreamedRuns
from metaeval.model.report import Cell, Column, Kind, Report, Table
from metaeval.scoring.resamples import Samples, bootstrap
from metaeval.stats.pairs import all_pairs, fewest_resamples
from metaeval.stats.resample import seed_for
from metaeval.study.item_means import means_over_items, oriented_items
from metaeval.study.labels import LabelStudy
from metaeval.study.read import read_study
from metaeval.study.study import COMPARING_NUMBERS, Part, Study, check_rankable, silently, undefined_notes
from metaeval.work.blocks import in_blocks

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


def check_testable(study: Study) -> None:
    """Raise an `InputError` where there are no two systems, no two items, or no items that can be drawn."""
    check_rankable(study)
    samples_of(study)
    if len(study.items) < 2:
        raise InputError.at(
            found=counted(len(study.items), "item"),
            expected="at least two, because a test asks how differences vary from item to item",
            hint="name a data set with more items",
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
        drawn = bootstrapped(narrowed, wanted.resamples, track=track)
        scores = narrowed.scores.oriented().values
        for number, place in enumerate(rest):
            found[place] = (BOOTSTRAP, power_by_bootstrap(scores[number], drawn[:, number], alpha=wanted.alpha))
    return dict(sorted(found.items()))


def _by_measures(study: Study, places: Sequence[int]) -> Study:
    """The study of some of its measures only, because to score samples is dear; of items, all are tested alike."""
    if isinstance(study, LabelStudy):
        return replace(study, measures=tuple(study.measures[place] for place in places))
    return study


def samples_of(study: Study) -> Samples:
    """The items, for a bootstrap; an `InputError` where they can't be drawn."""
    return study.samples("a bootstrap over items", COMPARING_NUMBERS)


def bootstrapped(study: Study, resamples: int, *, track: Track) -> NDArray[np.float64]:
    """Oriented scores of samples of the items, (B, M, S)."""
    plan = bootstrap(samples_of(study), replicates=resamples, seed=study.config.seed, memory=study.config.block_memory)
    return np.concatenate(
        in_blocks(
            plan,
            lambda cube: cube.oriented().values,
            workers=study.config.workers,
            track=track,
            doing="Bootstrap over items",
        )
    )


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
        notes += few_items(study, remedy="compare --test permutation")
    if len(tests) > 1:
        notes.append("the two tests do not compare: say --test bootstrap for one yardstick for all measures")
    untested = [study.measure_names[place] for place, (_, power) in found.items() if np.isnan(power.p).any()]
    if untested:
        notes.append(f"pairs with a system that has no score are not tested ({listed(untested)})")
    for place, (_, of_measure) in found.items():
        notes += left_out(study.measure_names[place], of_measure.undefined, wanted.resamples)
    return [*notes, *too_few(wanted.resamples, wanted.alpha), *undefined_notes(study.scores)]


def few_items(study: Study, *, remedy: str) -> list[str]:
    """A word where a bootstrap is not to be trusted, for want of items; remedy: what keeps its level."""
    if len(study.items) >= FEW_ITEMS:
        return []
    told = "of systems that are alike, at 0.05, in 7 % of cases with 30 items, 10 % with 10, 29 % with 3"
    return [f"on {len(study.items)} items a bootstrap finds differences too easily ({told}); {remedy} keeps its level"]


def left_out(measure: str, undefined: int, resamples: int) -> list[str]:
    """A word where resamples have no score; undefined: how many, of the pair that has most of them."""
    if not undefined:
        return []
    verb = "has" if resamples == 1 else "have"
    return [
        f"{measure}: up to {undefined:,} of {counted(resamples, 'resample')} {verb} no difference, and are left out"
    ]


def too_few(resamples: int, alpha: float) -> list[str]:
    """A word where so many resamples can show no difference, however large it is."""
    least = fewest_resamples(alpha=alpha)
    if resamples >= least:
        return []
    told = f"{counted(resamples, 'resample')} {'is' if resamples == 1 else 'are'}"
    return [f"{told} too few for a difference at {alpha:g}: say --resamples {least} or more"]
