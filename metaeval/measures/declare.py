"""Decorators that declare functions of confusion counts as measures; that of texts is in `measures.text.spec`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, overload

from metaeval.errors import invalid, refuse
from metaeval.measures.parameters import read_parameters
from metaeval.measures.plugin_calls import loading_plugin, place_of
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

OWN_NAME = "a name of its own for each measure"

UNBOUNDED = (-math.inf, math.inf)

SHARE = (0.0, 1.0)
"""The bounds of scores that are shares."""

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


def register(declaration: Declaration) -> None:
    """Add a measure, which belongs to the plugin that is being loaded; a title and a source are those of its function.

    Raises `InputError` if its name is invalid or exists already.
    """
    plugin = loading_plugin()
    declaration = replace(declaration, plugin=plugin)
    name, (path, line) = declaration.name, place_of(declaration.decorated)
    if declaration.owner != "metaeval" and plugin is None:
        # A name of metaeval's own is taken even where nothing has needed it yet.
        REGISTRY.load_own()
    existing = REGISTRY.registered(name)
    if existing is not None:
        found = f"measure '{name}' of {declaration.owner}, which {existing.owner} has already"
        raise refuse(plugin.path if plugin is not None else None, found, OWN_NAME)
    if not isinstance(name, str) or not re.fullmatch(r"[^\s:,=/<>]+", name):
        expected = "one or more characters other than blanks and : , = / < >"
        raise refuse((path, line), invalid("measure name", str(name), expected))
    in_words = name[:1].upper() + name[1:].replace("-", " ")
    title = declaration.title or declaration.meaning.removesuffix(".") or in_words
    REGISTRY.register(name, replace(declaration, title=title, source=declaration.source or Path(path).name))


def decorator(name: object, declare: Callable[[Function, Any], None]) -> Any:
    """A decorator of functions that declares measures, or the function that is decorated without parentheses.

    name: of the measure, or that function; None for a name from that of the function. declare: takes the function and
    the name.
    """

    def decorate(function: Any) -> Any:
        derived = getattr(function, "__name__", "").strip("_").replace("_", "-")
        declare(function, derived if name is None or name is function else name)
        return function

    return decorate(name) if callable(name) else decorate


def frozen(
    traits: set[Trait] | frozenset[Trait] | ByParameter[frozenset[Trait]] | None,
) -> frozenset[Trait] | ByParameter[frozenset[Trait]] | None:
    """Traits as a declaration keeps them."""
    return frozenset(traits) if isinstance(traits, set | frozenset) else traits


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


@overload
def label_measure(name: FunctionT, /) -> FunctionT: ...


@overload
def label_measure(name: str | None = None, **declared: Any) -> Callable[[FunctionT], FunctionT]: ...


def label_measure(
    name: object = None,
    *,
    scale: ScaleType | ByParameter[ScaleType] = ScaleType.NOMINAL,
    traits: set[Trait] | frozenset[Trait] | ByParameter[frozenset[Trait]] | None = None,
    parameters: Mapping[str, str] | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
    examples: Mapping[str, str] | None = None,
    **declared: Any,
) -> Any:
    """Declare a function of confusion counts as a measure: `@label_measure` alone, or with what it declares.

    The function takes counts of shape (..., C, C), gold classes × predicted classes, and returns scores of shape (...),
    NaN where undefined. It takes the keyword `scale` if it needs the classes; every other argument with a default is a
    parameter of the measure.

    Parameters
    ----------
    name
        Name on the command line (default: that of the function, with - for _).
    scale
        What the measure uses of the classes (default: their names).
    traits
        Formal properties that hold, all of them (default: nothing is declared).
    parameters
        Meanings of parameters; types, choices and defaults are those of the signature.
    limits
        Lowest and highest values of parameters that are numbers.
    examples
        Another value of each parameter without choices, at which the tests of metaeval compute the measure, too.
    declared
        `title` in tables for a paper (default: the first line of the docstring, or the name); `question`, what a score
        answers, as 'how many items are right'; `better` (default: `Direction.HIGHER`); `bounds`, the lowest and highest
        possible score (default: none); `source`, a citation (default: the file); `formula` in plain text; `undefined`,
        when the score is NaN; `sums_weights`, whether the score is a sum over classes times their declared weights.
    """

    def declare(function: Function, name: Any) -> None:
        read = read_parameters(function, dict(parameters or {}), limits=limits, examples=examples)
        properties = {"bounds": UNBOUNDED, **declared}
        register(Declaration(name, function, scale=scale, traits=frozen(traits), parameters=read, **properties))

    return decorator(name, declare)
