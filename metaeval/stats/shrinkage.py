"""Estimates of true differences: those observed are larger on average, because chance adds to them.

Differences come in units of their standard errors, so that each is the true one plus a standard normal error. The true
differences are modelled as draws from a mixture of normal distributions around 0 with a grid of scales, whose weights
are fitted to all pairs at once (Stephens 2017, "False discovery rates: a new deal"). Systems that differ little from
each other shrink much, outliers hardly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

SCALES: Numbers = np.geomspace(0.25, 256, 16)
"""Standard deviations of the mixture, in standard errors. None is 0: systems that answer differently differ."""

EM_STEPS = 40
"""Steps of the EM algorithm: more change the results by less than sampling error."""

MIN_WEIGHT = 1e-12
"""Lower bound of weights and likelihoods, because denormal numbers are slow."""

SIZES: Numbers = np.concatenate([np.arange(0, 8, 0.1), np.geomspace(8, 1000, 40)])
"""Sizes of differences between which others are interpolated, so that cost does not grow with the pairs."""


def spread_out(differences: Numbers) -> Numbers:
    """Differences as shares of the two nearest of `SIZES`.

    Parameters
    ----------
    differences : array (R, P)
        In standard errors.

    Returns
    -------
    array (R, J)
        Rows sum to 1.
    """
    size = np.minimum(np.abs(differences), SIZES[-1])
    place = np.clip(np.searchsorted(SIZES, size, side="right") - 1, 0, len(SIZES) - 2)
    above = (size - SIZES[place]) / (SIZES[place + 1] - SIZES[place])
    cells = place + len(SIZES) * np.arange(len(size))[:, np.newaxis]
    shape = len(size) * len(SIZES)
    total = np.bincount(cells.ravel(), (1 - above).ravel(), shape) + np.bincount(
        cells.ravel() + 1, above.ravel(), shape
    )
    return np.asarray(total.reshape(len(size), -1) / differences.shape[1])


def fit_weights(differences: Numbers, *, scales: Numbers = SCALES) -> Numbers:
    """Maximum-likelihood weights of the scales for each row of differences.

    Parameters
    ----------
    differences : array (R, P)
        In standard errors.
    scales : array (K,)
        Standard deviations of the mixture, in standard errors.

    Returns
    -------
    array (R, K)
        Rows sum to 1.
    """
    counts, likelihood = spread_out(differences), _likelihood(SIZES, scales)
    weights = np.full((len(counts), len(scales)), 1 / len(scales))
    for _ in range(EM_STEPS):
        weights = np.maximum(weights * ((counts / (weights @ likelihood.T)) @ likelihood), MIN_WEIGHT)
    return weights


def shrunk(differences: Numbers, weights: Numbers, *, scales: Numbers = SCALES) -> tuple[Numbers, Numbers]:
    """Posterior mean and standard deviation of the true differences.

    Parameters
    ----------
    differences : array (P,)
        Observed differences, in standard errors.
    weights : array (R, K)
        Weights of the scales, as from `fit_weights`.
    scales : array (K,)
        Standard deviations of the mixture, in standard errors.

    Returns
    -------
    tuple of two arrays (R, P)
        Means and standard deviations.

    Examples
    --------
    >>> mean, deviation = shrunk(np.array([2.0]), np.array([[1.0]]), scales=np.array([1.0]))
    >>> mean.tolist(), deviation.round(4).tolist()
    ([[1.0]], [[0.7071]])
    """
    likelihood = _likelihood(np.abs(differences), scales)
    shrinking = scales**2 / (1 + scales**2)
    total = weights @ likelihood.T
    first, second = ((weights @ (likelihood * factor).T) / total for factor in (shrinking, shrinking**2))
    variance = first + differences**2 * (second - first**2)
    return differences * first, np.sqrt(np.maximum(variance, 0.0))


def _likelihood(sizes: Numbers, scales: Numbers) -> Numbers:
    """Of each size under each scale, (…, K), up to a factor of each size that keeps it from vanishing."""
    variance = 1 + scales**2
    logarithm = -0.5 * (np.minimum(sizes, SIZES[-1])[:, np.newaxis] ** 2 / variance + np.log(variance))
    return np.asarray(np.maximum(np.exp(logarithm - logarithm.max(axis=1, keepdims=True)), MIN_WEIGHT))
