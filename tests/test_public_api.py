"""The names that Python users rely on."""

import importlib
import inspect
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from enum import Enum
from types import ModuleType
from typing import Any

import pytest
from griffe import Docstring, DocstringSectionKind, Parser

import metaeval

SECTIONS = DocstringSectionKind.parameters, DocstringSectionKind.other_parameters, DocstringSectionKind.attributes


def documented(*docstrings: str | None) -> set[str]:
    """The parameters that numpydoc sections describe."""
    sections = [
        section
        for text in docstrings
        for section in Docstring(inspect.cleandoc(text or ""), parser=Parser.numpy).parse(warnings=False)
        if section.kind in SECTIONS
    ]
    return {one.name.lstrip("*") for section in sections for one in section.value if one.description.strip()}


def options(settings: type) -> set[str]:
    """The fields of settings that have a help text."""
    fields = (field for one in settings.__mro__ for field in vars(one).items())
    return {name for name, option in fields if getattr(option, "help", "")}


def callables(value: Any) -> Iterator[tuple[str, Any, set[str]]]:
    """What a user can call of a public name: '' or a method, the object, and the parameters that are documented."""
    if not inspect.isclass(value):
        settings = getattr(value, "settings", object)
        yield "", value, documented(value.__doc__, type(value).__call__.__doc__) | options(settings)
    elif not issubclass(value, (Enum, BaseException)):
        classes = [one.__doc__ for one in value.__mro__[:-1]]
        yield "", value, documented(*classes, value.__init__.__doc__) | options(value)
        for name, member in vars(value).items():
            function = getattr(member, "__func__", member)
            if not name.startswith("_") and inspect.isfunction(function):
                yield f".{name}", function, documented(function.__doc__)


def test_every_parameter_of_the_public_api_is_documented() -> None:
    """Options are documented by their help, what all analyses share by `Analysis.__call__`."""
    undocumented = [
        f"{name}{method}({parameter})"
        for name in metaeval.__all__
        for method, function, names in callables(getattr(metaeval, name))
        for parameter in inspect.signature(function).parameters
        if parameter not in {*names, "self", "cls"}
    ]
    assert undocumented == []


def test_public_names_are_there_and_documented() -> None:
    assert [name for name in metaeval.__all__ if not getattr(metaeval, name).__doc__] == []
    assert set(metaeval.__all__) <= set(dir(metaeval))


def test_no_public_name_is_hidden_by_a_module_of_that_name() -> None:
    for module in pkgutil.walk_packages(metaeval.__path__, "metaeval."):
        if module.name == "metaeval.__main__":
            continue
        importlib.import_module(module.name)
    hidden = [name for name in metaeval.__all__ if isinstance(getattr(metaeval, name), ModuleType)]
    assert not hidden


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'scoer'"):
        _ = metaeval.scoer


def test_importing_metaeval_imports_nothing_heavy() -> None:
    script = "import sys, metaeval; print([name for name in ('numpy', 'click', 'pandas') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"
