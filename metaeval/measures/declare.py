"""Decorators that declare functions of confusion counts as measures; that of texts is in `measures.text.spec`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from metaeval.measures.parameters import read_parameters
from metaeval.measures.sources import SOURCES
from metaeval.measures.spec import NUMERIC_FORMS, REGISTRY, SUBTRACTING, ByParameter, Declaration, ScaleType, Trait
from metaeval.model.scores import Direction

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


def numeric_form(name: str, *, subtracts: bool = False) -> Callable[[FunctionT], FunctionT]:
    """Declare a function as the form of a measure for numeric predictions; see `Measure.of_numbers`.

    subtracts: whether it subtracts predicted numbers from class values, so that both need the same unit.
    """

    def declare(function: FunctionT) -> FunctionT:
        NUMERIC_FORMS.register(name, function)
        if subtracts:
            SUBTRACTING.add(name)
        return function

    return declare


def label_measure(
    name: str,
    *,
    title: str,
    question: str | ByParameter[str],
    better: Direction = Direction.HIGHER,
    bounds: tuple[float, float] | ByParameter[tuple[float, float]] = (0.0, 1.0),
    scale: ScaleType | ByParameter[ScaleType] = ScaleType.NOMINAL,
    source: str,
    formula: str,
    undefined: str,
    traits: set[Trait] | ByParameter[frozenset[Trait]],
    parameters: Mapping[str, str] | None = None,
    sums_weights: bool = False,
) -> Callable[[FunctionT], FunctionT]:
    """Declare a function of confusion counts as a measure; the arguments are those of `Declaration`.

    parameters: meanings; types, choices and defaults are those of the signature.
    """

    def declare(function: FunctionT) -> FunctionT:
        if source not in SOURCES:
            raise ValueError(f"measure {name!r} cites {source!r}, which is not in measures.sources")
        REGISTRY.register(
            name,
            Declaration(
                name, title, question, function, better, bounds, scale, source, formula, undefined,
                traits if isinstance(traits, ByParameter) else frozenset(traits),
                read_parameters(function, dict(parameters or {})), sums_weights,
            ),
        )  # fmt: skip
        return function

    return declare
