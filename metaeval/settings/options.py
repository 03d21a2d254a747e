"""An option, declared as a field of `Settings`: a descriptor that converts and checks whatever it is given.

A descriptor-typed field of a dataclass has two types: that of `__set__` is what the constructor takes (and so what the
Python function takes), that of `__get__` is what the analysis reads. `strata: ManyWholes = several(...)` takes a number
or numbers, and is a tuple. Type checkers know both from the declaration alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar, overload

from metaeval.settings.kinds import Choice, Kind, NumbersByName, Several, Text, Truth, as_tuple
from metaeval.settings.numbers import Number, Whole
from metaeval.settings.paths import FilePath

Given = TypeVar("Given")
Kept = TypeVar("Kept")
W = TypeVar("W", int, None)
N = TypeVar("N", float, None)
B = TypeVar("B", bool, None)
S = TypeVar("S", str, None)

COMMAND_LINE, YAML, PYTHON = "command line", "YAML", "Python"
EVERYWHERE = frozenset({COMMAND_LINE, YAML, PYTHON})


class Lazy:
    """A default that is made when it is asked for, because it takes imports."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


class Option(Generic[Given, Kept]):
    """One option: its kind, its default, its words.

    default_text: what help says of a default that depends on the data ('thirds'), or '' for the default itself;
    None for no word of it. flag: on the command line, where it is not the field's name. off: the flag for False.
    where: it can be said. signed: whether it belongs to the signature (what decides on comparable numbers). auto: what
    the signature says where nothing is said ('' for nothing).
    """

    name = ""

    def __init__(
        self,
        kind: Kind[Any],
        default: Kept | Lazy,
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
    def __get__(self, instance: None, owner: type) -> Kept: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Kept: ...
    def __get__(self, instance: object | None, owner: type) -> Kept:
        # Without an instance it is asked for by `dataclasses`: the default.
        kept: Any = self.default if instance is None else instance.__dict__[self.name]
        return kept.make() if instance is not None and isinstance(kept, Lazy) else kept  # type: ignore[no-any-return]

    def __set__(self, instance: object, value: Given) -> None:
        # None stands for a default that the data decide on; to an option with another default it is as if not said.
        said = value is not None and value is not self.default
        instance.__dict__[self.name] = self.check(value) if said else self.default

    def check(self, value: object) -> Kept:
        """A value in its canonical form."""
        found: Kept = self.kind.check(self.name, value)
        return found

    @property
    def key(self) -> str:
        """In YAML and in the signature."""
        return self.name.replace("_", "-")

    @property
    def flag(self) -> str:
        """On the command line."""
        return self._flag or f"--{self.key}"

    @property
    def about(self) -> str:
        """The help text, with the default."""
        if self.default_text is None or (not self.default_text and self.default in (None, (), False)):
            return f"{self.help}."
        repeatable = "; repeatable" if self.kind.several and not getattr(self.kind, "separated", False) else ""
        return f"{self.help}{repeatable} (default: {self.default_text or self.kind.to_text(self.default)})."


StrPath: TypeAlias = str | os.PathLike[str]
Path: TypeAlias = Option[StrPath | None, str | None]
Texts: TypeAlias = Option[str | Sequence[str], tuple[str, ...]]
Wholes: TypeAlias = Option[int | Sequence[int], tuple[int, ...]]
Numbers: TypeAlias = Option[float | Sequence[float], tuple[float, ...]]
Paths: TypeAlias = Option[StrPath | Sequence[StrPath], tuple[str, ...]]


def whole(default: W, help: str, *, at_least: int = 0, at_most: int | None = None, **more: Any) -> W:
    """An option of a whole number: `at_least` and `at_most` bound it."""
    return Option(Whole(at_least, at_most), default, help, **more)  # type: ignore[return-value]


def number(default: N, help: str, *, kind: Number | None = None, **more: Any) -> N:
    """An option of a finite number, within the bounds of its kind."""
    return Option(kind or Number(), default, help, **more)  # type: ignore[return-value]


def flag(default: B, help: str, **more: Any) -> B:
    """A truth value: `--name/--no-name`, or `off=` another flag."""
    return Option(Truth(), default, help, **more)  # type: ignore[return-value]


def text(default: S, help: str, **more: Any) -> S:
    """A text."""
    return Option(Text(), default, help, **more)  # type: ignore[return-value]


def choice(default: str | None, help: str, names: Sequence[str], *, what: str = "", **more: Any) -> Any:
    """One of a few names; the field's type is a `Literal` of them."""
    return Option(Choice(tuple(names), what), default, help, **more)


def path(default: str | None, help: str, **more: Any) -> Path:
    """A file; relative to the YAML file that names it."""
    return Option(FilePath(), default, help, **more)


def numbers_by_name(help: str, **more: Any) -> Any:
    """Numbers by name."""
    return Option(NumbersByName(), None, help, **more)


def several(
    item: Kind[Any], default: tuple[Any, ...], help: str, *, separated: bool = False,
    as_items: Callable[[object], object] = lambda value: value, **more: Any,
) -> Any:  # fmt: skip
    """Several values: `separated` by commas in one word, or the option is repeatable."""
    kind = Several(item, separated, as_items)
    return Option(kind, default, help, **{"metavar": item.metavar, **more})


def alpha(help: str = "Significance level of the tests", default: float = 0.05) -> float:
    """The level of a test, which several analyses have."""
    bounds = Number(above=0, below=1, expected="a level between 0 and 1, as 0.05")
    return number(default, help, kind=bounds, metavar="P")


def by_name(items: Mapping[str, object]) -> tuple[str, ...]:
    """A grid given as a mapping, as on the command line: `{"beta": [1, 2]}` is `beta=1,2`."""
    return tuple(f"{name}={','.join(map(str, as_tuple(values)))}" for name, values in items.items())
