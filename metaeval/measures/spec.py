"""Measures: one pure function and one declaration each, from which everything else derives.

A `Declaration` is an entry of the registry; a `Measure` is a declaration with its parameters filled in, and a
name that prints and parses back: `measure("kappa:weights=linear")`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, did_you_mean
from metaeval.measures.parameters import Parameter, ParameterValue
from metaeval.model.data_kind import DataKind
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction
from metaeval.registry import Registry

Counts = NDArray[Any]
"""Confusion counts (..., C, C): rows gold, columns predicted, in the order of the scale."""

Scores = NDArray[np.float64]
"""Scores (...): one for each confusion matrix."""

Function = Callable[..., Any]
Value = TypeVar("Value")


class ScaleType(Enum):
    """What a measure uses of the classes."""

    NOMINAL = "nominal"
    """Their names only: relabelling the classes changes nothing."""
    ORDINAL = "ordinal"
    """Their order."""
    INTERVAL = "interval"
    """Their values (equal steps unless declared)."""


class Trait(Enum):
    """A property of measures; tests check where it holds and where it does not."""

    SYMMETRIC = "swapping gold and system changes nothing"
    PERFECT_ON_ITSELF = "what is its own reference scores 1, if it has anything to count"
    REPLICATION_INVARIANT = "every item twice changes nothing"
    REVERSAL_INVARIANT = "turning the order of the classes round changes nothing"
    ADDITIVE = "given gold, each item adds to the score by itself, whatever the others are"
    CONSTANT_SCORES_NOTHING = "on gold of several classes, a system that always says the same scores 0 or is undefined"


@dataclass(frozen=True, eq=False)
class ByParameter(Generic[Value]):
    """Something declared that depends on the choice of one parameter."""

    parameter: str
    cases: Mapping[str, Value]

    def __call__(self, values: Mapping[str, ParameterValue]) -> Value:
        """What holds for these parameter values."""
        return self.cases[str(values[self.parameter])]


@dataclass(frozen=True, eq=False)
class Declaration:
    """The registry entry of a measure: everything but its scores.

    name: canonical, as on the command line. title: for people. function: (counts, *, scale, parameters) -> scores,
    or the signature for its kind of data (see `measures.text.spec`).
    better: direction. bounds: the lowest and highest value possible.
    scale: what it uses of the classes, where it reads labels. source: key in `measures.sources`. formula: in plain
    text. undefined: when it is NaN, or 'never' and what it is instead of NaN. traits: what holds for it.
    parameters: read off the signature. sums_weights: whether it is a sum over classes, each times its declared weight,
    so that its bounds hold for class weights that sum to 1. reads: what it is a measure of.
    """

    name: str
    title: str
    function: Function
    better: Direction
    bounds: tuple[float, float] | ByParameter[tuple[float, float]]
    scale: ScaleType | ByParameter[ScaleType] | None
    source: str
    formula: str
    undefined: str
    traits: frozenset[Trait] | ByParameter[frozenset[Trait]]
    parameters: tuple[Parameter, ...]
    sums_weights: bool = False
    reads: DataKind = DataKind.LABELS

    @property
    def meaning(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @cached_property
    def takes_scale(self) -> bool:
        """Whether the function takes the class scale."""
        return "scale" in inspect.signature(self.function).parameters

    @property
    def own_parameters(self) -> tuple[Parameter, ...]:
        """Those that it does not share with many others."""
        return tuple(parameter for parameter in self.parameters if not parameter.common)

    def parameter(self, name: str) -> Parameter:
        """The parameter of this name; an unknown one is an `InputError` that names the known."""
        for candidate in self.parameters:
            if candidate.name == name:
                return candidate
        known = [candidate.name for candidate in self.parameters]
        raise InputError.at(
            found=f"parameter '{name}' of measure '{self.name}'",
            expected=f"one of {', '.join(known)}" if known else "no parameter",
            hint=did_you_mean(name, known) or f"`metaeval measures {self.name}` lists what it takes",
        )

    def variants(self) -> tuple[Measure, ...]:
        """The measure at every choice of its own one-of-a-few parameters, the others at their defaults."""
        spelled = [""]
        for parameter in self.parameters:
            if parameter.is_choice and not parameter.common:
                spelled = [f"{text},{parameter.name}={choice}" for text in spelled for choice in parameter.choices]
        return tuple(measure(f"{self.name}:{text[1:]}" if text else self.name) for text in spelled)


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters; equal to another that computes the same, however it was written.

    Parameters
    ----------
    declaration
        Entry of the registry.
    values
        A value for each parameter.
    explicit
        Names of the parameters that were written; the others have their defaults.

    Examples
    --------
    >>> str(measure("kappa:weights=linear")), measure("kappa:weights=linear") == measure("kappa")
    ('kappa:weights=linear', True)
    """

    declaration: Declaration
    values: tuple[ParameterValue, ...]
    explicit: tuple[str, ...] = field(compare=False)

    def __str__(self) -> str:
        spelled = [
            f"{parameter.name}={parameter.format(value)}"
            for parameter, value in zip(self.declaration.parameters, self.values, strict=True)
            if parameter.name in self.explicit
        ]
        return self.declaration.name + (":" + ",".join(spelled) if spelled else "")

    @property
    def parameters(self) -> dict[str, ParameterValue]:
        """Every parameter by its name, defaults included."""
        return {
            parameter.name: value for parameter, value in zip(self.declaration.parameters, self.values, strict=True)
        }

    def with_files(self, place: Callable[[str], str]) -> Measure:
        """The same measure with its files in other places.

        Parameters
        ----------
        place
            Function from the path of a file to its new path.
        """
        moved = [
            place(str(value)) if parameter.names_file and value is not None else value
            for parameter, value in zip(self.declaration.parameters, self.values, strict=True)
        ]
        return replace(self, values=tuple(moved))

    @property
    def better(self) -> Direction:
        """Which way it is better."""
        return self.declaration.better

    @property
    def scale_type(self) -> ScaleType | None:
        """What it uses of the classes, where it reads labels."""
        return self._resolve(self.declaration.scale) if self.declaration.scale is not None else None

    @property
    def uses(self) -> str:
        """What it uses, in a word: of the classes, or what else it reads."""
        return self.scale_type.value if self.scale_type is not None else self.declaration.reads.value

    @property
    def bounds(self) -> tuple[float, float]:
        """Its lowest and highest value possible."""
        return self._resolve(self.declaration.bounds)

    @property
    def traits(self) -> frozenset[Trait]:
        """What holds for it."""
        return self._resolve(self.declaration.traits)

    def _resolve(self, declared: Value | ByParameter[Value]) -> Value:
        return declared(self.parameters) if isinstance(declared, ByParameter) else declared

    def __call__(self, counts: Counts, scale: ClassScale) -> Scores:
        """Its scores, shape (...), from confusion counts.

        Parameters
        ----------
        counts : array (..., C, C)
            Of any numeric type.
        scale
            The C classes.
        """
        arguments = self.arguments
        if self.declaration.takes_scale:
            arguments["scale"] = scale
        scores: Scores = self.declaration.function(_exact(counts), **arguments)
        return scores

    def __reduce__(self) -> tuple[Callable[[str], Measure], tuple[str]]:
        # In another process the same measure has to be equal to that process's own.
        return measure, (str(self),)

    @property
    def arguments(self) -> dict[str, Any]:
        """Every parameter by the name that its function gives it."""
        return {
            parameter.argument: value for parameter, value in zip(self.declaration.parameters, self.values, strict=True)
        }

    @property
    def reads_numbers(self) -> bool:
        """Whether it has a form for numeric predictions."""
        return self.declaration.name in NUMERIC_FORMS

    @property
    def subtracts_numbers(self) -> bool:
        """Whether its form for numeric predictions takes them from class values, which then have to be real ones."""
        return self.declaration.name in SUBTRACTING

    def of_numbers(self, counts: Counts, gold_values: Scores, predicted_values: Scores) -> Scores:
        """Its scores for numeric predictions.

        Parameters
        ----------
        counts : array (..., C, U)
            How often each of U distinct numbers was predicted for items of each gold class.
        gold_values : array (C,)
            Values of the classes, increasing.
        predicted_values : array (U,)
            The distinct numbers, increasing.
        """
        function = NUMERIC_FORMS[self.declaration.name]
        offered = {"gold_values": gold_values, "predicted_values": predicted_values}
        accepted = inspect.signature(function).parameters
        arguments: dict[str, Any] = {name: values for name, values in offered.items() if name in accepted}
        scores: Scores = function(_exact(counts), **arguments, **self.arguments)
        return scores

    def check(self, scale: ClassScale) -> None:
        """Raise where this measure cannot be computed on a scale.

        Parameters
        ----------
        scale
            Classes.

        Raises
        ------
        InputError
            If the measure needs an order, values or weights that the scale does not have.
        UnknownName
            If a parameter names a class outside the scale.
        """
        self.check_order(scale)
        # Computing on zeros checks what else the measure needs from the scale: weights, values, named classes.
        self(np.zeros((len(scale), len(scale))), scale)

    def check_reads(self, kind: DataKind) -> None:
        """Raise an `InputError` where this measure does not read such data.

        Parameters
        ----------
        kind
            Kind of the data.
        """
        if self.declaration.reads is not kind:
            known = [one.name for one in REGISTRY.values() if one.reads is kind]
            raise InputError.at(
                found=f"measure '{self}', which reads {self.declaration.reads.value}, on {kind.value}",
                expected=f"one of {', '.join(known)}",
                hint="`metaeval measures` says what each reads, and --task says what files hold",
            )

    def check_order(self, scale: ClassScale) -> None:
        """Raise an `InputError` where this measure needs ordered classes and these are not, or does not read labels.

        Parameters
        ----------
        scale
            Classes.
        """
        self.check_reads(DataKind.LABELS)
        if self.scale_type is not ScaleType.NOMINAL and not scale.ordered:
            raise InputError.at(
                found=f"measure '{self}', which uses the order of the classes, on the nominal scale '{scale}'",
                expected="an ordered scale",
                hint=f"declare the order from low to high, as in --labels '{'<'.join(scale.labels)}', "
                "or choose measures for names only",
            )


def _exact(counts: Counts) -> NDArray[np.float64]:
    # Measures multiply counts: N² outgrows float32 and int32 at a few thousand items.
    return np.asarray(counts, dtype=np.float64)


REGISTRY: Registry[Declaration] = Registry("measure")
"""Every measure, in the order of the documentation."""


NUMERIC_FORMS: Registry[Function] = Registry("measure of numeric predictions")
"""Of measures that are also defined for numbers: the function of counts (..., C, U), gold class × distinct number."""


SUBTRACTING: set[str] = set()
"""Those of them that subtract numbers from class values."""


def measure(text: str) -> Measure:
    """The measure of a name.

    Parameters
    ----------
    text
        `name` or `name:parameter=value,parameter=value`.

    Raises
    ------
    UnknownName
        If there is no such measure.
    InputError
        If a parameter is unknown, or its value is not allowed.

    Examples
    --------
    >>> measure("f-beta:beta=0.5").parameters
    {'beta': 0.5}
    """
    name, _, tail = (part.strip() for part in text.partition(":"))
    declaration = REGISTRY[name]
    arguments: dict[str, ParameterValue] = {}
    for setting in tail.split(",") if tail else ():
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise InputError.at(
                found=f"'{setting}' in measure '{text}'",
                expected="parameter=value",
                hint=f"`metaeval measures {name}` lists what it takes",
            )
        parameter = declaration.parameter(key)
        if key in arguments:
            raise InputError.at(found=f"parameter '{key}' twice in measure '{text}'", expected="every parameter once")
        arguments[key] = parameter.parse(value, measure=name)
    values = tuple(arguments.get(parameter.name, parameter.default) for parameter in declaration.parameters)
    return Measure(declaration, values, tuple(arguments))
