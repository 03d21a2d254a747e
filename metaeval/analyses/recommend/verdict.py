"""From evidence to a verdict: exclude by checks, compare what remains, and name the first by convention."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from metaeval.analyses.recommend.evidence import Examined
from metaeval.analyses.recommend.settings import RecommendSettings

MAX_UNDEFINED = 0.01
"""Share of random halves in which a measure may be undefined."""

MAX_BLIND = 0.5
"""Share of the moves toward gold that may not change a score."""

MAX_PERVERSE = 0.05
"""Share of the moves toward gold that may lower a score."""

MAX_GAMED = 0.1
"""Share of the informed systems that trivial ones may beat."""

MIN_INFORMED = 5
"""Informed systems from which a share of them is tolerated."""

SIMILAR = 0.9
"""Corrected rank correlation from which two measures rank similarly."""

USABLE = 0.5
"""Reliability below which a ranking deserves no recommendation."""

TIED = "tied"
"""The check of a measure under which no two systems differ."""


class Outcome(Enum):
    """What the evidence says about the choice of a measure."""

    CLEAR = "clear"
    SIMILAR = "similar"
    TRADE_OFF = "trade-off"
    CANNOT_RANK = "cannot-rank"
    NONE = "none"


class Place(Enum):
    """What the verdict says about a measure; the first by convention stands for a named one where none is."""

    NAMED = "named"
    FIRST = "first"
    SIMILAR = "similar"
    DIFFERENT = "different"
    EXCLUDED = "excluded"


@dataclass(frozen=True)
class Reason:
    """Why a measure is excluded: the check, and what it found."""

    check: str
    text: str


@dataclass(frozen=True)
class Verdict:
    """A verdict on M measures.

    named: the index of the measure to use; None where no check decides. places: of each measure. reasons: of those that
    are excluded.
    """

    outcome: Outcome
    named: int | None
    places: tuple[Place, ...]
    reasons: tuple[Reason | None, ...]
    evidence: Examined

    @property
    def anchor(self) -> int | None:
        """The measure with which the others are compared: the named one, else the first that remains by convention."""
        kept = _kept(self.evidence, list(self.reasons))
        return self.named if self.named is not None or not kept else kept[0]

    def interval(self, number: int) -> tuple[float, float]:
        """The 95 % interval of the reliability of a measure."""
        comparison = self.evidence.comparison
        low, high = np.clip([comparison.low[number], comparison.high[number]], -1, 1).tolist()
        return low, high

    def measures(self, place: Place) -> list[int]:
        """The measures of which the verdict says this."""
        return [number for number, each in enumerate(self.places) if each is place]


def judge(evidence: Examined, settings: RecommendSettings, *, of_half: bool = False) -> Verdict:
    """Exclude measures by the checks, and compare those that remain.

    of_half: whether half of the data is judged, on which differences of systems need not be testable.
    """
    names = evidence.measures
    reasons = [_excluded(evidence, settings, place) for place in range(len(names))]
    kept = _kept(evidence, reasons)
    best = max(kept, key=lambda place: float(evidence.reliability[place]), default=0)
    for place in kept:
        if evidence.less_reliable[place, best]:
            reasons[place] = Reason("reliability", f"less reliable than {names[best]}")
    kept = _kept(evidence, reasons)
    outcome = _outcome(evidence, kept, reasons)
    if kept and not evidence.testable and not of_half:
        outcome = Outcome.CANNOT_RANK
    named = None if outcome is Outcome.CANNOT_RANK else _named(evidence, settings, kept)
    places = [Place.EXCLUDED if reason is not None else Place.DIFFERENT for reason in reasons]
    anchor = named if named is not None else (kept[0] if kept else None)
    for place in kept:
        if place == named:
            places[place] = Place.NAMED
        elif place == anchor:
            places[place] = Place.FIRST
        elif evidence.similarity[anchor, place] >= SIMILAR:
            places[place] = Place.SIMILAR
    if outcome is Outcome.SIMILAR and Place.DIFFERENT in places:
        outcome = Outcome.TRADE_OFF
    return Verdict(outcome, named, tuple(places), tuple(reasons), evidence)


def _kept(evidence: Examined, reasons: list[Reason | None]) -> list[int]:
    """The measures that remain, in the order of convention."""
    kept = [place for place, reason in enumerate(reasons) if reason is None]
    return sorted(kept, key=lambda place: evidence.convention[place])


def _named(evidence: Examined, settings: RecommendSettings, kept: list[int]) -> int | None:
    """The first measure by convention whose ranking is usable, the official one before all others.

    Where trivial systems are unknown, convention alone names none: only the user, human scores or a single measure that
    remains do.
    """
    official = [place for place in kept if evidence.measures[place] == settings.official]
    if official or not kept:
        return official[0] if official else None
    if evidence.informed is None and evidence.human is not None:
        correlations = evidence.human[1]
        return max(kept, key=lambda place: float(correlations[place]))
    if evidence.informed is None and len(kept) > 1:
        return None
    usable = [place for place in kept if evidence.reliability[place] >= USABLE]
    return (usable or kept)[0]


def _outcome(evidence: Examined, kept: list[int], reasons: list[Reason | None]) -> Outcome:
    """The outcome, as if all that remain ranked similarly."""
    if not kept:
        ties = all(reason is not None and reason.check == TIED for reason in reasons)
        return Outcome.CANNOT_RANK if ties else Outcome.NONE
    informed = evidence.informed
    if np.nanmax(evidence.reliability[kept], initial=-1.0) < USABLE or (informed is not None and not informed.any()):
        return Outcome.CANNOT_RANK
    return Outcome.CLEAR if len(kept) == 1 else Outcome.SIMILAR


def _excluded(evidence: Examined, settings: RecommendSettings, place: int) -> Reason | None:
    """The first check that excludes a measure by itself."""
    if evidence.undefined[place] > MAX_UNDEFINED:
        share = evidence.undefined[place]
        where = "for a system" if share == 1 else f"in {100 * share:.0f} % of random halves"
        return Reason("undefined", f"undefined {where}")
    if np.isnan(evidence.reliability[place]):
        return Reason(TIED, "no two systems differ")
    return (
        _by_order(evidence, place)
        or _by_requirement(evidence, settings, place)
        or _by_gaming(evidence, place)
        or _by_humans(evidence, place)
    )


def _by_order(evidence: Examined, place: int) -> Reason | None:
    if evidence.order is None:
        return None
    _, same, lower = evidence.order[place].tolist()
    if lower > MAX_PERVERSE:
        return Reason("perverse", f"a nearer class scores lower in {100 * lower:.0f} %")
    if same > MAX_BLIND:
        return Reason("blind", f"a nearer class scores the same in {100 * same:.0f} %")
    return None


def _by_requirement(evidence: Examined, settings: RecommendSettings, place: int) -> Reason | None:
    lacking = [name for name in settings.require if name not in evidence.properties[place]]
    return Reason("required", f"lacks {', '.join(lacking)}") if lacking else None


def _by_gaming(evidence: Examined, place: int) -> Reason | None:
    if evidence.informed is None:
        return None
    informed, beaten = int(evidence.informed.sum()), int(evidence.beaten[place])
    if beaten > (MAX_GAMED * informed if informed >= MIN_INFORMED else 0):
        return Reason("gamed", f"'{evidence.by[place]}' beats {beaten} of {informed} informed")
    return None


def _by_humans(evidence: Examined, place: int) -> Reason | None:
    if evidence.human is None or evidence.human[0][place]:
        return None
    return Reason("human", "correlates less with human scores")
