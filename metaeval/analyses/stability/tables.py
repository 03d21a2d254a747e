"""Tables, notes and findings of `stability`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import Numbers, Superlative
from metaeval.analyses.stability.agreement import SplitHalfAgreement
from metaeval.analyses.stability.compute import Stabilities, strata_of
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.errors import pluralize, setting
from metaeval.grid import round_to_grid
from metaeval.model.report import Cell, Column, Finding, Kind, Note, Table, columns, on_columns
from metaeval.model.works import cite
from metaeval.stats.intervals import defined_deviation, defined_mean, percentile_interval
from metaeval.stats.tests import compact_letters
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.evidence import (
    methods_of_tests,
    named_clusters,
    notes_on_clusters,
    notes_on_gaps,
    notes_on_untested,
    units_of,
)
from metaeval.study.study import AnalysisOutput, Study, undefined_scores_notes

STRATA = ("top", "middle", "bottom")

FEW_UNITS = 12
"""This number of items or clusters has fewer than 1,000 different splits into halves."""


def tabulate(study: Study, settings: StabilitySettings, result: Stabilities) -> AnalysisOutput:
    """Tables, notes and findings of `stability`."""
    names = study.measure_names
    means = result.consistency.means
    order = np.argsort(-means, kind="stable").tolist()
    tables = [_main(study, settings, result, order), _differences(names, result, order)]
    if result.curve:
        tables.append(_curve(study, result, order))
    tables.append(_distribution(result, names, order))
    findings = on_stability(names, result.expected, result.comparison.p, alpha=settings.alpha)
    notes = _notes(study, settings, result, means)
    return AnalysisOutput(tables, notes, findings, methods=_methods(study, settings))


def _methods(study: Study, settings: StabilitySettings) -> list[str]:
    strata = " with the gold classes in equal shares" if settings.stratified else ""
    sizes = f" (shares of the items: {', '.join(f'{size:g}' for size in settings.sizes)})" if settings.sizes else ""
    columns = [each.column for each in named_clusters(study)]
    of = f"the clusters of {columns[0]}" if columns else "the items"
    pairs = f"two random halves of {of}"
    if len(columns) == 2:
        pairs = f"opposite blocks of random halves of {of} and of random halves of the clusters of {columns[1]}"
    halves = (
        f"The systems were ranked on {pairs}{strata}{sizes} {settings.trials:,} times (seed {study.config.seed}), and "
        f"the two rankings compared by Kendall's tau-b {cite('kendall1945')}, as in {cite('amemiya2021')}."
    )
    adjusted = (
        "Expected values, and 95 % intervals on other items, come from the differences of systems in standard errors "
        "and the same signs; p-values are adjusted for all pairs of measures by the largest statistic "
        f"{cite('westfall1993')}."
    )
    what = "The differences between measures in the expected tau"
    tests = methods_of_tests(study, what, permutations=settings.permutations, of_measures=True)
    return [halves, *tests, adjusted]


def _differences(names: Sequence[str], result: Stabilities, order: Sequence[int]) -> Table:
    """The differences of all pairs of measures with raw and adjusted p-values."""
    expected, comparison = result.expected, result.comparison
    rows: list[tuple[Cell, ...]] = [
        (
            *(names[one], names[other], float(expected[one] - expected[other])),
            *(float(comparison.raw[one, other]), float(comparison.p[one, other])),
        )
        for one, other in combinations(order, 2)
    ]
    return Table(
        "stability_differences",
        "Differences in expected tau between measures (measure − other)",
        (
            *(Column("measure"), Column("other")),
            *(Column(head, Kind.SCORE) for head in ("difference", "p", "p_adjusted")),
        ),
        tuple(rows),
        detail=True,
    )


def _main(study: Study, settings: StabilitySettings, result: Stabilities, order: Sequence[int]) -> Table:
    names = study.measure_names
    tau, strata = result.consistency.tau, defined_mean(result.consistency.strata).T
    if not strata.size:
        strata = np.full((len(names), len(STRATA)), np.nan)
    numbered = [f"stratum_{number + 1}" for number in range(strata.shape[1])]
    stratum_names = STRATA if len(numbered) == len(STRATA) else numbered
    letters = compact_letters(result.expected, result.comparison.p <= settings.alpha)
    scores = np.column_stack([_statistics(result.consistency), strata])
    ends = (each.clip(-1, 1) for each in (result.comparison.low, result.comparison.high))
    intervals = np.column_stack([result.expected, *ends]).tolist()
    # Two rankings that tie all systems have no discordant pairs, which does not make them stable.
    swap_rates = np.where(np.isnan(tau).all(axis=0), np.nan, defined_mean(result.consistency.discordant))
    undefined = np.isnan(tau).sum(axis=0)

    def row(place: int) -> tuple[Cell, ...]:
        counts = (len(tau), int(undefined[place]))
        return (
            names[place],
            *scores[place].tolist(),
            *counts,
            float(swap_rates[place]),
            *intervals[place],
            letters[place],
            *([int(study.need(ITEM_SCORES, "stability").cells[place].sum())] if study.has_gaps else []),
        )

    halves = "stratified halves" if settings.stratified else "halves"
    return Table(
        "stability",
        f"Stability of rankings: tau-b between random {halves} of {_halved(study)}",
        (
            Column("measure"),
            Column("mean", Kind.SCORE, higher_is_better=True),
            *columns(Kind.SCORE, "sd", "low", "high", *stratum_names),
            *columns(Kind.COUNT, "trials", "undefined"),
            *columns(Kind.SCORE, "swap_rate", "expected", "ci_low", "ci_high"),
            Column("letters"),
            *([Column("scores", Kind.COUNT)] if study.has_gaps else []),
        ),
        tuple(row(place) for place in order),
        subject="Stability of rankings",
    )


def _statistics(trials: SplitHalfAgreement) -> NDArray[np.float64]:
    """Mean, standard deviation, low and high of each measure, (M, 4)."""
    interval = map(round_to_grid, percentile_interval(trials.tau))
    return np.column_stack([trials.means, defined_deviation(trials.tau), *interval])


def _curve(study: Study, result: Stabilities, order: Sequence[int]) -> Table:
    parts = [(share, _statistics(part), np.isnan(part.tau).sum(axis=0)) for share, part in result.curve]
    rows: list[tuple[Cell, ...]] = [
        (
            *(study.measure_names[place], share, round(share * len(study.items))),
            *(*statistics[place].tolist(), int(undefined[place])),
        )
        for place in order
        for share, statistics, undefined in parts
    ]
    statistics = columns(Kind.SCORE, "mean", "sd", "low", "high")
    share, items, undefined = Column("share", Kind.SCORE), Column("items", Kind.COUNT), Column("undefined", Kind.COUNT)
    heads = (Column("measure"), share, items, *statistics, undefined)
    title = f"Stability by the number of items in each {'block' if len(named_clusters(study)) == 2 else 'half'}"
    return Table("stability_curve", title, heads, tuple(rows))


def _distribution(result: Stabilities, names: Sequence[str], order: Sequence[int]) -> Table:
    """Every distinct tau and its number of trials; rankings of few systems have few distinct values."""
    rows: list[tuple[Cell, ...]] = []
    for place in order:
        tau = result.consistency.tau[:, place]
        values, trials = np.unique(tau[~np.isnan(tau)], return_counts=True)
        rows += zip([names[place]] * len(values), values.tolist(), trials.tolist(), strict=True)
    heads = (Column("measure"), Column("tau", Kind.SCORE), Column("trials", Kind.COUNT))
    return Table("stability_distribution", "Number of trials by tau", heads, tuple(rows), detail=True)


def _strata_note(strata: Sequence[int]) -> Note | str:
    sizes = ", ".join(map(str, strata))
    if not strata:
        return f"no {', '.join(STRATA)}: thirds require at least {len(STRATA)} systems"
    if 1 in strata:
        return f"tau is undefined within strata of a single system (strata: {sizes})"
    ranking = "those of each measure's ranking on all items; tau is within them"
    return Note(f"strata ({sizes} systems, best first) are {ranking}", ("top",))


def _halved(study: Study) -> str:
    """What is split into halves: '100 items', or '12 clusters of thread (100 items)'."""
    items = pluralize(len(study.items), "item")
    clusters = [f"{pluralize(len(each.sizes), 'cluster')} of {each.column}" for each in named_clusters(study)]
    return f"{' and of '.join(clusters)} ({items})" if clusters else items


def _notes_on_halves(study: Study, result: Stabilities, means: Numbers) -> list[Note | str]:
    """What halves of clusters are, and how their tau compares with that of halves of items."""
    blocks = f"opposite blocks of halves of {units_of(study)}, each with about a quarter of the items"
    crossed = len(study.origin.clusters) == 2
    if crossed and named_clusters(study):
        value = f"each trial compares {blocks}, and takes the mean of the two pairs of such blocks"
        return [f"{value}; expected is for more items, namely halves"]
    if result.of_clusters is None:
        return []
    trials, by_clusters = len(result.of_clusters.tau), result.of_clusters.means
    pairs = ", ".join(
        f"{name} {by_cluster:.2f} ({by_item:.2f})"
        for name, by_cluster, by_item in zip(study.measure_names, by_clusters.tolist(), means.tolist(), strict=True)
        if not math.isnan(by_cluster)
    )
    units = blocks if crossed else f"halves of {units_of(study)}"
    note = f"mean tau between {units}, in {trials} trials, and in parentheses between halves of items: {pairs}"
    return [f"{note}; set {setting('clusters')} for such halves in all trials"] * bool(pairs)


def _notes(
    study: Study, settings: StabilitySettings, result: Stabilities, means: NDArray[np.float64]
) -> list[Note | str]:
    names = study.measure_names
    strata = strata_of(settings, len(study.systems))
    units = units_of(study)
    expected = f"tau between halves of {units}, from the differences of systems in standard errors"
    signs = f"{settings.permutations:,} random sign changes of {units}, adjusted p > {settings.alpha:g}"
    notes: list[Note | str] = [
        on_columns(["low", "high"], "middle 95 % of the trials"),
        on_columns(["expected"], f"{expected}; ci_low, ci_high: its 95 % interval on other items"),
        Note(f"measures that share a letter are not significantly different in expected tau ({signs})", ("letters",)),
        *_order_note(result, means),
        *_notes_on_halves(study, result, means),
        *notes_on_clusters(study),
        *notes_on_gaps(study),
        _strata_note(strata),
    ]
    numbers = [len(each.sizes) for each in named_clusters(study)] or [len(study.items)]
    if not settings.sizes and max(numbers) <= FEW_UNITS:
        splits = math.prod(math.comb(number, number // 2) // (1 if number % 2 else 2) for number in numbers)
        have = f"{_halved(study)} have {'at most' if named_clusters(study) else 'only'}"
        notes.append(f"{have} {pluralize(splits, 'different split')} into halves: trials repeat them")
    pairs = 2 if len(numbers) == 2 else 1
    trials, scores = len(result.consistency.tau), 2 * pairs * len(study.systems)
    undefined = result.consistency.undefined.sum(axis=0).tolist()
    notes += undefined_scores_notes(study, undefined, trials * scores, "of halves")
    notes += notes_on_untested(study, "the expected tau", permutations=settings.permutations)
    never = [names[place] for place in np.flatnonzero(np.isnan(means)).tolist()]
    if never:
        notes.append(
            f"{', '.join(never)}: tau is undefined in every trial, because a half ties all systems that have a score"
        )
    return notes


def _order_note(result: Stabilities, means: NDArray[np.float64]) -> list[str]:
    """A note where the expected values order the measures otherwise than the means."""
    known = ~np.isnan(means) & ~np.isnan(result.expected)
    by_means, by_expected = (np.argsort(-values[known], kind="stable") for values in (means, result.expected))
    if np.array_equal(by_means, by_expected):
        return []
    return ["the table is ordered by the mean of the trials; letters and intervals follow the expected values"]


STABLE = Superlative(
    ("is the most stable measure", "are the most stable measures"),
    ("is significantly less stable", "are significantly less stable"),
    ("no two measures differ significantly in stability", ": none is the most stable"),
    unit="expected tau ",
)


def on_stability(names: Sequence[str], expected: Numbers, p: Numbers, *, alpha: float) -> list[Finding]:
    """The measures with the most stable rankings, and those that are significantly less stable.

    expected: expected tau, (M,). p: adjusted p-values of the differences, (M, M).
    """
    if np.isnan(expected).all():
        return []
    return [Finding("stability", STABLE.sentence(names, expected, p, alpha=alpha))]
