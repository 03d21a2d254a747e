"""Parameters of the public API that no documentation describes.

A parameter is documented where the numpydoc section `Parameters` describes it: that of the function, of the class or a
base class of it, or of `__init__`; `Attributes` serves for a dataclass. Options are documented by their help texts, and
what all analyses share by the docstring of `Analysis.__call__`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from griffe import Docstring, DocstringSectionKind, Parser
from house.sources import Measurement

_SECTIONS = (DocstringSectionKind.parameters, DocstringSectionKind.other_parameters, DocstringSectionKind.attributes)


def undocumented_parameters(public: Mapping[str, object]) -> Measurement:
    """The parameters without documentation; public: what `metaeval.__all__` names, or a part of it."""
    found = [
        f"{name}{method}({parameter})"
        for name, value in public.items()
        for method, parameters, documented in _callables(value)
        for parameter in parameters
        if parameter not in documented
    ]
    return Measurement(len(found), tuple(found))


def public_functions() -> dict[str, object]:
    """The functions and analyses of the metaeval that is imported here."""
    return {name: value for name, value in _public().items() if not inspect.isclass(value)}


def public_classes() -> dict[str, object]:
    """The classes of the metaeval that is imported here."""
    return {name: value for name, value in _public().items() if inspect.isclass(value)}


def _public() -> dict[str, object]:
    import metaeval

    return {name: getattr(metaeval, name) for name in metaeval.__all__}


def _callables(value: Any) -> Iterator[tuple[str, list[str], set[str]]]:
    """What a user can call: '' or `.method`, its parameters, and those that are documented."""
    if not inspect.isclass(value):
        documented = _documented(value.__doc__) | _documented(type(value).__call__.__doc__)
        settings = getattr(value, "settings", None)
        yield "", _parameters(value), documented | (_options(settings) if inspect.isclass(settings) else set())
    elif not issubclass(value, (Enum, BaseException)):
        described = [_documented(each.__doc__) for each in (*value.__mro__[:-1], value.__init__)]
        yield "", _parameters(value), _options(value).union(*described)
        for name, member in vars(value).items():
            function = getattr(member, "__func__", member)
            if not name.startswith("_") and inspect.isfunction(function):
                yield f".{name}", _parameters(function), _documented(function.__doc__)


def _parameters(value: Any) -> list[str]:
    return [name for name in inspect.signature(value).parameters if name not in ("self", "cls")]


def _documented(text: str | None) -> set[str]:
    """The parameters that a docstring describes."""
    sections = Docstring(inspect.cleandoc(text or ""), parser=Parser.numpy).parse(warnings=False)
    return {
        entry.name.lstrip("*")
        for section in sections
        if section.kind in _SECTIONS
        for entry in section.value
        if entry.description.strip()
    }


def _options(settings: type) -> set[str]:
    """The options that have a help text, among the fields of settings."""
    return {
        name
        for each in settings.__mro__
        for name, option in vars(each).items()
        if isinstance(text := getattr(option, "help", None), str) and text.strip()
    }
