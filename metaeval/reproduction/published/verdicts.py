"""Verdicts on printed numbers: each follows from arithmetic on the printed and the computed number.

Nothing here depends on a paper, and there is no tolerance beyond floating-point error.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from metaeval.reproduction.published.attainable import Attainable
from metaeval.reproduction.published.reading import Printed

_TOLERANCE = 1e-9
"""For floating-point errors; printed numbers have at most four decimals."""


class Verdict(Enum):
    """The result of checking a printed number: its name, the mark after the number, and what it means."""

    EXACT = "exact", "=", "equal at the printed precision"
    WITHIN_ROUNDING = "within rounding", "≈", "obtained from inputs that round to the printed ones"
    WITHIN_CHANCE = "within chance", "~", "inside the range of random draws"
    DIFFERS = "differs", "≠", "not obtained from any such inputs"
    UNATTAINABLE = "unattainable", "×", "not obtained from any data"
    NEEDS_DATA = "needs data", "?", "not computable from the available data"
    GIVEN = "given", "", "a choice of the authors"

    mark: str
    meaning: str

    def __new__(cls, name: str, mark: str, meaning: str) -> Verdict:
        """A member whose value is its name."""
        verdict = object.__new__(cls)
        verdict._value_, verdict.mark, verdict.meaning = name, mark, meaning
        return verdict


@dataclass(frozen=True)
class Span:
    """Possible values of a quantity, from low to high inclusive. condition: when they are possible, or ''."""

    low: float
    high: float
    condition: str = ""

    def rounds_to(self, printed: Printed) -> bool:
        """Whether one of the values rounds to a printed number."""
        low, high = printed.interval
        return self.low <= high + _TOLERANCE and low - _TOLERANCE <= self.high


@dataclass(frozen=True)
class Check:
    """What is known about one printed cell.

    computed: the number or word from the printed inputs or from data; None if it cannot be computed.
    method: how it was computed. others: values by equally valid readings, as (value, reading).
    possible: values from inputs that round to the printed ones, each proven to be possible.
    bounds: limits outside of which no value is possible; None if `possible` has all values.
    attainable: the values that any data could give; None for no restriction.
    chance: the range of random draws, or None. needs: the data that are missing to compute it.
    constraint: what is known without these data, in particular about the bounds.
    is_choice: whether it is a choice of the authors rather than a result.
    """

    computed: float | str | None = None
    method: str = ""
    others: tuple[tuple[float, str], ...] = ()
    possible: tuple[Span, ...] = ()
    bounds: tuple[float, float] | None = None
    attainable: Attainable | None = None
    chance: tuple[float, float] | None = None
    needs: str = ""
    constraint: str = ""
    is_choice: bool = False


@dataclass(frozen=True)
class Judgement:
    """A verdict and its reason. computed: as in `Check`. form: how the number was printed, as in `printed_form`."""

    verdict: Verdict
    reason: str
    computed: float | str | None = None
    form: str = ""


def judge(printed: Printed, check: Check, *, excluded_form: str = "") -> Judgement:
    """The verdict on a printed cell. excluded_form: 'truncated' or 'rounded' if the paper does not print numbers so.

    >>> judge(Printed("0.142"), Check(1 / 7, "a seventh")).reason
    'a seventh, truncated'
    >>> judge(Printed("0.142"), Check(1 / 7, "a seventh"), excluded_form="truncated").verdict.value
    'differs'
    """
    if check.is_choice:
        return Judgement(Verdict.GIVEN, check.method)
    if not printed.is_number or isinstance(check.computed, str):
        return _judge_word(printed, check)
    if check.attainable is not None and check.attainable.find(printed) is None:
        return Judgement(Verdict.UNATTAINABLE, check.attainable.denial(printed), check.computed)
    if check.computed is None:
        return _judge_bounds(printed, check)
    return _judge_number(printed, check, check.computed, excluded_form)


def printed_form(printed: Printed, number: float) -> str | None:
    """How a number is printed: '' if it is equal, else 'rounded', 'truncated' or both; None if it is not printed so.

    >>> printed_form(Printed("0.5"), 0.5), printed_form(Printed("0.6"), 0.56), printed_form(Printed("0.5"), 0.6)
    ('', 'rounded', None)
    """
    if abs(number - printed.value) <= _TOLERANCE:
        return ""
    forms = [("rounded", printed.rounds(number)), ("truncated", printed.truncates(number))]
    return " or ".join(form for form, holds in forms if holds) or None


def _judge_word(printed: Printed, check: Check) -> Judgement:
    if check.computed is None:
        return Judgement(Verdict.NEEDS_DATA, check.needs)
    # A/B is between two groups, and each of them is correct.
    same = str(check.computed) in printed.text.split("/")
    return Judgement(Verdict.EXACT if same else Verdict.DIFFERS, check.method, check.computed)


def _judge_bounds(printed: Printed, check: Check) -> Judgement:
    """The verdict on a number that cannot be computed but may contradict other numbers."""
    constraint = _range(check.constraint, *check.bounds) if check.bounds is not None else check.constraint
    if check.bounds is not None and not Span(*check.bounds).rounds_to(printed):
        return Judgement(Verdict.DIFFERS, constraint)
    return Judgement(Verdict.NEEDS_DATA, _join(check.needs, constraint, _nearest_value(printed, check.attainable)))


def _judge_number(printed: Printed, check: Check, computed: float, excluded_form: str) -> Judgement:
    for value, reading in ((computed, check.method), *check.others):
        form = printed_form(printed, value)
        if form is not None and (form != excluded_form or not form):
            return Judgement(Verdict.EXACT, _join(reading, form, separator=", "), value, form)
    for span in check.possible:
        if span.rounds_to(printed):
            reason = _join(check.method, span.condition, _range("the printed inputs allow", span.low, span.high))
            return Judgement(Verdict.WITHIN_ROUNDING, reason, computed)
    if check.chance is not None:
        inside = Span(*check.chance).rounds_to(printed)
        reason = _join(check.method, _range("95 % of draws lie in", *check.chance))
        return Judgement(Verdict.WITHIN_CHANCE if inside else Verdict.DIFFERS, reason, computed)
    if check.bounds is not None and Span(*check.bounds).rounds_to(printed):
        reason = _range("no inputs were found that give it, but only values outside this range are excluded:",
                        *check.bounds)  # fmt: skip
        return Judgement(Verdict.NEEDS_DATA, _join(check.method, "the unrounded inputs", reason), computed)
    form = printed_form(printed, computed)
    against = f"only equal if {excluded_form}, but the other numbers of the paper are not {excluded_form}"
    return Judgement(Verdict.DIFFERS, _join(_difference(printed, check), against if form else ""), computed)


def _difference(printed: Printed, check: Check) -> str:
    parts = [check.method, *(f"{reading} {value:.4f}" for value, reading in check.others)]
    if check.bounds is not None:
        parts.append(_range("inputs that round to the printed ones give", *check.bounds))
    elif any(span.high > span.low for span in check.possible) or len(check.possible) > 1:
        low, high = min(span.low for span in check.possible), max(span.high for span in check.possible)
        parts.append(_range("the printed inputs allow", low, high))
    return _join(*parts, _nearest_value(printed, check.attainable))


def _nearest_value(printed: Printed, attainable: Attainable | None) -> str:
    return attainable.match(printed) if attainable is not None else ""


def _range(what: str, low: float, high: float) -> str:
    return f"{what} {_number(low)}" + (f" to {_number(high)}" if high - low > _TOLERANCE else "")


def _number(value: float) -> str:
    return f"{value:.0f}" if value == round(value) else f"{value:.4f}"


def _join(*parts: str, separator: str = "; ") -> str:
    return separator.join(part for part in parts if part)


def spans(values: Iterable[tuple[float, str]]) -> tuple[Span, ...]:
    """Single values, each with its condition."""
    return tuple(Span(value, value, condition) for value, condition in values)
