"""What was given on top of what a section of the configuration says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Section = TypeVar("Section", bound="DataclassInstance")


def overlay(section: Section, **given: Any) -> Section:
    """A section of the configuration with what was given (not None and not empty) in place of what it says."""
    return replace(section, **{name: value for name, value in given.items() if value is not None and value != ()})
