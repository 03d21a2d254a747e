"""Settings are declared once: command line, YAML, Python, signature and reference are derived from the fields."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass, replace
from typing import Any, ClassVar, Self, TypeVar

from metaeval.errors import conflict, refuse
from metaeval.settings.kinds import (
    Choice,
    FileOrName,
    FilePath,
    Kind,
    NamedFile,
    Number,
    NumbersByName,
    Parsed,
    PluginFile,
    Several,
    Text,
    Truth,
    Whole,
)
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
)

__all__ = [
    "COMMAND_LINE", "EVERYWHERE", "PYTHON", "YAML", "AnalysisSettings", "Choice", "FileOrName", "FilePath", "Kind",
    "NamedFile", "Number", "Numbers", "NumbersByName", "Option", "Parsed", "Path", "Paths", "PluginFile", "Settings",
    "Several", "StrPath", "Text", "Texts", "Truth", "Whole", "Wholes", "alpha", "by_name", "choice", "documented_by",
    "flag", "number", "numbers_by_name", "options_of", "path", "several", "text", "whole",
]  # fmt: skip

Function = TypeVar("Function", bound=Callable[..., object])


def options_of(settings: type[Settings]) -> dict[str, Option[Any, Any]]:
    """The options of settings by field name, those of base classes first."""
    bases = reversed(settings.__mro__)
    return {name: option for base in bases for name, option in vars(base).items() if isinstance(option, Option)}


def documented_by(*settings: type[Settings], **others: str) -> Callable[[Function], Function]:
    """Add the help texts of options, and texts of others, to the `Parameters` of a numpydoc docstring."""

    def complete(function: Function) -> Function:
        text = inspect.cleandoc(function.__doc__ or "")
        texts = {name: option.help for kind in settings for name, option in options_of(kind).items()} | others
        rows = "".join(
            f"{name}\n    {texts[name]}.\n"
            for name in inspect.signature(function).parameters
            if name in texts and not re.search(rf"^(\w+, )*{name}(, \w+)*$", text, re.MULTILINE)
        )
        following = "\n\nRaises\n" if "\n\nRaises\n" in text else "\n\nExamples\n"
        before, _, after = text.partition(following)
        function.__doc__ = f"{before}\n{rows}{text[len(before) + 1 :]}" if after else f"{text}\n{rows}"
        return function

    return complete


@dataclass(frozen=True)
class Settings:
    """Options that belong together; subclasses are frozen dataclasses whose fields are options."""

    def overlaid(self, **values: Any) -> Self:
        """A copy with other values, except for those that are None or empty."""
        options = options_of(type(self))
        changes = {
            name: options[name].check(value) if name in options else value
            for name, value in values.items()
            if not _is_absent(value)
        }
        return replace(self, **{name: value for name, value in changes.items() if not _is_absent(value)})

    def signature(self) -> Iterator[tuple[str, str]]:
        """Keys and values for the signature, without values that have no effect: None, False and ()."""
        for name, option in options_of(type(self)).items():
            value = getattr(self, name)
            if option.signed and value not in (None, False, ()):
                yield option.key, option.kind.to_text(value)
            elif option.signed and option.auto:
                yield option.key, option.auto


def _is_absent(value: object) -> bool:
    return value is None or (isinstance(value, (tuple, list)) and not value)


@dataclass(frozen=True, kw_only=True)
class AnalysisSettings(Settings):
    """Settings of an analysis.

    section: name of the analysis. in_signature: whether the options are part of the signature.

    Parameters
    ----------
    undefined, seed, workers
        Not accepted here: they are keywords of the Python function, whose type derives from this constructor.
    """

    section: ClassVar[str] = ""
    in_signature: ClassVar[bool] = True

    undefined: InitVar[str | None] = None
    seed: InitVar[int | None] = None
    workers: InitVar[int | None] = None

    def __init_subclass__(cls, *, section: str = "", in_signature: bool = True) -> None:
        cls.section = section or cls.section
        cls.in_signature = in_signature

    def __post_init__(self, *experiment_fields: object) -> None:
        if any(field is not None for field in experiment_fields):
            raise refuse(None, conflict("undefined, seed, workers or data", "other settings", "them in the experiment"))
        self.check()

    def measures_of(self, measures: tuple[str, ...], preset: str | None) -> tuple[tuple[str, ...], str | None]:
        """The measures and the preset of the analysis, from those of the experiment."""
        return measures, preset

    @property
    def uses_clusters(self) -> bool:
        """Whether clusters of items play a role: they do in what is inferred from permutations."""
        return dict(self.signature()).get("permutations", "0") != "0"

    def check(self) -> None:
        """Raise an `InputError` if options contradict each other; each value has been checked alone."""
