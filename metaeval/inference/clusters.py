"""Clusters of items: their sizes, groups of whole clusters, and random halves of clusters."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Indices, Integers, Ints

MAX_GROUPS = 1024
"""Maximum number of groups: more clusters are dealt whole into as many."""

MIN_EFFECTIVE_GROUPS = 30
"""Effective number of clusters below which tests have little power and results carry a note."""

CELLS_AT_ONCE = 1 << 21
"""Numbers that are drawn or computed together, so that memory stays bounded."""

_MAX_ORDERS = 16
"""Maximum number of random orders of which the most even halves are taken."""

_ORDERS_TIMES_CLUSTERS = 256
"""Of so many clusters, halves of one random order are even to about a thousandth."""


@dataclass(frozen=True)
class Clusters:
    """Items that belong together, such as the posts of a thread.

    column: name of the column whose values are the clusters. codes: the cluster of each item, from 0, (N,); None for
    items that are not stored one by one. sizes: number of items of each cluster, (K,).
    """

    column: str
    codes: Indices | None
    sizes: Ints

    @classmethod
    def of(cls, column: str, labels: Sequence[str]) -> Clusters:
        """The clusters of items with these labels, in the order of their first item."""
        codes = cluster_codes(labels)
        return cls(column, codes, np.bincount(codes).astype(np.int64))

    @property
    def item_codes(self) -> Indices:
        """The cluster of each item, of items in memory, (N,)."""
        if self.codes is None:
            raise ValueError("these items are not stored one by one")
        return self.codes


def cluster_codes(labels: Sequence[str]) -> Indices:
    """Codes of clusters in the order of their first item.

    labels: the cluster of each item, of length N. Returns from 0 to the number of clusters less one, (N,).

    >>> cluster_codes(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    codes: dict[str, int] = {}
    return np.array([codes.setdefault(label, len(codes)) for label in labels], dtype=np.intp)


def number_of_different(codes: Indices, others: Indices) -> Indices:
    """The number of different other codes beside each code, up to the largest, such as clusters of each kind.

    >>> number_of_different(np.array([0, 0, 0, 1]), np.array([3, 5, 3, 3])).tolist()
    [2, 1]
    """
    width = int(others.max(initial=0)) + 1
    return np.bincount(np.unique(codes * width + others) // width)


def deal_groups(sizes: Integers, random: np.random.Generator, groups: int = MAX_GROUPS) -> Indices:
    """Deal whole clusters, of sizes (K,), into groups of about as many items, the largest first: their groups, (K,).

    random: source of the order among clusters of one size. groups: maximum number of groups.
    """
    clusters = len(sizes)
    if clusters <= groups:
        return np.arange(clusters)
    order = np.lexsort((random.random(clusters), -sizes))
    group = np.empty(clusters, dtype=np.intp)
    if (sizes == sizes[0]).all():
        group[order] = np.arange(clusters) % groups
        return group
    smallest = [(0, number) for number in range(groups)]
    for cluster, size in zip(order.tolist(), sizes[order].tolist(), strict=True):
        items, number = smallest[0]
        group[cluster] = number
        heapq.heapreplace(smallest, (items + size, number))
    return group


def count_into(
    counts: Ints,
    gold: Integers,
    predicted: Integers,
    groups: Integers,
    times: Integers | None = None,
) -> None:
    """Add items to the confusion counts of their groups, (S, G, C, C), in place.

    gold, groups, times: of each item, (N,); times: how many items it stands for. predicted: (S, N).
    """
    classes = counts.shape[-1]
    row = (groups.astype(np.intp) * classes + gold) * classes
    for table, codes in zip(counts, predicted, strict=True):
        # Sums of whole numbers are exact below 2^53.
        new_counts = np.bincount(row + codes, times, minlength=table.size)
        table += new_counts.astype(np.int64).reshape(table.shape)


def draw_cluster_halves(
    random: np.random.Generator, sizes: Integers, trials: int, *, share: float = 0.5
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Random halves of whole clusters of sizes (K,): 1 for clusters of the first, and of the second half, (T, K) each.

    The clusters are lined up in random order and the line is cut in the middle; the cluster on the cut goes to the half
    in which its midpoint lies, by a coin where the midpoint is the cut. Of several orders the most even one is taken.
    Each cluster is in the first half with probability ½ exactly, because the reversed order is as likely and as even,
    and gives the complement. Below a share of ½ the halves are the ends of the line. Orders are from 16 (few clusters)
    to 1 (256 clusters and more, or all of one size).
    """
    clusters, items = len(sizes), int(sizes.sum())
    equal = (sizes == sizes[0]).all()
    orders = 1 if equal else max(1, min(_MAX_ORDERS, _ORDERS_TIMES_CLUSTERS // clusters))
    halves = np.zeros((2, trials, clusters), dtype=np.uint8)
    step = max(1, CELLS_AT_ONCE // (clusters * orders))
    twice_cut = 2 * share * items
    for begin in range(0, trials, step):
        block = halves[:, begin : begin + step]
        order = random.random((block.shape[1], orders, clusters), dtype=np.float32).argsort(axis=-1)
        size = np.asarray(sizes, dtype=np.int64)[order]
        twice_midpoint = 2 * size.cumsum(axis=-1) - size
        from_end = 2 * items - twice_midpoint
        ends = twice_midpoint < twice_cut, from_end < twice_cut
        on_cut = twice_midpoint == twice_cut, from_end == twice_cut
        if on_cut[0].any() or on_cut[1].any():
            coin = random.random((block.shape[1], orders, 1)) < 0.5
            ends = ends[0] | (on_cut[0] & coin), ends[1] | (on_cut[1] & ~coin)
        uneven = sum(np.abs((size * end).sum(axis=-1) - share * items) for end in ends)
        trial, most_even = np.arange(block.shape[1]), np.asarray(uneven).argmin(axis=-1)
        for half, end in zip(block, ends, strict=True):
            np.put_along_axis(half, order[trial, most_even], end[trial, most_even].astype(np.uint8), axis=-1)
    return halves[0], halves[1]
