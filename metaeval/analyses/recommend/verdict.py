"""The verdict: which measures should not be used, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from metaeval.analyses.recommend.evidence import Examined
from metaeval.analyses.recommend.settings import RecommendSettings
from metaeval.analyses.sentences import show_beside

MAX_UNDEFINED = 0.01
"""Share of random halves in which a measure may be undefined."""

MAX_GAMED = 0.1
"""Share of the systems that are better than chance that trivial ones may beat."""

MIN_BETTER = 5
"""Number of such systems from which a share of them is tolerated."""

MIN_SEPARATED = 0.2
"""Share of the pairs of systems that some measure must separate, for the systems to be ranked."""

TIED = "tied"
"""The check of a measure under which no two systems differ."""


class Advice(Enum):
    """What to do."""

    KEEP = "keep"
    """The official measure."""
    USE = "use"
    REPORT = "report"
    """Two measures."""
    ANY = "any"
    COLLECT = "collect"
    NONE = "none"


class Basis(Enum):
    """Why a measure is chosen."""

    OFFICIAL = "official"
    CONVENTION = "convention"
    POWER = "power"
    HUMAN = "human"
    ALONE = "alone"


class Status(Enum):
    """What the verdict says about a measure."""

    KEEP = "keep"
    USE = "use"
    REPORT = "report"
    PASSES = "passes"
    EXCLUDED = "do not use"


@dataclass(frozen=True)
class Reason:
    """Why a measure is excluded: the check, and what it found."""

    check: str
    text: str


@dataclass(frozen=True)
class Verdict:
    """A verdict on M measures.

    choice: the measures to use: one, two that contest pairs of systems, or none. basis: why the first is chosen; None
    where none is. collect: whether no measure separates enough pairs for a ranking. reasons: of each measure, None
    where it passes. evidence: see `evidence.Examined`.
    """

    advice: Advice
    basis: Basis | None
    choice: tuple[int, ...]
    collect: bool
    reasons: tuple[Reason | None, ...]
    evidence: Examined

    @property
    def answer(self) -> tuple[Advice, tuple[int, ...]]:
        """What is compared with the verdicts on halves."""
        return self.advice, self.choice

    @property
    def remaining(self) -> list[int]:
        """The measures that pass, in the order of convention."""
        return remaining_measures(self.evidence, self.reasons)

    @property
    def head(self) -> int | None:
        """The measure with which others are compared: the chosen one, else the first that passes."""
        return next(iter((*self.choice, *self.remaining)), None)

    @property
    def statuses(self) -> tuple[Status, ...]:
        """What the verdict says about each measure, (M,)."""
        choice_status = {Advice.KEEP: Status.KEEP, Advice.USE: Status.USE}.get(self.advice, Status.REPORT)
        return tuple(
            choice_status if number in self.choice else Status.EXCLUDED if reason is not None else Status.PASSES
            for number, reason in enumerate(self.reasons)
        )

    def interval(self, number: int) -> tuple[float, float]:
        """The 95 % interval of the reliability of a measure."""
        comparison = self.evidence.comparison
        low, high = np.clip([comparison.low[number], comparison.high[number]], -1, 1).tolist()
        return low, high


def judge(evidence: Examined, settings: RecommendSettings) -> Verdict:
    """Exclude measures by the checks, choose one of those that pass, and another one that contests it."""
    names = evidence.measures
    reasons = [_reason_against(evidence, settings, index) for index in range(len(names))]
    remaining = remaining_measures(evidence, reasons)
    best = max(remaining, key=lambda index: float(evidence.reliability[index]), default=0)
    for index in remaining:
        if evidence.less_reliable[index, best]:
            reasons[index] = Reason("reliability", f"less reliable than {names[best]}")
    remaining = remaining_measures(evidence, reasons)
    collect = _cannot_rank(evidence, remaining)
    first, basis = _first(evidence, settings, remaining)
    choice: tuple[int, ...] = () if first is None else (first,)
    if first is not None:
        contested = evidence.conflicts.counts[first, remaining]
        choice += (remaining[int(np.argmax(contested))],) if contested.any() else ()
    advice = _advice(remaining, choice, basis, collect=collect)
    if advice is Advice.COLLECT:
        choice, basis = (), None
    return Verdict(
        advice=advice, basis=basis, choice=choice, collect=collect, reasons=tuple(reasons), evidence=evidence
    )


def _advice(remaining: list[int], choice: tuple[int, ...], basis: Basis | None, *, collect: bool) -> Advice:
    if not remaining:
        return Advice.COLLECT if collect else Advice.NONE
    if len(choice) == 1 and basis is Basis.OFFICIAL:
        return Advice.KEEP
    if collect:
        return Advice.COLLECT
    return {0: Advice.ANY, 1: Advice.USE}.get(len(choice), Advice.REPORT)


def remaining_measures(evidence: Examined, reasons: list[Reason | None] | tuple[Reason | None, ...]) -> list[int]:
    """The measures that pass, in the order of convention."""
    remaining = [index for index, reason in enumerate(reasons) if reason is None]
    convention = evidence.convention
    return remaining if convention is None else sorted(remaining, key=lambda index: convention[index])


def _cannot_rank(evidence: Examined, remaining: list[int]) -> bool:
    """Whether no measure that passes, or of all if none does, separates enough pairs of systems."""
    separated = evidence.conflicts.separated[remaining or slice(None)]
    better = evidence.better_than_chance
    too_few = separated.max() < MIN_SEPARATED * evidence.pairs
    # Only for labels is it known what is right by chance.
    no_better = evidence.reference is None and better is not None and not better.any()
    return bool(not evidence.testable or too_few or no_better)


def _first(evidence: Examined, settings: RecommendSettings, remaining: list[int]) -> tuple[int | None, Basis | None]:
    """The measure to use, and why: the official one, the only one, or the first by convention.

    One that separates significantly more pairs of systems goes before it. Where there is no convention, as for a table
    of scores, it is that by human scores, or one that separates more than every other.
    """
    official = [index for index in remaining if evidence.measures[index] == settings.official]
    if official:
        return official[0], Basis.OFFICIAL
    if len(remaining) < 2:
        return (remaining[0], Basis.ALONE) if remaining else (None, None)
    most = max(remaining, key=lambda index: float(np.nan_to_num(evidence.power[index])))
    others = [index for index in remaining if index != most]
    if evidence.convention is not None:
        first = remaining[0]
        return (most, Basis.POWER) if _separates_more(evidence, settings, most, first) else (first, Basis.CONVENTION)
    if evidence.human is not None:
        correlations = evidence.human[1]
        return max(remaining, key=lambda index: float(correlations[index])), Basis.HUMAN
    if all(_separates_more(evidence, settings, most, other) for other in others):
        return most, Basis.POWER
    return None, None


def _separates_more(evidence: Examined, settings: RecommendSettings, one: int, other: int) -> bool:
    """Whether a measure separates significantly more pairs of systems than another one."""
    separated, p = evidence.conflicts.separated, evidence.power_comparison.p[one, other]
    return bool(evidence.testable and separated[one] > separated[other] and p <= settings.alpha)


def _reason_against(evidence: Examined, settings: RecommendSettings, index: int) -> Reason | None:
    """The first check that excludes a measure by itself."""
    if evidence.undefined[index] > MAX_UNDEFINED:
        share = evidence.undefined[index]
        where = "for a system" if share == 1 else f"in {_percent(share, MAX_UNDEFINED)} of random halves"
        return Reason("undefined", f"undefined {where}")
    if np.isnan(evidence.reliability[index]):
        return Reason(TIED, "no two systems differ")
    if evidence.uses_order is not None and not evidence.uses_order[index] and not settings.ignore_order:
        return Reason("nominal", "ignores class order")
    return _by_requirement(evidence, settings, index) or _by_gaming(evidence, index) or _by_humans(evidence, index)


def _percent(share: float, limit: float) -> str:
    """A share in percent, with the decimals that show on which side of a limit it is."""
    return f"{show_beside(100 * share, 100 * limit, 0)} %"


def _by_requirement(evidence: Examined, settings: RecommendSettings, index: int) -> Reason | None:
    lacking = [name for name in settings.require if name not in evidence.properties[index]]
    return Reason("required", f"lacks {', '.join(lacking)}") if lacking else None


def _by_gaming(evidence: Examined, index: int) -> Reason | None:
    if evidence.better_than_chance is None:
        return None
    better, beaten = int(evidence.better_than_chance.sum()), int(evidence.beaten[index])
    if beaten > (MAX_GAMED * better if better >= MIN_BETTER else 0):
        return Reason("gamed", f"'{evidence.by[index]}' beats {beaten} of {better}")
    return None


def _by_humans(evidence: Examined, index: int) -> Reason | None:
    if evidence.human is None:
        return None
    best, correlation = evidence.human[0][index], evidence.human[1][index]
    if correlation <= 0:
        return Reason("human", "does not agree with people")
    return None if best else Reason("human", "agrees less with people")
