"""Printed beside computed: what a paper's figure may be, what it is, and the verdict that follows from both.

A verdict is arithmetic. Nothing here knows a paper, and no figure is let through because it is near.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from metaeval.reproduction.published.attainable import Attainable
from metaeval.reproduction.published.reading import Printed

_TOLERANCE = 1e-9
"""Of floats; a printed figure has four decimals at most."""


class Verdict(Enum):
    """What can be said of a printed figure."""

    EXACT = "exact"
    """Equal to what is computed, to the last printed digit, rounded or cut off."""
    WITHIN_ROUNDING = "within rounding"
    """Reached by some of the values that the printed inputs were rounded from."""
    WITHIN_CHANCE = "within chance"
    """Inside the range of what random draws give, where the paper drew and does not say what."""
    DIFFERS = "differs"
    """Reached by none of these values."""
    UNATTAINABLE = "unattainable"
    """Given by no data at all."""
    NEEDS_DATA = "needs data"
    """Not to be computed from what is at hand."""
    GIVEN = "given"
    """A choice or an example of the authors', from which others follow."""


@dataclass(frozen=True)
class Span:
    """Numbers that a quantity may be, low to high, both included. when: what has to hold for it, or ''."""

    low: float
    high: float
    when: str = ""

    def rounds_to(self, printed: Printed) -> bool:
        """Whether one of its numbers rounds to a printed one."""
        low, high = printed.interval
        return self.low <= high + _TOLERANCE and low - _TOLERANCE <= self.high


@dataclass(frozen=True)
class Check:
    """What is known of one printed cell.

    computed: from the inputs as printed, or from data; a word for a word; None where it can't be.
    how: how that was computed, in words.
    others: further values by equally good readings, as (value, reading).
    reached: what the inputs allow that round to the printed ones, each number proven to be possible.
    bounds: numbers outside of which is proven to be nothing possible; None for those of `reached`.
    attainable: what any data could give, or None for everything.
    chance: the range of random draws, or None.
    needs: what is missing to compute it. known: what can be said without, of the bounds where there are some.
    given: whether it is a choice of the authors' and no result.
    """

    computed: float | str | None = None
    how: str = ""
    others: tuple[tuple[float, str], ...] = ()
    reached: tuple[Span, ...] = ()
    bounds: tuple[float, float] | None = None
    attainable: Attainable | None = None
    chance: tuple[float, float] | None = None
    needs: str = ""
    known: str = ""
    given: bool = False


@dataclass(frozen=True)
class Finding:
    """A verdict and its reason.

    computed: the number or word beside the printed one, None where there is none. form: how an exact one comes to the
    printed digits, as of `agreement`.
    """

    verdict: Verdict
    reason: str
    computed: float | str | None = None
    form: str = ""


def judge(printed: Printed, check: Check, *, refused: str = "") -> Finding:
    """The verdict on a printed cell. refused: 'cut off' or 'rounded' where the other cells show that it isn't done.

    >>> judge(Printed("0.142"), Check(1 / 7, "a seventh")).reason
    'a seventh, cut off'
    >>> judge(Printed("0.142"), Check(1 / 7, "a seventh"), refused="cut off").verdict.value
    'differs'
    """
    if check.given:
        return Finding(Verdict.GIVEN, check.how)
    if not printed.is_number or isinstance(check.computed, str):
        return _of_words(printed, check)
    if check.attainable is not None and check.attainable.find(printed) is None:
        return Finding(Verdict.UNATTAINABLE, check.attainable.denial(printed), check.computed)
    if check.computed is None:
        return _of_bounds(printed, check)
    return _of_numbers(printed, check, check.computed, refused)


def agreement(printed: Printed, number: float) -> str | None:
    """How a number comes to the printed digits: '' where it is equal, else 'rounded' or the like; None if not.

    >>> agreement(Printed("0.5"), 0.5), agreement(Printed("0.6"), 0.56), agreement(Printed("0.5"), 0.6)
    ('', 'rounded', None)
    """
    if abs(number - printed.value) <= _TOLERANCE:
        return ""
    rounds, cuts = printed.rounds(number), printed.truncates(number)
    if rounds and cuts:
        return "rounded or cut off"
    return "rounded" if rounds else "cut off" if cuts else None


def _of_words(printed: Printed, check: Check) -> Finding:
    if check.computed is None:
        return Finding(Verdict.NEEDS_DATA, check.needs)
    # Of several names any will do: A/B is between two groups.
    same = str(check.computed) in printed.text.split("/")
    return Finding(Verdict.EXACT if same else Verdict.DIFFERS, check.how, check.computed)


def _of_bounds(printed: Printed, check: Check) -> Finding:
    """The verdict on a number that can't be computed, but may be impossible beside others."""
    told = _range(check.known, *check.bounds) if check.bounds is not None else check.known
    if check.bounds is not None and not Span(*check.bounds).rounds_to(printed):
        return Finding(Verdict.DIFFERS, told)
    return Finding(Verdict.NEEDS_DATA, _joined(check.needs, told, _possible(printed, check.attainable)))


def _of_numbers(printed: Printed, check: Check, computed: float, refused: str) -> Finding:
    for value, reading in ((computed, check.how), *check.others):
        form = agreement(printed, value)
        if form is not None and (form != refused or not form):
            return Finding(Verdict.EXACT, _joined(reading, form, separator=", "), value, form)
    for span in check.reached:
        if span.rounds_to(printed):
            reason = _joined(check.how, span.when, _range("the printed inputs allow", span.low, span.high))
            return Finding(Verdict.WITHIN_ROUNDING, reason, computed)
    if check.chance is not None:
        low, high = check.chance
        inside = Span(low, high).rounds_to(printed)
        reason = _joined(check.how, _range("95 % of draws lie in", low, high))
        return Finding(Verdict.WITHIN_CHANCE if inside else Verdict.DIFFERS, reason, computed)
    if check.bounds is not None and Span(*check.bounds).rounds_to(printed):
        reason = _range("reached by no values that were found, and excluded only outside", *check.bounds)
        return Finding(Verdict.NEEDS_DATA, _joined(check.how, "the unrounded inputs", reason), computed)
    against = (
        f"only {refused} is it so, and the paper's other numbers are not {refused}"
        if agreement(printed, computed)
        else ""
    )
    return Finding(Verdict.DIFFERS, _joined(_difference(printed, check), against), computed)


def _difference(printed: Printed, check: Check) -> str:
    parts = [check.how, *(f"{reading} {value:.4f}" for value, reading in check.others)]
    if check.bounds is not None:
        parts.append(_range("nothing that rounds to the inputs leaves", *check.bounds))
    elif any(span.high > span.low for span in check.reached) or len(check.reached) > 1:
        low, high = min(span.low for span in check.reached), max(span.high for span in check.reached)
        parts.append(_range("the printed inputs allow", low, high))
    return _joined(*parts, _possible(printed, check.attainable))


def _possible(printed: Printed, attainable: Attainable | None) -> str:
    """That some data could give the figure, and which number it would be."""
    return attainable.assent(printed) if attainable is not None else ""


def _range(what: str, low: float, high: float) -> str:
    if high - low <= _TOLERANCE:
        return f"{what} {_number(low)}"
    return f"{what} {_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    return f"{value:.0f}" if value == round(value) else f"{value:.4f}"


def _joined(*parts: str, separator: str = "; ") -> str:
    return separator.join(part for part in parts if part)


def spans(values: Iterable[tuple[float, str]]) -> tuple[Span, ...]:
    """Single numbers, each with what has to hold for it."""
    return tuple(Span(value, value, when) for value, when in values)
