"""A judge that is worse than an annotator by just the allowance: tests should seldom find that it may replace them."""

from __future__ import annotations

import numpy as np

from metaeval.inference.parts import Signs
from metaeval.stats.judges import EPSILON, alternative_annotator_test
from simulations.generators import Codes, correct_items

ALLOWANCE = EPSILON["experts"]


def replaces(random: np.random.Generator, codes: Codes, right: float, luck: float, *, used: bool) -> bool:
    """Whether p is at most .05 for the first of three annotators, of whom the others are always right.

    codes: of clusters of the units, (N,). right: share of the units that the first annotator gets right, and the judge
    fewer by the allowance. luck: share of the variance with the clusters. used: clusters in the test.
    """
    shares = np.array([right - ALLOWANCE, min(right, 1 - 1e-12)])
    judge, annotator = 1 - correct_items(random, shares, len(codes), common=0.0, luck=[(codes, luck)])
    ratings = np.stack([annotator, np.zeros(len(codes)), np.zeros(len(codes))])
    clusters = (codes, Signs.draw(random, codes.max() + 1, 499).matrix) if used else None
    test = alternative_annotator_test(judge, ratings, alignment="accuracy", epsilon=ALLOWANCE, clusters=clusters)
    return bool(test.p[0] <= 0.05)
