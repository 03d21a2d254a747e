"""Kinds of options that take numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING

from metaeval.digits import BITS, IN_DIGITS, LARGEST, in_digits, number_of
from metaeval.errors import InputError
from metaeval.settings.kinds import Kind, Place, plain

if TYPE_CHECKING:
    from metaeval.io.files.yaml_text import Located


USUAL_AN_HOUR = 50_000_000
"""Trials or permutations of a small study in an hour, for estimates before its data are read."""


@dataclass(frozen=True)
class Whole(Kind[int]):
    """A whole number within bounds. most: above which work would take hours or days."""

    at_least: int = 0
    at_most: int | None = None
    most: int | None = None
    metavar: str = "N"
    python = "int"

    @property
    def noun(self) -> str:
        if self.at_most is not None:
            return f"a whole number from {self.at_least} to {self.at_most}"
        return f"a whole number of at least {self.at_least}"

    def check(self, name: str, value: object) -> int:
        value = plain(value)
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise self._refused(name, value, hint=IN_DIGITS)
        if int(value).bit_length() > BITS:
            raise InputError.at(found=f"{name} with more than 18 digits", expected=self.noun, hint=IN_DIGITS)
        if not self.at_least <= int(value) <= (self.at_most if self.at_most is not None else int(value)):
            raise self._refused(name, value)
        if self.most is not None and int(value) > self.most:
            hours = int(value) / USUAL_AN_HOUR
            time = f"{hours:,.0f} hours" if hours < 48 else f"{hours / 24:,.0f} days"
            hint = f"they would take about {time} in a small study, and change no digit that is shown"
            raise InputError.at(found=f"{name} {value}", expected=f"at most {self.most:,}", hint=hint)
        return int(value)

    def from_text(self, name: str, text: str) -> int:
        for number in (int, float):
            try:
                return self.check(name, number_of(text, number))
            except ValueError:
                continue
        raise self._refused(name, text, hint=IN_DIGITS)

    def from_yaml(self, name: str, node: Located, place: Place) -> int:
        return self.check(name, self._scalar(name, node, number=True))


@dataclass(frozen=True)
class Number(Kind[float]):
    """A finite number within bounds. expected: the bounds in words. found: a form of the value in messages."""

    at_least: float = -math.inf
    at_most: float = math.inf
    above: float = -math.inf
    below: float = math.inf
    expected: str = ""
    hint: str = ""
    found: str = ""
    metavar: str = "X"
    python = "float"

    @property
    def noun(self) -> str:
        bounds = (
            ("of at least", self.at_least),
            ("above", self.above),
            ("at most", self.at_most),
            ("below", self.below),
        )
        text = " and ".join(f"{word} {bound:g}" for word, bound in bounds if math.isfinite(bound))
        return self.expected or f"a number {text}".rstrip()

    def check(self, name: str, value: object) -> float:
        value = plain(value)
        if isinstance(value, bool) or not isinstance(value, Real):
            raise self._refused(name, value, expected="a number", hint=IN_DIGITS)
        number = math.inf if abs(value) > LARGEST else float(value)  # type: ignore[operator]
        if not (self.at_least <= number <= self.at_most and self.above < number < self.below):
            found = self.found.format(f"{number:g}") if self.found else f"{name} {number:g}"
            raise InputError.at(found=found, expected=self.noun, hint=self.hint)
        return number

    def from_text(self, name: str, text: str) -> float:
        try:
            number = in_digits(text, float)
        except ValueError:
            raise self._refused(name, text, expected="a number", hint=IN_DIGITS) from None
        return self.check(name, number)

    def from_yaml(self, name: str, node: Located, place: Place) -> float:
        """A number; in YAML 1e-3 is a text."""
        value = self._scalar(name, node, expected="a number", number=True)
        return self.from_text(name, value) if isinstance(value, str) else self.check(name, value)
