"""What was given on top of what a section of the configuration says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from numbers import Real
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from metaeval.errors import InputError
from metaeval.settings import Settings

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Section = TypeVar("Section", bound="DataclassInstance")

_KINDS: Mapping[object, tuple[type, str]] = {
    str: (str, "a text"),
    int: (int, "a whole number"),
    float: (Real, "a number"),
    bool: (bool, "True or False"),
    Mapping: (Mapping, "numbers by name"),
}
"""What a value has to be, and what a message calls that, by the type of the attribute."""


def overlay(section: Section, **given: Any) -> Section:
    """A section of the configuration with what was given (not None and not empty) in place of what it says.

    Numbers of numpy become Python's, so that whatever tells of them can be JSON. A value of another type than the
    attribute's is an `InputError`.
    """
    if isinstance(section, Settings):
        return section.overlaid(**given)
    told = {name: plain(value) for name, value in given.items() if not _is_nothing(value)}
    kinds = _kinds(type(section))
    for name, value in told.items():
        kind, expected = _KINDS.get(kinds.get(name), (object, ""))
        for each in value if isinstance(value, tuple) else (value,):
            if not isinstance(each, kind):
                raise InputError.at(found=f"{name} {each!r}", expected=expected)
    return replace(section, **told)


def plain(value: Any) -> Any:
    """A value, or several in a tuple, without the scalars of numpy.

    >>> plain((np.int64(3), 0.5, "x"))
    (3, 0.5, 'x')
    """
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.item() if isinstance(value, np.generic) else value


def _is_nothing(value: object) -> bool:
    # Arrays are never compared with (): that is an array, and no truth.
    return value is None or (isinstance(value, tuple) and not value)


@cache
def _kinds(section: type) -> dict[str, object]:
    """The type that a value of each attribute has: of its items where it is a tuple, and never None."""
    return {name: _kind(hint) for name, hint in get_type_hints(section).items()}


def _kind(hint: Any) -> object:
    origin = get_origin(hint)
    if origin is Literal:
        return str
    if origin is Mapping or origin is None:
        return origin or hint
    return _kind(next(inner for inner in get_args(hint) if inner is not NoneType))
