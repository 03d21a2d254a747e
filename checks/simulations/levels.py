"""Levels of a column of groups that do not differ: false differences of any of them from all others."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.stats import norm

from metaeval.stats.intervals import Difference, effective_share, share_interval
from metaeval.stats.levels import adjusted_of_levels, differences_of_levels
from metaeval.stats.rater_pairs import Mean, interval_by_t
from simulations.scenarios import LEVEL, Bound, Outcome, Scenario

CLUSTER = 4


def _outcome(difference: Difference) -> Outcome:
    adjusted = adjusted_of_levels(difference.p, ["statistic"] * len(difference.p))
    covers = (difference.low <= 0) & (difference.high >= 0)
    return {"rejected": float((adjusted <= 0.05).any()), "covers": float(covers.mean())}


def _shares(
    random: np.random.Generator, *, levels: int, items: int, right: float, luck: float, common: float, unequal: bool
) -> Outcome:
    """Shares of hits.

    luck: correlation of the items of a cluster of four. common: of the same item in two levels; −1 for two levels of
    which one hits what the other misses. unequal: whether the first level has ten times as many items.
    """
    sizes = np.array([items * (10 if unequal and level == 0 else 1) for level in range(levels)])
    most = int(sizes.max())
    clusters = np.arange(most) // (CLUSTER if luck else 1)
    shared = random.standard_normal(most)
    rows = []
    for level, size in enumerate(sizes.tolist()):
        noise = np.sqrt(luck) * random.standard_normal(clusters.max() + 1)[clusters]
        noise += np.sqrt(1 - luck - max(common, 0)) * random.standard_normal(most) + np.sqrt(max(common, 0)) * shared
        latent = noise if common >= 0 else shared * (1, -1)[level % 2]
        hits = (latent < norm.ppf(right)).astype(np.float64)[:size]
        number = np.bincount(clusters[:size], minlength=clusters.max() + 1).astype(np.float64)
        rows.append((np.bincount(clusters[:size], hits, minlength=len(number)), number))
    hits, number = (np.stack(arrays) for arrays in zip(*rows, strict=True))
    share, units = effective_share(hits, number)
    low, high, _ = share_interval(hits, number)
    influences = (hits - share[:, np.newaxis] * number) / number.sum(axis=1, keepdims=True)
    influences = influences if common else hits[:, :0]
    return _outcome(differences_of_levels(share, low, high, sizes=sizes, units=units, influences=influences))


def _means(random: np.random.Generator, *, levels: int, items: int, skewed: bool) -> Outcome:
    """Means of normal or of exponential scores."""
    scores = random.exponential(size=(levels, items)) if skewed else random.standard_normal((levels, items))
    value, error = scores.mean(axis=1), scores.std(axis=1, ddof=1) / np.sqrt(items)
    ends = [interval_by_t(Mean(*estimate, items)) for estimate in zip(value.tolist(), error.tolist(), strict=True)]
    low, high = np.array(ends).T
    number = np.full(levels, float(items))
    influences = np.empty((levels, 0))
    return _outcome(differences_of_levels(value, low, high, sizes=number, units=number, influences=influences))


CLAIMS = {"rejected": LEVEL, "covers": Bound(at_least=0.95)}
SKEWED = {"rejected": Bound(at_most=0.1), "covers": Bound(at_least=0.94)}
"""Student's intervals of skewed means are known to be too narrow, of which `correct` warns."""


def _share_scenario(
    name: str, levels: int, items: int, right: float, *, luck: float = 0.0, common: float = 0.0, unequal: bool = False
) -> Scenario:
    run = partial(_shares, levels=levels, items=items, right=right, luck=luck, common=common, unequal=unequal)
    return Scenario(f"levels, {name}", 2000, 100, run, CLAIMS)


def _mean_scenario(name: str, levels: int, items: int, *, skewed: bool) -> Scenario:
    run = partial(_means, levels=levels, items=items, skewed=skewed)
    return Scenario(f"levels, {name}", 2000, 100, run, SKEWED if skewed else CLAIMS)


SCENARIOS = [
    _share_scenario("2 of 30 items, share .5", 2, 30, 0.5),
    _share_scenario("2 of 100 items, share .9", 2, 100, 0.9),
    _share_scenario("8 of 30 items, share .8", 8, 30, 0.8),
    _share_scenario("40 of 20 items, share .8", 40, 20, 0.8),
    _share_scenario("40 of 60 items, share .95", 40, 60, 0.95),
    _share_scenario("8 of 25 clusters of 4", 8, 100, 0.7, luck=0.3),
    _share_scenario("8, one of them ten times as large", 8, 30, 0.7, unequal=True),
    _share_scenario("2 on the same 60 items", 2, 60, 0.7, common=0.5),
    _share_scenario("8 on the same 60 items", 8, 60, 0.7, common=0.5),
    _share_scenario("2 of which one hits what the other misses", 2, 80, 0.5, common=-1.0),
    _mean_scenario("8 means of 10 normal scores", 8, 10, skewed=False),
    _mean_scenario("40 means of 10 normal scores", 40, 10, skewed=False),
    _mean_scenario("8 means of 50 exponential scores", 8, 50, skewed=True),
]
