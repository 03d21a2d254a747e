"""Measures of statistics of the items: of texts as they are, and of columns of a table.

A score is the mean over the items of a function of their statistics, or that function of the sums of the statistics.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from metaeval.arrays import Floats, Scores
from metaeval.measures.declare import register
from metaeval.measures.parameters import read_parameters
from metaeval.measures.plugin_calls import broken
from metaeval.measures.spec import Declaration, Function, Measure, Trait
from metaeval.model.data_kind import DataKind
from metaeval.model.scores import Direction

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class StatisticsDeclaration(Declaration):
    """A declaration of a measure of K statistics of each item.

    function: (statistics (..., K), *, parameters) -> scores (...). statistics: their names, columns where the measure
    reads a table. of_texts: (outputs, references, *, parameters) -> statistics (N, K); None for tables. of_sums:
    whether the score is a function of sums over the items, and not the mean of a function of each item.
    """

    statistics: tuple[str, ...] = ()
    of_texts: Function | None = None
    of_sums: bool = False


def statistics_of(measure: Measure) -> StatisticsDeclaration | None:
    """The declaration of a measure of statistics; None for other measures."""
    return measure.declaration if isinstance(measure.declaration, StatisticsDeclaration) else None


def is_of_sums(measure: Measure) -> bool:
    """Whether a score is a function of sums over the items."""
    declaration = statistics_of(measure)
    return declaration is not None and declaration.of_sums


@dataclass(frozen=True)
class StatisticsScore:
    """The function from statistics (..., K) to scores (...) of a measure."""

    measure: Measure

    def __call__(self, statistics: Floats) -> Scores:
        """Scores (...) of sums, or of the items where the score is their mean."""
        return self._call(statistics, scores=True)

    def of_items(self, statistics: Floats) -> Scores:
        """Scores (...) of single items; of a measure of sums they may be undefined."""
        if not is_of_sums(self.measure):
            return self(statistics)
        scores = self._call(statistics, scores=False)
        return np.where(np.isfinite(scores), scores, np.nan)

    def _call(self, statistics: Floats, *, scores: bool) -> Scores:
        function = self.measure.declaration.function
        arguments = _accepted(function, self.measure)
        return self.measure.call(function, statistics.shape[:-1], statistics, scores=scores, **arguments)


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
    texts = list(outputs), [list(each) for each in references]
    values = measure.call(function, shape, *texts, scores=scores, **_accepted(function, measure))
    values = values.reshape(len(outputs), count)
    if declaration.of_sums and not np.isfinite(values).all():
        raise broken(str(measure), function, "returns a statistic that is not finite", "finite numbers, to be summed")
    return values


def _accepted(function: Function, measure: Measure) -> dict[str, Any]:
    """The parameters of a measure that one of its functions takes."""
    names = inspect.signature(function).parameters
    return {name: value for name, value in measure.arguments.items() if name in names}


def _first(statistics: Floats) -> Scores:
    """The only statistic, which is the score."""
    return statistics[..., 0]


def text_measure(name: str, *, undefined: str = "never", **declared: Any) -> Callable[[FunctionT], FunctionT]:
    """Declare a function of texts as a measure whose score is the mean over the items.

    The function takes N output texts and N lists of reference texts, and returns N scores, NaN where undefined. Texts
    are as in the files, with blanks between words. Every keyword with a type and a default is a parameter.

    Parameters
    ----------
    name
        Name on the command line.
    undefined
        When the score is NaN.
    declared
        Further arguments, those of `sum_measure`.
    """

    def declare(function: FunctionT) -> FunctionT:
        _declare(name, _first, (name,), function, undefined=undefined, of_sums=False, described=function, **declared)
        return function

    return declare


def item_measure(
    name: str, *, statistics: Sequence[str], of_texts: Function | None = None, undefined: str, **declared: Any
) -> Callable[[FunctionT], FunctionT]:
    """Declare a function of statistics of an item as a measure whose score is the mean over the items.

    The function takes an array of shape (..., K), K statistics on the last axis, and returns scores of shape (...).

    Parameters
    ----------
    name
        Name on the command line.
    statistics
        Names of the K statistics: columns of a table of scores.
    of_texts
        Function from N output texts and N lists of reference texts to statistics of shape (N, K); None for columns of a
        table.
    undefined
        When the score is NaN.
    declared
        Further arguments, those of `sum_measure`.
    """

    def declare(function: FunctionT) -> FunctionT:
        _declare(name, function, statistics, of_texts, undefined=undefined, of_sums=False, **declared)
        return function

    return declare


def sum_measure(
    name: str, *, statistics: Sequence[str], of_texts: Function | None = None, undefined: str, **declared: Any
) -> Callable[[FunctionT], FunctionT]:
    """Declare a function of sums over the items as a measure, such as corpus BLEU or a ratio of totals.

    The function takes an array of shape (..., K), K sums on the last axis, and returns scores of shape (...). Resamples
    of the items are summed again. The score of an item, where single items are compared, is that of its statistics.

    Parameters
    ----------
    name
        Name on the command line.
    statistics
        Names of the K statistics of an item: columns of a table of scores.
    of_texts
        Function from N output texts and N lists of reference texts to statistics of shape (N, K); None for columns of a
        table.
    undefined
        When the score is NaN.
    declared
        `title`, `question`, `source` (a citation), `formula`; `better` (default: `Direction.HIGHER`), `bounds` (default
        0 to 1), `traits`, and `parameters`, the meaning of each parameter.
    """

    def declare(function: FunctionT) -> FunctionT:
        _declare(name, function, statistics, of_texts, undefined=undefined, of_sums=True, **declared)
        return function

    return declare


def _declare(
    name: str,
    function: Function,
    statistics: Sequence[str],
    of_texts: Function | None,
    *,
    title: str,
    question: str,
    source: str,
    formula: str,
    undefined: str,
    of_sums: bool,
    better: Direction = Direction.HIGHER,
    bounds: tuple[float, float] = (0.0, 1.0),
    traits: set[Trait] | frozenset[Trait] = frozenset(),
    parameters: Mapping[str, str] | None = None,
    described: Function | None = None,
) -> None:
    """Register a measure of statistics; described: the function whose first line of documentation is its meaning."""
    meanings = dict(parameters or {})
    functions = (function, *((of_texts,) if of_texts is not None else ()))
    names = [set(inspect.signature(each).parameters) for each in functions]
    accepted_parameters = [
        parameter
        for each, accepted in zip(functions, names, strict=True)
        for parameter in read_parameters(
            each, {key: text for key, text in meanings.items() if _argument(key, accepted)}
        )
    ]
    unused = [key for key in meanings if not any(_argument(key, accepted) for accepted in names)]
    if unused:
        raise ValueError(f"measure {name} has no parameter {', '.join(unused)}")
    register(
        StatisticsDeclaration(
            name=name,
            title=title,
            question=question,
            function=function,
            better=better,
            bounds=bounds,
            scale=None,
            source=source,
            formula=formula,
            undefined=undefined,
            traits=frozenset(traits),
            parameters=tuple({parameter.name: parameter for parameter in accepted_parameters}.values()),
            reads=DataKind.ITEM_SCORES if of_texts is None else DataKind.TEXTS,
            meaning_of=described,
            statistics=tuple(statistics),
            of_texts=of_texts,
            of_sums=of_sums,
        )
    )


def _argument(name: str, accepted: set[str]) -> bool:
    """Whether a function takes a parameter; see `read_parameters`."""
    return not {name.replace("-", "_"), name.replace("-", "_") + "_"}.isdisjoint(accepted)
