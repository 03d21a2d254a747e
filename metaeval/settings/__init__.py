"""Settings, declared once: the command line, YAML, Python, the signature and the reference derive from the fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import InitVar, dataclass, replace
from typing import Any, ClassVar, Self

from metaeval.errors import InputError
from metaeval.settings.kinds import Choice, Kind, NumbersByName, Parsed, Several, Text, Truth
from metaeval.settings.numbers import Number, Whole
from metaeval.settings.options import (
    COMMAND_LINE,
    EVERYWHERE,
    PYTHON,
    YAML,
    Numbers,
    Option,
    Path,
    Paths,
    StrPath,
    Texts,
    Wholes,
    alpha,
    by_name,
    choice,
    flag,
    number,
    numbers_by_name,
    path,
    several,
    text,
    whole,
)  # fmt: skip
from metaeval.settings.paths import FileOrName, FilePath, NamedFile

__all__ = [
    "COMMAND_LINE", "EVERYWHERE", "PYTHON", "YAML", "AnalysisSettings", "Choice", "FileOrName", "FilePath", "Kind",
    "NamedFile", "Number", "Numbers", "NumbersByName", "Option", "Parsed", "Path", "Paths", "Settings", "Several",
    "StrPath", "Text", "Texts", "Truth", "Whole", "Wholes", "alpha", "by_name", "choice", "flag", "number",
    "numbers_by_name", "options_of", "path", "several", "text", "whole",
]  # fmt: skip


def options_of(settings: type[Settings]) -> dict[str, Option[Any, Any]]:
    """The options of settings by field name, those of base classes first."""
    if settings not in _OPTIONS:
        _OPTIONS[settings] = {
            name: option
            for each in reversed(settings.__mro__)
            for name, option in vars(each).items()
            if isinstance(option, Option)
        }
    return _OPTIONS[settings]


_OPTIONS: dict[type[Settings], dict[str, Option[Any, Any]]] = {}


@dataclass(frozen=True)
class Settings:
    """Options that belong together; subclasses are frozen dataclasses whose fields are options."""

    def overlaid(self, **given: Any) -> Self:
        """With what was given (not None and not empty) in place of what these settings say."""
        options = options_of(type(self))
        told = {
            name: options[name].check(value) if name in options else value
            for name, value in given.items()
            if value is not None and not _empty(value)
        }
        return replace(self, **{name: value for name, value in told.items() if value is not None and not _empty(value)})

    def signature(self) -> Iterator[tuple[str, str]]:
        """Keys and values for the signature; what leaves everything as it is (None, False, nothing) is left out."""
        for name, option in options_of(type(self)).items():
            value = getattr(self, name)
            if option.signed and value not in (None, False, ()):
                yield option.key, option.kind.to_text(value)
            elif option.signed and option.auto:
                yield option.key, option.auto


def _empty(value: object) -> bool:
    # Arrays are never compared with (): that is an array, and no truth.
    return isinstance(value, (tuple, list)) and not value


@dataclass(frozen=True, kw_only=True)
class AnalysisSettings(Settings):
    """How an analysis is made.

    section: the name of the analysis. in_signature: whether its options decide on comparable numbers.

    Parameters
    ----------
    seed, workers
        Refused here: keywords of the Python function, whose type derives from the constructor's.
    """

    section: ClassVar[str] = ""
    in_signature: ClassVar[bool] = True

    seed: InitVar[int | None] = None
    workers: InitVar[int | None] = None

    def __init_subclass__(cls, *, section: str = "", in_signature: bool = True) -> None:
        cls.section = section or cls.section
        cls.in_signature = in_signature

    def __post_init__(self, *of_the_experiment: object) -> None:
        if any(each is not None for each in of_the_experiment):
            raise InputError.at(found="seed, workers or data among settings", expected="them in the experiment")
        self.check()

    def check(self) -> None:
        """Raise where options do not go together; each by itself has been checked."""
