"""Tables, notes and findings of `power`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metaeval.analyses.power.compute import TUKEY, Power, Powers
from metaeval.analyses.power.settings import PowerSettings
from metaeval.analyses.sentences import Numbers, Superlative
from metaeval.errors import pluralize
from metaeval.model.report import Cell, Column, Finding, Kind, Table, columns
from metaeval.model.works import cite
from metaeval.stats.pairs import all_pairs
from metaeval.stats.tests import compact_letters
from metaeval.study.evidence import methods_of_tests, notes_on_clusters, notes_on_gaps, notes_on_untested, units_of
from metaeval.study.study import AnalysisOutput, Study, untested_notes


def tabulate(study: Study, settings: PowerSettings, result: Powers) -> AnalysisOutput:
    """Tables, notes and findings of `power`."""
    names, alpha = study.measure_names, settings.alpha
    shares = np.array([power.share(alpha=alpha) for power in result.measures])
    order = np.argsort(-np.nan_to_num(shares, nan=-1), kind="stable").tolist()
    low = high = np.full(len(names), np.nan)
    letters = [""] * len(names)
    if result.comparison is not None:
        low, high = np.maximum(result.comparison.low, 0.0), np.minimum(result.comparison.high, 1.0)
        letters = compact_letters(shares, result.comparison.p <= alpha)
    main = Table(
        "power",
        f"Discriminative power: pairs of {len(study.systems)} systems that differ significantly at {alpha:g}",
        (
            *(*columns(Kind.TEXT, "measure", "test"), *columns(Kind.COUNT, "pairs", "different")),
            *(Column("power", Kind.SCORE, higher_is_better=True), *columns(Kind.SCORE, "ci_low", "ci_high")),
            *(*columns(Kind.SCORE, "needed", "smallest"), Column("letters")),
        ),
        tuple(
            (
                *_counts(names[place], settings.test, result.measures[place], alpha),
                *(float(shares[place]), float(low[place]), float(high[place])),
                *(result.measures[place].needed, result.measures[place].smallest(alpha=alpha), letters[place]),
            )
            for place in order
        ),
    )
    p = None if result.comparison is None else result.comparison.p
    return AnalysisOutput(
        [main, _differences(study, result, order)],
        _notes(study, settings, result),
        findings(names, shares, p, alpha=alpha),
        methods=_methods(study, settings),
    )


def _methods(study: Study, settings: PowerSettings) -> list[str]:
    pairs, alpha = f"all systems ({math.comb(len(study.systems), 2):,} pairs)", f"{settings.alpha:g}"
    what = f"The differences of {pairs}"
    power = f"Discriminative power {cite('sakai2006')} is the share of pairs whose p-value, adjusted for all pairs, "
    power += f"is at most {alpha}"
    if settings.test == TUKEY:
        draws = f"{settings.permutations:,} permutations of the systems within items, seed {study.config.seed}"
        return [
            f"{what} were tested with the randomised Tukey HSD test {cite('carterette2012')} ({draws}).",
            f"{power}.",
        ]
    intervals = (
        "its 95 % intervals on other items, and the p-values of differences between measures, adjusted for all pairs "
        "of measures, come from the same signs."
    )
    return [*methods_of_tests(study, what, permutations=settings.permutations), f"{power}; {intervals}"]


def _counts(name: str, test: str, power: Power, alpha: float) -> tuple[Cell, ...]:
    return (name, test, int((~np.isnan(power.p)).sum()), int(power.different(alpha=alpha).sum()))


def _differences(study: Study, result: Powers, order: Sequence[int]) -> Table:
    pairs = [(study.systems[one], study.systems[other]) for one, other in all_pairs(len(study.systems)).tolist()]
    rows: list[tuple[Cell, ...]] = []
    for place in order:
        power, sign = result.measures[place], study.scores.directions[place].sign
        numbers = np.stack([power.difference * sign, power.raw, power.p], axis=1).tolist()
        shared = np.full(len(pairs), len(study.items)) if power.shared is None else power.shared
        items = shared.reshape(-1, 1).tolist() if study.has_gaps else [()] * len(pairs)
        rows += (
            (study.measure_names[place], rank, *pairs[pair], *numbers[pair], *items[pair])
            for rank, pair in enumerate(np.argsort(power.p, kind="stable").tolist(), start=1)
        )
    systems, scores = columns(Kind.TEXT, "system", "other"), columns(Kind.SCORE, "difference", "p", "p_adjusted")
    items_of = [Column("items", Kind.COUNT)] if study.has_gaps else []
    heads = (Column("measure"), Column("rank", Kind.COUNT), *systems, *scores, *items_of)
    title = "Differences of each two systems, the smallest adjusted p first: the ASL curve"
    return Table("power_differences", title, heads, tuple(rows), detail=True)


def _notes(study: Study, settings: PowerSettings, result: Powers) -> list[str]:
    permutations = pluralize(settings.permutations, "permutation")
    notes = ["needed: every larger difference of two systems is significant; smallest: the smallest significant one"]
    if settings.test == TUKEY:
        level = "its level holds for all pairs together if all systems have the same variance, items are independent"
        notes.append(f"tukey: randomised Tukey HSD, {permutations} of the systems within items; {level}")
        notes.append(_ON_RANGE)
    else:
        signs = f"random signs of the differences of {units_of(study)} ({permutations})"
        notes.append(f"permutation: {signs}, adjusted for all pairs of a measure")
        notes.append(
            "ci_low, ci_high: 95 % interval of the power on other items; measures that share a letter do not differ "
            f"significantly in power (adjusted p > {settings.alpha:g})"
        )
        untested = notes_on_untested(study, "tests", permutations=settings.permutations)
        return [*notes, *notes_on_clusters(study), *notes_on_gaps(study), *untested]
    return [*notes, *untested_notes(study, "tests")]


_ON_RANGE = (
    "tukey: its range increases with the differences between the systems, so that its power depends on which other "
    "systems take part"
)


POWERFUL = Superlative(
    ("distinguishes the most pairs", "distinguish the most pairs"),
    ("distinguishes significantly fewer", "distinguish significantly fewer"),
    ("no two measures differ significantly in power", ": none distinguishes the most pairs"),
    "{:.0%}".format,
    statistic="power ",
)


def findings(names: Sequence[str], shares: Numbers, p: Numbers | None, *, alpha: float) -> list[Finding]:
    """The measures that distinguish most pairs, and those that distinguish significantly fewer.

    shares: power, (M,). p: adjusted p-values of the differences, (M, M); None where not tested.
    """
    known = shares[~np.isnan(shares)]
    if not len(known):
        return []
    if p is None:
        return [Finding("power", f"measures distinguish {POWERFUL.span(known)} of the pairs of systems at {alpha:g}")]
    return [Finding("power", POWERFUL.sentence(names, shares, p, alpha=alpha))]
