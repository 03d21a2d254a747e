"""Kinds of values of options.

A kind reads a word of the command line (`from_text`), a value of YAML (`from_yaml`) and an object of Python (`check`),
and writes values for the signature and for help (`to_text`). `check` checks all values. `name` is the option in
messages, such as `--trials` or `trials`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from metaeval.digits import IN_DIGITS, LARGEST, finite
from metaeval.errors import InputError, UnknownName, shortened

if TYPE_CHECKING:
    from metaeval.io.files.yaml_text import Located

T = TypeVar("T")

STANDARD_INPUT = "-"


@dataclass(frozen=True)
class Place:
    """The folder to which the paths of a YAML file are relative. table: whether the task of the file is `table`."""

    folder: str = ""
    table: bool = False

    def path(self, path: str) -> str:
        """The path relative to the working directory."""
        return path if path == STANDARD_INPUT else os.path.normpath(os.path.join(self.folder, path))  # noqa: PTH118

    def exists(self, path: str) -> bool:
        """Whether a file exists; False for a path that is too long."""
        return os.path.exists(os.path.join(self.folder, path))  # noqa: PTH110, PTH118


class Kind(Generic[T]):
    """A kind of values."""

    metavar = "TEXT"

    @property
    def noun(self) -> str:
        """What messages expect."""
        return "a text"

    @property
    def python(self) -> str:
        """The type in the reference of the Python API."""
        return "str"

    def check(self, name: str, value: object) -> T:
        """The canonical form of a value; raises `InputError` or `UnknownName` if it is invalid."""
        raise NotImplementedError

    def from_text(self, name: str, text: str) -> T:
        """The value of a word of the command line."""
        return self.check(name, text)

    def from_yaml(self, name: str, node: Located, place: Place) -> T:
        """The value of a node of a YAML file."""
        return self.from_text(name, text_of(node))

    def to_text(self, value: T) -> str:
        """The text that users write."""
        return f"{value:g}" if isinstance(value, float) else str(value)

    def _refused(self, name: str, value: object, *, expected: str = "", hint: str = "") -> InputError:
        return InputError.at(found=f"{name} {shortened(repr(value))}", expected=expected or self.noun, hint=hint)

    def _scalar(self, name: str, node: Located, *, expected: str = "", number: bool = False) -> object:
        """A number or a text of YAML. number: whether a text, too, should be a number."""
        from metaeval.io.files import yaml_values

        hint = yaml_values.in_place_of(node) if number else ""
        if isinstance(node.value, (int, float, str)) and not isinstance(node.value, bool) and not hint:
            return node.value
        raise InputError.at(found=f"{name} {yaml_values.shown(node)}", expected=expected or self.noun, hint=hint)


def text_of(node: Located) -> str:
    """The text of a node of a YAML file."""
    from metaeval.io.files import yaml_values

    return yaml_values.text(node)


def plain(value: object) -> object:
    """A scalar of numpy as one of Python, without importing numpy; other values are unchanged."""
    return value.item() if hasattr(value, "dtype") and hasattr(value, "item") and not value.shape else value  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Text(Kind[str]):
    """Any text. empty: whether it may be empty."""

    empty: bool = False

    def check(self, name: str, value: object) -> str:
        if not isinstance(value, str):
            raise self._refused(name, value)
        if not value and not self.empty:
            raise InputError.at(found=f"{name} with an empty name", expected="a name", hint=f"leave out {name} ''")
        return value


class Truth(Kind[bool]):
    """True or false; on the command line `--name/--no-name`."""

    noun = "true or false"
    python = "bool"

    def check(self, name: str, value: object) -> bool:
        value = plain(value)
        if not isinstance(value, bool):
            raise self._refused(name, value)
        return value

    def from_yaml(self, name: str, node: Located, place: Place) -> bool:
        return self.check(name, node.value if isinstance(node.value, bool) else self._scalar(name, node))

    def to_text(self, value: bool) -> str:
        return "yes" if value else "no"


@dataclass(frozen=True)
class OneOf(Kind[str]):
    """One of a few words. Without a metavar the help of the command line lists them."""

    names: tuple[str, ...]
    metavar: str = ""

    @property
    def noun(self) -> str:
        return f"one of {', '.join(self.names)}"

    @property
    def python(self) -> str:
        return f"Literal[{', '.join(map(repr, self.names))}]"

    def check(self, name: str, value: object) -> str:
        if not isinstance(value, str) or value not in self.names:
            raise self._refused(name, value)
        return value

    def from_yaml(self, name: str, node: Located, place: Place) -> str:
        self._scalar(name, node)
        return self.check(name, node.text)


@dataclass(frozen=True)
class Choice(OneOf):
    """One of several names; for others an `UnknownName` suggests a similar one. what: what the names stand for."""

    metavar: str = "NAME"
    what: str = ""

    def check(self, name: str, value: object) -> str:
        if isinstance(value, str) and value not in self.names:
            raise UnknownName(self.what or name.removeprefix("--"), value, self.names)
        return super().check(name, value)

    from_yaml = Kind.from_yaml


class MeasureName(Kind[str]):
    """The name of a measure; files in it are relative to the YAML file. Measures of a table have any name."""

    metavar = "NAME"

    def check(self, name: str, value: object) -> str:
        return str(value)

    def from_yaml(self, name: str, node: Located, place: Place) -> str:
        from metaeval.measures.spec import measure

        text = text_of(node)
        if place.table:
            return text
        if "=" in text and ":" not in text:
            raise InputError.at(
                found=f"'{text}', a parameter without its measure",
                expected="a measure",
                hint="quote names with commas in lists, as in ['rouge-n:n=2,stat=recall']",
            )
        return str(measure(text).with_files(place.path))


class NumbersByName(Kind[Mapping[str, float]]):
    """Numbers by name: `a=.4,b=.6`, or a mapping."""

    metavar = "a=.4,b=.6"
    noun = "numbers by name"
    python = "Mapping[str, float]"

    def check(self, name: str, value: object) -> Mapping[str, float]:
        if isinstance(value, str):
            return self.from_text(name, value)
        if not isinstance(value, Mapping):
            raise self._refused(name, value)
        return {label: self._number(name, label, plain(number)) for label, number in value.items()}

    @staticmethod
    def _number(name: str, label: object, number: object) -> float:
        if isinstance(number, bool) or not isinstance(number, Real) or not abs(number) <= LARGEST:  # type: ignore[operator]
            raise InputError.at(found=f"{name} {number!r} for class '{label}'", expected="a number")
        return number  # type: ignore[return-value]

    def from_text(self, name: str, text: str) -> Mapping[str, float]:
        """The numbers of a text.

        >>> NumbersByName().from_text("class_weights", "a=.4,b=.6")
        {'a': 0.4, 'b': 0.6}
        """
        numbers: dict[str, float] = {}
        for part in text.split(","):
            label, _, number = (piece.strip() for piece in part.rpartition("="))
            value = finite(number)
            if not label or value is None:
                found = f"'{part}' in {name} {text}"
                raise InputError.at(found=found, expected="class=number, as in agree=.4,disagree=.6")
            if label in numbers:
                raise InputError.at(found=f"class '{label}' twice in {name}", expected="every class once")
            numbers[label] = value
        return numbers

    def from_yaml(self, name: str, node: Located, place: Place) -> Mapping[str, float]:
        """The numbers of a mapping, or of a text."""
        from metaeval.io.files import yaml_values

        if not isinstance(node.value, dict):
            return self.from_text(name.rpartition(".")[2], yaml_values.text(node))
        numbers = {}
        for label, each in node.value.items():
            number, hint = finite(each.text), yaml_values.in_place_of(each)
            if number is None or hint:
                found = f"{yaml_values.shown(each)} for class '{label}'"
                raise InputError.at(found=found, expected="a number", hint=hint or IN_DIGITS)
            numbers[label] = number
        return numbers

    def to_text(self, value: Mapping[str, float]) -> str:
        return ",".join(
            f"{name}={number:g}" if isinstance(number, float) else f"{name}={number}" for name, number in value.items()
        )


@dataclass(frozen=True)
class Parsed(Kind[T]):
    """A value that is parsed by a function, such as a scale or a size of memory.

    parse: a function of the name of the option and the text. accepts: whether an object of Python needs no parsing.
    yaml: reads a value of YAML (default: its text).
    """

    parse: Callable[[str, str], T]
    accepts: Callable[[object], bool] = lambda _: False
    yaml: Callable[[Located], T] | None = None
    metavar: str = "TEXT"
    type_name: str = "str"

    @property
    def python(self) -> str:
        return self.type_name

    def check(self, name: str, value: object) -> T:
        value = plain(value)
        if self.accepts(value):
            return value  # type: ignore[return-value]
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise self._refused(name, value)
        return self.parse(name, str(value))

    def from_yaml(self, name: str, node: Located, place: Place) -> T:
        return self.yaml(node) if self.yaml is not None else super().from_yaml(name.rpartition(".")[2], node, place)


@dataclass(frozen=True)
class Several(Kind[tuple[T, ...]]):
    """Several values of a kind.

    item: the kind of each value. separated: whether the command line takes one word with commas, such as `5,5,4`;
    otherwise the option is repeatable. as_items: converts other objects of Python, such as a mapping for a grid.
    """

    item: Kind[T]
    separated: bool = False
    as_items: Callable[[object], object] = lambda value: value
    metavar: str = field(init=False, default="")

    @property
    def python(self) -> str:
        return f"{self.item.python} | Sequence[{self.item.python}]"

    def check(self, name: str, value: object) -> tuple[T, ...]:
        return tuple(self.item.check(name, each) for each in as_tuple(self.as_items(value)))

    def from_text(self, name: str, text: str) -> tuple[T, ...]:
        """The values of a text with commas."""
        return tuple(self.item.from_text(name, part) for part in text.split(","))

    def from_yaml(self, name: str, node: Located, place: Place) -> tuple[T, ...]:
        """The values of a list, or a single value."""
        from metaeval.io.files import yaml_values

        return tuple(self.item.from_yaml(name, each, place) for each in yaml_values.items(node))

    def to_text(self, value: Sequence[T]) -> str:
        return ",".join(map(self.item.to_text, value))


def as_tuple(values: object) -> tuple[Any, ...]:
    """One or several values as a tuple; None is none. Raises `InputError` for a set, because it has no order."""
    if isinstance(values, (set, frozenset)):
        raise InputError.at(
            found=f"a set of {', '.join(sorted(map(repr, values)))}",
            expected="a list, because the order matters",
            hint="use [] in place of {}",
        )
    several: Any = values.tolist() if hasattr(values, "tolist") else values
    if several is None:
        return ()
    is_one = isinstance(several, (str, bytes, Mapping)) or not isinstance(several, Iterable)
    return (several,) if is_one else tuple(several)
