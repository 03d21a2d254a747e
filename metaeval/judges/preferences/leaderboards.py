"""Agreement of a judge's leaderboard with that of people: Kendall's tau of strengths, and contested pairs of systems.

A pair of systems is contested if both order it significantly and in opposite ways, jointly for all pairs by both.

The tau of strengths with errors is nearer to 0 than that of the true ones. Its interval is that of the true tau, of
draws from the posterior distribution of the true strengths: pairs of normal draws, whose two variances and correlation
are as unknown as the strengths, and errors with the covariances of what the groups of items add.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from metaeval.arrays import Floats, Indices
from metaeval.grid import round_to_grid
from metaeval.inference.conflicts import Conflicts
from metaeval.inference.pairs import Evidence
from metaeval.judges.preferences.groups import UNDEFINED, Groups, Ratio
from metaeval.judges.preferences.strengths import Strengths, strengths_of
from metaeval.judges.preferences.study import Verdicts
from metaeval.stats.association import kendall_b
from metaeval.stats.intervals import LEVEL
from metaeval.stats.resample import generator, seed_for

DRAWS = 1000
"""Number of draws of true strengths."""

SPREADS = np.array([0.1, 0.35, 0.6, 0.85, 1.1, 1.5])
"""Standard deviations of true strengths, relative to those with errors, that are tried."""

SMALLEST_SPREAD = 1e-3
"""Standard deviation of strengths that are all the same."""

CORRELATIONS = np.tanh(np.linspace(-3.2, 3.2, 13))
"""Correlations of true strengths that are tried."""


@dataclass(frozen=True)
class Leaderboards:
    """The agreement of the leaderboards of a judge (by) and of people on the systems with strengths in both.

    tau: between the strengths. exchanged, same: numbers of pairs that both order significantly, in opposite ways and in
    the same way, of so many pairs.
    """

    language_pair: str
    by: str
    people: str
    tau: Ratio
    exchanged: int
    same: int
    pairs: int

    @property
    def bounds(self) -> tuple[float, float]:
        """Tau if all pairs that are not ordered significantly by both were ordered in opposite ways, or in the same.

        They hold jointly with the tests of pairs, however the true strengths are spread.
        """
        return 2 * self.same / self.pairs - 1, 1 - 2 * self.exchanged / self.pairs


def compare_leaderboards(
    verdicts: Verdicts, by_people: Indices, by_judge: Indices, names: tuple[str, str], seed: int
) -> list[Leaderboards]:
    """The agreement of both leaderboards; none of fewer than two systems with strengths in both.

    by_people, by_judge: verdicts, all of one language pair. names: of people, and of the judge.
    """
    both = np.concatenate([by_people, by_judge])
    groups = Groups.of(verdicts.clusters[both], seed, verdicts.weight[both])
    codes = np.split(groups.codes, [len(by_people)])
    people, judge = (
        strengths_of(verdicts, rows, name, replace(groups, codes=codes_of_rows))
        for rows, name, codes_of_rows in zip((by_people, by_judge), names, codes, strict=True)
    )
    one, other = _common(people, judge)
    if len(one) < 2:
        return []
    evidence = [
        Evidence((ranking.parts.select(systems),), (groups.signs,))
        for ranking, systems in ((people, one), (judge, other))
    ]
    conflicts = Conflicts.of(evidence, alpha=1 - LEVEL)
    products = conflicts.directions.prod(axis=0)
    return [
        Leaderboards(
            language_pair=people.language_pair,
            by=judge.by,
            people=people.by,
            tau=tau_of(evidence, generator(seed_for(seed, "true strengths"))),
            exchanged=int((products < 0).sum()),
            same=int((products > 0).sum()),
            pairs=len(products),
        )
    ]


def _common(people: Strengths, judge: Strengths) -> tuple[Indices, Indices]:
    """The systems with strengths in one group of both leaderboards: the most."""
    index = {system: row for row, system in enumerate(judge.systems)}
    sets: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for row, system in enumerate(people.systems):
        other = index.get(system)
        if other is not None and not np.isnan(people.values[row] + judge.values[other]):
            sets.setdefault((int(people.group[row]), int(judge.group[other])), []).append((row, other))
    common = np.array(max(sets.values(), key=len, default=[]), dtype=np.intp).reshape(-1, 2)
    return common[:, 0], common[:, 1]


def tau_of(rankings: Sequence[Evidence], random: np.random.Generator) -> Ratio:
    """Kendall's tau-b between two rankings of S systems, and the interval of the true one; evidence: with one grouping.

    The interval has the value in it, and room for one pair of systems that is ordered otherwise.
    """
    values = [round_to_grid(ranking.scores) for ranking in rankings]
    systems, tau = len(values[0]), float(kendall_b(*values))
    if np.isnan(tau):
        return UNDEFINED
    one, other = np.triu_indices(systems, 1)
    samples = _true_strengths(rankings, random).reshape(DRAWS, 2, systems).swapaxes(0, 1)
    by_one, by_other = (true[:, one] > true[:, other] for true in samples)
    low, high = np.quantile(2 * (by_one == by_other).mean(axis=1) - 1, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    step = 2 / len(one) if high - low < 1 / len(one) else 0.0
    return Ratio(tau, max(min(low, tau) - step, -1.0), min(max(high, tau) + step, 1.0), np.nan)


def _true_strengths(rankings: Sequence[Evidence], random: np.random.Generator) -> Floats:
    """Draws of the true strengths of S systems in two rankings, less their means, (DRAWS, 2 S)."""
    from scipy.linalg import helmert, solve_triangular

    systems = len(rankings[0].scores)
    # Orthonormal contrasts, because strengths are known up to a constant; those of an SVD depend on the machine.
    contrasts = helmert(systems).T
    strengths = np.concatenate([ranking.scores @ contrasts for ranking in rankings])
    errors = np.concatenate([ranking.groupings[0].deviations @ contrasts for ranking in rankings], axis=1)
    covariance, width = errors.T @ errors, systems - 1
    spread = np.maximum(np.sqrt((strengths.reshape(2, -1) ** 2).mean(axis=1)), SMALLEST_SPREAD)
    points, density = [], []
    for first, second, correlation in product(range(len(SPREADS)), range(len(SPREADS)), CORRELATIONS):
        scale = spread * SPREADS[[first, second]]
        prior = np.outer(scale, scale) * [[1, correlation], [correlation, 1]]
        root = np.linalg.cholesky(covariance + np.kron(prior, np.eye(width)))
        fit = solve_triangular(root, strengths, lower=True)
        # A uniform density of the correlation and of both spreads.
        weight = (1 - correlation**2) * np.gradient(SPREADS)[[first, second]].prod()
        points.append(prior)
        density.append(np.log(weight) - np.log(np.diag(root)).sum() - fit @ fit / 2)
    chances = np.exp(np.array(density) - max(density))
    times = random.multinomial(DRAWS, chances / chances.sum())
    samples = []
    for prior, number in zip(points, times.tolist(), strict=True):
        if number:
            true = (np.linalg.cholesky(prior) @ random.standard_normal((number, 2, width))).reshape(number, -1)
            observed = true + random.standard_normal((number, len(errors))) @ errors
            joint = np.kron(prior, np.eye(width))
            samples.append(true + np.linalg.solve(covariance + joint, (strengths - observed).T).T @ joint)
    both = np.concatenate(samples).reshape(DRAWS, 2, width) @ contrasts.T
    return np.asarray(both.reshape(DRAWS, -1))
