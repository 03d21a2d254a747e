"""Correlations of every item after random swaps of the scores of two measures, for all resamples at once.

c is 1 where the scores of a system on an item are swapped, otherwise −1. A function f of the scores of systems i and j
is α + β c_i + γ c_j + δ c_i c_j for the first measure and α − β c_i − γ c_j + δ c_i c_j for the second, so that all
resamples of all items are matrix products.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Scores
from metaeval.stats.ratio import divide

Signs = NDArray[np.number[Any]]
Pair = tuple[Scores, Scores]


@dataclass(frozen=True)
class _Form:
    """α, β and δ, (N, S, S), of a function of the scores of two systems with f(j, i) = ± f(i, j), so that γ = ± βᵀ."""

    constant: Scores
    linear: Scores
    product: Scores


def _form(values: list[list[Scores]]) -> _Form:
    """The form of f; values[a][b]: f of the scores of measure a for i and of measure b for j, (N, S, S)."""
    (xx, xy), (yx, yy) = values
    return _Form((xx + xy + yx + yy) / 4, (yx + yy - xx - xy) / 4, (xx - xy - yx + yy) / 4)


def _signs(x: Scores, y: Scores) -> list[list[Scores]]:
    """Signs of the differences of all pairs of systems, (N, S, S), by [measure of i][measure of j]."""
    signs = [[np.sign(one[:, :, np.newaxis] - other[:, np.newaxis]) for other in (x, y)] for one in (x, y)]
    return [[np.where(np.isnan(sign), 0.0, sign) for sign in row] for row in signs]


def _kendall(x: Scores, y: Scores, z: Scores) -> Callable[[Signs], Pair]:
    """Kendall's tau-b of every item for both measures; x, y, z: (N, S)."""
    signs, of_z = _signs(x, y), _signs(z, z)[0][0]
    systems = z.shape[1]
    agreement = _form([[sign * of_z for sign in row] for row in signs])
    untied = _form([[np.abs(sign) for sign in row] for row in signs])
    untied_z = np.abs(of_z).sum(axis=(1, 2)) / 2
    # Quarters of integers below 2²² are exact.
    forms = (agreement, untied)
    products = np.concatenate([form.product / 2 for form in forms], axis=2).astype(np.float32)
    linear = np.stack([form.linear.sum(axis=2) for form in forms], axis=2).astype(np.float32)
    weights = np.concatenate([products, linear], axis=2)
    constant = np.stack([form.constant.sum(axis=(1, 2)) / 2 for form in forms])[..., np.newaxis]

    def both(swaps: Signs) -> Pair:
        c = swaps.astype(np.float32)
        by_c = c @ weights
        quadratic = [np.einsum("nrs,nrs->nr", by_c[..., form * systems : (form + 1) * systems], c) for form in range(2)]
        even = np.stack(quadratic) + constant
        odd = np.moveaxis(by_c[..., 2 * systems :], 2, 0)
        first, second = even + odd, even - odd
        return _tau(first, untied_z), _tau(second, untied_z)

    return both


def _tau(counts: Scores, untied_z: Scores) -> Scores:
    return divide(counts[0], np.sqrt(counts[1] * untied_z[:, np.newaxis]))


def _spearman(x: Scores, y: Scores, z: Scores) -> Callable[[Signs], Pair]:
    """Spearman's rho of every item: a rank minus the mean rank is half of a row sum of the signs."""
    form = _form(_signs(x, y))
    of_z = _signs(z, z)[0][0].sum(axis=2)[:, np.newaxis]
    squares_z = (of_z * of_z).sum(axis=2)
    systems = z.shape[1]
    # γ = −βᵀ for signs, so that Σ_j γ_ij c_j is −(c β)_i, and δ is antisymmetric. All terms are quarters of integers,
    # and sums of squared ranks are below 2²⁴, so that float32 is exact.
    weights = -np.concatenate([form.linear, form.product], axis=2).astype(np.float32)
    constant, own, of_z = (
        row.astype(np.float32)
        for row in (form.constant.sum(axis=2)[:, np.newaxis], form.linear.sum(axis=2)[:, np.newaxis], of_z)
    )

    def both(swaps: Signs) -> Pair:
        c = swaps.astype(np.float32)
        by_c = c @ weights
        even = constant + c * by_c[..., systems:]
        odd = own * c + by_c[..., :systems]
        return _rho(even + odd, of_z, squares_z), _rho(even - odd, of_z, squares_z)

    return both


def _rho(ranks: Scores, of_z: Scores, squares_z: Scores) -> Scores:
    squares = np.einsum("nrs,nrs->nr", ranks, ranks).astype(np.float64)
    both = (ranks @ of_z.swapaxes(1, 2))[..., 0].astype(np.float64)
    return np.clip(divide(both, np.sqrt(squares * squares_z)), -1.0, 1.0)


FORMS: dict[str, Callable[[Scores, Scores, Scores], Callable[[Signs], Pair]]] = {
    "kendall-b": _kendall,
    "spearman": _spearman,
}
