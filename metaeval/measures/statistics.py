"""Measures of statistics of the items: of texts as they are, and of columns of a table.

A score is the mean over the items of a function of their statistics, or that function of the sums of the statistics.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, overload

import numpy as np

from metaeval.arrays import Floats, Scores
from metaeval.errors import InputError, Problem, invalid, refuse, setting
from metaeval.measures.declare import OWN_NAME, UNBOUNDED, decorator, frozen, register
from metaeval.measures.parameters import Parameter, read_parameters
from metaeval.measures.plugin_calls import broken
from metaeval.measures.spec import REGISTRY, Declaration, Function, Measure, Trait, measure
from metaeval.model.runs import DataKind
from metaeval.model.scores import Direction, ItemScores, SumScore
from metaeval.stats.ratio import divide

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class StatisticsDeclaration(Declaration):
    """A declaration of a measure of K statistics of each item.

    function: (statistics (..., K), *, parameters) -> scores (...). statistics: their names, columns where the measure
    reads a table. separately: whether the function takes K arrays (...) instead. of_texts: (outputs, references, *,
    parameters) -> statistics (N, K); None for tables. uses_sums: whether the score is a function of sums over the
    items, and not the mean of a function of each item.
    """

    statistics: tuple[str, ...] = ()
    separately: bool = False
    of_texts: Function | None = None
    uses_sums: bool = False


def statistics_of(measure: Measure) -> StatisticsDeclaration | None:
    """The declaration of a measure of statistics; None for other measures."""
    return measure.declaration if isinstance(measure.declaration, StatisticsDeclaration) else None


def uses_sums(measure: Measure) -> bool:
    """Whether a score is a function of sums over the items."""
    declaration = statistics_of(measure)
    return declaration is not None and declaration.uses_sums


@dataclass(frozen=True)
class StatisticsScore:
    """The function from statistics (..., K) to scores (...) of a measure."""

    measure: Measure

    def __call__(self, statistics: Floats) -> Scores:
        """Scores (...) of sums, or of the items where the score is their mean."""
        return self._call(statistics, scores=True)

    def score_items(self, statistics: Floats) -> Scores:
        """Scores (...) of single items; of a measure of sums they may be undefined."""
        if not uses_sums(self.measure):
            return self(statistics)
        scores = self._call(statistics, scores=False)
        return np.where(np.isfinite(scores), scores, np.nan)

    def _call(self, statistics: Floats, *, scores: bool) -> Scores:
        declaration = statistics_of(self.measure)
        assert declaration is not None
        data = np.moveaxis(statistics, -1, 0) if declaration.separately else [statistics]
        arguments = _accepted(declaration.function, self.measure)
        return self.measure.call(declaration.function, statistics.shape[:-1], *data, scores=scores, **arguments)


def text_statistics(measure: Measure, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> Floats:
    """The statistics of texts, (N, K); references: one or more of each item."""
    declaration = statistics_of(measure)
    assert declaration is not None
    assert declaration.of_texts is not None
    function, count = declaration.of_texts, len(declaration.statistics)
    # A measure whose only statistic is the score returns one number for each text.
    scores = declaration.function is _first
    shape = (len(outputs),) if scores else (len(outputs), count)
    # Lists of its own, which it may change.
    texts = list(outputs), [list(item_texts) for item_texts in references]
    values = measure.call(function, shape, *texts, scores=scores, **_accepted(function, measure))
    values = values.reshape(len(outputs), count)
    if declaration.uses_sums and not np.isfinite(values).all():
        raise broken(str(measure), function, "returns a statistic that is not finite", "finite numbers, to be summed")
    return values


def _accepted(function: Function, measure: Measure) -> dict[str, Any]:
    """The parameters of a measure that one of its functions takes."""
    names = inspect.signature(function).parameters
    return {name: value for name, value in measure.arguments.items() if name in names}


def _first(statistics: Floats) -> Scores:
    """The only statistic, which is the score."""
    return statistics[..., 0]


@overload
def text_measure(name: FunctionT, /) -> FunctionT: ...


@overload
def text_measure(name: str | None = None, **declared: Any) -> Callable[[FunctionT], FunctionT]: ...


def text_measure(name: object = None, **declared: Any) -> Any:
    """Declare a function of texts as a measure whose score is the mean over the items.

    The function takes N output texts and N lists of reference texts, and returns N scores, NaN where undefined. Texts
    are as in the files, with blanks between words. Every argument with a default is a parameter.

    Parameters
    ----------
    name
        Name on the command line (default: that of the function, with - for _).
    declared
        Properties of the measure, those of `label_measure`.
    """

    def declare(function: Function, name: Any) -> None:
        _declare(_first, name, of_texts=function, statistics=(name,), meaning_of=function, **declared)

    return decorator(name, declare)


@overload
def item_measure(name: FunctionT, /) -> FunctionT: ...


@overload
def item_measure(name: str | None = None, **declared: Any) -> Callable[[FunctionT], FunctionT]: ...


def item_measure(
    name: object = None, *, statistics: Sequence[str] = (), of_texts: Function | None = None, **declared: Any
) -> Any:
    """Declare a function of statistics of an item as a measure whose score is the mean over the items.

    The function takes an array for each statistic, all of the same shape, and returns scores of this shape.

    Parameters
    ----------
    name
        Name on the command line (default: that of the function, with - for _).
    statistics
        Names of K statistics, where the function takes one array of shape (..., K) (default: its arguments). They are
        columns of a table of scores.
    of_texts
        Function from N output texts and N lists of reference texts to statistics of shape (N, K); None for columns of a
        table.
    declared
        Properties of the measure, those of `label_measure`.
    """
    return decorator(name, partial(_declare, of_texts=of_texts, statistics=statistics, **declared))


@overload
def sum_measure(name: FunctionT, /) -> FunctionT: ...


@overload
def sum_measure(name: str | None = None, **declared: Any) -> Callable[[FunctionT], FunctionT]: ...


def sum_measure(
    name: object = None, *, statistics: Sequence[str] = (), of_texts: Function | None = None, **declared: Any
) -> Any:
    """Declare a function of sums over the items as a measure, such as corpus BLEU or a ratio of totals.

    The function takes an array of sums for each statistic, all of the same shape, and returns scores of this shape.
    Resamples of the items are summed again. The score of an item, where single items are compared, is that of its
    statistics.

    Parameters
    ----------
    name
        Name on the command line (default: that of the function, with - for _).
    statistics
        Names of K statistics of an item, where the function takes one array of shape (..., K) (default: its arguments).
        They are columns of a table of scores.
    of_texts
        Function from N output texts and N lists of reference texts to statistics of shape (N, K); None for columns of a
        table.
    declared
        Properties of the measure, those of `label_measure`.
    """
    return decorator(name, partial(_declare, of_texts=of_texts, statistics=statistics, uses_sums=True, **declared))


def _declare(
    function: Function,
    name: str,
    *,
    of_texts: Function | None,
    statistics: Sequence[str],
    traits: set[Trait] | frozenset[Trait] | None = None,
    parameters: Mapping[str, str] | None = None,
    **declared: Any,
) -> None:
    """Register a measure of statistics; declared: further fields of `StatisticsDeclaration`."""
    meanings = dict(parameters or {})
    read: dict[str, Parameter] = {}
    for source in (function, of_texts):
        if source is not None:
            accepted = set(inspect.signature(source).parameters)
            source_meanings = {key: text for key, text in meanings.items() if _argument(key, accepted)}
            read |= {parameter.name: parameter for parameter in read_parameters(source, source_meanings)}
    unused = [key for key in meanings if key not in read]
    if unused:
        raise ValueError(f"measure {name} has no parameter {', '.join(unused)}")
    arguments = inspect.signature(function).parameters.values()
    positional = [argument for argument in arguments if argument.kind is argument.POSITIONAL_OR_KEYWORD]
    names = tuple(statistics) or tuple(argument.name for argument in positional if argument.default is argument.empty)
    if not names:
        raise ValueError(f"{name} has no statistics: neither arguments of its function nor names in `statistics`")
    declaration = StatisticsDeclaration(
        name,
        function,
        traits=frozen(traits),
        parameters=tuple(read.values()),
        reads=DataKind.ITEM_SCORES if of_texts is None else DataKind.TEXTS,
        of_texts=of_texts,
        statistics=names,
        separately=not statistics,
        **{"bounds": UNBOUNDED, **declared},
    )
    register(declaration)


def _argument(name: str, accepted: set[str]) -> bool:
    """Whether a function takes a parameter; see `read_parameters`."""
    return not {name.replace("-", "_"), name.replace("-", "_") + "_"}.isdisjoint(accepted)


@dataclass(frozen=True)
class Derived:
    """A measure of K columns of a table.

    score: from statistics or their sums (..., K) to scores. score_items: the same for single items, NaN where
    undefined. uses_sums: whether the score is a function of sums over the items, and not the mean of the function of
    each item. better: None where the user says it. counts: columns of numbers that cannot be negative.
    """

    name: str
    columns: tuple[str, ...]
    score: Callable[[Floats], Scores]
    score_items: Callable[[Floats], Scores]
    uses_sums: bool = True
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
        form = f"NAME={mark.join(f'COLUMN{number}' for number in range(1, columns + 1))}"
        raise refuse(None, invalid(setting(option), text, form, "", f"for example {setting(option, example)}"))
    if name in REGISTRY:
        hint = f"choose another name, as in {setting(option, f'my-{text}')}"
        owner = f", whose name is a measure of {REGISTRY[name].owner}"
        raise refuse(None, invalid(setting(option), text, OWN_NAME, owner, hint))
    return Derived(name, names, score, score)


def derived_of_plugin(name: str) -> Derived | None:
    """A plugin's measure of columns; None where the name is that of a column."""
    if name.partition(":")[0] not in REGISTRY:
        return None
    plugin_measure = measure(name)
    declaration = statistics_of(plugin_measure)
    if declaration is None or declaration.reads is not DataKind.ITEM_SCORES:
        return None
    score = StatisticsScore(plugin_measure)
    return Derived(
        name=str(plugin_measure),
        columns=declaration.statistics,
        score=score,
        score_items=score.score_items,
        uses_sums=uses_sums(plugin_measure),
        better=plugin_measure.better,
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
        raise InputError(problems)


def check_directions(lower_is_better: Sequence[str], measures: Sequence[str | Derived]) -> None:
    """Raise an `InputError` for a direction of a column that is only part of a measure."""
    names = [choice if isinstance(choice, str) else choice.name for choice in measures]
    for name in lower_is_better:
        owner = next(
            (choice.name for choice in measures if not isinstance(choice, str) and name in choice.columns), None
        )
        if owner is not None and name not in names:
            found = f"{setting('lower_is_better', name)}, a column of measure '{owner}', and no measure itself"
            hint = f"name the measure, {setting('lower_is_better', owner)}, if lower values of it are better"
            raise refuse(None, found, "a measure", hint)


def derive(scores: ItemScores, measures: Sequence[str | Derived], lower_is_better: Sequence[str]) -> ItemScores:
    """The chosen columns of a table and measures of its columns, in this order."""
    index_by_name = {name: index for index, name in enumerate(scores.measures)}
    values: list[Floats] = []
    statistics: list[Floats] = [np.empty((0, *scores.values.shape[1:]))]
    directions, sums = [], []
    for choice in measures:
        if isinstance(choice, str):
            values.append(scores.values[index_by_name[choice]])
            directions.append(scores.directions[index_by_name[choice]])
            continue
        rows = scores.values[[index_by_name[column] for column in choice.columns]]
        _check_counts(choice, rows, scores)
        if choice.uses_sums and np.isnan(rows).any():
            found = f"missing cells in {' or '.join(choice.columns)}, of whose sums '{choice.name}' is a function"
            raise refuse(None, found, "the same items for every system", f"set {setting('on_missing', 'drop')}")
        values.append(choice.score_items(np.moveaxis(rows, 0, -1)))
        direction = Direction.LOWER if choice.name in lower_is_better else Direction.HIGHER
        directions.append(choice.better or direction)
        if choice.uses_sums:
            begin = sum(map(len, statistics))
            sums.append(SumScore(len(values) - 1, slice(begin, begin + len(rows)), choice.columns, choice.score))
            statistics.append(rows)
    names = tuple(choice if isinstance(choice, str) else choice.name for choice in measures)
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
