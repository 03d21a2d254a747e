"""Grids of parameters, such as `lambda=0:1:0.1` or `d=2,3,4`, and measures at their points."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from metaeval.digits import number_of
from metaeval.errors import InputError, invalid, refuse, repeated, setting
from metaeval.measures.spec import Measure, measure

_MAX_EXPONENT = 300
"""Maximum decimal exponent of a value, close to that of a float."""

MAX_POINTS = 100_000
"""Maximum number of points of a grid; a larger one is a typing error."""


@dataclass(frozen=True)
class Axis:
    """A parameter and its values, as users write them."""

    name: str
    values: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Axis:
        """Parse `name=from:to:step`, which includes both ends, or `name=value,value`.

        >>> Axis.parse("lambda=0:1:0.5").values, Axis.parse("d=2,3").values
        (('0', '0.5', '1'), ('2', '3'))
        """
        name, equals, values = (part.strip() for part in text.partition("="))
        if not (name and equals and values):
            raise _invalid(text)
        parsed = _range(values, text) if ":" in values else tuple(value.strip() for value in values.split(","))
        if "" in parsed:
            raise _invalid(text)
        if len(set(parsed)) < len(parsed):
            value = next(value for value in parsed if parsed.count(value) > 1)
            raise refuse(None, repeated("value", value, where=f" in grid '{text}'", hint=""))
        return cls(name, parsed)

    def __str__(self) -> str:
        return f"{self.name}={','.join(self.values)}"


def _range(values: str, text: str) -> tuple[str, ...]:
    # In decimal numbers, 0:1:0.1 ends at 1, and 0.3 is written as 0.3.
    try:
        first, last, step = (number_of(part.strip(), Decimal) for part in values.split(":"))
    except (ValueError, InvalidOperation):
        raise _invalid(text) from None
    if not (first.is_finite() and last.is_finite() and step.is_finite() and step > 0 and first <= last):
        raise _invalid(text)
    if max(abs(number.adjusted()) for number in (first, last, step)) > _MAX_EXPONENT:
        raise _invalid(text)
    if (last - first) / step >= MAX_POINTS:
        raise _too_many()
    count = int((last - first) / step) + 1
    return tuple(f"{(first + step * index).normalize():f}" for index in range(count))


def _too_many() -> InputError:
    return refuse(None, f"a grid of more than {MAX_POINTS:,} points", "fewer values")


def _invalid(text: str) -> InputError:
    example = f"for example {setting('grid', 'lambda=0:1:0.1')}; in a YAML file, quote every grid: ['d=2,3,4']"
    return refuse(None, invalid("grid", text, "parameter=from:to:step or parameter=value,value", "", example))


def points(axes: Sequence[Axis]) -> list[tuple[str, ...]]:
    """Every combination of the values of the axes, the last axis changing fastest.

    >>> points([Axis("d", ("2", "3")), Axis("beta", ("1",))])
    [('2', '1'), ('3', '1')]
    """
    names = [axis.name for axis in axes]
    for name in names:
        if names.count(name) > 1:
            raise refuse(None, repeated("parameter", name, where=" in a grid", hint=""))
    grid = list(itertools.islice(itertools.product(*(axis.values for axis in axes)), MAX_POINTS + 1))
    if len(grid) > MAX_POINTS:
        raise _too_many()
    return grid


def at_point(base: Measure, axes: Sequence[Axis], point: Sequence[str]) -> Measure:
    """The measure with the parameters of a point of a grid; an unknown parameter is an `InputError`.

    >>> str(at_point(measure("esk:d=3"), [Axis("lambda", ("0.2",))], ["0.2"]))
    'esk:d=3,lambda=0.2'
    """
    for axis in axes:
        base.declaration.parameter(axis.name)
    texts = base.shown | {axis.name: value for axis, value in zip(axes, point, strict=True)}
    return measure(f"{base.declaration.name}:{','.join(f'{name}={value}' for name, value in texts.items())}")
