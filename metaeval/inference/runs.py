"""Differences of systems on other runs and the same items: Welch's t of the mean scores of the runs.

All pairs are one family: chance gives each system a normal deviation of the variance of its mean, and the adjusted
p-value is the share of draws whose largest statistic reaches that of the pair. With few runs, t is the normal quantile
of the same probability, with the degrees of freedom of Satterthwaite.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metaeval.arrays import Floats, Indices
from metaeval.inference.pairs import Evidence, PairTests, critical_value, largest_and_raw, share_reaching
from metaeval.inference.parts import CELLS_IN_CACHE, as_normal, as_student, differences_of_rows, in_errors
from metaeval.stats.ratio import divide
from metaeval.steps import steps


def compare_runs(evidence: Evidence, *, alpha: float = 0.05, pairs: tuple[Indices, Indices] | None = None) -> PairTests:
    """Test the differences of a family of pairs of systems for other runs; see `pairs.compare_pairs`.

    Raises a `ValueError` for evidence without other runs.
    """
    runs, normals = evidence.runs, evidence.normals
    if runs is None or normals is None:
        raise ValueError("evidence has no other runs; use with_other_runs")
    parts, has_score = evidence.groupings[0], evidence.defined
    one, other = np.triu_indices(len(has_score), k=1) if pairs is None else pairs
    defined = has_score[one] & has_score[other]
    difference = np.where(defined, parts.differences(one, other), np.nan)
    variance, terms = runs.whole[one] + runs.whole[other], runs.whole**2 / runs.freedom
    error = np.sqrt(variance)
    freedom = np.maximum(divide(variance**2, terms[one] + terms[other], undefined=np.inf), 1.0)
    z = as_normal(in_errors(np.nan_to_num(difference), error), freedom)
    indices = np.flatnonzero(defined)
    chance = _chance(np.sqrt(runs.whole)[:, np.newaxis] * normals, (one[indices], other[indices]), error[indices])
    most, raw = largest_and_raw(chance, z[indices], normals.shape[1])
    most.sort()
    critical = critical_value(most, alpha)
    limit = np.where(defined, as_student(np.full(len(z), critical), freedom), np.nan)
    half = np.where(error > 0, limit * error, np.nan) * parts.unit
    p_values = np.full((2, len(z)), np.nan)
    p_values[:, indices] = raw, share_reaching(np.abs(z[indices]), most)
    return PairTests(
        one=one,
        other=other,
        difference=difference * parts.unit,
        z=np.where(defined, z, np.nan),
        raw=p_values[0],
        p=p_values[1],
        low=difference * parts.unit - half,
        high=difference * parts.unit + half,
        threshold=half,
        alpha=alpha,
        criticals=limit,
    )


def _chance(deviations: Floats, pairs: tuple[Indices, Indices], error: Floats) -> Iterator[tuple[Indices, Floats]]:
    """Blocks of the pairs, and their statistics in draws of deviations of the systems, (S, T).

    error: standard errors of the pairs; those without have no deviation.
    """
    step = max(1, CELLS_IN_CACHE // max(1, deviations.shape[1]))
    for begin in steps(range(0, len(error), step), "Differences by chance"):
        block = np.arange(begin, min(begin + step, len(error)))
        differences = differences_of_rows(deviations, pairs[0][block], pairs[1][block])
        yield block, divide(differences, error[block, np.newaxis], undefined=0.0)
