"""Correlations of every item before and after measures swap their scores, all resamples at once.

c is −1 where a system keeps its scores on an item and 1 where they are swapped. A function of the scores of two
systems, f(i's, j's), is α + β c_i + γ c_j + δ c_i c_j, and for the measure that gets the other's scores
α − β c_i − γ c_j + δ c_i c_j. So all resamples of all items are matrix products.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.intervals import defined_mean
from metaeval.stats.ratio import divide

Scores = NDArray[np.float64]
Signs = NDArray[np.int8]
Pair = tuple[Scores, Scores]

_CONSTANT = 1e-12
"""A variance, in proportion to the mean square, that is a rounding error."""


@dataclass(frozen=True)
class _Form:
    """α, β and δ of a function of two systems' scores with f(j's, i's) = ± f(i's, j's), each (N, S, S); γ = ± βᵀ."""

    constant: Scores
    linear: Scores
    product: Scores


def _form(values: list[list[Scores]]) -> _Form:
    """values[a][b]: f of the scores of measure a for i and of measure b for j, (N, S, S)."""
    (xx, xy), (yx, yy) = values
    return _Form((xx + xy + yx + yy) / 4, (yx + yy - xx - xy) / 4, (xx - xy - yx + yy) / 4)


def _signs(x: Scores, y: Scores) -> list[list[Scores]]:
    """Signs of the differences of every two systems, by whose scores: [i's measure][j's measure], (N, S, S)."""
    signs = [[np.sign(one[:, :, np.newaxis] - other[:, np.newaxis]) for other in (x, y)] for one in (x, y)]
    return [[np.where(np.isnan(sign), 0.0, sign) for sign in row] for row in signs]


def _kendall(x: Scores, y: Scores, z: Scores) -> Callable[[Signs], Pair]:
    """tau-b of every item, before and after: x, y, z (N, S)."""
    signs, of_z = _signs(x, y), _signs(z, z)[0][0]
    systems = z.shape[1]
    agreement = _form([[sign * of_z for sign in row] for row in signs])
    untied = _form([[np.abs(sign) for sign in row] for row in signs])
    untied_z = np.abs(of_z).sum(axis=(1, 2)) / 2
    # Quarters of whole numbers below 2²²: exact.
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
    """Spearman's rho of every item. A rank less the mean rank is half a row sum of the signs."""
    form = _form(_signs(x, y))
    of_z = _signs(z, z)[0][0].sum(axis=2)[:, np.newaxis]
    squares_z = (of_z * of_z).sum(axis=2)
    systems = z.shape[1]
    # γ = −βᵀ for signs, so that Σ_j γ_ij c_j is −(c β)_i; and δ is antisymmetric. Ranks are whole, their squares' sums
    # below 2²⁴, and what they are made of is quarters.
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


def _pearson(x: Scores, y: Scores, z: Scores) -> Callable[[Signs], Pair]:
    """Pearson's r of every item, from sums that are linear in the swaps."""
    present = ~np.isnan(z)
    number = present.sum(axis=1)[:, np.newaxis]
    centre = defined_mean((x + y) / 2, axis=1)[:, np.newaxis]
    x, y = (np.where(present, scores - centre, 0.0) for scores in (x, y))
    z = np.where(present, z - defined_mean(z, axis=1)[:, np.newaxis], 0.0)
    constant_z = _constant(z, present)
    squares_z = np.where(constant_z, 0.0, (z * z).sum(axis=1))[:, np.newaxis]
    sums = [(x, y), (x * x, y * y), (x * z, y * z)]
    weights = np.stack([(of_y - of_x) / 2 for of_x, of_y in sums], axis=2)
    constant = np.stack([(of_x + of_y).sum(axis=1) / 2 for of_x, of_y in sums], axis=1)[:, np.newaxis]

    def both(swaps: Signs) -> Pair:
        odd = swaps.astype(np.float64) @ weights
        return _r(constant + odd, number, squares_z), _r(constant - odd, number, squares_z)

    return both


def _constant(z: Scores, present: NDArray[np.bool_]) -> NDArray[np.bool_]:
    lowest, highest = (np.where(present, z, fill) for fill in (np.inf, -np.inf))
    constant: NDArray[np.bool_] = lowest.min(axis=1) >= highest.max(axis=1)
    return constant


def _r(sums: Scores, number: NDArray[np.integer], squares_z: Scores) -> Scores:
    """From Σ m, Σ m² and Σ m z of m swapped scores, where Σ z is 0."""
    total, squares, both = np.moveaxis(sums, 2, 0)
    spread = squares - divide(total * total, number, undefined=0.0)
    spread = np.where(spread <= _CONSTANT * squares, 0.0, spread)
    return np.clip(divide(both, np.sqrt(spread * squares_z)), -1.0, 1.0)


ITEM_FORMS: dict[str, Callable[[Scores, Scores, Scores], Callable[[Signs], Pair]]] = {
    "kendall-b": _kendall,
    "spearman": _spearman,
    "pearson": _pearson,
}
