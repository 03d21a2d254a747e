"""Which systems two measures order differently, why they do, and the contributions of confusions that explain it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.explain.contributions import Contributions, plan_contributions
from metaeval.model.scores import ScoreCube
from metaeval.scoring.confusion import counts_of
from metaeval.stats.pairs import all_pairs
from metaeval.stats.ratio import divide
from metaeval.study.capabilities import LabelData
from metaeval.study.study import Progress, Study
from metaeval.work.blocks import map_blocks

Numbers = NDArray[np.float64]
Pairs = NDArray[np.intp]


@dataclass(frozen=True)
class PairDifferences:
    """Differences of each two systems, the first less the second, positive in favour of the first.

    pairs: (P, 2), places of systems. values: under each measure, (M, P), exactly 0 for a tie, NaN where a score is
    undefined. units: root mean square difference under each measure, (M,); 0 where all systems are tied.
    """

    pairs: Pairs
    values: Numbers
    units: Numbers

    @property
    def standardised(self) -> Numbers:
        """In units of each measure, (M, P), so that measures can be compared."""
        return self.scaled(self.values)

    def scaled(self, parts: Numbers) -> Numbers:
        """Differences, or parts of them, (M, ...), in units of each measure; 0 where all systems are tied."""
        units = self.units.reshape(-1, *(1,) * (parts.ndim - 1))
        return np.where(np.isnan(parts), np.nan, divide(parts, units, undefined=0.0))


def pair_differences(cube: ScoreCube) -> PairDifferences:
    """Differences of each two systems of a cube without leading axes.

    >>> from metaeval.model.scores import Direction
    >>> cube = ScoreCube(np.array([[0.2, 0.5]]), (), ("mae",), ("a", "b"), (Direction.LOWER,))
    >>> pair_differences(cube).values
    array([[0.3]])
    """
    scores = cube.oriented().values
    pairs = all_pairs(len(cube.systems))
    one, other = scores[:, pairs[:, 0]], scores[:, pairs[:, 1]]
    values = one - other
    squares = np.where(np.isnan(values), 0.0, values) ** 2
    units: Numbers = np.sqrt(divide(squares.sum(axis=1), (~np.isnan(values)).sum(axis=1), undefined=0.0))
    return PairDifferences(pairs, values, units)


def count_opposed(differences: Numbers) -> NDArray[np.int64]:
    """Number of pairs of systems that each two measures order differently, (M, M); differences: (M, P).

    >>> count_opposed(np.array([[1.0, -1.0, 0.0], [1.0, 1.0, -1.0]])).tolist()
    [[0, 1], [1, 0]]
    """
    above, below = ((differences > 0).astype(np.int64), (differences < 0).astype(np.int64))
    opposed: NDArray[np.int64] = above @ below.T
    return opposed + opposed.T


def disagreeing(first: Numbers, second: Numbers) -> NDArray[np.intp]:
    """Places of the pairs that two measures order differently, the strongest disagreement first; both (P,).

    The strength is the smaller of the two standardised differences. Pairs that one measure ties come last, the largest
    difference under the other measure first. Pairs without a score are left out.

    >>> disagreeing(np.array([1.0, -0.5, 0.2, 0.0]), np.array([-0.1, 0.4, 0.3, 1.0])).tolist()
    [1, 0, 3]
    """
    differ = np.flatnonzero((np.sign(first) != np.sign(second)) & ~np.isnan(first) & ~np.isnan(second))
    one, other = np.abs(first[differ]), np.abs(second[differ])
    return differ[np.lexsort((-np.maximum(one, other), -np.minimum(one, other)))]


@dataclass(frozen=True)
class ConfusionContributions:
    """What single cells of confusion matrices contribute to the differences of P pairs of systems.

    counts: confusion matrices of both systems of a pair, (P, 2, C, C). oriented: the contributions with signs such that
    a higher one favours the first system, (M, P, C, C).
    """

    labels: tuple[str, ...]
    counts: NDArray[np.int64]
    contributions: Contributions
    oriented: Numbers


def contributions_of(study: Study, labels: LabelData, pairs: Pairs, *, progress: Progress) -> ConfusionContributions:
    """The contributions of all cells to the differences of pairs of systems under every measure."""
    runs = labels.runs
    plan = plan_contributions(runs, labels.measures, pairs, seed=study.config.seed)
    blocks = map_blocks(
        plan, lambda block: block, workers=study.config.workers, progress=progress, description="Mixing systems"
    )
    contributions = Contributions.joined(blocks)
    signs = np.array([direction.sign for direction in study.scores.directions], dtype=np.float64)
    oriented = contributions.values * signs[:, np.newaxis, np.newaxis, np.newaxis]
    return ConfusionContributions(runs.scale.predicted_labels, counts_of(runs)[pairs], contributions, oriented)


class Confusion(NamedTuple):
    """Errors of one cell of the confusion matrix, or of two opposite cells, of two systems.

    name: `low→high` (gold→predicted) or `low⇄high`. items, items_other: number of these errors of each system.
    oriented: what they contribute to the difference under each measure, positive in favour of the first system, (2,).
    contribution: what they contribute to the disagreement of the measures, in standardised units.
    """

    name: str
    items: int
    items_other: int
    oriented: tuple[float, float]
    contribution: float


def confusions_of(
    labels: Sequence[str], one: NDArray[np.int64], other: NDArray[np.int64], oriented: Numbers, contributions: Numbers
) -> tuple[Confusion, ...]:
    """The confusions in which two systems differ, the largest contribution to the disagreement first.

    Opposite cells are one confusion if their effects have the same sign: the same system has more errors in both, and
    no measure has contributions of both signs.

    one, other: counts, (C, C). oriented, contributions: of each cell, as in `Confusion`, (2, C, C) and (C, C).
    """
    more = one - other
    confusions = []
    for name, cells in _grouped(labels, more, oriented):
        if more[cells].any():
            items, items_other = int(one[cells].sum()), int(other[cells].sum())
            first, second = oriented[:, *cells].sum(axis=1).tolist()
            confusions.append(Confusion(name, items, items_other, (first, second), float(contributions[cells].sum())))
    return tuple(sorted(confusions, key=lambda confusion: -confusion.contribution))


def _grouped(
    labels: Sequence[str], more: NDArray[np.int64], oriented: Numbers
) -> Iterator[tuple[str, tuple[list[int], list[int]]]]:
    """Names of confusions, and the rows and columns of their cells."""
    for low, high in combinations(range(len(labels)), 2):
        same_signs = (oriented[:, low, high] * oriented[:, high, low] >= 0).all()
        if same_signs and more[low, high] * more[high, low] > 0:
            yield both_directions(labels[low], labels[high]), ([low, high], [high, low])
        else:
            yield f"{labels[low]}→{labels[high]}", ([low], [high])
            yield f"{labels[high]}→{labels[low]}", ([high], [low])


def both_directions(low: str, high: str) -> str:
    """The name of the errors between two classes, whichever of them is gold.

    >>> both_directions("agree", "disagree")
    'agree⇄disagree'
    """
    return f"{low}⇄{high}"


Two = tuple[float, float]
"""One number for each of the two measures."""


class DecidingItem(NamedTuple):
    """An item and what it contributes to the difference of two systems.

    values: in the units of the measures. oriented: positive in favour of the first system.
    """

    item: str
    values: Two
    oriented: Two


@dataclass(frozen=True)
class PairExplanation:
    """Two systems, and why two measures agree or disagree on them.

    values: differences of their scores, the first less the second; 0 where they are tied. oriented: the same, positive
    in favour of the first system. strength: the smaller of the two, standardised. confusions, items: the largest
    contribution to the disagreement first.
    """

    system: str
    other: str
    values: Two
    oriented: Two
    strength: float
    confusions: tuple[Confusion, ...] = ()
    items: tuple[DecidingItem, ...] = ()

    @property
    def opposed(self) -> bool:
        """Whether the measures prefer different systems."""
        return self.oriented[0] * self.oriented[1] < 0

    @property
    def disputed(self) -> bool:
        """Whether the measures prefer different systems, or exactly one of them has a tie."""
        return bool(np.sign(self.oriented[0]) != np.sign(self.oriented[1])) and not np.isnan(self.oriented).any()

    @property
    def orientation(self) -> int:
        """−1 if the second measure is more in favour of the first system than the first measure is; else 1."""
        return -1 if self.disputed and np.sign(self.oriented[0]) < np.sign(self.oriented[1]) else 1

    @property
    def leading(self) -> tuple[str, float]:
        """The confusion that contributes most to the disagreement, and its share of it; '' and NaN if there is none."""
        total = sum(confusion.contribution for confusion in self.confusions)
        if not self.disputed or not total > 0:
            return "", np.nan
        return self.confusions[0].name, self.confusions[0].contribution / total


@dataclass(frozen=True)
class Explanations:
    """Why two measures disagree.

    named: whether the user named the pair, so that the measures may agree on it. opposed, tied, undefined: number of
    pairs of systems that the measures order oppositely; that exactly one of them ties; without a score. cells: None
    where systems predict no labels.
    """

    measures: tuple[str, str]
    pairs: tuple[PairExplanation, ...]
    named: bool
    systems: int
    opposed: int
    tied: int
    undefined: int
    cells: ConfusionContributions | None = None
