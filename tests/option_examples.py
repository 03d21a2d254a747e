"""Valid and invalid values for every kind of option: as written in a shell, YAML and Python.

A new kind needs an entry in `EXAMPLES` and in `REFUSED`, and a new parsed option one in `PARSED`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metaeval.settings import (
    Choice,
    FileOrName,
    FilePath,
    Kind,
    NamedFile,
    Number,
    NumbersByName,
    Option,
    Parsed,
    PluginFile,
    Several,
    Text,
    Truth,
    Whole,
)
from metaeval.settings.kinds import MeasureName, NamesByName, OneOf, OutputFile, WordFlag

PLUGIN = str(Path(__file__).resolve().parents[1] / "docs/examples/my_measures.py")
"""A file with measures, by an absolute path."""


@dataclass(frozen=True)
class Form:
    """A value as it is written. word: in a shell, None where a shell cannot express it."""

    word: str | None
    yaml: str
    python: object


@dataclass(frozen=True)
class Ways:
    """An option in three notations. words: after the flag, or the flag itself (`flags`), if a shell can express it."""

    words: tuple[str, ...] | None
    yaml: str
    python: object
    flags: bool = False


def number(value: float) -> Form:
    """A number, written in the same way everywhere."""
    return Form(repr(value), repr(value), value)


def text(value: str) -> Form:
    """A text, in YAML in quotes."""
    return Form(value, f"'{value}'", value)


ODD_DIGITS = tuple(map(text, ("\u0661", "\uff15", "0.0\u0661")))
"""What Python reads as numbers, and a person may not."""


def within(kind: Number) -> float:
    """A number within the bounds of a kind."""
    low = max(bound for bound in (kind.at_least, kind.above, -1e3) if not math.isnan(bound))
    high = min(kind.at_most, kind.below, low + 1)
    return (low + high) / 2


def beyond(kind: Number) -> Iterator[float]:
    """Numbers that are just out of bounds."""
    for bound, direction in ((kind.at_least, -0.5), (kind.at_most, 0.5), (kind.above, 0.0), (kind.below, 0.0)):
        if math.isfinite(bound):
            yield bound + direction


PARSED: Mapping[str, tuple[list[Form], list[Form]]] = {
    "task": ([text("texts")], [text("textts"), text("")]),
    "labels": ([text("low<mid<high"), text("a,b")], [text("a"), text("a<b<a")]),
    "on_missing": ([text("drop"), text("label:other")], [text("dorp"), text("label:")]),
    "on_unknown": ([text("worst")], [text("wrst")]),
    "encoding": ([text("latin-1"), text("utf-16")], [text("latin1000"), text("rot13")]),
    "tokenizer": ([text("characters")], [text("rogue")]),
    "preset": ([text("nominal")], [text("nominol")]),
    "format": ([text("csv")], [text("jsn")]),
    "scheduler": ([text("local"), text("tcp://node7:8786")], [text("node7")]),
    "memory": (
        [text("64MB"), Form("67108864", "67108864", 64 << 20)],
        [text("64 potatoes"), text("1KB"), number(5), number(2.5)],
    ),
}
"""Of the options that a function reads: values, and values that are refused."""

EXAMPLES: Mapping[type[Kind[Any]], Callable[[Any, str], list[Form]]] = {
    Text: lambda kind, name: [text("word"), text("two words, and a comma"), text("ü")],
    Truth: lambda kind, name: [Form(None, "true", True), Form(None, "false", False)],
    Whole: lambda kind, name: [number(kind.at_least + 3), number(kind.at_least)],
    Number: lambda kind, name: [number(within(kind))],
    Choice: lambda kind, name: [text(word) for word in kind.names],
    OneOf: lambda kind, name: [text(word) for word in kind.names],
    WordFlag: lambda kind, name: [text(word) for word in kind.names],
    FilePath: lambda kind, name: [text("folder/file.csv")],
    FileOrName: lambda kind, name: [text("somebody")],
    OutputFile: lambda kind, name: [text("file.csv")],
    NamedFile: lambda kind, name: [text("file.csv"), text("mine=file.csv")],
    PluginFile: lambda kind, name: [text(PLUGIN)],
    MeasureName: lambda kind, name: [text("accuracy"), text("f-beta:beta=2")],
    NumbersByName: lambda kind, name: [Form("a=0.4,b=1", "{a: 0.4, b: 1}", {"a": 0.4, "b": 1}), text("a=0.5")],
    NamesByName: lambda kind, name: [
        Form("a=b,c=b", "{a: b, c: b}", {"a": "b", "c": "b"}),
        Form('"x, y"="1=1"', """'"x, y"="1=1"'""", {"x, y": "1=1"}),
        text("a=b"),
    ],
    Parsed: lambda kind, name: PARSED[name][0],
}
"""Values by the kind of the option."""

REFUSED: Mapping[type[Kind[Any]], Callable[[Any, str], list[Form]]] = {
    Text: lambda kind, name: [],
    Truth: lambda kind, name: [Form(None, "maybe", "maybe"), Form(None, "1", 1)],
    Whole: lambda kind, name: [
        *(number(kind.at_least - 1), number(kind.at_least + 0.5), text("many"), text(""), text("12 items")),
        *ODD_DIGITS,
        *([number(kind.at_most + 1)] if kind.at_most is not None else []),
    ],
    Number: lambda kind, name: [
        *map(number, beyond(kind)),
        Form("nan", ".nan", math.nan),
        text("much"),
        text(""),
        *ODD_DIGITS,
    ],
    Choice: lambda kind, name: [text(f"{kind.names[0]}x"), text("entirely else"), text("")],
    OneOf: lambda kind, name: [text(f"{kind.names[0]}x"), text("")],
    WordFlag: lambda kind, name: [Form(None, f"{kind.names[0]}x", f"{kind.names[0]}x")],
    FilePath: lambda kind, name: [],
    FileOrName: lambda kind, name: [],
    OutputFile: lambda kind, name: [],
    NamedFile: lambda kind, name: [],
    PluginFile: lambda kind, name: [text("absent.py")],
    MeasureName: lambda kind, name: [],  # the known measures depend on the data
    NumbersByName: lambda kind, name: [text("heavy"), text("a=x"), text("a=1,a=2"), text("a=nan")],
    NamesByName: lambda kind, name: [text("a"), text("a="), text("a=b,a=c"), text("a=b=c")],
    Parsed: lambda kind, name: PARSED[name][1],
}
"""Values that are refused, by the kind of the option."""


def values(option: Option[Any, Any]) -> list[Ways]:
    """An option in three notations, with valid values."""
    return _ways(option, EXAMPLES)


def wrong_values(option: Option[Any, Any]) -> list[Ways]:
    """An option in three notations, with invalid values."""
    return _ways(option, REFUSED)


def _ways(option: Option[Any, Any], examples: Mapping[type[Kind[Any]], Callable[[Any, str], list[Form]]]) -> list[Ways]:
    kind = option.kind
    if isinstance(kind, Truth):
        flags = {True: option.flag, False: option.off or f"--no-{option.flag[2:]}"}
        return [
            Ways((flags[form.python],) if isinstance(form.python, bool) else None, form.yaml, form.python, flags=True)
            for form in examples[Truth](kind, option.name)
        ]
    if isinstance(kind, WordFlag):
        every = examples[WordFlag](kind, option.name)
        return [Ways((option.flag,) if form.word else None, form.yaml, form.python, flags=True) for form in every]
    if not isinstance(kind, Several):
        return [_one(form) for form in examples[type(kind)](kind, option.name)]
    item = examples[type(kind.item)](kind.item, option.name)
    right = EXAMPLES[type(kind.item)](kind.item, option.name)[0]
    several = [[form] for form in item] + [[right, form] for form in item]
    return [_list(forms, separated=kind.separated) for forms in several]


def _one(form: Form) -> Ways:
    return Ways(None if form.word is None else (form.word,), form.yaml, form.python)


def _list(forms: list[Form], *, separated: bool) -> Ways:
    words = [form.word for form in forms if form.word is not None]
    arguments = (",".join(words),) if separated else tuple(words)
    return Ways(arguments, f"[{', '.join(form.yaml for form in forms)}]", [form.python for form in forms])
