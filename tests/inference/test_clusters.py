"""Clusters of items: effective numbers, groups of whole clusters, halves of clusters."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from metaeval.inference import clusters
from metaeval.inference.clusters import cluster_codes, deal_groups, draw_cluster_halves
from metaeval.stats.ratio import effective_number


def test_codes_follow_the_first_item_of_each_cluster() -> None:
    assert cluster_codes(["t2", "t1", "t2", "t3"]).tolist() == [0, 1, 0, 2]


def test_equal_clusters_all_count_and_one_of_half_the_items_hardly_lets_the_others() -> None:
    assert effective_number(np.full(7, 3)) == pytest.approx(7)
    assert effective_number(np.array([100, *[1] * 100])) < 4


def test_few_clusters_are_groups_themselves() -> None:
    assert deal_groups(np.array([3, 1, 2]), np.random.default_rng(1)).tolist() == [0, 1, 2]


@pytest.mark.parametrize("equal", [True, False])
def test_whole_clusters_are_dealt_evenly(equal: bool) -> None:
    random = np.random.default_rng(2)
    sizes = np.full(5000, 3) if equal else random.geometric(0.1, 5000)
    groups = deal_groups(sizes, random, 1024)
    items = np.bincount(groups, weights=sizes, minlength=1024)
    assert (items > 0).all()
    assert items.max() - items.min() <= (3 if equal else sizes.max())
    assert items.std() < 0.1 * items.mean()


def test_clusters_of_one_size_are_dealt_at_random() -> None:
    sizes = np.ones(3000, dtype=int)
    one, other = (deal_groups(sizes, np.random.default_rng(seed), 1024) for seed in (1, 2))
    assert (one != other).mean() > 0.9


@pytest.mark.parametrize("sizes", [[1, 2, 3, 4], [5, 1, 1, 1], [2, 2, 2], [7]])
def test_each_cluster_is_in_the_first_half_every_other_time(sizes: list[int]) -> None:
    halves, _ = draw_cluster_halves(np.random.default_rng(3), np.array(sizes), 20_000)
    assert np.abs(halves.mean(axis=0) - 0.5).max() < 4 * math.sqrt(0.25 / 20_000)


def test_one_order_is_cut_where_its_middle_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shares of the halves are those of all orders of the clusters, by brute force."""
    sizes = np.array([1, 2, 4, 6])
    expected: dict[tuple[int, ...], float] = {}
    for order in permutations(range(4)):
        ends = sizes[list(order)].cumsum()
        middles = 2 * ends - sizes[list(order)]
        for coin in (0, 1):
            half = [0] * 4
            for cluster, middle in zip(order, middles, strict=True):
                half[cluster] = int(middle < sizes.sum() or (middle == sizes.sum() and coin))
            expected[tuple(half)] = expected.get(tuple(half), 0) + 1 / 48
    monkeypatch.setattr(clusters, "_MAX_ORDERS", 1)
    halves, _ = draw_cluster_halves(np.random.default_rng(4), sizes, 20_000)
    counts = {half: int((halves == half).all(axis=1).sum()) for half in expected}
    assert sum(counts.values()) == 20_000
    assert chisquare(list(counts.values()), np.array(list(expected.values())) * 20_000).pvalue > 0.001


def test_halves_are_uneven_by_at_most_half_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    sizes = random.geometric(0.05, 40)
    assert np.abs(draw_cluster_halves(random, sizes, 2000)[0] @ sizes - sizes.sum() / 2).mean() < 0.01 * sizes.sum()
    monkeypatch.setattr(clusters, "_MAX_ORDERS", 1)
    items = draw_cluster_halves(random, sizes, 2000)[0] @ sizes
    assert np.abs(items - sizes.sum() / 2).max() <= sizes.max() / 2


@pytest.mark.parametrize("share", [0.5, 0.3, 0.1])
def test_both_halves_have_the_share_and_no_cluster_in_common(share: float) -> None:
    sizes = np.random.default_rng(7).geometric(0.05, 60)
    halves = draw_cluster_halves(np.random.default_rng(8), sizes, 4000, share=share)
    assert not (halves[0] & halves[1]).any()
    assert (share < 0.5) or (halves[0] + halves[1] == 1).all()
    for half in halves:
        assert (half @ sizes / sizes.sum()).mean() == pytest.approx(share, abs=0.01)
    first, second = (half.mean(axis=0) for half in halves)
    assert np.abs(first - second).max() < 6 * math.sqrt(share / 4000)


def test_single_items_are_halved_uniformly() -> None:
    halves, _ = draw_cluster_halves(np.random.default_rng(6), np.ones(6, dtype=int), 20_000)
    assert (halves.sum(axis=1) == 3).all()
    _, counts = np.unique(halves, axis=0, return_counts=True)
    assert len(counts) == 20
    assert chisquare(counts).pvalue > 0.001
