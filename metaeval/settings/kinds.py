"""Kinds of values of options: how each is read from the command line, from YAML and from Python, and shown.

A kind knows three ways in (`from_text`: one word of the command line; `from_yaml`: a located value; `check`: an object
of Python) and one way out (`to_text`, for the signature and for help). All of them end in `check`, so that a bound is
stated once. `name` is what messages call the option: `--trials`, `trials`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from metaeval.errors import InputError, UnknownName

if TYPE_CHECKING:
    from metaeval.io.files.yaml_text import Located

T = TypeVar("T")

STANDARD_INPUT = "-"


@dataclass(frozen=True)
class Place:
    """The folder of a YAML file, which its paths are relative to.

    table: whether data of its task have named columns.
    """

    folder: str = ""
    table: bool = False

    def path(self, path: str) -> str:
        """A path of the file as seen from the working directory."""
        return path if path == STANDARD_INPUT else os.path.normpath(os.path.join(self.folder, path))  # noqa: PTH118

    def exists(self, path: str) -> bool:
        """Whether there is such a file; no error for a path that is too long."""
        return os.path.exists(os.path.join(self.folder, path))  # noqa: PTH110, PTH118


class Kind(Generic[T]):
    """A kind of values; subclasses say what differs."""

    metavar = "TEXT"
    several = False
    """Whether an option of this kind takes a list."""

    @property
    def noun(self) -> str:
        """What a message expects."""
        return "a text"

    @property
    def python(self) -> str:
        """Its type, for the reference of the Python API."""
        return "str"

    def check(self, name: str, value: object) -> T:
        """A value of Python in its canonical form; an `InputError` or `UnknownName` where it does not fit."""
        raise NotImplementedError

    def from_text(self, name: str, text: str) -> T:
        """A word of the command line."""
        return self.check(name, text)

    def from_yaml(self, name: str, node: Located, place: Place) -> T:
        """A value of a YAML file; by default its text."""
        from metaeval.io.files import yaml_values

        return self.from_text(name, yaml_values.text(node))

    def to_text(self, value: T) -> str:
        """As users write it."""
        return f"{value:g}" if isinstance(value, float) else str(value)

    def _refused(self, name: str, value: object, *, expected: str = "") -> InputError:
        return InputError.at(found=f"{name} {value!r}", expected=expected or self.noun)

    def _scalar(self, name: str, node: Located, *, expected: str = "") -> object:
        """A number or a text of YAML; an `InputError` for anything else."""
        from metaeval.io.files import yaml_values

        if isinstance(node.value, (int, float, str)) and not isinstance(node.value, bool):
            return node.value
        raise InputError.at(found=f"{name} {yaml_values.shown(node)}", expected=expected or self.noun)


def plain(value: object) -> object:
    """A scalar of numpy as Python's, without importing numpy; everything else as it is."""
    return value.item() if hasattr(value, "dtype") and hasattr(value, "item") and not value.shape else value  # type: ignore[attr-defined]


class Text(Kind[str]):
    """Any text."""

    def check(self, name: str, value: object) -> str:
        if not isinstance(value, str):
            raise self._refused(name, value)
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
class Choice(Kind[str]):
    """One of a few names; another is an `UnknownName`, which suggests the nearest. what: it is a name of."""

    names: tuple[str, ...]
    what: str = ""
    metavar: str = "NAME"

    @property
    def noun(self) -> str:
        return f"one of {', '.join(self.names)}"

    @property
    def python(self) -> str:
        return f"Literal[{', '.join(map(repr, self.names))}]"

    def check(self, name: str, value: object) -> str:
        if not isinstance(value, str):
            raise self._refused(name, value)
        if value not in self.names:
            raise UnknownName(self.what or name.removeprefix("--"), value, self.names)
        return value


@dataclass(frozen=True)
class OneOf(Kind[str]):
    """One of a few words, which a message spells out; without a metavar the command line shows them."""

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


class MeasureName(Kind[str]):
    """The name of a measure; files in it are relative to the YAML file, and a column of a table has any name."""

    metavar = "NAME"

    def check(self, name: str, value: object) -> str:
        return str(value)

    def from_yaml(self, name: str, node: Located, place: Place) -> str:
        from metaeval.io.files import yaml_values
        from metaeval.measures.spec import measure

        text = yaml_values.text(node)
        if place.table:
            return text
        if "=" in text and ":" not in text:
            raise InputError.at(
                found=f"'{text}', a parameter without its measure",
                expected="a measure",
                hint="in a list in brackets put a name with commas in quotes, as ['rouge-n:n=2,stat=recall']",
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
        if isinstance(number, bool) or not isinstance(number, Real) or not math.isfinite(float(number)):
            raise InputError.at(found=f"{name} {number!r} for class '{label}'", expected="a number")
        return number  # type: ignore[return-value]

    def from_text(self, name: str, text: str) -> Mapping[str, float]:
        from metaeval.io.files.yaml_values import parse_class_numbers

        return parse_class_numbers(text, option=name)

    def from_yaml(self, name: str, node: Located, place: Place) -> Mapping[str, float]:
        from metaeval.io.files import yaml_values

        return yaml_values.class_numbers(node, name.rpartition(".")[2])

    def to_text(self, value: Mapping[str, float]) -> str:
        return ",".join(f"{name}={number:g}" if isinstance(number, float) else f"{name}={number}"
                        for name, number in value.items())  # fmt: skip


@dataclass(frozen=True)
class Parsed(Kind[T]):
    """Whatever a function makes of a text: a scale, a policy, a size of memory.

    parse: is told the name of the option and the text. accepts: whether an object of Python is one already.
    yaml: reads a YAML value, where that is more than its text.
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

    separated: on the command line one word with commas, as `5,5,4`; else the option is repeatable, because its values
    may hold commas. item: the kind of each. as_items: further shapes of
    Python, as a mapping for a grid.
    """

    item: Kind[T]
    separated: bool = False
    as_items: Callable[[object], object] = lambda value: value
    several = True
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
        """The values of a list; a single value is a list of one."""
        from metaeval.io.files import yaml_values

        return tuple(self.item.from_yaml(name, each, place) for each in yaml_values.items(node))

    def to_text(self, value: Sequence[T]) -> str:
        return ",".join(map(self.item.to_text, value))


def as_tuple(given: object) -> tuple[Any, ...]:
    """One or several, as several; a text is one, and None is nothing. A set is an `InputError`: it has no order."""
    if isinstance(given, (set, frozenset)):
        raise InputError.at(
            found=f"a set of {', '.join(sorted(map(repr, given)))}",
            expected="a list, because the order is shown and may mean something",
            hint="write [] in place of {}, in the order that is meant",
        )
    several: Any = given.tolist() if hasattr(given, "tolist") else given
    if several is None:
        return ()
    is_one = isinstance(several, (str, bytes, Mapping)) or not isinstance(several, Iterable)
    return (several,) if is_one else tuple(several)
