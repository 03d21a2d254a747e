"""An option, declared as a field of `Settings`: a descriptor that converts and checks values.

A field that is a descriptor has two types: `__set__` has the type that the constructor and the Python function take,
`__get__` the type that the analysis reads. `sizes: Wholes = several(...)` takes one or several numbers and is a tuple.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar, overload

from metaeval.settings.kinds import (
    Choice,
    FilePath,
    Kind,
    NamesByName,
    Number,
    NumbersByName,
    Parsed,
    Several,
    Text,
    Truth,
    Whole,
    as_tuple,
)

Argument = TypeVar("Argument")
Value = TypeVar("Value")
W = TypeVar("W", int, None)
N = TypeVar("N", float, None)
B = TypeVar("B", bool, None)
S = TypeVar("S", str, None)

COMMAND_LINE, YAML, PYTHON = "command line", "YAML", "Python"
EVERYWHERE = frozenset({COMMAND_LINE, YAML, PYTHON})
OUTSIDE_YAML = frozenset({COMMAND_LINE, PYTHON})
"""In a YAML file such options of an analysis belong to the section of the data."""


class Lazy:
    """A default that is computed when it is read, because it needs imports."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


class Option(Generic[Argument, Value]):
    """One option.

    default_text: the default in the help, such as 'a grid'; '' for the default itself, None for none. flag: of the
    command line, if it is not the name of the field. off: the flag for False. where: the interfaces that have it.
    signed: whether it is part of the signature. auto: the value of the signature if the option is not set.
    """

    name = ""

    def __init__(
        self,
        kind: Kind[Any],
        default: Value | Lazy,
        help: str,
        *,
        metavar: str = "",
        default_text: str | None = "",
        flag: str = "",
        short: str = "",
        off: str = "",
        where: frozenset[str] = EVERYWHERE,
        signed: bool = True,
        auto: str = "",
    ) -> None:
        self.kind = kind
        self.default = default
        self.help = help
        self.metavar = metavar or kind.metavar
        self.default_text = default_text
        self._flag = flag
        self.short = short
        self.off = off
        self.where = where
        self.signed = signed
        self.auto = auto

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Value: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...
    def __get__(self, instance: object | None, owner: type) -> Value:
        # Without an instance, `dataclasses` reads the default.
        value: Any = self.default if instance is None else instance.__dict__[self.name]
        return value.make() if instance is not None and isinstance(value, Lazy) else value  # type: ignore[no-any-return]

    def __set__(self, instance: object, value: Argument) -> None:
        is_default = value is None or value is self.default
        instance.__dict__[self.name] = self.default if is_default else self.check(value)

    def check(self, value: object) -> Value:
        """The canonical form of a value."""
        canonical: Value = self.kind.check(self.name, value)
        return canonical

    @property
    def key(self) -> str:
        """The key in YAML and in the signature."""
        return self.name.replace("_", "-")

    @property
    def flag(self) -> str:
        """The flag of the command line."""
        return self._flag or f"--{self.key}"

    @property
    def about(self) -> str:
        """The help text of the command line: the description, whether it is repeatable, and the default."""
        is_repeatable = isinstance(self.kind, Several) and not self.kind.separated
        text = f"{self.help}; repeatable" if is_repeatable and "repeatable" not in self.help else self.help
        if self.default_text is None or (not self.default_text and self.default in (None, (), False)):
            return f"{text}."
        return f"{text} (default: {self.default_text or self.kind.to_text(self.default)})."


StrPath: TypeAlias = str | os.PathLike[str]
Path: TypeAlias = Option[StrPath | None, str | None]
Texts: TypeAlias = Option[str | Sequence[str], tuple[str, ...]]
Wholes: TypeAlias = Option[int | Sequence[int], tuple[int, ...]]
Numbers: TypeAlias = Option[float | Sequence[float], tuple[float, ...]]
Paths: TypeAlias = Option[StrPath | Sequence[StrPath], tuple[str, ...]]


MOST = 10**8
"""Trials, resamples and the like at most."""


def whole(
    default: W, help: str, *, at_least: int = 0, at_most: int | None = None, most: int | None = MOST, **more: Any
) -> W:
    """A whole number within bounds."""
    return Option(Whole(at_least, at_most, most), default, help, **more)  # type: ignore[return-value]


def number(default: N, help: str, *, kind: Number | None = None, **more: Any) -> N:
    """A finite number within the bounds of its kind."""
    return Option(kind or Number(), default, help, **more)  # type: ignore[return-value]


def classes(help: str, **more: Any) -> Any:
    """The classes of labels as text; they become a scale when the data are read."""
    kind = Parsed(lambda _name, text: text, lambda _value: True, type_name="str | Sequence[object] | ClassScale")
    return Option(kind, None, help, metavar="CLASSES", where=OUTSIDE_YAML, **more)


def flag(default: B, help: str, **more: Any) -> B:
    """A truth value: `--name/--no-name`, or `off=` another flag."""
    return Option(Truth(), default, help, **more)  # type: ignore[return-value]


CLUSTER_FLAG = "--cluster"
"""The flag of a column of clusters, of items to score and of ratings."""


def text(default: S, help: str, **more: Any) -> S:
    """A text."""
    return Option(Text(), default, help, **more)  # type: ignore[return-value]


def cluster_column(help: str, default_text: str) -> str | None:
    """The column of clusters of an analysis with files of its own."""
    return text(None, help, flag=CLUSTER_FLAG, metavar="COLUMN", default_text=default_text)


def group_column(of: str) -> str | None:
    """The column of groups of an analysis with files of its own."""
    help = f"Column of groups of {of}, such as languages: each is analysed for itself, and compared with all others"
    return text(None, help, metavar="COLUMN", default_text="none")


def replicate_column(of: str) -> str | None:
    """The column of repeated runs, over which an analysis with files of its own averages."""
    help = f"Column of runs of {of}, which count as one"
    return text(None, help, flag="--replicate", metavar="COLUMN", default_text=None)


def human_names(help: str, default_text: str) -> Any:
    """The names of people, whose labels or verdicts are compared with those of judges."""
    return several(Text(), (), help, flag="--human", metavar="NAME", default_text=default_text)


def patterns(help: str, flag: str, **more: Any) -> Any:
    """Patterns of names, as in the shell."""
    return several(Text(), (), f"Pattern of {help}", flag=flag, metavar="PATTERN", default_text=None, **more)


def excluded_systems(**more: Any) -> Any:
    """Systems that are not evaluated."""
    return patterns("systems to leave out", "--exclude-system", **more)


def excluded_measures(**more: Any) -> Any:
    """Measures that are not evaluated."""
    return patterns("measures to leave out", "--exclude-measure", **more)


def choice(default: str | None, help: str, names: Sequence[str], *, what: str = "", **more: Any) -> Any:
    """One of several names; the type of the field is a `Literal`."""
    return Option(Choice(tuple(names), what=what), default, help, **more)


def path(default: str | None, help: str, **more: Any) -> Path:
    """A file; paths in a YAML file are relative to it."""
    return Option(FilePath(), default, help, **more)


def numbers_by_name(help: str, **more: Any) -> Any:
    """Numbers by name."""
    return Option(NumbersByName(), None, help, **more)


def new_labels(**more: Any) -> Any:
    """Labels that are replaced by others."""
    return Option(NamesByName(), None, "Labels that are replaced, as in Right=R", **more)


def several(
    item: Kind[Any],
    default: tuple[Any, ...],
    help: str,
    *,
    separated: bool = False,
    as_items: Callable[[object], object] = lambda value: value,
    **more: Any,
) -> Any:
    """Several values. separated: by commas in one word; otherwise the option is repeatable."""
    kind = Several(item, separated, as_items)
    return Option(kind, default, help, **{"metavar": item.metavar, **more})


def alpha(help: str = "Significance level of the tests", default: float = 0.05) -> float:
    """A significance level."""
    bounds = Number(above=0, below=1, expected="a level between 0 and 1, such as 0.05")
    return number(default, help, kind=bounds, metavar="P")


def by_name(items: Mapping[str, object]) -> tuple[str, ...]:
    """The texts of a mapping: `{"beta": [1, 2]}` is `beta=1,2`."""
    return tuple(f"{name}={','.join(map(str, as_tuple(values)))}" for name, values in items.items())
