"""Averages of correlations over groups of items, such as language pairs, with tests by swaps within the groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metaeval.analyses.correlate.compute import Correlations, conclusions
from metaeval.analyses.correlate.report import also_highest, columns_of_pairs, wide_table
from metaeval.analyses.correlate.settings import CorrelateSettings
from metaeval.analyses.sentences import best_of, every, join_names
from metaeval.arrays import Bools, Indices, Ints, Scores
from metaeval.errors import pluralize
from metaeval.model.report import Finding, Table, stack, table, text
from metaeval.stats.correlation_tests import DifferenceTest, difference_test
from metaeval.stats.resample import generator, seed_for
from metaeval.study.study import AnalysisOutput

Kinds = tuple[str, str]
"""A level and a coefficient."""


@dataclass(frozen=True)
class _Average:
    """The mean over groups of the correlations of M measures, (M,), with the ranks of the tests, 0 without any."""

    values: Scores
    test: DifferenceTest | None
    best: Bools
    ranks: Ints


def tabulate(
    results: Mapping[str, Sequence[Correlations]], settings: CorrelateSettings, *, seed: int
) -> AnalysisOutput:
    """Averages over groups with the same weight, of the measures and human scores that all groups have.

    Table `correlation_averages`, with `correlation_average_ranks` beside it: measure (and human, of several), and a
    column for each level and coefficient. Table `correlation_average_differences`: human, average (the level and the
    coefficient), measure, other, difference, p, p_adjusted.
    """
    by_group = {
        group: {(part.human, part.level, part.coefficient): part for part in parts} for group, parts in results.items()
    }
    keys = [key for key in next(iter(by_group.values())) if all(key in parts for parts in by_group.values())]
    measures_by_group = [part.measures for parts in by_group.values() for part in parts.values()]
    measures = [name for name in measures_by_group[0] if all(name in names for names in measures_by_group)]
    averages: dict[str, dict[str, _Average]] = {}
    for human in dict.fromkeys(human for human, *_ in keys):
        kinds = [key for key in keys if key[0] == human]
        averages[human] = {
            f"{key[1]} {key[2]}": _average([parts[key] for parts in by_group.values()], measures, settings, seed=seed)
            for key in kinds
        }
    if not measures or not averages:
        return AnalysisOutput([])
    with_tests = {human: means for human, means in averages.items() if next(iter(means.values())).test is not None}
    by_human = with_tests or averages
    groups = pluralize(len(results), "group")
    title = f"Correlation of {pluralize(len(measures), 'measure')} with human scores: mean of {groups}"
    output = [wide_table("correlation_averages", "correlation_average_ranks", title, measures, by_human)]
    if any(average.test is not None for means in by_human.values() for average in means.values()):
        output.append(_differences(by_human, measures, groups))
    findings = list(_findings(by_human, measures, settings, groups))
    return AnalysisOutput(output, _notes(by_human, settings, groups), findings)


def _average(
    parts: Sequence[Correlations], measures: Sequence[str], settings: CorrelateSettings, *, seed: int
) -> _Average:
    """The average of one level and coefficient over groups."""
    values = np.mean([part.values[_indices(part, measures)] for part in parts], axis=0)
    test = _test(parts, measures, seed=seed)
    return _Average(values, test, *conclusions(values, test, settings.alpha))


def _indices(part: Correlations, measures: Sequence[str]) -> Indices:
    """The indices of measures in a correlation."""
    return np.array([part.measures.index(name) for name in measures])


def _test(parts: Sequence[Correlations], measures: Sequence[str], *, seed: int) -> DifferenceTest | None:
    one, other = np.triu_indices(len(measures), 1)
    samples = []
    for part in parts:
        if part.test is None or part.test.sample is None:
            return None
        indices = _indices(part, measures)
        difference = part.test.difference[indices[one], indices[other]]
        samples.append((difference, _pair_columns(part, measures, part.test.sample)))
    return average_test(samples, len(measures), seed=seed)


def average_test(groups: Sequence[tuple[Scores, Scores]], measures: int, *, seed: int) -> DifferenceTest:
    """The test of differences of averages, whose chance is the mean of independent swaps in each group.

    groups: for each, the differences of the pairs of measures, (P,), and those after swaps, (R, P).
    """
    random = generator(seed_for(seed, "swaps of groups"))
    fewest = min(len(sample) for _, sample in groups)
    # Groups of the same shape have the same swaps; in another order they are independent.
    chance = [sample[random.permutation(fewest)] for _, sample in groups]
    observed = np.mean([difference for difference, _ in groups], axis=0)
    return difference_test(observed, np.mean(chance, axis=0), measures)


def _pair_columns(part: Correlations, measures: Sequence[str], sample: Scores) -> Scores:
    """The columns of a sample, (R, P), for the pairs of some measures, with the sign of their order there."""
    column = {pair: index for index, pair in enumerate(combinations(part.measures, 2))}
    pairs = list(combinations(measures, 2))
    signs = np.array([1.0 if pair in column else -1.0 for pair in pairs])
    return np.asarray(sample[:, [column.get(pair, column.get(pair[::-1], 0)) for pair in pairs]] * signs)


def _differences(by_human: Mapping[str, Mapping[str, _Average]], measures: Sequence[str], groups: str) -> Table:
    title = f"Differences of average correlations over {groups} (measure − other)"
    tables = []
    for human, averages in by_human.items():
        for name, average in averages.items():
            if average.test is not None:
                columns = text("human", human), text("average", name), *columns_of_pairs(measures, average.test)
                tables.append(table("correlation_average_differences", title, *columns, detail=True))
    return stack(tables)


def _notes(by_human: Mapping[str, Mapping[str, _Average]], settings: CorrelateSettings, groups: str) -> list[str]:
    tests = [average.test for means in by_human.values() for average in means.values() if average.test is not None]
    if not tests:
        return []
    pairs = every(math.comb(len(tests[0].p), 2), "pair")
    how = f"ranks by {tests[0].resamples:,} permutations within the groups"
    return [f"averages over {groups}: {how}, adjusted for {pairs} of measures, at {settings.alpha:g}"]


def _findings(
    by_human: Mapping[str, Mapping[str, _Average]], measures: Sequence[str], settings: CorrelateSettings, groups: str
) -> Iterator[Finding]:
    """The measures with the highest average, of the first human scores, level and coefficient; who leads else."""
    leaders = {
        (human, kind): best_of(measures, average.values)
        for human, averages in by_human.items()
        for kind, average in averages.items()
    }
    leaders = {key: names for key, names in leaders.items() if names}
    if not leaders:
        return
    ((human, kind), ties), *others = leaders.items()
    average = by_human[human][kind]
    of = f"average correlation with human scores over {groups} ({human}, {kind}: {np.nanmax(average.values):.2f})"
    sentences = [f"{join_names(ties)} {'share' if len(ties) > 1 else 'has'} the highest {of}"]
    best = [name for name, is_best in zip(measures, average.best, strict=True) if is_best and name not in ties]
    if average.test is not None and best:
        sentences.append(f"Not significantly lower: {join_names(best)} (adjusted p > {settings.alpha:g})")
    elif average.test is not None and len(ties) == 1 and len(measures) > 1:
        sentences.append(f"All others are significantly lower (adjusted p ≤ {settings.alpha:g})")
    by_where = {f"by {kind}{f' for {human}' if len(by_human) > 1 else ''}": names for (human, kind), names in others}
    yield Finding("correlate", ". ".join([*sentences, *also_highest(ties, by_where)]))
