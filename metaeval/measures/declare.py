"""Decorators that declare functions of confusion counts as measures; that of texts is in `measures.text.spec`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from metaeval.measures.descriptions import description_of
from metaeval.measures.parameters import read_parameters
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
    better: Direction = Direction.HIGHER,
    bounds: tuple[float, float] | ByParameter[tuple[float, float]] = (0.0, 1.0),
    scale: ScaleType | ByParameter[ScaleType] = ScaleType.NOMINAL,
    traits: set[Trait] | ByParameter[frozenset[Trait]],
    sums_weights: bool = False,
) -> Callable[[FunctionT], FunctionT]:
    """Declare a function of confusion counts as a measure; the arguments are those of `Declaration`.

    Its parameters have the types, choices and defaults of the signature; texts are those of `descriptions.json`.
    """

    def declare(function: FunctionT) -> FunctionT:
        texts = description_of(name)
        REGISTRY.register(
            name,
            Declaration(
                name, texts.title, function, better, bounds, scale, texts.source, texts.formula, texts.undefined,
                traits if isinstance(traits, ByParameter) else frozenset(traits),
                read_parameters(function, dict(texts.parameters)), sums_weights,
            ),
        )  # fmt: skip
        return function

    return declare
