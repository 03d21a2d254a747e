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
from metaeval.judges.preferences.covariates import Design, Effect, fit
from metaeval.judges.preferences.groups import UNDEFINED, Groups, Ratio
from metaeval.judges.preferences.strengths import strengths_of
from metaeval.judges.preferences.study import Raters, Verdicts
from metaeval.stats.intervals import LEVEL, Bounded

FIRST, LONGER, SELF_PREFERENCE = "first", "longer (×2)", "own family"
ONE_MORE = " (+1)"
"""The end of the name of a bias for one more of a covariate."""

OTHERS = "other judges"
NULL = 0.5
"""The share without a bias."""

NO_DIFFERENCE = "it never differs between the outputs, or is missing"
"""Why a covariate tells nothing."""


EffectsByName = dict[tuple[str, str], Effect | None]
"""EffectsByName by what they are for and against whom; None where the verdicts do not tell them."""


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
    known: list[Bias] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)
    strengths: list[ControlledStrengths] = field(default_factory=list)
    incomplete: dict[str, int] = field(default_factory=dict)

    def add(self, verdicts: Verdicts, judge: str, rows: Indices, effects: EffectsByName) -> None:
        """Add the effects in the verdicts of a judge, or why there are none; rows: those with all covariates."""
        for (name, against), effect in effects.items():
            share = share_of(effect) if effect else UNDEFINED
            if effect is None or np.isnan(share.p):
                reason = _why_unknown(verdicts, rows, name, incomplete=judge in self.incomplete)
                self.unknown.append(Unknown(judge, name, reason))
                continue
            self.known.append(Bias(judge, name, against, share=share, effect=effect, verdicts=len(rows)))


def biases_of(verdicts: Verdicts, judges: Sequence[Raters], people: Raters, seed: int) -> Biases:
    """The biases of each judge, and of people together."""
    result = Biases(Groups.of(verdicts.clusters, seed), people.name)
    by_people: Mapping[str, Effect | None] = {}
    for rater in (people, *judges):
        rows = _complete(verdicts, np.flatnonzero(rater.verdicts))
        if lacking := int(rater.verdicts.sum()) - len(rows):
            result.incomplete[rater.name] = lacking
        if not len(rows):
            continue
        columns = columns_of(verdicts, rows)
        absent = (name for name in _named(verdicts) if name not in columns)
        result.unknown.extend(Unknown(rater.name, name, NO_DIFFERENCE) for name in absent)
        effects = _effects(verdicts, rows, result.groups, columns)
        result.add(verdicts, rater.name, rows, {(name, ""): effect for name, effect in effects.items()})
        if rater is people:
            by_people = effects
        else:
            beyond = _beyond(effects, by_people, people.name)
            if verdicts.judges_family[rows].any():
                beyond |= _self_preference(verdicts, rows, rater, (people, *judges), result.groups)
            result.add(verdicts, rater.name, rows, beyond)
        controls = {name: columns[name] for name, effect in effects.items() if effect}
        result.strengths.extend(_controlled_strengths(verdicts, rows, rater.name, controls, result.groups))
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
    share = 1 / (1 + np.exp(-effect.value))
    bounded = Bounded.of(share, effect.error * share * (1 - share), lowest=0.0, units=effect.units, share=True)
    return Ratio(float(share), *bounded.interval(), bounded.p(NULL))


def columns_of(verdicts: Verdicts, rows: Indices) -> dict[str, Floats]:
    """The covariates that some of these verdicts have, of left less right, (V,); NaN where missing."""
    lengths = verdicts.length[rows]
    logarithms = np.log2(np.where(lengths > 0, lengths, np.nan))
    columns = {FIRST: np.where(verdicts.displayed[rows], 1.0, 0.0), LONGER: logarithms[:, 0] - logarithms[:, 1]}
    columns |= {f"{name}{ONE_MORE}": values[rows] for name, values in verdicts.covariates.items()}
    return {name: values for name, values in columns.items() if (np.isfinite(values) & (values != 0)).any()}


def _named(verdicts: Verdicts) -> list[str]:
    """The covariates that the files have, or that were asked for."""
    lengths = [LONGER] if np.isfinite(verdicts.length).any() else []
    return [*lengths, *(f"{name}{ONE_MORE}" for name in verdicts.covariates)]


def _complete(verdicts: Verdicts, rows: Indices) -> Indices:
    """Those of some verdicts that have all covariates which any of them has."""
    complete = np.ones(len(rows), dtype=np.bool_)
    for values in columns_of(verdicts, rows).values():
        complete &= ~np.isnan(values)
    return rows[complete]


def _design(
    verdicts: Verdicts, rows: Indices, groups: Groups, columns: Sequence[Floats], judged: Bools | None = None
) -> Design:
    """The design of verdicts; systems of another language pair are others. judged: those of a judge beside others."""
    languages = verdicts.language_pairs[rows] * len(verdicts.systems)
    sides = np.stack([languages + verdicts.left[rows], languages + verdicts.right[rows]])
    systems, codes = np.unique(sides, return_inverse=True)
    left, right = codes.reshape(sides.shape)
    return Design(
        left=left,
        right=right,
        winner=verdicts.winner[rows],
        columns=np.array(columns).reshape(-1, len(rows)),
        groups=groups.codes[rows],
        systems=len(systems),
        number_of_groups=len(groups.sizes),
        scaled=np.zeros(len(rows), dtype=np.bool_) if judged is None else judged,
    )


def _effects(
    verdicts: Verdicts, rows: Indices, groups: Groups, columns: Mapping[str, Floats]
) -> dict[str, Effect | None]:
    """The effect of each covariate; None where the verdicts do not tell it.

    That of the order takes a pair of systems in both orders: if the better system always comes first, what several
    pairs add up to is no evidence, because a sure win may be any strength.
    """
    if not columns or not verdicts.winner[rows].any():
        return dict.fromkeys(columns)
    design = _design(verdicts, rows, groups, list(columns.values()))
    effects = dict(zip(columns, fit(design).coefficients, strict=True))
    if FIRST in effects and not _shown_in_both_orders(verdicts, rows):
        effects[FIRST] = None
    return effects


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
    for part, of_part in ((others, ~judged), (rows, judged)):
        for values in columns_of(verdicts, part).values():
            column = np.zeros(len(both))
            column[of_part] = values
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
    shown = rows[verdicts.displayed[rows]]
    orders = np.unique(verdicts.left[shown] * number + verdicts.right[shown])
    return bool(np.isin(orders % number * number + orders // number, orders).any())


def _controlled_strengths(
    verdicts: Verdicts, rows: Indices, by: str, controls: Mapping[str, Floats], groups: Groups
) -> list[ControlledStrengths]:
    """The strengths by verdicts of one language pair, if they are finite and anything is held fixed."""
    from scipy.special import stdtrit

    if not controls or len(np.unique(verdicts.language_pairs[rows])) > 1:
        return []
    design = _design(verdicts, rows, groups, list(controls.values()))
    plain = strengths_of(verdicts, rows, by, replace(groups, codes=groups.codes[rows]))
    if np.isnan(plain.values).any() or len(plain.members) > 1:
        return []
    controlled = fit(design, reduced=False).strengths
    values, errors, units = np.array([(one.value, one.error, one.units) for one in controlled]).T
    half = stdtrit(np.maximum(units - 1, 1), (1 + LEVEL) / 2) * errors
    return [
        ControlledStrengths(
            by=by,
            systems=plain.systems,
            controls=tuple(controls),
            plain=plain.values,
            controlled=values,
            low=values - half,
            high=values + half,
        )
    ]
