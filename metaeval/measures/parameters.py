"""What measures declare: parameters, the use of the classes, and formal properties.

Parameters are read from signatures, and parsed from `name:parameter=value`.
"""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, Literal, TypeVar

from metaeval.digits import number_of
from metaeval.errors import UnknownName, refuse
from metaeval.names import quoted
from metaeval.registry import Registry

ParameterValue = str | float | int | None


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure.

    name: as users write it ('min-gap'). argument: name in Python ('min_gap'). default: None for an optional parameter.
    choices: allowed words, which a number allows in addition ('all'). meaning: description. common: whether many
    measures share it. names_file: whether it is the path of a file. limits: lowest and highest number allowed.
    example: a value other than the default, at which tests compute the measure.
    """

    name: str
    argument: str
    type: type[float] | type[int] | type[str]
    default: ParameterValue
    choices: tuple[str, ...]
    meaning: str
    common: bool = False
    names_file: bool = False
    limits: tuple[float, float] = (-math.inf, math.inf)
    example: str = ""

    @property
    def is_choice(self) -> bool:
        """Whether only the words of `choices` are allowed."""
        return bool(self.choices) and self.type is str

    def parse(self, text: str, *, measure: str) -> ParameterValue:
        """Parse a value; an invalid one is an `InputError`."""
        if (text == "" and self.default is None) or text in self.choices:
            return text or None
        if self.is_choice:
            raise UnknownName(f"{self.name} of {measure}", text, self.choices)
        try:
            value: float | str = text if self.type is str else number_of(text, self.type)  # type: ignore[assignment]
            low, high = self.limits
            if not value if isinstance(value, str) else not (math.isfinite(value) and low <= value <= high):
                raise ValueError
        except (ValueError, OverflowError):
            number = {float: "a number", int: "a whole number", str: "a word"}[self.type] + self._limits_text()
            expected = " or ".join([number, *self.choices])
            found = f"{self.name}={text or ' without a value'} in measure '{measure}'"
            hint = f"choose another value, or leave out {self.name} (default: {self.format(self.default) or 'none'})"
            raise refuse(None, found, expected, hint) from None
        # -0.0 + 0 is 0.0, so equal measures have equal names.
        return value + 0 if isinstance(value, float) else value

    def _limits_text(self) -> str:
        low, high = self.limits
        lowest, highest = (f"{bound:,.0f}" if bound % 1 == 0 else f"{bound:g}" for bound in (low, high))
        if math.isinf(high):
            return "" if math.isinf(low) else f" of at least {lowest}"
        return f" from {lowest} to {highest}"

    def format(self, value: ParameterValue) -> str:
        """The text of a value, from which `parse` restores it."""
        if value is None:
            return ""
        if isinstance(value, float):
            return str(value).removesuffix(".0")
        # The measures of mean:of=recall+kappa:weights=linear need no quotes.
        return str(value) if ":" in str(value) and "," not in str(value) else quoted(str(value))


def common_parameter(name: str, meaning: str, *choices: str) -> Parameter:
    """A parameter that many measures share: one of some words, the first by default, or else the path of a file."""
    return Parameter(
        name=name,
        argument=name,
        type=str,
        default=choices[0] if choices else None,
        choices=choices,
        meaning=meaning,
        common=True,
        names_file=not choices,
    )


def read_parameters(
    function: Callable[..., Any],
    meanings: dict[str, str],
    *,
    common: Sequence[str] = (),
    limits: Mapping[str, tuple[float, float]] | None = None,
    examples: Mapping[str, str] | None = None,
) -> tuple[Parameter, ...]:
    """The arguments of a function that have a default or are keywords, except `scale`, as parameters.

    meanings: descriptions by name. common: names of those that many measures share. limits, examples: of those that
    have any.
    """
    hints = typing.get_type_hints(function)
    parameters = []
    for argument, parameter in inspect.signature(function).parameters.items():
        has_default = parameter.default is not parameter.empty
        if (has_default or parameter.kind is inspect.Parameter.KEYWORD_ONLY) and argument != "scale":
            # A trailing underscore marks a name that is a Python keyword or taken: class_ is `class`.
            name = argument.rstrip("_").replace("_", "-")
            if not has_default:
                raise ValueError(f"parameter {name} of {function.__name__} has no default")
            kind, choices = _type_and_choices(hints.get(argument, type(parameter.default)))
            if kind not in (float, int, str):
                raise ValueError(f"parameter {name} of {function.__name__} is not declared as float, int or str")
            parameters.append(
                Parameter(
                    name=name,
                    argument=argument,
                    type=kind,
                    default=parameter.default,
                    choices=choices,
                    meaning=meanings.pop(name, ""),
                    common=name in common,
                    limits=(limits or {}).get(name, (-math.inf, math.inf)),
                    example=(examples or {}).get(name, ""),
                )
            )
    if meanings:
        raise ValueError(f"{function.__name__} has no parameter {', '.join(meanings)}")
    return tuple(parameters)


def _type_and_choices(hint: Any) -> tuple[type[float] | type[int] | type[str], tuple[str, ...]]:
    if typing.get_origin(hint) is Literal:
        return str, typing.get_args(hint)
    if typing.get_origin(hint) is types.UnionType or typing.get_origin(hint) is typing.Union:
        # Several values at once are those of a grid.
        values = (part for part in typing.get_args(hint) if typing.get_origin(part) is not Sequence)
        parts = [_type_and_choices(part) for part in values if part is not types.NoneType]
        numeric = [kind for kind, _ in parts if kind is not str]
        return (numeric or [str])[0], tuple(word for _, words in parts for word in words)
    return typing.cast(type[str], hint), ()


Value = TypeVar("Value")


class ScaleType(Enum):
    """What a measure uses of the classes."""

    NOMINAL = "nominal"
    """Their names only: permuting the classes does not change the score."""
    ORDINAL = "ordinal"
    """Their order."""
    INTERVAL = "interval"
    """Their values (equal steps unless declared)."""


class Trait(Enum):
    """A property of measures; tests check where it holds and where it does not."""

    SYMMETRIC = "exchanging gold and predictions does not change the score"
    PERFECT_ON_ITSELF = "an output equal to its reference scores 1, unless it has nothing to count"
    REPLICATION_INVARIANT = "duplicating every item does not change the score"
    REVERSAL_INVARIANT = "reversing the order of the classes does not change the score"
    ADDITIVE = "given gold, the score is a sum of independent contributions of the items"
    CONSTANT_SCORES_ZERO = "a constant system scores 0 or is undefined if gold has several classes"
    COUNTS_MISSES = "a missing prediction can count as wrong, in the gold total and in no predicted class"


@dataclass(frozen=True, eq=False)
class ByParameter(Generic[Value]):
    """A declared value that depends on the value of one parameter, and perhaps on that of another."""

    parameter: str
    cases: Mapping[str, Value | ByParameter[Value]]

    def __call__(self, values: Mapping[str, ParameterValue]) -> Value:
        """The declared value for these values of the parameters."""
        case = self.cases[str(values[self.parameter])]
        return case(values) if isinstance(case, ByParameter) else case


NUMERIC_FORMS: Registry[Callable[..., Any]] = Registry("measure of numeric predictions")
"""Functions of counts (..., C, U), gold classes × distinct numbers, for measures also defined for numbers."""

SUBTRACTING: set[str] = set()
"""Names of those that subtract numbers from class values."""
