"""Measures of a table that are functions of sums of its columns: ratios, and F-scores of counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.arrays import Floats, Scores
from metaeval.errors import InputError, Problem, setting
from metaeval.measures.spec import REGISTRY, measure
from metaeval.measures.statistics import StatisticsScore, is_of_sums, statistics_of
from metaeval.model.data_kind import DataKind
from metaeval.model.scores import Direction, ItemScores, SumScore
from metaeval.stats.ratio import divide


@dataclass(frozen=True)
class Derived:
    """A measure of K columns of a table.

    score: from statistics or their sums (..., K) to scores. of_items: the same for single items, NaN where undefined.
    of_sums: whether the score is a function of sums over the items, and not the mean of the function of each item.
    better: None where the user says it. counts: columns of numbers that cannot be negative.
    """

    name: str
    columns: tuple[str, ...]
    score: Callable[[Floats], Scores]
    of_items: Callable[[Floats], Scores]
    of_sums: bool = True
    better: Direction | None = None
    counts: tuple[str, ...] = ()


def ratio_of(statistics: Floats) -> Scores:
    """The first by the second, NaN where that is 0."""
    return divide(statistics[..., 0], statistics[..., 1])


def f_score_of(statistics: Floats) -> Scores:
    """F1 of true positives, false positives and false negatives, NaN where all are 0."""
    right, wrong, missed = np.moveaxis(statistics, -1, 0)
    return divide(2 * right, 2 * right + wrong + missed)


def parse_ratio(text: str) -> Derived:
    """A ratio of sums.

    >>> parse_ratio("wer=edits/words").columns
    ('edits', 'words')
    """
    ratio = _parsed(text, ratio_of, option="ratios", mark="/", example="wer=edits/words")
    return replace(ratio, counts=ratio.columns[1:])


def parse_f_score(text: str) -> Derived:
    """An F-score of sums."""
    score = _parsed(text, f_score_of, option="f_scores", mark=",", example="span-f1=tp,fp,fn")
    return replace(score, counts=score.columns)


def _parsed(text: str, score: Callable[[Floats], Scores], *, option: str, mark: str, example: str) -> Derived:
    """A measure of as many columns as the example has."""
    columns = example.count(mark) + 1
    name, equals, rest = (part.strip() for part in text.partition("="))
    names = tuple(part.strip() for part in rest.split(mark))
    if not (name and equals and all(names) and len(names) == columns):
        raise InputError.at(
            found=f"{setting(option)} '{text}'",
            expected=f"NAME={mark.join(f'COLUMN{number}' for number in range(1, columns + 1))}",
            hint=f"for example {setting(option, example)}",
        )
    if name in REGISTRY:
        plugin = REGISTRY[name].plugin
        owner = "a measure of metaeval" if plugin is None else f"a measure of {plugin.name}"
        raise InputError.at(
            found=f"{setting(option)} '{text}', whose name is {owner}", expected="a name of its own for each measure"
        )
    return Derived(name, names, score, score)


def derived_of_plugin(name: str) -> Derived | None:
    """A plugin's measure of columns; None where the name is that of a column."""
    if name.partition(":")[0] not in REGISTRY:
        return None
    found = measure(name)
    declaration = statistics_of(found)
    if declaration is None or declaration.reads is not DataKind.ITEM_SCORES:
        return None
    score = StatisticsScore(found)
    return Derived(
        name=str(found),
        columns=declaration.statistics,
        score=score,
        of_items=score.of_items,
        of_sums=is_of_sums(found),
        better=found.better,
    )


def _check_counts(derived: Derived, rows: Floats, scores: ItemScores) -> None:
    """Raise an `InputError` for each column of counts with a negative number; rows: of the columns, (K, S, N)."""
    problems = []
    for column, values in zip(derived.columns, rows, strict=True):
        if column in derived.counts and (values < 0).any():
            system, item = (int(indices[0]) for indices in np.nonzero(values < 0))
            where = f"of system '{scores.systems[system]}', item '{scores.items[item]}'"
            found = f"{values[system, item]:g} in column '{column}' {where}"
            problems.append(Problem(found, f"0 or more in measure '{derived.name}'"))
    if problems:
        raise InputError(problems, hints=["correct these cells, or the column that is named"])


def check_directions(lower_is_better: Sequence[str], chosen: Sequence[str | Derived]) -> None:
    """Raise an `InputError` for a direction of a column that is only part of a measure."""
    names = [each if isinstance(each, str) else each.name for each in chosen]
    for name in lower_is_better:
        of = next((each.name for each in chosen if not isinstance(each, str) and name in each.columns), None)
        if of is not None and name not in names:
            found = f"{setting('lower_is_better', name)}, a column of measure '{of}', and no measure itself"
            hint = f"name the measure, {setting('lower_is_better', of)}, if lower values of it are better"
            raise InputError.at(found=found, expected="a measure", hint=hint)


def derive(scores: ItemScores, chosen: Sequence[str | Derived], lower_is_better: Sequence[str]) -> ItemScores:
    """The chosen columns of a table and measures of its columns, in this order."""
    index_by_name = {name: index for index, name in enumerate(scores.measures)}
    values: list[Floats] = []
    statistics: list[Floats] = [np.empty((0, *scores.values.shape[1:]))]
    directions, sums = [], []
    for each in chosen:
        if isinstance(each, str):
            values.append(scores.values[index_by_name[each]])
            directions.append(scores.directions[index_by_name[each]])
            continue
        rows = scores.values[[index_by_name[column] for column in each.columns]]
        _check_counts(each, rows, scores)
        if each.of_sums and np.isnan(rows).any():
            raise InputError.at(
                found=f"missing cells in {' or '.join(each.columns)}, of whose sums '{each.name}' is a function",
                expected="the same items for every system",
                hint=f"drop incomplete items for every system with {setting('on_missing', 'drop')}",
            )
        values.append(each.of_items(np.moveaxis(rows, 0, -1)))
        told = Direction.LOWER if each.name in lower_is_better else Direction.HIGHER
        directions.append(each.better or told)
        if each.of_sums:
            begin = sum(map(len, statistics))
            sums.append(SumScore(len(values) - 1, slice(begin, begin + len(rows)), each.columns, each.score))
            statistics.append(rows)
    names = tuple(each if isinstance(each, str) else each.name for each in chosen)
    return ItemScores(
        values=np.stack(values),
        measures=names,
        systems=scores.systems,
        items=scores.items,
        directions=tuple(directions),
        declared_units=(),
        sums=tuple(sums),
        statistics=np.concatenate(statistics),
        gaps=scores.gaps,
    )
