"""A grid for scores, on which scores that are equal on paper are equal numbers.

The same score computed in another order of operations may differ in its last bits, and a ranking would take this for a
difference. A grid of powers of 2 has no cell boundary at the fractions k / n of practical n, unlike a decimal grid, on
which k / 8192 is a boundary.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from metaeval.arrays import Floats

_BITS = 40
"""A step of the grid is 2 to the power −40, about 10⁻¹², of the unit."""

_MAX_DECIMALS = 22
"""10²² is the largest power of 10 that is exact in double precision."""


def round_to_grid(values: ArrayLike, unit: ArrayLike = 1.0) -> Floats:
    """Round scores to multiples of about 10⁻¹² of the measure's unit.

    The multiples are those of 2⁻⁴⁰ times the unit, written with the decimals that they resolve (12 for a unit of 1), so
    that a score of nine tenths is the number 0.9.

    values: scores, NaN where undefined, (...). unit: the largest absolute score of the measure, which is rounded up to
    a power of 2; broadcasts to `values`, array_like. 0 for a measure whose scores are all 0. Returns array (...).

    >>> round_to_grid([0.1 + 0.2, 1 - 0.1, 1e-17]).tolist()
    [0.3, 0.9, 0.0]
    """
    step, shift = _scalar_grid(float(unit)) if isinstance(unit, (int, float)) else _step_and_shift(np.asarray(unit))
    rounded = np.asarray(np.asarray(values, dtype=np.float64) / step)
    np.rint(rounded, out=rounded)
    rounded *= step * shift
    np.rint(rounded, out=rounded)
    rounded /= shift
    rounded += 0.0  # no −0
    return rounded


def in_units(values: ArrayLike, *, axis: int | tuple[int, ...] | None = -1) -> Floats:
    """Values in a power of 2 that the largest one along an axis does not reach, so that no square overflows.

    A power of 2 changes no digit. values: NaN where missing, (...). Returns array (...), from −1 to 1.

    >>> in_units([1.0, -6.0]).tolist()
    [0.125, -0.75]
    """
    array = np.asarray(values, dtype=np.float64)
    largest = np.fmax.reduce(np.abs(array), axis=axis, keepdims=True, initial=0.0)
    return np.asarray(np.ldexp(array, -np.frexp(largest)[1]))


def _step_and_shift(unit: Floats) -> tuple[Floats, Floats]:
    """The step of the grid, and the power of 10 that makes its multiples whole where there is one."""
    mantissa, power = np.frexp(unit.astype(np.float64))
    power = np.maximum(power - (mantissa == 0.5) - _BITS, np.finfo(np.float64).minexp)
    step = np.ldexp(1.0, power)
    decimals = np.floor(-power * np.log10(2.0))
    in_decimals = (decimals >= 0) & (decimals <= _MAX_DECIMALS)
    shift = np.where(in_decimals, 10.0 ** np.where(in_decimals, decimals, 0.0), 1 / step)
    return np.asarray(step), np.asarray(shift)


@lru_cache(maxsize=64)
def _scalar_grid(unit: float) -> tuple[Floats, Floats]:
    return _step_and_shift(np.asarray(unit))
