"""Biases of judges at equal strength of the systems: for the first output, longer ones, and those of their family.

Each judge has a model of its verdicts with strengths of its own, so that no bias is one for the better systems. Its own
family is always that of the same systems: only verdicts of others say how strong these are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from metaeval.arrays import Bools, Floats, Indices
from metaeval.inference.clusters import MAX_GROUPS
from metaeval.judges.preferences.davidson import Design, Effect, Fit, fit
from metaeval.judges.preferences.groups import UNDEFINED, Groups, Ratio
from metaeval.judges.preferences.strengths import components
from metaeval.judges.preferences.study import Raters, Verdicts
from metaeval.stats.intervals import LEVEL, Bounded
from metaeval.stats.ratio import effective_number

FIRST, LONGER, SELF_PREFERENCE = "first", "longer (×2)", "own family"
MORE = " (+"
"""Where the name of a covariate ends in that of the bias for more of it."""

LARGEST_IN_ONES = 1e6
"""The largest covariate, or one over the smallest, of which the bias is for one more."""

OTHERS = "other judges"
NULL = 0.5
"""The share without a bias."""

NO_DIFFERENCE = "it never differs between the outputs, or is missing"
"""Why a covariate tells nothing."""


EffectsByName = dict[tuple[str, str], Effect | None]
"""Effects by what they are for and against whom; None where the verdicts do not tell them."""


@dataclass(frozen=True)
class Bias:
    """How often a judge prefers outputs with a property, at equal strength of the systems, among verdicts without ties.

    against: whose preference it is set against: the share is then that where these prefer either output equally often;
    empty for none. share: with the p-value against ½. effect: its log odds. verdicts: number of verdicts of the judge.
    """

    judge: str
    name: str
    against: str
    share: Ratio
    effect: Effect
    verdicts: int


class Unknown(NamedTuple):
    """A bias that the verdicts of a judge do not tell, and why."""

    judge: str
    name: str
    reason: str


@dataclass(frozen=True)
class ControlledStrengths:
    """The strengths of S systems by some raters, without and with what the model holds fixed.

    controls: what it holds fixed. plain, controlled: logarithms with mean 0. low, high: interval of the latter.
    """

    by: str
    systems: tuple[str, ...]
    controls: tuple[str, ...]
    plain: Floats
    controlled: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Biases:
    """The biases of judges and of people, those that their verdicts do not tell, and strengths with all held fixed.

    incomplete: number of verdicts of each that lack a covariate. groups: of all verdicts. people: their name.
    """

    groups: Groups
    people: str
    estimates: list[Bias] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)
    strengths: list[ControlledStrengths] = field(default_factory=list)
    incomplete: dict[str, int] = field(default_factory=dict)

    def add(self, verdicts: Verdicts, rater: Raters, complete: Indices, effects: EffectsByName) -> None:
        """Add the effects in the verdicts of a judge, or why there are none; complete: those with all covariates."""
        judge, every = rater.name, np.flatnonzero(rater.verdicts)
        for (name, against), effect in effects.items():
            rows = every if name == FIRST else complete
            share = share_of(effect) if effect else UNDEFINED
            if effect is None or np.isnan(share.p):
                reason = _why_unknown(verdicts, rows, name, incomplete=judge in self.incomplete)
                self.unknown.append(Unknown(judge, name, reason))
                continue
            self.estimates.append(Bias(judge, name, against, share=share, effect=effect, verdicts=len(rows)))


def biases_of(verdicts: Verdicts, judges: Sequence[Raters], people: Raters, seed: int) -> Biases:
    """The biases of each judge, and of people together."""
    result = Biases(Groups.of(verdicts.clusters, seed), people.name)
    by_people: Mapping[str, Effect | None] = {}
    for rater in (people, *judges):
        every = np.flatnonzero(rater.verdicts)
        rows = _complete(verdicts, every)
        if not len(every):
            continue
        columns = columns_of(verdicts, rows)
        absent = (name for name in _covariate_names(verdicts) if name not in columns)
        result.unknown.extend(Unknown(rater.name, name, NO_DIFFERENCE) for name in absent)
        fitted, effects = _effects(verdicts, rows, result.groups, columns)
        if lacking := len(every) - len(rows):
            result.incomplete[rater.name] = lacking
            effects |= _effect_of_order(verdicts, every, result.groups)
        result.add(verdicts, rater, rows, {(name, ""): effect for name, effect in effects.items()})
        if rater is people:
            by_people = effects
        else:
            beyond = _beyond(effects, by_people, people.name)
            if verdicts.judges_family[rows].any():
                beyond |= _self_preference(verdicts, rows, rater, (people, *judges), result.groups)
            result.add(verdicts, rater, rows, beyond)
        controls = [name for name in columns if effects[name]]
        if fitted and controls and len(np.unique(verdicts.language_pairs[rows])) == 1:
            is_control = np.array([name in controls for name in columns])
            systems = np.unique([verdicts.left[rows], verdicts.right[rows]]).tolist()
            names = tuple(verdicts.systems[code] for code in systems)
            result.strengths.extend(_controlled_strengths(fitted, is_control, rater.name, names, tuple(controls)))
    return result


def work_on_biases(verdicts: Verdicts, judges: int) -> float:
    """How long the biases of so many judges, and of people, take, in nanoseconds."""
    if not columns_of(verdicts, np.arange(len(verdicts.items))):
        return 0.0
    parameters = len(verdicts.systems) * len(verdicts.names_of_language_pairs) + 5
    steps = 3 * (judges + 1) * min(len(np.unique(verdicts.clusters)), MAX_GROUPS)
    return 1.2e4 * len(verdicts.items) + 0.3 * steps * parameters**3


def share_of(effect: Effect) -> Ratio:
    """The share of verdicts that a log odds stands for, with its interval and the test against ½."""
    from scipy.special import stdtrit

    share = 1 / (1 + np.exp(-effect.value))
    # Of few groups that decide it, the error is as much larger as the quantile of Student's t.
    by_decisive, by_all = stdtrit(np.maximum([effect.freedom, effect.units - 1], 0.1), (1 + LEVEL) / 2)
    error = effect.error * by_decisive / by_all
    bounded = Bounded.of(share, error * share * (1 - share), lowest=0.0, units=effect.units, share=True)
    return Ratio(float(share), *bounded.interval(), bounded.p(NULL))


def columns_of(verdicts: Verdicts, rows: Indices) -> dict[str, Floats]:
    """The covariates that some of these verdicts have, of left less right, (V,); NaN where missing."""
    lengths = verdicts.length[rows]
    logarithms = np.log2(np.where(lengths > 0, lengths, np.nan))
    columns = {FIRST: np.where(verdicts.displayed[rows], 1.0, 0.0), LONGER: logarithms[:, 0] - logarithms[:, 1]}
    for name, values in verdicts.covariates.items():
        unit = _unit(values)
        columns[_more_of(name, unit)] = values[rows] / unit
    return {name: values for name, values in columns.items() if (np.isfinite(values) & (values != 0)).any()}


def _unit(values: Floats) -> float:
    """How much of a covariate is one more of it: a power of ten where one would be next to nothing, or far too much."""
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    within = not largest or 1 / LARGEST_IN_ONES <= largest <= LARGEST_IN_ONES
    return 1.0 if within else float(10.0 ** np.floor(np.log10(largest)))


def _more_of(name: str, unit: float) -> str:
    return f"{name}{MORE}{unit:g})"


def _covariate_names(verdicts: Verdicts) -> list[str]:
    """The covariates that the files have, or that were asked for."""
    lengths = [LONGER] if np.isfinite(verdicts.length).any() else []
    return [*lengths, *(_more_of(name, _unit(values)) for name, values in verdicts.covariates.items())]


def _complete(verdicts: Verdicts, rows: Indices) -> Indices:
    """Those of some verdicts that have all covariates which any of them has."""
    complete = np.ones(len(rows), dtype=np.bool_)
    for values in columns_of(verdicts, rows).values():
        complete &= ~np.isnan(values)
    return rows[complete]


def _design(
    verdicts: Verdicts, rows: Indices, groups: Groups, columns: Sequence[Floats], judged: Bools | None = None
) -> Design:
    """The design of verdicts; systems of another language pair are others. judged: those of a judge beside others.

    Weights are scaled to sum to their effective number, because Firth's reduction and the variance of independent
    verdicts depend on it.
    """
    weight = verdicts.weight[rows]
    languages = verdicts.language_pairs[rows] * len(verdicts.systems)
    sides = np.stack([languages + verdicts.left[rows], languages + verdicts.right[rows]])
    systems, codes = np.unique(sides, return_inverse=True)
    left, right = codes.reshape(sides.shape)
    return Design(
        left=left,
        right=right,
        outcomes=verdicts.outcomes[:, rows] * effective_number(weight) / weight.sum(),
        columns=np.array(columns).reshape(-1, len(rows)),
        groups=groups.codes[rows],
        systems=len(systems),
        number_of_groups=len(groups.sizes),
        scaled=np.zeros(len(rows), dtype=np.bool_) if judged is None else judged,
    )


def _effects(
    verdicts: Verdicts, rows: Indices, groups: Groups, columns: Mapping[str, Floats]
) -> tuple[Fit | None, dict[str, Effect | None]]:
    """The fit, and the effect of each covariate; None where the verdicts do not tell it.

    That of the order takes a pair of systems in both orders: if the better system always comes first, what several
    pairs add up to is no evidence, because a sure win may be any strength.
    """
    if not columns or not verdicts.winner[rows].any():
        return None, dict.fromkeys(columns)
    fitted = fit(_design(verdicts, rows, groups, list(columns.values())))
    effects = dict(zip(columns, fitted.coefficients, strict=True))
    if FIRST in effects and not _shown_in_both_orders(verdicts, rows):
        effects[FIRST] = None
    return fitted, effects


def _effect_of_order(verdicts: Verdicts, rows: Indices, groups: Groups) -> dict[str, Effect | None]:
    """That of the order in all verdicts of a judge, with other covariates held fixed in those that have them."""
    columns = {name: np.nan_to_num(values) for name, values in columns_of(verdicts, rows).items()}
    effects = _effects(verdicts, rows, groups, columns)[1] if FIRST in columns else {}
    return {name: effect for name, effect in effects.items() if name == FIRST}


def _beyond(effects: Mapping[str, Effect | None], by_people: Mapping[str, Effect | None], people: str) -> EffectsByName:
    """The effects in the verdicts of a judge less those of people; order has the same null for both."""
    beyond: EffectsByName = {}
    for name, effect in effects.items():
        reference = by_people.get(name)
        if name != FIRST and effect and reference:
            beyond[name, people] = effect.less(reference)
    return beyond


def _self_preference(
    verdicts: Verdicts, rows: Indices, judge: Raters, raters: Sequence[Raters], groups: Groups
) -> EffectsByName:
    """The effect of the family of a judge, beyond the strengths by people, or by other judges where there are none."""
    people, *judges = raters
    against, reference = people.name, people.verdicts
    if not reference.any():
        against = OTHERS
        reference = np.any([people.verdicts, *(other.verdicts for other in judges if other is not judge)], axis=0)
    others = _complete(verdicts, np.flatnonzero(reference))
    if not verdicts.winner[others].any() or not verdicts.winner[rows].any():
        return {(SELF_PREFERENCE, against): None}
    both = np.concatenate([others, rows])
    judged = np.arange(len(both)) >= len(others)
    columns = [np.where(judged, verdicts.judges_family[both], 0).astype(np.float64)]
    for part, mask in ((others, ~judged), (rows, judged)):
        for values in columns_of(verdicts, part).values():
            column = np.zeros(len(both))
            column[mask] = values
            columns.append(column)
    return {(SELF_PREFERENCE, against): fit(_design(verdicts, both, groups, columns, judged)).coefficients[0]}


def _why_unknown(verdicts: Verdicts, rows: Indices, name: str, *, incomplete: bool) -> str:
    """Why verdicts do not tell a bias. incomplete: whether others lack a covariate."""
    if not verdicts.winner[rows].any():
        return "all verdicts are ties"
    if name == FIRST and not _shown_in_both_orders(verdicts, rows):
        return "no pair of systems was shown in both orders"
    if name == SELF_PREFERENCE:
        return "no verdicts of others tell the strength of its systems"
    if incomplete:
        return "too few verdicts have a length and every covariate"
    return "too few items tell it from the strengths of the systems"


def _shown_in_both_orders(verdicts: Verdicts, rows: Indices) -> bool:
    """Whether any of some verdicts are on two systems that were shown in both orders."""
    number = len(verdicts.systems)
    subset = rows[verdicts.displayed[rows]]
    orders = np.unique(verdicts.left[subset] * number + verdicts.right[subset])
    return bool(np.isin(orders % number * number + orders // number, orders).any())


def _controlled_strengths(
    fitted: Fit, is_control: Bools, by: str, systems: tuple[str, ...], controls: tuple[str, ...]
) -> list[ControlledStrengths]:
    """The strengths with the covariates that are controls held fixed, if they are finite without.

    fitted: with all covariates and Firth's reduction of bias, whose estimates are near.
    """
    from scipy.special import stdtrit

    design = replace(fitted.design, columns=fitted.design.columns[is_control])
    plain = replace(design, columns=design.columns[:0])
    wins, tied = plain.wins_and_ties
    if components(wins + tied > 0, "strong")[0] > 1 or not wins.any():
        return []
    mask = np.concatenate([np.ones(design.systems + 2, dtype=np.bool_), is_control, [True]])
    controlled = fit(design, reduced=False, start=fitted.parameters[mask]).strengths
    values, errors, freedom = np.array([(one.value, one.error, one.freedom) for one in controlled]).T
    half = stdtrit(np.maximum(freedom, 1), (1 + LEVEL) / 2) * errors
    return [
        ControlledStrengths(
            by=by,
            systems=systems,
            controls=controls,
            plain=fit(plain, reduced=False).parameters[: plain.systems],
            controlled=values,
            low=values - half,
            high=values + half,
        )
    ]
