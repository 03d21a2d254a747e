"""Systems whose true scores are known: binary scores of items, in clusters, in crossed groupings, near-copies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import norm

from metaeval.grid import round_to_grid
from metaeval.inference.parts import Parts, Signs
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def correct_items(
    random: np.random.Generator,
    shares: Floats,
    items: int,
    *,
    common: float = 0.5,
    luck: Sequence[tuple[Codes, float]] = (),
    draw_luck: np.random.Generator | None = None,
) -> Floats:
    """Whether systems are right about items, (S, N), from latent normal variables.

    shares: of the items that each system gets right. common: share of the variance that the items have for all systems.
    luck: codes of groups of the items, and the share of the variance of each system's luck with the groups. draw_luck:
    its generator, where several measures share it.
    """
    rest = 1.0 - common - sum(share for _, share in luck)
    z = np.sqrt(rest) * random.standard_normal((len(shares), items))
    z += np.sqrt(common) * random.standard_normal(items)
    for codes, share in luck:
        z += np.sqrt(share) * (draw_luck or random).standard_normal((len(shares), codes.max() + 1))[:, codes]
    correct: Floats = (z < norm.ppf(shares)[:, np.newaxis]).astype(np.float64)
    return correct


def parts_of_sums(sums: Floats, sizes: NDArray[np.integer]) -> Parts:
    """The parts of a mean over items; sums: of the items' scores in each group, (G, S); sizes: items of each, (G,)."""
    return Parts(round_to_grid(sums.sum(axis=0) / sizes.sum()), sums, sizes.astype(np.float64))


def packed(signs: Floats) -> Signs:
    """Signs 1 and −1, (T, G), as bits."""
    return Signs(np.packbits(signs > 0, axis=1, bitorder="little"), signs.shape[1])


def near_copies(random: np.random.Generator, copies: int, items: int) -> Floats:
    """Near-copies of one good system, and two bad ones of the same share, (copies + 2, N)."""
    good = random.random(items) < 0.95
    rows = [np.where(random.random(items) < 0.005, ~good, good) for _ in range(copies)]
    return np.array([*rows, *(random.random(items) < 0.6 for _ in range(2))], dtype=np.float64)


def unequal_clusters(clusters: int, items: int, seed: int = 5) -> Codes:
    """Codes of clusters of lognormal sizes, each with an item at least."""
    random = np.random.default_rng(seed)
    weights = random.lognormal(0, 0.8, clusters)
    sizes = np.maximum(1, np.round(weights / weights.sum() * items)).astype(np.int64)
    codes = np.repeat(np.arange(clusters), sizes)[:items]
    return np.concatenate([codes, np.arange(items - len(codes)) % clusters])


def grid(rows: int, columns: int) -> tuple[Codes, Codes]:
    """Codes of rows and columns of all their pairs, an item each."""
    return np.repeat(np.arange(rows), columns), np.tile(np.arange(columns), rows)


def sparse(random: np.random.Generator, rows: int, columns: int, items: int) -> tuple[Codes, Codes]:
    """Codes of rows and columns of random items."""
    return (
        np.unique(random.integers(0, rows, items), return_inverse=True)[1],
        np.unique(random.integers(0, columns, items), return_inverse=True)[1],
    )


SCALE = ClassScale(("low", "mid", "high"), ordered=True)
CONFUSION = np.array([[0.8, 0.15, 0.05], [0.2, 0.7, 0.1], [0.2, 0.3, 0.5]])


def labels(
    random: np.random.Generator,
    systems: int,
    items: int,
    prevalence: Sequence[float],
    *,
    luck: Sequence[tuple[Codes, float]] = (),
) -> LabelledRuns:
    """Systems of the same expected confusion matrix on three ordered classes; luck as in `correct_items`."""
    gold = np.concatenate([np.arange(3), random.choice(3, items - 3, p=prevalence)])
    rest = 0.6 - sum(share for _, share in luck)
    z = np.sqrt(0.4) * random.standard_normal(items) + np.sqrt(rest) * random.standard_normal((systems, items))
    for codes, share in luck:
        z += np.sqrt(share) * random.standard_normal((systems, codes.max() + 1))[:, codes]
    # The right class first, so that what items have in common is how difficult they are.
    orders = np.array([[0, 1, 2], [1, 0, 2], [2, 0, 1]])
    limits = np.take_along_axis(CONFUSION, orders, axis=1).cumsum(axis=1)
    column = (ndtr(z)[:, :, np.newaxis] > limits[gold][:, :2]).sum(axis=2)
    names = tuple(str(number) for number in range(items))
    return LabelledRuns(names, gold, orders[gold, column], tuple(f"s{number}" for number in range(systems)), SCALE)


def ratings(
    random: np.random.Generator,
    units: int,
    prevalence: Sequence[float],
    share: float,
    clusters: int = 0,
    *,
    annotators: int = 3,
) -> Floats:
    """Codes of labels that annotators choose, (A, U), each right with this share, and otherwise at random.

    clusters: number of clusters of units that have the same right label; 0 for independent units.
    """
    right = random.choice(len(prevalence), clusters or units, p=prevalence)
    if clusters:
        right = right[np.arange(units) % clusters]
    is_right = random.random((annotators, units)) < share
    return np.where(is_right, right, random.choice(len(prevalence), is_right.shape, p=prevalence)).astype(np.float64)
