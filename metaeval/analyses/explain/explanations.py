"""Explanations of why two measures disagree on systems, and the contributions of confusions that they consist of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.explain.differences import Numbers, Pairs
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.contributions import Contributions, plan_contributions
from metaeval.study.capabilities import LabelData
from metaeval.study.study import Progress, Study
from metaeval.work.blocks import map_blocks


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
    return ConfusionContributions(runs.scale.labels, counts_of(runs)[pairs], contributions, oriented)


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
