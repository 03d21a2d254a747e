"""Decorators that declare functions of confusion counts as measures; that of texts is in `measures.text.spec`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from metaeval.errors import invalid, refuse
from metaeval.measures.parameters import read_parameters
from metaeval.measures.plugin_calls import Plugin, loading_plugin, place_of
from metaeval.measures.spec import (
    NUMERIC_FORMS,
    REGISTRY,
    SUBTRACTING,
    ByParameter,
    Declaration,
    Function,
    ScaleType,
    Trait,
)
from metaeval.model.scores import Direction

OWN_NAME = "a name of its own for each measure"

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


def register(declaration: Declaration) -> None:
    """Add a measure, which belongs to the plugin that is being loaded.

    Raises `InputError` if its name is invalid or exists already.
    """
    name, plugin = declaration.name, loading_plugin()
    owner = _owner(plugin, declaration.function)
    if owner != "metaeval" and plugin is None:
        # A name of metaeval's own is taken even where nothing has needed it yet.
        REGISTRY.load_own()
    known = REGISTRY.registered(name)
    if known is not None:
        found = f"measure '{name}' of {owner}, which {_owner(known.plugin, known.function)} has already"
        raise refuse(plugin.path if plugin is not None else None, found, OWN_NAME)
    if not isinstance(name, str) or not re.fullmatch(r"[^\s:,=/]+", name):
        path, line = place_of(declaration.function)
        expected = "one or more characters other than blanks and : , = /"
        raise refuse((path, line), invalid("measure name", str(name), expected))
    REGISTRY.register(name, replace(declaration, plugin=plugin))


def _owner(plugin: Plugin | None, function: Function) -> str:
    if plugin is not None:
        return f"plugin {plugin.path}"
    module = function.__module__
    return "metaeval" if module.startswith("metaeval.") else f"module {module}"


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
    limits: Mapping[str, tuple[float, float]] | None = None,
    examples: Mapping[str, str] | None = None,
    sums_weights: bool = False,
) -> Callable[[FunctionT], FunctionT]:
    """Declare a function of confusion counts as a measure.

    The function takes counts of shape (..., C, C), gold classes × predicted classes, and returns scores of shape (...),
    NaN where undefined. It takes the keyword `scale` if it needs the classes; every other keyword with a type and a
    default is a parameter of the measure.

    Parameters
    ----------
    name
        Name on the command line.
    title
        Name in tables for a paper.
    question
        What a score answers, as 'how many items are right'.
    better
        Whether higher or lower scores are better.
    bounds
        Lowest and highest possible score.
    scale
        What the measure uses of the classes.
    source
        Citation.
    formula
        Formula in plain text.
    undefined
        When the score is NaN.
    traits
        Formal properties that hold.
    parameters
        Meaning of each parameter; types, choices and defaults are those of the signature.
    limits
        Lowest and highest values of parameters that are numbers.
    examples
        Another value of each parameter without choices, at which the tests of metaeval compute the measure, too.
    sums_weights
        Whether the score is a sum over classes times their declared weights.
    """

    def declare(function: FunctionT) -> FunctionT:
        register(
            Declaration(
                name=name,
                title=title,
                question=question,
                function=function,
                better=better,
                bounds=bounds,
                scale=scale,
                source=source,
                formula=formula,
                undefined=undefined,
                traits=traits if isinstance(traits, ByParameter) else frozenset(traits),
                parameters=read_parameters(function, dict(parameters or {}), limits=limits, examples=examples),
                sums_weights=sums_weights,
            )
        )
        return function

    return declare
