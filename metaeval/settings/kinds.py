"""Kinds of values of options.

A kind reads a word of the command line (`from_text`), a value of YAML (`from_yaml`) and an object of Python (`check`),
and writes values for the signature and for help (`to_text`). `check` checks all values. `name` is the option in
messages, such as `--trials` or `trials`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from metaeval.digits import BITS, IN_DIGITS, LARGEST, finite, in_digits, number_of
from metaeval.errors import (
    InputError,
    UnknownName,
    bad_setting,
    invalid,
    leave_out,
    refuse,
    repeated,
    shortened,
    wrong_type,
)
from metaeval.names import names_text, split_names, unquoted

if TYPE_CHECKING:
    from metaeval.io.files.yaml import Located


T = TypeVar("T")

STANDARD_INPUT = "-"
_A_NUMBER = "a number"


@dataclass(frozen=True)
class FileContext:
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

    def words(self) -> Iterable[str]:
        """The values that a shell completes; none where there is no list of them."""
        return ()

    def from_text(self, name: str, text: str) -> T:
        """The value of a word of the command line."""
        return self.check(name, text)

    def from_yaml(self, name: str, node: Located, context: FileContext) -> T:
        """The value of a node of a YAML file."""
        return self.from_text(name, text_of(node))

    def to_text(self, value: T) -> str:
        """The text that users write."""
        return f"{value:g}" if isinstance(value, float) else str(value)

    def _refusal(self, name: str, value: object, *, expected: str = "", hint: str = "") -> InputError:
        return refuse(None, bad_setting(name, shortened(repr(value)), expected or self.noun, hint))

    def _scalar(self, name: str, node: Located, *, expected: str = "", number: bool = False) -> object:
        """A number or a text of YAML. number: whether a text, too, should be a number."""
        from metaeval.io.files import yaml

        hint = yaml.in_place_of(node) if number else ""
        if isinstance(node.value, (int, float, str)) and not isinstance(node.value, bool) and not hint:
            return node.value
        raise refuse(None, bad_setting(name, yaml.show(node), expected or self.noun, hint))


def text_of(node: Located) -> str:
    """The text of a node of a YAML file."""
    from metaeval.io.files import yaml

    return yaml.text(node)


def plain(value: object) -> object:
    """A scalar of numpy as one of Python, without importing numpy; other values are unchanged."""
    return value.item() if hasattr(value, "dtype") and hasattr(value, "item") and not value.shape else value  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Text(Kind[str]):
    """Any text. empty: whether it may be empty."""

    empty: bool = False

    def check(self, name: str, value: object) -> str:
        if not isinstance(value, str):
            raise self._refusal(name, value)
        if not value and not self.empty:
            raise refuse(None, bad_setting(name, "''", "a name", leave_out(f"{name} ''")))
        return value


class Truth(Kind[bool]):
    """True or false; on the command line `--name/--no-name`."""

    noun = "true or false"
    python = "bool"

    def check(self, name: str, value: object) -> bool:
        value = plain(value)
        if not isinstance(value, bool):
            raise self._refusal(name, value)
        return value

    def from_yaml(self, name: str, node: Located, context: FileContext) -> bool:
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
            raise self._refusal(name, value)
        return value

    def words(self) -> Iterable[str]:
        return self.names

    def from_yaml(self, name: str, node: Located, context: FileContext) -> str:
        self._scalar(name, node)
        return self.check(name, node.text)


class WordFlag(OneOf):
    """One word, or nothing; on the command line a flag without a value."""


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

    def words(self) -> Iterable[str]:
        from metaeval.measures import REGISTRY

        return REGISTRY

    def from_yaml(self, name: str, node: Located, context: FileContext) -> str:
        from metaeval.measures.spec import measure

        text = text_of(node)
        if context.table:
            return text
        if "=" in text and ":" not in text:
            hint = "quote names with commas in lists, as in ['rouge-n:n=2,stat=recall']"
            raise refuse(None, invalid("parameter", text, "a measure", " without its measure", hint))
        return str(measure(text).with_files(context.path))


class NumbersByName(Kind[Mapping[str, float]]):
    """Numbers by name: `a=.4,b=.6`, or a mapping."""

    metavar = "a=.4,b=.6"
    noun = "numbers by name"
    python = "Mapping[str, float]"

    def check(self, name: str, value: object) -> Mapping[str, float]:
        if isinstance(value, str):
            return self.from_text(name, value)
        if not isinstance(value, Mapping):
            raise self._refusal(name, value)
        return {label: self._number(name, label, plain(number)) for label, number in value.items()}

    @staticmethod
    def _number(name: str, label: object, number: object) -> float:
        if isinstance(number, bool) or not isinstance(number, Real) or not abs(number) <= LARGEST:  # type: ignore[operator]
            raise refuse(None, bad_setting(name, f"{number!r} for class '{label}'", "a number"))
        return number  # type: ignore[return-value]

    def from_text(self, name: str, text: str) -> Mapping[str, float]:
        """The numbers of a text.

        >>> NumbersByName().from_text("class_weights", "a=b=.4, c = .6")
        {'a=b': 0.4, 'c': 0.6}
        """
        numbers: dict[str, float] = {}
        for part in split_names(text):
            label, _, number = (piece.strip() for piece in part.rpartition("="))
            label, value = unquoted(label), finite(number)
            if not label or value is None:
                expected = "class=number, as in agree=.4,disagree=.6"
                raise refuse(None, invalid("number", part, expected, f" in {name} {text}"))
            if label in numbers:
                raise refuse(None, repeated("class", label, where=f" in {name}"))
            numbers[label] = value
        return numbers

    def from_yaml(self, name: str, node: Located, context: FileContext) -> Mapping[str, float]:
        """The numbers of a mapping, or of a text."""
        from metaeval.io.files import yaml

        if not isinstance(node.value, dict):
            return self.from_text(name.rpartition(".")[2], yaml.text(node))
        numbers = {}
        for label, number_node in node.value.items():
            number, hint = finite(number_node.text), yaml.in_place_of(number_node)
            if number is None or hint:
                problem = bad_setting(yaml.show(number_node), f"for class '{label}'", "a number", hint or IN_DIGITS)
                raise refuse(None, problem)
            numbers[label] = number
        return numbers

    def to_text(self, value: Mapping[str, float]) -> str:
        return names_text({name: Number().to_text(number) for name, number in value.items()})


class NamesByName(Kind[Mapping[str, str]]):
    """Names by name: `Left=L,Right=R`, or a mapping."""

    metavar = "OLD=NEW,…"
    noun = "names by name, as in Left=L,Right=R"
    python = "Mapping[str, str]"

    def check(self, name: str, value: object) -> Mapping[str, str]:
        if isinstance(value, str):
            return self.from_text(name, value)
        if not isinstance(value, Mapping):
            raise self._refusal(name, value)
        for pair in value.items():
            if not all(isinstance(part, str) and part for part in pair):
                raise self._refusal(name, dict([pair]))
        return dict(value)

    def from_text(self, name: str, text: str) -> Mapping[str, str]:
        """The names of a text.

        >>> NamesByName().from_text("map_labels", "Left=L,Right=R")
        {'Left': 'L', 'Right': 'R'}
        """
        names: dict[str, str] = {}
        for part in split_names(text):
            pair = list(map(unquoted, split_names(part, "=")))
            if len(pair) != 2 or not all(pair):
                hint = "write names that contain a comma or '=' in double quotes"
                raise refuse(None, invalid("name", part, self.noun, f" in {name} {text}", hint))
            if pair[0] in names:
                raise refuse(None, repeated("name", pair[0], where=f" in {name}"))
            names[pair[0]] = pair[1]
        return names

    def from_yaml(self, name: str, node: Located, context: FileContext) -> Mapping[str, str]:
        """The names of a mapping, or of a text."""
        if not isinstance(node.value, dict):
            return self.from_text(name.rpartition(".")[2], text_of(node))
        return self.check(name, {old: text_of(new) for old, new in node.value.items()})

    def to_text(self, value: Mapping[str, str]) -> str:
        return names_text(value)


@dataclass(frozen=True)
class Parsed(Kind[T]):
    """A value that is parsed by a function, such as a scale or a size of memory.

    parse: a function of the name of the option and the text. accepts: whether an object of Python needs no parsing.
    yaml: reads a value of YAML (default: its text). names: the values that a shell completes.
    """

    parse: Callable[[str, str], T]
    accepts: Callable[[object], bool] = lambda _: False
    yaml: Callable[[Located], T] | None = None
    metavar: str = "TEXT"
    type_name: str = "str"
    names: Callable[[], Iterable[str]] = tuple

    @property
    def python(self) -> str:
        return self.type_name

    def check(self, name: str, value: object) -> T:
        value = plain(value)
        if self.accepts(value):
            return value  # type: ignore[return-value]
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise self._refusal(name, value)
        return self.parse(name, str(value))

    def words(self) -> Iterable[str]:
        return self.names()

    def from_yaml(self, name: str, node: Located, context: FileContext) -> T:
        return self.yaml(node) if self.yaml is not None else super().from_yaml(name.rpartition(".")[2], node, context)


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
        return tuple(self.item.check(name, item) for item in as_tuple(self.as_items(value)))

    def from_text(self, name: str, text: str) -> tuple[T, ...]:
        """The values of a text with commas."""
        return tuple(self.item.from_text(name, part) for part in text.split(","))

    def from_yaml(self, name: str, node: Located, context: FileContext) -> tuple[T, ...]:
        """The values of a list, or a single value."""
        from metaeval.io.files import yaml

        return tuple(self.item.from_yaml(name, item, context) for item in yaml.items(node))

    def to_text(self, value: Sequence[T]) -> str:
        return ",".join(map(self.item.to_text, value))


def as_tuple(values: object) -> tuple[Any, ...]:
    """One or several values as a tuple; None is none. Raises `InputError` for a set, because it has no order."""
    if isinstance(values, (set, frozenset)):
        found = f"a set of {', '.join(sorted(map(repr, values)))}"
        raise refuse(None, wrong_type(found, "", "a list, because the order matters", "use [] in place of {}"))
    several: Any = values.tolist() if hasattr(values, "tolist") else values
    if several is None:
        return ()
    is_one = isinstance(several, (str, bytes, Mapping)) or not isinstance(several, Iterable)
    return (several,) if is_one else tuple(several)


USUAL_AN_HOUR = 50_000_000
"""Trials or permutations of a small study in an hour, for estimates before its data are read."""


@dataclass(frozen=True)
class Whole(Kind[int]):
    """A whole number within bounds. most: above which work would take hours or days."""

    at_least: int = 0
    at_most: int | None = None
    most: int | None = None
    metavar: str = "N"
    python = "int"

    @property
    def noun(self) -> str:
        if self.at_most is not None:
            return f"a whole number from {self.at_least} to {self.at_most}"
        return f"a whole number of at least {self.at_least}"

    def check(self, name: str, value: object) -> int:
        value = plain(value)
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise self._refusal(name, value, hint=IN_DIGITS)
        if int(value).bit_length() > BITS:
            raise refuse(None, bad_setting(name, "with more than 18 digits", self.noun, IN_DIGITS))
        if not self.at_least <= int(value) <= (self.at_most if self.at_most is not None else int(value)):
            raise self._refusal(name, value)
        if self.most is not None and int(value) > self.most:
            hours = int(value) / USUAL_AN_HOUR
            time = f"{hours:,.0f} hours" if hours < 48 else f"{hours / 24:,.0f} days"
            hint = f"they would take about {time} in a small study, and change no digit that is shown"
            raise refuse(None, bad_setting(name, str(value), f"at most {self.most:,}", hint))
        return int(value)

    def from_text(self, name: str, text: str) -> int:
        for number in (int, float):
            try:
                return self.check(name, number_of(text, number))
            except ValueError:
                continue
        raise self._refusal(name, text, hint=IN_DIGITS)

    def from_yaml(self, name: str, node: Located, context: FileContext) -> int:
        return self.check(name, self._scalar(name, node, number=True))


@dataclass(frozen=True)
class Number(Kind[float]):
    """A finite number within bounds. expected: the bounds in words. found: a form of the value in messages."""

    at_least: float = -math.inf
    at_most: float = math.inf
    above: float = -math.inf
    below: float = math.inf
    expected: str = ""
    hint: str = ""
    found: str = ""
    metavar: str = "X"
    python = "float"

    @property
    def noun(self) -> str:
        bounds = (
            ("of at least", self.at_least),
            ("above", self.above),
            ("at most", self.at_most),
            ("below", self.below),
        )
        text = " and ".join(f"{word} {bound:g}" for word, bound in bounds if math.isfinite(bound))
        return self.expected or f"a number {text}".rstrip()

    def check(self, name: str, value: object) -> float:
        value = plain(value)
        if isinstance(value, bool) or not isinstance(value, Real):
            raise self._refusal(name, value, expected=_A_NUMBER, hint=IN_DIGITS)
        number = math.inf if abs(value) > LARGEST else float(value)  # type: ignore[operator]
        if not (self.at_least <= number <= self.at_most and self.above < number < self.below):
            if self.found:
                raise refuse(None, self.found.format(f"{number:g}"), self.noun, self.hint)
            raise refuse(None, bad_setting(name, f"{number:g}", self.noun, self.hint))
        return number

    def from_text(self, name: str, text: str) -> float:
        try:
            number = in_digits(text, float)
        except ValueError:
            raise self._refusal(name, text, expected=_A_NUMBER, hint=IN_DIGITS) from None
        return self.check(name, number)

    def from_yaml(self, name: str, node: Located, context: FileContext) -> float:
        """A number; in YAML 1e-3 is a text."""
        value = self._scalar(name, node, expected=_A_NUMBER, number=True)
        return self.from_text(name, value) if isinstance(value, str) else self.check(name, value)


class FilePath(Kind[str]):
    """A file or folder; paths in a YAML file are relative to it."""

    metavar = "FILE"
    python = "str | PathLike"

    def check(self, name: str, value: object) -> str:
        if not isinstance(value, (str, bytes, os.PathLike)):
            raise self._refusal(name, value, expected="the path of a file")
        return os.fsdecode(value)

    def from_yaml(self, name: str, node: Located, context: FileContext) -> str:
        return context.path(text_of(node))


@dataclass(frozen=True)
class FileOrName(FilePath):
    """A file or a name. is_name: whether a word of a YAML file is a name."""

    is_name: Callable[[str, FileContext], bool] = lambda word, context: not context.exists(word)
    metavar: str = "FILE|NAME"

    def from_yaml(self, name: str, node: Located, context: FileContext) -> str:
        word = text_of(node)
        return word if self.is_name(word, context) else context.path(word)


@dataclass(frozen=True)
class OutputFile(FilePath):
    """An output file of a table; in Python, True stands for a table of the result. table: the value of True."""

    table: str = ""
    metavar: str = "FILE"

    def check(self, name: str, value: object) -> str:
        """The path; None for False."""
        if value is True or value == self.table:
            return self.table
        if value is False:
            return None  # type: ignore[return-value]
        path = super().check(name, value)
        if not path.endswith((".csv", ".tsv")):
            expected = "a file name that ends in .csv or .tsv"
            raise refuse(None, bad_setting(name, f"'{path}'", expected, "for example items.csv"))
        return path


class NamedFile(FilePath):
    """A file, or name=file."""

    metavar = "RUN"

    def from_yaml(self, name: str, node: Located, context: FileContext) -> str:
        word = text_of(node)
        label, equals, path = word.partition("=")
        return f"{label}={context.path(path)}" if equals and not context.exists(word) else context.path(word)


class PluginFile(FilePath):
    """A Python file of measures, which is loaded at once: names of measures are read after it."""

    metavar = "FILE.py"

    def check(self, name: str, value: object) -> str:
        from metaeval.measures.plugins import load_plugin

        path = super().check(name, value)
        load_plugin(path)
        return path

    def from_yaml(self, name: str, node: Located, context: FileContext) -> str:
        return self.check(name, super().from_yaml(name, node, context))
