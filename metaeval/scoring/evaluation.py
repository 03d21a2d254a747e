"""Evaluation of measures that compare with references: shared intermediate results are computed once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from metaeval.arrays import Floats
from metaeval.grid import round_to_grid
from metaeval.measures.spec import Measure
from metaeval.measures.statistics import StatisticsScore, statistics_of
from metaeval.measures.text.overlap import Rouge
from metaeval.measures.text.spec import STAT, TOKEN_FILTERS, ReferenceDeclaration
from metaeval.model.runs import DerivationRuns, TextRuns
from metaeval.model.scores import ItemScores, SumScore

Block = TypeVar("Block")
Result = TypeVar("Result")

_PACKAGE = __name__.partition(".")[0]


@dataclass(frozen=True)
class Pieces(Generic[Block, Result]):
    """Blocks as pieces of the data, so that another process can compute a block from its piece alone.

    cut: the piece of a block. score: computes a piece; picklable. large: whether processes are worth starting.
    """

    cut: Callable[[Block], Any]
    score: Callable[[Any], Result]
    large: bool


@dataclass(frozen=True)
class Plan(Generic[Block, Result]):
    """Work in blocks of trials or items.

    score: computes a block, independently of the others. pieces: the same for processes that do not have the data; None
    where that is not possible.
    """

    blocks: Sequence[Block]
    score: Callable[[Block], Result]
    pieces: Pieces[Block, Result] | None = None

    @classmethod
    def in_pieces(cls, blocks: Sequence[Block], pieces: Pieces[Block, Result]) -> Plan[Block, Result]:
        """A plan whose blocks are pieces of the data."""
        return cls(blocks, lambda block: pieces.score(pieces.cut(block)), pieces)


def importable_in_workers(functions: Iterable[Callable[..., object]]) -> bool:
    """Whether a worker process can import these functions by name.

    Workers have what metaeval registers, but nothing registered by a script or a notebook.
    """
    return all(function.__module__.partition(".")[0] == _PACKAGE for function in functions)


def picklable_by_name(measures: Sequence[Measure]) -> bool:
    """Whether measures can be pickled by name and sent to another process, which loads the same plugins."""
    declarations = (measure.declaration for measure in measures)
    return importable_in_workers(declaration.decorated for declaration in declarations if declaration.plugin is None)


_SPARSEST = 4
"""A whole grid is computed while it has at most this many points for each one requested."""


def item_scores(
    blocks: Iterable[tuple[slice, Floats]], measures: Sequence[Measure], systems: Sequence[str], items: Sequence[str]
) -> ItemScores:
    """Item scores from the blocks of a plan; blocks: the items of each one, and their rows (M + R, S, n).

    The first M rows are scores, the others statistics of `sums_of`.
    """
    values = np.empty((len(measures), len(systems), len(items)))
    sums = sums_of(measures)
    statistics = np.empty((sums[-1].rows.stop if sums else 0, len(systems), len(items)))
    units = tuple(measure.unit() for measure in measures)
    for block, rows in blocks:
        values[..., block] = round_to_grid(rows[: len(values)], np.array(units)[:, np.newaxis, np.newaxis])
        statistics[..., block] = rows[len(values) :]
    directions = tuple(measure.better for measure in measures)
    names = tuple(map(str, measures))
    return ItemScores(
        values=values,
        measures=names,
        systems=tuple(systems),
        items=tuple(items),
        directions=directions,
        declared_units=units,
        sums=sums,
        statistics=statistics,
    )


def sums_of(measures: Sequence[Measure]) -> tuple[SumScore, ...]:
    """The measures whose score is a function of sums, with their rows among the statistics of all of them."""
    sums, end = [], 0
    for index, measure in enumerate(measures):
        declaration = statistics_of(measure)
        if declaration is not None and declaration.uses_sums:
            begin, end = end, end + len(declaration.statistics)
            sums.append(SumScore(index, slice(begin, end), declaration.statistics, StatisticsScore(measure)))
    return tuple(sums)


def score_plan(plan: Plan[slice, Floats], measures: Sequence[Measure], runs: TextRuns | DerivationRuns) -> ItemScores:
    """Item scores of all blocks of a plan, computed in this thread."""
    return item_scores(((block, plan.score(block)) for block in plan.blocks), measures, runs.systems, runs.items)


def evaluate(measures: Sequence[Measure], compare: Callable[[Measure, dict[str, Any]], Rouge]) -> list[Floats]:
    """The scores of each measure; measures that differ only in a statistic or on a grid share one evaluation.

    compare: evaluates a measure with arguments, which are lists for the parameters of a grid.
    """
    requests = [_Request.of(measure) for measure in measures]
    by_key: dict[Any, list[int]] = {}
    for index, request in enumerate(requests):
        by_key.setdefault(request.key, []).append(index)
    scores: list[Floats] = [np.empty(0)] * len(measures)
    for indices in by_key.values():
        for group in _compact([requests[index].grid for index in indices], indices):
            grid = _values([requests[index].grid for index in group])
            first = requests[group[0]]
            result = compare(measures[group[0]], {**first.fixed, **dict(zip(first.gridded, grid, strict=True))})
            for index in group:
                request = requests[index]
                point = tuple(axis.index(value) for axis, value in zip(grid, request.grid, strict=True))
                scores[index] = getattr(result, request.stat)[point]
    return scores


def _values(points: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    """The different values of each coordinate."""
    return [list(dict.fromkeys(values)) for values in zip(*points, strict=True)]


def _compact(points: Sequence[tuple[Any, ...]], indices: Sequence[int]) -> Iterator[list[int]]:
    """Places in groups that fill their grids well, so that few points are computed that were not requested."""
    grid = _values(points)
    if math.prod(map(len, grid)) <= _SPARSEST * len(set(points)):
        yield list(indices)
        return
    widest = max(range(len(grid)), key=lambda coordinate: len(grid[coordinate]))
    for value in grid[widest]:
        subset = [number for number, point in enumerate(points) if point[widest] == value]
        yield from _compact([points[number] for number in subset], [indices[number] for number in subset])


@dataclass(frozen=True)
class _Request:
    """A measure as a statistic (stat) of a comparison with fixed arguments, at one point of a grid."""

    declaration: ReferenceDeclaration
    fixed: dict[str, Any]
    gridded: tuple[str, ...]
    grid: tuple[Any, ...]
    stat: str

    @classmethod
    def of(cls, measure: Measure) -> _Request:
        declaration = measure.declaration
        if not isinstance(declaration, ReferenceDeclaration):
            raise TypeError(f"{measure} does not compare with references")
        arguments = measure.arguments
        stat = arguments.pop(STAT.argument)
        for parameter in TOKEN_FILTERS:
            arguments.pop(parameter.argument, None)
        gridded = tuple(
            parameter.argument for parameter in declaration.parameters if parameter.name in declaration.gridded
        )
        grid = tuple(arguments.pop(argument) for argument in gridded)
        return cls(declaration, arguments, gridded, grid, stat)

    @property
    def key(self) -> tuple[Any, ...]:
        return (self.declaration.name, *self.fixed.items())
