"""Strengths of systems from wins, losses and ties (Bradley–Terry with ties: Davidson 1970), of many samples at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from metaeval.arrays import Floats, Indices
from metaeval.judges.preferences.groups import Groups, compact
from metaeval.stats.resample import trials_per_block

RIDGE = 1e-9
"""Weight of a quadratic penalty, which keeps the information from being singular."""

LONGEST_STEP, TOLERANCE, MAX_STEPS = 3.0, 1e-9, 200
MEMORY = 1 << 27
"""Approximate limit of the memory of the gradients that are computed at once, in bytes."""


@dataclass(frozen=True)
class VerdictCounts:
    """Verdicts on P pairs of S systems, each of its weight.

    one, other: systems of each pair, one < other, (P,). groups: wins of the first, of the second, and ties, of each
    group of items, as a sparse matrix (G, 3 P).
    """

    systems: int
    one: Indices
    other: Indices
    groups: Any

    @classmethod
    def of(cls, left: Indices, right: Indices, outcomes: Floats, groups: Groups, systems: int) -> VerdictCounts:
        """The counts of V verdicts.

        left, right: systems, (V,). outcomes: what a verdict adds to the wins of the system of the lower code, of the
        other one, and to ties, (V, 3).
        """
        from scipy.sparse import coo_array

        keys, pair = compact(np.minimum(left, right) * systems + np.maximum(left, right))
        row, outcome = np.nonzero(outcomes)
        cells = groups.codes[row], outcome * len(keys) + pair[row]
        counts = coo_array((outcomes[row, outcome], cells), shape=(len(groups.sizes), 3 * len(keys))).tocsr()
        return cls(systems, keys // systems, keys % systems, counts)

    def among(self, systems: Indices) -> VerdictCounts:
        """The verdicts between some of the systems, which are in ascending order."""
        code = np.full(self.systems, -1)
        code[systems] = np.arange(len(systems))
        pairs = np.flatnonzero((code[self.one] >= 0) & (code[self.other] >= 0))
        columns = np.concatenate([pairs + side * len(self.one) for side in range(3)])
        return VerdictCounts(len(systems), code[self.one[pairs]], code[self.other[pairs]], self.groups[:, columns])

    @cached_property
    def _incidence(self) -> Any:
        """1 for the first system of each pair and −1 for the second, as a sparse matrix (S, P)."""
        from scipy.sparse import coo_array

        pairs = np.arange(len(self.one))
        systems, signs = np.concatenate([self.one, self.other]), np.repeat([1.0, -1.0], len(pairs))
        return coo_array((signs, (systems, np.tile(pairs, 2))), shape=(self.systems, len(pairs))).tocsr()

    def of_systems(self, of_pairs: Floats, *, signed: bool = True) -> Floats:
        """Sums over the pairs of each system, (R, S). of_pairs: (R, P). signed: subtract where it is the second one."""
        incidence = self._incidence if signed else abs(self._incidence)
        sums: Floats = np.ascontiguousarray((incidence @ of_pairs.T).T)
        return sums

    @property
    def number_of_groups(self) -> int:
        """The number of groups, G."""
        return int(self.groups.shape[0])

    def weighted(self, weights: Floats) -> Floats:
        """Wins, losses and ties of each pair in R samples, (R, 3, P). weights: of the groups, (R, G)."""
        total: Floats = (self.groups.T @ weights.T).T.reshape(-1, 3, len(self.one))
        return total

    def of_groups(self, begin: int, end: int) -> Floats:
        """Wins, losses and ties of each pair in some of the groups, (groups, 3, P)."""
        dense: Floats = self.groups[begin:end].toarray().reshape(-1, 3, len(self.one))
        return dense

    @property
    def all(self) -> Floats:
        """The counts of all verdicts, (3, P)."""
        counts: Floats = self.weighted(np.ones((1, self.number_of_groups)))[0]
        return counts

    @property
    def wins_and_ties(self) -> tuple[Floats, Floats]:
        """The wins of the system of the row against that of the column, and the ties of both, (S, S)."""
        won, tied = np.zeros((2, self.systems, self.systems))
        won[self.one, self.other], won[self.other, self.one], ties = self.all
        tied[self.one, self.other] = tied[self.other, self.one] = ties
        return won, tied


def strengths(counts: VerdictCounts, samples: Floats) -> Floats:
    """Maximum-likelihood strengths in R samples, natural logarithms with mean 0, and the logarithm of ν, (R, S + 1).

    A system of strength a beats one of strength b with a probability proportional to exp(a), and ties with one
    proportional to ν exp((a + b) / 2). Newton's method with halved steps, for all samples at once.

    samples: of `VerdictCounts.weighted`, (R, 3, P). Without ties ln ν is −∞.
    """
    ties = bool(samples[:, 2].any())
    fitted = np.zeros((len(samples), counts.systems + 1))
    if not ties:
        fitted[:, -1] = -np.inf
    active = np.arange(len(samples))
    for _ in range(MAX_STEPS):
        gradient = _gradient(counts, samples[active], fitted[active], ties=ties)
        gradient -= RIDGE * np.where(np.isfinite(fitted[active]), fitted[active], 0.0)
        information = _information(counts, samples[active], fitted[active], ties=ties)
        step = np.linalg.solve(information, gradient[..., np.newaxis])[..., 0]
        step *= np.minimum(1.0, LONGEST_STEP / np.maximum(np.abs(step).max(axis=1, keepdims=True), LONGEST_STEP))
        before = _log_likelihood(counts, samples[active], fitted[active])
        for _ in range(20):
            trial = fitted[active] + step
            worse = _log_likelihood(counts, samples[active], trial) < before - 1e-9 * np.abs(before)
            if not worse.any():
                break
            step[worse] /= 2
        fitted[active] = trial
        active = active[np.abs(step).max(axis=1) > TOLERANCE]
        if not len(active):
            break
    return fitted


def _probabilities(counts: VerdictCounts, fitted: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Probabilities of a win, a loss and a tie of each pair, and the logarithm of their common divisor, (R, P)."""
    half = (fitted[:, counts.one] - fitted[:, counts.other]) / 2
    # With the largest term divided out, nothing overflows.
    largest = np.maximum(np.abs(half), fitted[:, -1:])
    win, loss, tie = np.exp(half - largest), np.exp(-half - largest), np.exp(fitted[:, -1:] - largest)
    whole = win + loss + tie
    return win / whole, loss / whole, tie / whole, largest + np.log(whole)


def _log_likelihood(counts: VerdictCounts, samples: Floats, fitted: Floats) -> Floats:
    """The penalised log-likelihood of each sample, (R,)."""
    *_, divisor = _probabilities(counts, fitted)
    wins, losses, ties = samples[:, 0], samples[:, 1], samples[:, 2]
    half = (fitted[:, counts.one] - fitted[:, counts.other]) / 2
    tie_term = np.where(np.isfinite(fitted[:, -1:]), fitted[:, -1:], 0.0)
    value = ((wins - losses) * half + ties * tie_term - samples.sum(axis=1) * divisor).sum(axis=1)
    penalty = (fitted[:, :-1] ** 2).sum(axis=1) + tie_term[:, 0] ** 2
    return np.asarray(value - RIDGE / 2 * penalty)


def _gradient(counts: VerdictCounts, samples: Floats, fitted: Floats, *, ties: bool) -> Floats:
    """The derivative of the log-likelihood of each sample, (R, S + 1)."""
    win, loss, tie, _ = _probabilities(counts, fitted)
    verdicts = samples.sum(axis=1)
    of_pair = ((samples[:, 0] - samples[:, 1]) - verdicts * (win - loss)) / 2
    gradient = np.zeros((len(samples), counts.systems + 1))
    gradient[:, :-1] = counts.of_systems(of_pair)
    if ties:
        gradient[:, -1] = (samples[:, 2] - verdicts * tie).sum(axis=1)
    return gradient


def _information(counts: VerdictCounts, samples: Floats, fitted: Floats, *, ties: bool) -> Floats:
    """The negative second derivative of the penalised log-likelihood of each sample, (R, S + 1, S + 1)."""
    win, loss, tie, _ = _probabilities(counts, fitted)
    verdicts, gap, systems = samples.sum(axis=1), win - loss, counts.systems
    of_pair = verdicts * (win + loss - gap**2) / 4
    information = np.zeros((len(samples), systems + 1, systems + 1))
    information[:, counts.one, counts.other] = information[:, counts.other, counts.one] = -of_pair
    each = np.arange(systems)
    information[:, each, each] = counts.of_systems(of_pair, signed=False) + RIDGE
    # The likelihood does not depend on the mean strength: any curvature along it keeps the mean at 0.
    information[:, :-1, :-1] += np.maximum(verdicts.sum(axis=1), 1.0)[:, np.newaxis, np.newaxis] / systems**2
    information[:, -1, -1] = 1.0
    if ties:
        information[:, -1, -1] = (verdicts * tie * (1 - tie)).sum(axis=1) + RIDGE
        border = counts.of_systems(-verdicts * tie * gap / 2)
        information[:, :-1, -1] = information[:, -1, :-1] = border
    return information


def influences(counts: VerdictCounts, fitted: Floats) -> Floats:
    """What each group adds to the deviation of the strengths from the true ones, (G, S); sums over groups are 0.

    fitted: of all verdicts, (S + 1,).
    """
    whole, ties = fitted[np.newaxis], bool(np.isfinite(fitted[-1]))
    inverse = np.linalg.inv(_information(counts, counts.all[np.newaxis], whole, ties=ties)[0])
    step = trials_per_block(24 * 8 * len(counts.one), memory=MEMORY, at_most=counts.number_of_groups)
    gradients = [
        _gradient(counts, counts.of_groups(begin, begin + step), whole, ties=ties)
        for begin in range(0, counts.number_of_groups, step)
    ]
    influence: Floats = (np.concatenate(gradients) @ inverse)[:, :-1]
    return influence
