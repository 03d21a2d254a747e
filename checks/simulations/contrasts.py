"""Contrast sets: shares of pairs in which measures prefer the good output, and losses by severity."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from metaeval.config import ExperimentConfig
from metaeval.inference.clusters import Clusters
from metaeval.judges.contrast.compute import analyse
from metaeval.judges.contrast.pairs import ContrastSet
from metaeval.judges.contrast.plots import INVERTS
from metaeval.judges.contrast.report import classify
from metaeval.judges.contrast.settings import ContrastSettings
from metaeval.judges.contrast.study import ContrastStudy
from metaeval.model.scores import Direction
from metaeval.stats.pairs import level_order
from metaeval.study.study import Sources, no_progress
from simulations.generators import Codes, Floats, unequal_clusters
from simulations.scenarios import COVERAGE, LEVEL, Outcome, Scenario

LUCK = 1 / 3
"""Share of the variance that the pairs of a cluster have in common."""

SEVERITIES = ("1", "2", "3")


def study_of(losses: Floats, phenomenon: Codes, severity: Codes, codes: Codes) -> ContrastStudy:
    """Losses of score of measures, (M, N), as scores of the good outputs, where bad ones have 0."""
    names = tuple(f"m{number}" for number in range(len(losses)))
    phenomena = tuple(f"p{number}" for number in range(int(phenomenon.max()) + 1))
    scores = np.stack([losses, np.zeros_like(losses)], axis=1)
    severities = SEVERITIES if (severity >= 0).any() else ()
    clusters = Clusters.of("document", list(map(str, codes)))
    pairs = ContrastSet(phenomena, phenomenon, clusters, severities, severity, (), None, scores, names)
    higher = (Direction.HIGHER,) * len(names)
    return ContrastStudy(ExperimentConfig(), Sources((), (), {}, ()), pairs, names, higher, None, None)


def latent(random: np.random.Generator, size: int, codes: Codes, luck: float = LUCK) -> Floats:
    """Normal variables, (size, N), with luck by cluster."""
    shared = random.standard_normal((size, codes.max() + 1))[:, codes]
    variables: Floats = np.sqrt(luck) * shared + np.sqrt(1 - luck) * random.standard_normal((size, len(codes)))
    return variables


def share_scenario(
    clusters: int,
    pairs: int,
    share: float,
    *,
    tied: float = 0.0,
    luck: float = LUCK,
    size: tuple[int, int] = (1, 1),
    quick: int = 0,
) -> Scenario:
    """Measures with an accuracy of `share` on each phenomenon; tied: share of ties; size: measures and phenomena.

    Measures that are as often worse as better, with ties, should not be said to invert a phenomenon.
    """
    codes = unequal_clusters(clusters, pairs) if clusters < pairs else np.arange(pairs)
    as_often_worse = share == 1 - share - tied

    def simulate(random: np.random.Generator) -> Outcome:
        phenomenon = random.integers(size[1], size=pairs)
        variables = latent(random, size[0], codes, luck)
        losses = np.where(variables < ndtri(share), 1.0, np.where(variables < ndtri(share + tied), 0.0, -1.0))
        study = study_of(losses, phenomenon, np.full(pairs, -1), codes)
        result = analyse(study, ContrastSettings(), progress=no_progress)
        is_defined = ~np.isnan(result.low)
        covered = (result.low <= share) & (share <= result.high)
        rejected = result.adjusted_p <= 0.05
        if as_often_worse and tied:
            rejected = classify(study, ContrastSettings(), result) == INVERTS
        tested = {"rejected": bool(rejected.any())} if as_often_worse or share == 0.5 else {}
        return {"covered": covered[is_defined].mean() if is_defined.any() else 1.0} | tested

    claims = {"covered": COVERAGE, **({"rejected": LEVEL} if share == 0.5 or as_often_worse else {})}
    of = f"{size[0]} measures on {size[1]} phenomena" if size != (1, 1) else "a measure"
    alike = f", {luck:.0%} of variance by cluster" if luck != LUCK else ""
    name = f"{of}, {share:.0%} seen, {tied:.0%} ties{alike}, {pairs} pairs in {clusters} clusters"
    return Scenario(name, 1000, quick, simulate, claims)


def drawn_losses(
    random: np.random.Generator, codes: Codes, step: float, unit: float, luck: float
) -> tuple[Floats, Codes]:
    """Losses, (1, N), that grow by `step` with the severity, in units, so that some are equal; and the severities."""
    severity: NDArray[np.intp] = random.integers(3, size=len(codes))
    losses = latent(random, 1, codes, luck) + step * severity
    return (np.round(losses / unit) * unit if unit else losses), severity


def expected_order(codes: Codes, step: float, unit: float, luck: float) -> float:
    """The share of pairs of rows in which the more severe one loses more, on average over data sets."""
    random = np.random.default_rng(7)
    sets = (drawn_losses(random, codes, step, unit, luck) for _ in range(1000))
    return float(np.mean([level_order(losses, severity, codes).share[0] for losses, severity in sets]))


def severity_scenario(
    clusters: int, pairs: int, step: float, unit: float, *, luck: float = LUCK, quick: int = 0
) -> Scenario:
    """Losses that grow by `step` with each severity, in units, so that some are equal."""
    codes = unequal_clusters(clusters, pairs)
    truth = cache(lambda: expected_order(codes, step, unit, luck) if step else 0.5)

    def simulate(random: np.random.Generator) -> Outcome:
        losses, severity = drawn_losses(random, codes, step, unit, luck)
        study = study_of(losses, np.zeros_like(severity), severity, codes)
        severities = analyse(study, ContrastSettings(), progress=no_progress).severities
        assert severities is not None
        tested = {"rejected": bool(severities.adjusted_p[0] <= 0.05)} if not step else {}
        return {"covered": bool(severities.order.low[0] <= truth() <= severities.order.high[0])} | tested

    claims = {"covered": COVERAGE, **({"rejected": LEVEL} if not step else {})}
    grows = f"losses that grow by {step:g} with the severity" if step else "losses that do not grow with the severity"
    ties, alike = ", ties" if unit else "", f", {luck:.0%} of variance by cluster" if luck != LUCK else ""
    return Scenario(f"{grows}{ties}{alike}, {pairs} pairs in {clusters} clusters", 1000, quick, simulate, claims)


SCENARIOS = [
    share_scenario(40, 40, 0.5),
    share_scenario(12, 24, 0.5),
    share_scenario(12, 120, 0.5),
    share_scenario(12, 120, 0.8),
    share_scenario(12, 120, 0.95),
    share_scenario(30, 120, 0.5, quick=150),
    share_scenario(30, 120, 0.5, tied=0.3),
    share_scenario(30, 120, 0.8, tied=0.1),
    share_scenario(30, 120, 0.95),
    share_scenario(30, 300, 0.7, luck=0.8),
    share_scenario(100, 300, 0.8, tied=0.1),
    share_scenario(24, 24, 0.25, tied=0.5),
    share_scenario(12, 120, 0.25, tied=0.5),
    share_scenario(60, 600, 0.25, tied=0.5, size=(4, 5)),
    share_scenario(60, 600, 0.5, size=(4, 5)),
    share_scenario(60, 600, 0.8, tied=0.1, size=(4, 5)),
    severity_scenario(12, 60, 0.0, 0.0),
    severity_scenario(15, 60, 1.0, 0.5),
    severity_scenario(30, 120, 0.0, 0.5, quick=100),
    severity_scenario(30, 120, 0.5, 0.5),
    severity_scenario(30, 120, 1.0, 0.0),
    severity_scenario(30, 120, 0.0, 0.0, luck=0.8),
    severity_scenario(30, 120, 1.0, 0.5, luck=0.8),
    severity_scenario(60, 240, 2.0, 0.0, luck=0.8),
]
