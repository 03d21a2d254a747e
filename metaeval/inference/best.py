"""Which system is the best on other items: a probability for each, and the score of the one that was chosen.

Observed scores are true ones plus normal errors, which are correlated as those of the parts; true scores are draws of a
mixture of normal distributions of many widths about a common mean (Stephens 2017), so that systems that differ by
chance alone share the probability, which shares of resamples do not, and one that is far ahead keeps it.

The best score of many is too high on average. New errors of the same true scores show by how many standard errors: the
median of this excess is taken from the score. The lower end of the interval is a quantile of the excess, and the upper
one is that of the score by itself, because a system that is truly ahead has no excess; both tails are 5 % together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from metaeval.arrays import Floats
from metaeval.inference.parts import Parts
from metaeval.inference.scores import ScoreErrors
from metaeval.stats.intervals import LEVEL, Z
from metaeval.stats.ratio import divide
from metaeval.steps import steps

WIDTHS = (0.05, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Widths of the distributions of true scores, relative to the usual error of a score beside others."""

SWEEPS, UNUSED, DRAWS = 60, 20, 8
"""Steps of the Gibbs sampler, of which the first are not used, and draws of the true scores in each of the others."""

CHAINS, FEWEST_CHAINS, SYSTEMS_OF_CHAINS = 16, 4, 60
"""Chains of the sampler: up to so many systems, and the fewest of more, each of which takes longer."""


@dataclass(frozen=True)
class Scatter:
    """How the scores of S systems vary.

    errors: of each by itself. covariance: of the scores, (S, S). apart: that of their distances from the mean of
    all systems, shrunk where groups are few beside systems.
    """

    errors: ScoreErrors
    covariance: Floats
    apart: Floats

    @classmethod
    def of(cls, groupings: Sequence[Parts], *, fixed_items: bool = False) -> Scatter:
        """From the parts of single systems; see `ScoreErrors.of`. fixed_items: whether only runs vary."""
        errors = ScoreErrors.of(groupings, fixed_items=fixed_items)
        runs, systems = groupings[-1].runs, len(errors.error)
        centre = np.eye(systems) - 1 / systems
        if fixed_items:
            covariance = np.diag(errors.error**2)
            return cls(errors, covariance, centre @ covariance @ centre)
        ways = [parts.deviations for parts in groupings]
        covariance, apart = (_sum_of_ways([*map(estimate, ways)]) for estimate in (_covariance, _covariance_apart))
        if runs is not None:
            covariance, apart = covariance + np.diag(runs.extra), apart + centre @ np.diag(runs.extra) @ centre
        return cls(errors, covariance, apart)

    @property
    def varies(self) -> bool:
        """Whether the distances of the systems vary."""
        return bool(np.trace(self.apart) > 0)


def _sum_of_ways(ways: Sequence[Floats]) -> Floats:
    """The covariance by two crossed groupings is that by rows and by columns less that by cells."""
    return ways[0] if len(ways) == 1 else ways[0] + ways[1] - ways[2]


def _covariance(deviations: Floats) -> Floats:
    return np.asarray(deviations.T @ deviations)


def _covariance_apart(deviations: Floats) -> Floats:
    """Of deviations, (G, S), less those of all systems, shrunk towards equal variances (Ledoit & Wolf 2004)."""
    groups, systems = deviations.shape
    apart = deviations - deviations.mean(axis=1, keepdims=True)
    covariance = _covariance(apart)
    equal = np.trace(covariance) / max(systems - 1, 1) * (np.eye(systems) - 1 / systems)
    far = float(((covariance - equal) ** 2).sum())
    by_chance = float(((apart**2).sum(axis=1) ** 2).sum() - (covariance**2).sum() / groups)
    share = min(1.0, by_chance / far) if far > 0 else 0.0
    return np.asarray((1 - share) * covariance + share * equal)


def _root(covariance: Floats) -> Floats:
    """A matrix whose product with its transpose is the covariance, without its negative directions."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


@dataclass(frozen=True)
class Winners:
    """What true scores may be, and what chance makes of the best score.

    best: probability of each system to be the best, (S,). excess: by how many standard errors the best score was above
    the true one of its system, in draws of true scores with new errors, sorted, (T,).
    """

    best: Floats
    excess: Floats

    @property
    def median(self) -> float:
        """The median of the excess, at least 0."""
        return max(0.0, float(np.median(self.excess)))

    @property
    def highest(self) -> float:
        """The excess that is exceeded as often as leaves 5 % for both tails."""
        below = float((self.excess < -Z).mean())
        return max(Z, float(np.quantile(self.excess, LEVEL + min(below, (1 - LEVEL) / 2))))


class Corrected(NamedTuple):
    """The best score, corrected for its having been chosen, with its 95 % interval."""

    score: float
    low: float
    high: float


@dataclass(frozen=True)
class Winner:
    """The system with the best score under a measure, the first of several.

    system: its index among those compared. p_best: probability of each system to be the best, (S,): 0 where another is
    significantly better, NaN without a test or where the data do not carry it. corrected: its oriented score, corrected
    for its having been chosen.
    """

    system: int
    is_shared: bool
    p_best: Floats
    corrected: Corrected

    def corrected_in(self, sign: int) -> Corrected:
        """The corrected score and its interval in the direction of the measure."""
        score, *ends = (number * sign for number in self.corrected)
        return Corrected(score, *sorted(ends))


def correct_best(
    scores: Floats, best: int, errors: ScoreErrors, winners: Winners, bounds: tuple[float, float]
) -> Corrected:
    """The corrected score of the best of S systems; errors: of all. NaN where scores without bounds do not vary."""
    score, best_errors = scores[[best]], errors.select(np.array([best]))
    conservative_errors = _conservative_errors(scores, best, errors, bounds)
    (high,) = best_errors.intervals(score, bounds)[1].tolist()
    (low,) = conservative_errors.intervals(score, bounds, wider=winners.highest / Z)[0].tolist()
    middle = float(scores[best])
    if winners.median > 0 and best_errors.error[0] > 0:
        (middle,) = conservative_errors.intervals(score, bounds, wider=winners.median / Z)[0].tolist()
    return Corrected(middle, low, high)


def _conservative_errors(scores: Floats, best: int, errors: ScoreErrors, bounds: tuple[float, float]) -> ScoreErrors:
    """Of the best system, (1,): for its distance from the ends of the measure, at least the usual one of all systems.

    The best of several often has a high score because its large clusters went well, and then they vary too little.
    """
    best_errors = errors.select(np.array([best]))
    if not np.isfinite(bounds).all():
        return best_errors
    spread = (scores - bounds[0]) * (bounds[1] - scores)
    inside = spread > 0
    if not inside[best]:
        return best_errors
    usual = float(np.sqrt(np.median(errors.error[inside] ** 2 / spread[inside]) * spread[best]))
    return replace(best_errors, error=np.maximum(best_errors.error, usual))


def draw_winners(scores: Floats, scatter: Scatter, random: np.random.Generator) -> Winners:
    """From observed scores, (S,), by a Gibbs sampler with many chains side by side."""
    systems = len(scores)
    chains = int(np.clip(CHAINS * (SYSTEMS_OF_CHAINS / systems) ** 2, FEWEST_CHAINS, CHAINS))
    error_root, apart_root = _root(scatter.covariance), _root(scatter.apart)
    apart = apart_root @ apart_root.T
    widths = np.sqrt(np.trace(apart) / (systems - 1)) * np.array(WIDTHS)
    width_of = random.integers(len(widths), size=(chains, systems))
    best, excess = np.zeros(systems), []
    for sweep in steps(range(SWEEPS), "Probabilities to be the best"):
        counts = (width_of[:, :, np.newaxis] == np.arange(len(widths))).sum(axis=1)
        weights = np.maximum(random.standard_gamma(counts + 1 / len(widths)), 1e-300)
        effects = _draw_effects(scores, apart, apart_root, widths[width_of], random)
        likely = np.log(weights / widths)[:, np.newaxis] - 0.5 * (effects[:, 0, :, np.newaxis] / widths) ** 2
        width_of = (likely + random.gumbel(size=likely.shape)).argmax(axis=-1)
        if sweep >= UNUSED:
            truth = effects.reshape(-1, systems)
            errors = random.standard_normal(truth.shape) @ error_root.T
            winner = (truth + errors).argmax(axis=1)
            best += np.bincount(truth.argmax(axis=1), minlength=systems)
            excess.append(divide(errors[np.arange(len(truth)), winner], scatter.errors.error[winner], undefined=0.0))
    return Winners(best / best.sum(), np.sort(np.concatenate(excess)))


def _draw_effects(
    scores: Floats, covariance: Floats, root: Floats, widths: Floats, random: np.random.Generator
) -> Floats:
    """Draws of what true scores are beyond their common mean, (chains, DRAWS, S).

    root: of the covariance. widths: of the distribution of each true score, (chains, S).
    """
    chains, systems = widths.shape
    shape = (chains, DRAWS, systems)
    effects = widths[:, np.newaxis] * random.standard_normal(shape)
    simulated = effects + random.standard_normal(shape) @ root.T
    variance = covariance + np.eye(systems) * (widths**2)[:, np.newaxis]
    # Simulated effects are moved by what they should have been, given how far the simulated scores are from the real.
    apart = np.concatenate([np.ones((chains, 1, systems)), scores - simulated], axis=1)
    solved = np.swapaxes(np.linalg.solve(variance, np.swapaxes(apart, 1, 2)), 1, 2)
    ones, moves = solved[:, :1], solved[:, 1:]
    mean = moves.sum(axis=-1, keepdims=True) / ones.sum(axis=-1, keepdims=True)
    return np.asarray(effects + (widths**2)[:, np.newaxis] * (moves - mean * ones))
