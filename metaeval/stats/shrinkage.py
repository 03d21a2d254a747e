"""Shrinkage estimates of true differences, which are smaller on average than observed differences.

Differences are in units of their standard errors, so that each is a true difference plus a standard normal error. The
prior of the true differences is a mixture of normal distributions around 0 with a grid of scales, whose weights are
fitted to all pairs (Stephens 2017, "False discovery rates: a new deal"). Small differences shrink more than outliers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

SCALES: Numbers = np.geomspace(0.25, 256, 16)
"""Standard deviations of the mixture, in standard errors; none is 0, because systems with other outputs differ."""

EM_STEPS = 40
"""Steps of the EM algorithm; more steps change results by less than the sampling error."""

MIN_WEIGHT = 1e-12
"""Lower bound of weights and likelihoods, because denormal numbers are slow."""

SIZES: Numbers = np.concatenate([np.arange(0, 8, 0.1), np.geomspace(8, 1000, 40)])
"""Grid of absolute differences for interpolation, so that the cost does not grow with the number of pairs."""


def interpolation_weights(differences: Numbers) -> Numbers:
    """Weights of the grid `SIZES` that represent differences by linear interpolation.

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
    position = np.clip(np.searchsorted(SIZES, size, side="right") - 1, 0, len(SIZES) - 2)
    above = (size - SIZES[position]) / (SIZES[position + 1] - SIZES[position])
    cells = position + len(SIZES) * np.arange(len(size))[:, np.newaxis]
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
    counts, likelihood = interpolation_weights(differences), _likelihood(SIZES, scales)
    weights = np.full((len(counts), len(scales)), 1 / len(scales))
    for _ in range(EM_STEPS):
        weights = np.maximum(weights * ((counts / (weights @ likelihood.T)) @ likelihood), MIN_WEIGHT)
    return weights


def shrink(differences: Numbers, weights: Numbers, *, scales: Numbers = SCALES) -> tuple[Numbers, Numbers]:
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
    >>> mean, deviation = shrink(np.array([2.0]), np.array([[1.0]]), scales=np.array([1.0]))
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
    """Likelihood of each size under each scale, (…, K), up to a factor of each size that prevents underflow."""
    variance = 1 + scales**2
    logarithm = -0.5 * (np.minimum(sizes, SIZES[-1])[:, np.newaxis] ** 2 / variance + np.log(variance))
    return np.asarray(np.maximum(np.exp(logarithm - logarithm.max(axis=1, keepdims=True)), MIN_WEIGHT))
