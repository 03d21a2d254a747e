"""Grids of parameters: `lambda=0:1:0.1` or `d=2,3,4`, and measures at every point of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from metaeval.errors import InputError
from metaeval.measures.spec import Measure, measure

_LONGEST = 300
"""Digits before or after the point, about: what a float can hold."""

MAX_POINTS = 100_000
"""Maximum number of points of a grid: a larger one is a typing error."""


@dataclass(frozen=True)
class Axis:
    """The values that a parameter takes, as they are written.

    name: of the parameter.
    """

    name: str
    values: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Axis:
        """An axis as users write it: `name=from:to:step`, both ends included, or `name=value,value`.

        >>> Axis.parse("lambda=0:1:0.5").values, Axis.parse("d=2,3").values
        (('0', '0.5', '1'), ('2', '3'))
        """
        name, equals, values = (part.strip() for part in text.partition("="))
        if not (name and equals and values):
            raise _unfit(text)
        listed = _range(values, text) if ":" in values else tuple(value.strip() for value in values.split(","))
        if "" in listed:
            raise _unfit(text)
        if len(set(listed)) < len(listed):
            raise InputError.at(found=f"a value twice in grid '{text}'", expected="every value once")
        return cls(name, listed)

    def __str__(self) -> str:
        return f"{self.name}={','.join(self.values)}"


def _range(values: str, text: str) -> tuple[str, ...]:
    # Decimal numbers, so that 0:1:0.1 ends at 1 and 0.3 is written 0.3.
    try:
        first, last, step = (Decimal(part.strip()) for part in values.split(":"))
    except (ValueError, InvalidOperation):
        raise _unfit(text) from None
    if not (first.is_finite() and last.is_finite() and step.is_finite() and step > 0 and first <= last):
        raise _unfit(text)
    if max(abs(number.adjusted()) for number in (first, last, step)) > _LONGEST:
        raise _unfit(text)
    if (last - first) / step >= MAX_POINTS:
        raise _too_many(f"grid '{text}', of")
    count = int((last - first) / step) + 1
    return tuple(f"{(first + step * place).normalize():f}" for place in range(count))


def _too_many(grid: str) -> InputError:
    return InputError.at(found=f"{grid} more than {MAX_POINTS:,} points", expected="fewer values")


def _unfit(text: str) -> InputError:
    return InputError.at(
        found=f"grid '{text}'",
        expected="parameter=from:to:step or parameter=value,value",
        hint="as in --grid lambda=0:1:0.1 --grid d=2,3,4; in YAML in quotes: ['d=2,3,4']",
    )


def points(axes: Sequence[Axis]) -> list[tuple[str, ...]]:
    """Every combination of the values of some axes, the last axis changing fastest; one axis for a parameter.

    >>> points([Axis("d", ("2", "3")), Axis("beta", ("1",))])
    [('2', '1'), ('3', '1')]
    """
    names = [axis.name for axis in axes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError.at(found=f"two grids for the parameter '{twice}'", expected="one for each parameter")
    grid = list(itertools.islice(itertools.product(*(axis.values for axis in axes)), MAX_POINTS + 1))
    if len(grid) > MAX_POINTS:
        raise _too_many("a grid of")
    return grid


def at_point(base: Measure, axes: Sequence[Axis], point: Sequence[str]) -> Measure:
    """A measure with the parameters of a point of a grid; an unknown parameter is an `InputError`.

    >>> str(at_point(measure("esk:d=3"), [Axis("lambda", ("0.2",))], ["0.2"]))
    'esk:d=3,lambda=0.2'
    """
    for axis in axes:
        base.declaration.parameter(axis.name)
    parameters = {
        parameter.name: parameter.format(value)
        for parameter, value in zip(base.declaration.parameters, base.values, strict=True)
        if parameter.name in base.explicit
    }
    parameters |= {axis.name: value for axis, value in zip(axes, point, strict=True)}
    return measure(f"{base.declaration.name}:{','.join(f'{name}={value}' for name, value in parameters.items())}")
