"""The model of Davidson (1970), Bradley–Terry with ties, with covariates beside the strengths of the systems.

The log odds of left against right are the difference of the strengths plus the covariates times their coefficients;
ties have a probability proportional to ν times the geometric mean of both. Where the verdicts of a judge are set
against those of others, both share the strengths, the judge up to a factor: a judge that is less certain than people is
not biased. The logarithm of that factor has a normal prior, because equal systems do not tell it.

Estimates are of maximum likelihood, or those of Firth (1993), whose bias is smaller and which are finite where a judge
always decides alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from metaeval.arrays import Bools, Floats, Indices
from metaeval.judges.preferences.groups import compact
from metaeval.stats.ratio import divide, effective_number
from metaeval.stats.resample import trials_per_block

RIDGE = 1e-9
"""Curvature of a quadratic penalty, and that for each verdict, which keep the information from being singular."""

LARGEST_STEP, NEAR, TOLERANCE, MAX_STEPS = 1.0, 1e-4, 1e-8, 100

MANY, PART, NEAR_OF_MANY = 20_000, 20, 1e-2
"""Number of rows above which the estimates of every so many of them come first, and steps are near the end."""

SMALL_SHARE = 0.02
"""Largest share of a group in the information on each coefficient, so that many verdicts need no step without it."""

SPREAD_OF_SCALE = 1.0
"""Standard deviation of the logarithm of a judge's factor a priori."""

COLLINEAR = 1e-6
"""Share of the information on a coefficient that the other parameters leave, below which it is not identified."""

MEMORY = 1 << 27
"""Approximate limit of the memory of the information of groups, in bytes."""


@dataclass(frozen=True)
class Design:
    """V rows of verdicts, and the covariates of their log odds.

    left, right: systems, from 0, (V,). outcomes: weights of the verdicts for left, for right, and of ties, (3, V).
    columns: covariates, of left less right, (K, V). groups: of whole clusters, from 0, (V,). systems, number_of_groups:
    their numbers. scaled: verdicts whose strengths have a factor and whose ties are of their own: those of a judge
    beside the verdicts of others, (V,).
    """

    left: Indices
    right: Indices
    outcomes: Floats
    columns: Floats
    groups: Indices
    systems: int
    number_of_groups: int
    scaled: Bools

    @classmethod
    def without_covariates(cls, sides: Indices, outcomes: Floats, groups: Indices, numbers: tuple[int, int]) -> Design:
        """The design of strengths alone; sides: left and right, (2, V). numbers: of systems and of groups."""
        columns, scaled = np.empty((0, len(groups))), np.zeros(len(groups), dtype=np.bool_)
        return cls(sides[0], sides[1], outcomes, columns, groups, numbers[0], numbers[1], scaled)

    def rows(self, rows: Indices | slice) -> Design:
        """Some of the rows."""
        names = ("left", "right", "groups", "scaled")
        both = {name: getattr(self, name)[:, rows] for name in ("outcomes", "columns")}
        return replace(self, **both, **{name: getattr(self, name)[rows] for name in names})

    def among(self, systems: Indices) -> Design:
        """The verdicts between some of the systems, which are in ascending order."""
        if len(systems) == self.systems:
            return self
        codes = np.full(self.systems, -1)
        codes[systems] = np.arange(len(systems))
        inside = self.rows(np.flatnonzero((codes[self.left] >= 0) & (codes[self.right] >= 0)))
        return replace(inside, left=codes[inside.left], right=codes[inside.right], systems=len(systems))

    def in_blocks(self) -> Iterator[tuple[int, int, Design]]:
        """Blocks of groups, from and to, with their verdicts, whose groups count from 0."""
        order = np.argsort(self.groups, kind="stable")
        ends = np.searchsorted(self.groups[order], np.arange(self.number_of_groups + 1))
        size = trials_per_block(24 * self.parameters**2, memory=MEMORY, at_most=self.number_of_groups)
        for begin in range(0, self.number_of_groups, size):
            end = min(begin + size, self.number_of_groups)
            block = self.rows(order[ends[begin] : ends[end]])
            yield begin, end, replace(block, groups=block.groups - begin, number_of_groups=end - begin)

    @cached_property
    def whole(self) -> Design:
        """All verdicts as one group; without covariates, a row for each pair of systems."""
        if len(self.columns) or self.scaled.any():
            return replace(self, groups=np.zeros(len(self.groups), dtype=np.intp), number_of_groups=1)
        one, other, codes = self.pairs
        wins, losses, ties = self.outcomes
        swapped = self.left > self.right
        by_row = np.where(swapped, losses, wins), np.where(swapped, wins, losses), ties
        outcomes = np.array([np.bincount(codes, numbers, len(one)) for numbers in by_row])
        groups = np.zeros(len(one), dtype=np.intp)
        return Design.without_covariates(np.stack([one, other]), outcomes, groups, (self.systems, 1))

    @cached_property
    def pairs(self) -> tuple[Indices, Indices, Indices]:
        """The systems of the pairs that were compared, (P,), and the pair of each row, (V,)."""
        low, high = np.minimum(self.left, self.right), np.maximum(self.left, self.right)
        keys, codes = compact(low * self.systems + high)
        return keys // self.systems, keys % self.systems, codes

    @cached_property
    def weight(self) -> Floats:
        """The weight of the verdicts of each row, (V,)."""
        weight: Floats = self.outcomes.sum(axis=0)
        return weight

    @cached_property
    def sizes(self) -> Floats:
        """The weight of the verdicts of each group, (G,)."""
        return np.bincount(self.groups, self.weight, self.number_of_groups).astype(np.float64, copy=False)

    @cached_property
    def wins_and_ties(self) -> tuple[Floats, Floats]:
        """The wins of the system of the row against that of the column, and the ties of both, (S, S).

        For a design without covariates.
        """
        wins, tied = np.zeros((2, self.systems, self.systems))
        one, other = self.whole.left, self.whole.right
        wins[one, other], wins[other, one], ties = self.whole.outcomes
        tied[one, other] = tied[other, one] = ties
        return wins, tied

    @property
    def parameters(self) -> int:
        """The number of parameters: of strengths, ties of both kinds of verdicts, covariates, and the factor."""
        return self.systems + 3 + int(self.columns.shape[0])


@dataclass(frozen=True)
class _State:
    """A design at values of its parameters: strengths, ln ν of both kinds of verdicts, coefficients, ln of the factor.

    The derivatives of the log odds of a verdict are its `scale` for the strengths, and `slopes` for coefficients and
    factor, (K + 1, V).
    """

    design: Design
    parameters: Floats

    @cached_property
    def scale(self) -> Floats:
        """The factor of the strengths, (V,)."""
        return np.where(self.design.scaled, np.exp(self.parameters[-1]), 1.0)

    @cached_property
    def difference(self) -> Floats:
        """The differences of the strengths with their factor, (V,)."""
        difference: Floats = (self.parameters[self.design.left] - self.parameters[self.design.right]) * self.scale
        return difference

    @cached_property
    def slopes(self) -> Floats:
        """Derivatives of the log odds by the coefficients and the logarithm of the factor, (K + 1, V)."""
        return np.vstack([self.design.columns, np.where(self.design.scaled, self.difference, 0.0)])

    @cached_property
    def probabilities(self) -> Floats:
        """Of a win, a loss and a tie, (3, V)."""
        systems = self.design.systems
        half = (self.difference + self.parameters[systems + 2 : -1] @ self.design.columns) / 2
        tie = self.parameters[systems + self.design.scaled]
        largest = np.maximum(np.abs(half), tie)
        terms = np.exp(np.stack([half, -half, tie]) - largest)
        return np.asarray(terms / terms.sum(axis=0))

    @cached_property
    def curvature(self) -> tuple[Floats, Floats, Floats]:
        """The information of each row on its log odds, on them and ln ν, and on ln ν, (V,)."""
        (win, loss, tie), weight = self.probabilities, self.design.weight
        gap = win - loss
        return weight * (win + loss - gap**2) / 4, -weight * tie * gap / 2, weight * tie * (1 - tie)

    def information_on(self, inverse: Floats) -> Floats:
        """What each group adds to the information on each coefficient beside all others, (G, K), in its variances."""
        design, systems = self.design, self.design.systems
        odds, mixed, by_tie = self.curvature
        kind = systems + design.scaled.astype(np.intp)
        columns = range(systems + 2, design.parameters - 1)
        shares = np.empty((design.number_of_groups, len(columns)))
        for index, weights in enumerate(inverse[:, columns].T):
            along = self.scale * (weights[design.left] - weights[design.right]) + weights[systems + 2 :] @ self.slopes
            ties = weights[kind]
            shares[:, index] = self._by_group(odds * along**2 + 2 * mixed * along * ties + by_tie * ties**2)
        return shares

    def residuals(self, adjustment: Floats | None = None) -> tuple[Floats, Floats]:
        """What each row adds to the derivatives by its log odds, and by ln ν, (V,)."""
        (wins, losses, ties), (win, loss, tie), weight = self.design.outcomes, self.probabilities, self.design.weight
        residuals = np.stack([(wins - losses - weight * (win - loss)) / 2, ties - weight * tie])
        if adjustment is not None:
            residuals += adjustment
        return residuals[0], residuals[1]

    def gradient(self, residuals: tuple[Floats, Floats]) -> Floats:
        """Derivatives of the log-likelihood of each group, (G, parameters)."""
        design, (by_odds, by_tie) = self.design, residuals
        gradient = np.empty((design.number_of_groups, design.parameters))
        systems = design.systems
        gradient[:, :systems] = self._by_system(self.scale * by_odds)
        gradient[:, systems : systems + 2] = self._by_kind(by_tie)
        for column, slope in enumerate(self.slopes, start=systems + 2):
            gradient[:, column] = self._by_group(by_odds * slope)
        return gradient

    def information(self) -> Floats:
        """The expected negative second derivatives of each group, (G, parameters, parameters)."""
        design, systems = self.design, self.design.systems
        odds, mixed, by_tie = self.curvature
        information = np.zeros((design.number_of_groups, design.parameters, design.parameters))
        one, other, codes = design.pairs
        by_pair = self._sums(codes, len(one), odds * self.scale**2)
        information[:, one, other] = information[:, other, one] = -by_pair
        every = np.arange(systems)
        information[:, every, every] = -information[:, :systems, :systems].sum(axis=2)
        ties = slice(systems, systems + 2)
        for kind, mask in enumerate((~design.scaled, design.scaled), start=systems):
            if not mask.any():
                continue
            by_system = self._by_system(np.where(mask, self.scale * mixed, 0.0))
            information[:, :systems, kind] = information[:, kind, :systems] = by_system
        kinds = np.arange(systems, systems + 2)
        information[:, kinds, kinds] = self._by_kind(by_tie)
        for column, slope in enumerate(self.slopes, start=systems + 2):
            weighted = odds * slope
            if not weighted.any():
                continue
            by_system = self._by_system(self.scale * weighted)
            information[:, :systems, column] = information[:, column, :systems] = by_system
            by_kind = self._by_kind(mixed * slope)
            information[:, ties, column] = information[:, column, ties] = by_kind
            for second, other_slope in enumerate(self.slopes[: column - systems - 1], start=systems + 2):
                information[:, column, second] = information[:, second, column] = self._by_group(weighted * other_slope)
        return information

    def adjustment(self, inverse: Floats) -> Floats:
        """Firth's adjustment of the residuals by log odds and by ln ν, (2, V). inverse: of the information."""
        design, systems = self.design, self.design.systems
        left, right, slopes, kind = design.left, design.right, self.slopes, systems + design.scaled.astype(np.intp)
        strengths, rest = inverse[:systems, :systems], inverse[systems + 2 :, systems + 2 :]
        diagonal = np.diagonal(strengths)
        odds: Floats = self.scale**2 * (diagonal[left] + diagonal[right] - 2 * strengths[left, right])
        across = inverse[systems + 2 :, :systems]
        mixed = self.scale * (inverse[left, kind] - inverse[right, kind])
        for column, slope in enumerate(slopes):
            if slope.any():
                covariances = across[column]
                odds += slope * (2 * self.scale * (covariances[left] - covariances[right]) + rest[column] @ slopes)
                mixed += slope * inverse[systems + 2 + column, kind]
        by_tie = inverse[kind, kind]
        # By the third cumulants of an outcome.
        (win, loss, tie), halves = self.probabilities, design.weight / 2
        gap, no_tie = win - loss, 1 - tie
        twice, once = tie * (gap**2 / 2 - no_tie / 4), -tie * gap * (0.5 - tie)
        by_odds = gap * (1 / 8 - 3 / 8 * no_tie + gap**2 / 4) * odds + 2 * twice * mixed + once * by_tie
        by_ties = twice * odds + 2 * once * mixed + tie * no_tie * (1 - 2 * tie) * by_tie
        return np.stack([halves * by_odds, halves * by_ties])

    def _sums(self, codes: Indices, number: int, values: Floats) -> Floats:
        """Sums by group and code, (G, number)."""
        groups = self.design.number_of_groups
        sums = np.bincount(self.design.groups * number + codes, values, groups * number)
        return sums.astype(np.float64, copy=False).reshape(groups, number)

    def _by_system(self, values: Floats) -> Floats:
        systems = self.design.systems
        return self._sums(self.design.left, systems, values) - self._sums(self.design.right, systems, values)

    def _by_kind(self, values: Floats) -> Floats:
        return self._sums(self.design.scaled.astype(np.intp), 2, values)

    def _by_group(self, values: Floats) -> Floats:
        sums = np.bincount(self.design.groups, values, self.design.number_of_groups)
        return sums.astype(np.float64, copy=False)


class Effect(NamedTuple):
    """A coefficient, or the difference of two, and what groups of verdicts tell of it.

    influences: what each group adds to its deviation from the true one, (G,). deviations: by one Newton step, without
    each group, (G,). model: its variance if verdicts were independent. prior: what the prior of the factor adds to its
    variance. units: effective number of groups that tell it.
    """

    value: float
    influences: Floats
    deviations: Floats
    model: float
    prior: float
    units: float

    def less(self, other: Effect) -> Effect:
        """The difference from an effect in the verdicts of others, on the same groups."""
        return Effect(
            value=self.value - other.value,
            influences=self.influences - other.influences,
            deviations=self.deviations - other.deviations,
            model=self.model + other.model,
            prior=self.prior + other.prior,
            units=min(self.units, other.units),
        )

    @property
    def freedom(self) -> float:
        """The degrees of freedom of its error: the effective number of groups, by what they tell and by what they add.

        What verdicts on a much stronger system tell is added by the few groups in which it does not win.
        """
        squares = self.influences**2
        return min(self.units - 1, effective_number(squares)) if squares.any() else self.units - 1

    @property
    def error(self) -> float:
        """Its standard error, clustered by groups.

        The product of both deviations has the right expectation for independent verdicts. That few groups hardly vary
        may be chance: a quarter of the variance of independent verdicts is the least.
        """
        by_groups = max(float(self.influences @ self.deviations), float(self.influences @ self.influences))
        return float(np.sqrt(max(by_groups, self.model / 4) + self.prior))


@dataclass(frozen=True)
class Fit:
    """The estimates of a design with P parameters, and what groups tell of them; see `Effect`.

    parameters: (P,). reduced: whether they are Firth's.
    """

    design: Design
    parameters: Floats
    reduced: bool

    @cached_property
    def state(self) -> _State:
        """The design at the estimates."""
        return _State(self.design, self.parameters)

    @cached_property
    def information(self) -> Floats:
        """Of all verdicts, without penalties, (P, P)."""
        information: Floats = _State(self.design.whole, self.parameters).information()[0]
        return information

    @cached_property
    def inverse(self) -> Floats:
        """The inverse of the penalised information, (P, P)."""
        return _inverse(_penalised(self.design, self.information))

    @cached_property
    def gradient(self) -> Floats:
        """The derivatives of the log-likelihood of each group, (G, P)."""
        adjustment = self.state.adjustment(self.inverse) if self.reduced else None
        return self.state.gradient(self.state.residuals(adjustment))

    @cached_property
    def influences(self) -> Floats:
        """What each group adds to the deviations of the parameters from the true ones, (G, P)."""
        return self.gradient @ self.inverse

    @cached_property
    def shares(self) -> Floats:
        """The share of each group in the information on each coefficient, (G, K)."""
        shares = self.state.information_on(self.inverse)
        return divide(shares, shares.sum(axis=0), undefined=0.0)

    @cached_property
    def deviations(self) -> Floats:
        """One Newton step from all parameters to those without each group, (G, P)."""
        groups = self.design.number_of_groups
        if len(self.design.left) > MANY and self.shares.max(initial=0.0) < SMALL_SHARE:
            return self.influences * (groups / (groups - 1))
        deviations = np.zeros((groups, self.design.parameters))
        penalised = _penalised(self.design, self.information)
        for begin, end, block in self.design.in_blocks():
            without = penalised - _State(block, self.parameters).information()
            deviations[begin:end] = np.linalg.solve(without, self.gradient[begin:end, :, np.newaxis])[..., 0]
        return deviations

    @property
    def strengths(self) -> list[Effect]:
        """The strengths of the systems, with mean 0."""
        units = effective_number(self.design.sizes)
        return [self._effect(system, units) for system in range(self.design.systems)]

    @property
    def coefficients(self) -> list[Effect | None]:
        """The coefficients of the covariates; None where strengths and other covariates leave nothing of them."""
        inverse = _inverse(_penalised(self.design, self.information, prior=False))
        first, effects = self.design.systems + 2, []
        for column, share in enumerate(self.shares.T, start=first):
            left = divide(1.0, inverse[column, column] * self.information[column, column], undefined=0.0)
            effects.append(self._effect(column, effective_number(share)) if left > COLLINEAR else None)
        return effects

    def _effect(self, index: int, units: float) -> Effect:
        return Effect(
            value=float(self.parameters[index]),
            influences=self.influences[:, index],
            deviations=self.deviations[:, index],
            model=float(self.inverse[index, index]),
            prior=float(self.inverse[index, -1] / SPREAD_OF_SCALE) ** 2,
            units=units,
        )


def fit(design: Design, *, reduced: bool = True, start: Floats | None = None) -> Fit:
    """Fit a design. reduced: with Firth's reduction of bias, instead of maximum likelihood. start: near parameters."""
    return Fit(design, _estimate(design.whole, start, reduced=reduced), reduced)


def _inverse(information: Floats) -> Floats:
    return np.asarray(np.linalg.inv(information), dtype=np.float64)


def _penalised(design: Design, information: Floats, *, prior: bool = True) -> Floats:
    """The information with what keeps it from being singular, and with that of the prior."""
    verdicts, systems = float(design.weight.sum()), design.systems
    penalised = information + RIDGE * verdicts * np.eye(len(information))
    # The likelihood does not depend on the mean strength: any curvature along it keeps the mean at 0.
    penalised[:systems, :systems] += max(verdicts, 1.0) / systems**2
    for parameter in (systems, systems + 1):
        if information[parameter, parameter] == 0:
            penalised[parameter, parameter] = 1.0
    if prior or information[-1, -1] == 0:
        penalised[-1, -1] += SPREAD_OF_SCALE**-2
    return penalised


def _estimate(design: Design, start: Floats | None = None, *, reduced: bool) -> Floats:
    """The parameters by Newton's method, which begins with those of a part of the rows where there are many."""
    rows, systems = len(design.left), design.systems
    parameters = np.zeros(design.parameters) if start is None else start.copy()
    if rows > MANY and start is None:
        parameters = _estimate(design.rows(slice(None, None, PART)), reduced=True)
    for kind in (False, True):
        if not design.outcomes[2, design.scaled == kind].any():
            parameters[systems + kind] = -np.inf
        elif parameters[systems + kind] == -np.inf:
            parameters[systems + kind] = 0.0
    damping, before, inverse, adjustment = 1.0, np.inf, np.empty(0), None
    near, step = NEAR_OF_MANY if rows > MANY else NEAR, np.zeros(design.parameters)
    for _ in range(MAX_STEPS):
        state = _State(design, parameters)
        # Near the end, another information would change steps little.
        if before > near:
            inverse = _inverse(_penalised(design, state.information()[0]))
            adjustment = state.adjustment(inverse) if reduced else None
        gradient = state.gradient(state.residuals(adjustment))[0]
        gradient -= RIDGE * np.where(np.isfinite(parameters), parameters, 0.0)
        gradient[-1] -= parameters[-1] / SPREAD_OF_SCALE**2
        # Steps that turn back and do not shrink overshoot.
        turned, step = gradient @ step < 0, inverse @ gradient
        size = float(np.abs(step).max())
        damping = max(damping / 2, 0.05) if turned and size > 0.9 * before else min(1.0, 1.5 * damping)
        before = size
        parameters = parameters + step * damping * min(1.0, LARGEST_STEP / max(size, LARGEST_STEP))
        if size < TOLERANCE:
            break
    return parameters
