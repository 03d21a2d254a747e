"""Variance components of scores that are means over items, and the reliability of rankings by them.

Scores of items are the sum of what the system, the item, its cluster, their interactions and, where a system was run
repeatedly, the run add by chance (generalisability theory: Brennan 2001). The components are those of the analysis of
variance, with the usual coefficients for clusters of unequal size: unbiased, and therefore below 0 at times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.arrays import Floats, Indices
from metaeval.inference.parts import group_sums
from metaeval.stats.intervals import LEVEL


@dataclass(frozen=True)
class Components:
    """Variances of the scores of single items, by what causes them.

    system: of the systems, which a test should tell apart. run: of the runs of a system, over all items; 0 without
    repeated runs. cluster, item: of the difficulty of clusters, and of items within them; the former 0 without
    clusters. system_cluster, system_item: of the interactions of systems with them. run_cluster, run_item: of the
    interactions of runs with them; without repeated runs they are in those of systems. systems, items: number of
    systems and items. runs: runs of a system: their harmonic mean. spread: items that share a cluster with an item, on
    average, Σm² / N; 1 without clusters. freedom: degrees of freedom of the interactions of systems, and of the runs.
    """

    system: float
    run: float
    cluster: float
    item: float
    system_cluster: float
    system_item: float
    run_cluster: float
    run_item: float
    systems: int
    items: int
    runs: float
    spread: float
    freedom: tuple[float, float]

    @classmethod
    def of(cls, scores: Floats, system_of_run: Indices, clusters: Indices | None = None) -> Components:
        """From scores of items.

        scores: of every item in each run, (R, N). system_of_run: the system of each run, from 0, (R,). clusters: the
        cluster of each item, from 0; None for items that are independent, (N,).
        """
        items, numbers = scores.shape[1], np.bincount(system_of_run)
        means = group_sums(np.ascontiguousarray(scores.T), system_of_run, len(numbers)) / numbers[:, np.newaxis]
        groups = items if clusters is None else int(clusters.max()) + 1
        of_systems, of_runs, freedom = _two_way(means, clusters), np.zeros(5), int((numbers - 1).sum())
        for system in np.flatnonzero(numbers > 1).tolist():
            within = _two_way(scores[system_of_run == system], clusters)
            of_runs += within * (numbers[system] - 1) / freedom
        # The mean over the runs of a system has a share of what runs add.
        inverse = float((1 / numbers).mean())
        of_systems -= np.array([1, 0, 0, 1, 1]) * inverse * of_runs
        row, cluster, item, row_cluster, row_item = of_systems.tolist()
        sizes = np.ones(items) if clusters is None else np.bincount(clusters).astype(np.float64)
        return cls(
            system=row,
            run=float(of_runs[0]),
            cluster=cluster,
            item=item,
            system_cluster=row_cluster,
            system_item=row_item,
            run_cluster=float(of_runs[3]),
            run_item=float(of_runs[4]),
            systems=len(numbers),
            items=items,
            runs=1 / inverse,
            spread=float(sizes @ sizes) / items,
            freedom=((len(numbers) - 1) * (groups - 1.0), float(freedom)),
        )

    def errors(self, items: float, runs: float) -> tuple[float, float]:
        """Variance of a score by items and by runs, relative to other scores on the same items.

        Estimates below 0 count as 0: otherwise larger tests could seem to be without errors.

        items, runs: number of items of a test, in clusters like these, and of runs of each system.
        """
        of_items = (max(self.system_cluster, 0.0) * self.spread + max(self.system_item, 0.0)) / items
        within = max(self.run_cluster, 0.0) * self.spread + max(self.run_item, 0.0)
        return of_items, max(self.run, 0.0) / runs + within / (items * runs)

    def coefficient(self, items: float | None = None, runs: float | None = None, *, absolute: bool = False) -> float:
        """Share of the systems in the variance of their scores: 1 if chance adds nothing.

        items, runs: as in `errors`; by default those of the data. absolute: whether scores are compared with those on
        other items (Φ), and not with each other (Eρ²).
        """
        items, runs = items or self.items, runs or self.runs
        error = sum(self.errors(items, runs))
        if absolute:
            error += (max(self.cluster, 0.0) * self.spread + max(self.item, 0.0)) / items
        system = max(self.system, 0.0)
        return system / (system + error) if system + error > 0 else float("nan")

    def interval(self) -> tuple[float, float]:
        """Confidence interval of the coefficient, for systems drawn from a normal distribution (Feldt 1965)."""
        parts, error = self.errors(self.items, self.runs), sum(self.errors(self.items, self.runs))
        unexplained = 1 - self.coefficient()
        if not error > 0 or not unexplained > 0 or self.systems < 2:
            return (1.0, 1.0) if unexplained == 0 else (float("nan"), float("nan"))
        from scipy.stats import f as f_distribution

        # Satterthwaite: the degrees of freedom of a sum of variances.
        of_error = error**2 / sum(part**2 / max(own, 1.0) for part, own in zip(parts, self.freedom, strict=True))
        tails = f_distribution.ppf(np.array([1 - LEVEL, 1 + LEVEL]) / 2, of_error, self.systems - 1)
        low, high = np.maximum(0.0, 1 - unexplained / np.asarray(tails)).tolist()
        return low, high


def tau_of_coefficient(coefficient: float) -> float:
    """Expected tau between the rankings by two tests of this coefficient, for systems from a normal distribution.

    >>> round(tau_of_coefficient(0.9), 3)
    0.713
    """
    return float(2 / np.pi * np.arcsin(np.clip(coefficient, -1, 1)))


def _two_way(scores: Floats, clusters: Indices | None) -> Floats:
    """Variances of rows, clusters, items, rows × clusters and rows × items of scores (S, N)."""
    rows, items = scores.shape
    of_item = scores.mean(axis=0)
    if clusters is None:
        codes, number = np.arange(items), items
    else:
        codes, number = clusters, int(clusters.max()) + 1
    sizes = np.bincount(codes, minlength=number).astype(np.float64)
    spread = float(sizes @ sizes) / items
    mean_size = (items - spread) / (number - 1) if number > 1 else np.nan
    within, between = _mean_squares(scores - of_item, codes, sizes)
    within_items, between_items = _mean_squares(of_item[np.newaxis], codes, sizes)
    if items == number:
        row_item, row_cluster = between / (rows - 1), 0.0
        item, cluster = between_items - row_item / rows, 0.0
    else:
        row_item = within / (rows - 1)
        row_cluster = (between / (rows - 1) - row_item) / mean_size
        item = within_items - row_item / rows
        cluster = (between_items - within_items) / mean_size - row_cluster / rows
    row = float(scores.mean(axis=1).var(ddof=1)) - (row_cluster * spread + row_item) / items
    return np.array([row, cluster, item, row_cluster, row_item])


def _mean_squares(scores: Floats, codes: Indices, sizes: Floats) -> tuple[float, float]:
    """Mean squares within and between groups of items, summed over the rows of scores (S, N)."""
    sums = group_sums(scores, codes, len(sizes))
    of_groups = float((sums**2 / sizes[:, np.newaxis]).sum())
    between = of_groups - float((sums.sum(axis=0) ** 2).sum()) / scores.shape[1]
    freedom = scores.shape[1] - len(sizes)
    within = (float((scores**2).sum()) - of_groups) / freedom if freedom else np.nan
    return within, between / (len(sizes) - 1) if len(sizes) > 1 else np.nan
