"""YAML with line numbers in messages; duplicate keys are errors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

from metaeval.digits import BITS, IN_DIGITS
from metaeval.errors import Problem, empty, raise_any, refuse, repeated, shortened, unreadable, wrong_type
from metaeval.model.scale import ClassScale

MAX_VALUES = 100_000
"""Maximum number of values of a document, counting aliases: a few lines of them can expand to billions."""

MAX_DEPTH = 50
"""Maximum number of nested lists and keys."""

_TEXT_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("timestamp", "merge", "value"))


@dataclass(frozen=True)
class Located:
    """A YAML value and its line.

    value: a text, number, truth value or None, a list of `Located`, or a dict from key to `Located`.
    line: of its key if it has one. text: a scalar as written, so that 010, 1.0 and yes can be names.
    """

    value: Any
    line: int
    text: str = ""


OLD_NUMBER = re.compile(r"[-+]?(0[0-9_]+|[0-9_.]+(:[0-9_.]+)+|[0-9.][0-9a-fA-Fx.+-]*(_[0-9a-fA-Fx.+-]*)+)")
"""Numbers that YAML 1.1 reads otherwise than people: octal, sexagesimal, and with underscores."""


class _Loader(yaml.SafeLoader):
    """Loads plain values with at most `MAX_DEPTH` levels, because time is quadratic in the depth."""

    def fetch_flow_collection_start(self, TokenClass: type[yaml.Token]) -> None:  # noqa: N803 (PyYAML's name)
        """Handle a bracket or brace."""
        self._check_depth(self.flow_level)
        super().fetch_flow_collection_start(TokenClass)

    def add_indent(self, column: int) -> bool:
        """Handle a block with more indentation."""
        self._check_depth(len(self.indents))
        return super().add_indent(column)

    def _check_depth(self, depth: int) -> None:
        if depth >= MAX_DEPTH:
            raise RecursionError


class _Locator:
    """Turns nodes into `Located` values and counts them; collects the problems of keys."""

    def __init__(self, loader: yaml.SafeLoader, path: str) -> None:
        self.loader = loader
        self.path = path
        self.problems: list[Problem] = []
        self.values = 0

    def locate(self, node: yaml.Node, line: int) -> Located:
        """The value of a node; line: of its key if it has one."""
        self.values += 1
        if self.values > MAX_VALUES:
            hint = "aliases (*name) repeat the values that they name: write out only the values that are needed"
            raise refuse((self.path, line), unreadable("YAML", f"more than {MAX_VALUES:,} values", hint))
        if isinstance(node, yaml.MappingNode):
            return Located(self._members(node), line)
        if isinstance(node, yaml.SequenceNode):
            return Located([self.locate(item, item.start_mark.line + 1) for item in node.value], line)
        return Located(_plain_value(self.loader, node), line, node.value)

    def _members(self, node: yaml.MappingNode) -> dict[str, Located]:
        members: dict[str, Located] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else ""
            if not key:
                self.problems.append(wrong_type("a key that is not a word", "", "words as keys").at(self.path, line))
            elif key in members:
                self.problems.append(repeated("key", key, hint="").at(self.path, line))
            members[key] = self.locate(value_node, line)
        return members


def parse_yaml(text: str, path: str) -> Located:
    """The document of a YAML text; broken YAML and duplicate keys are `InputError`s with their lines."""
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            raise refuse(path, empty("YAML value", "keys such as 'data:' and 'score:'"))
        locator = _Locator(loader, path)
        document = locator.locate(node, node.start_mark.line + 1)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = unreadable("YAML", error.problem or error.context, "check indentation, colons and quotes")
        raise refuse((path, mark.line + 1 if mark else None), problem) from None
    except yaml.YAMLError as error:
        reason = str(error).partition("\n")[0]
        raise refuse(path, unreadable("YAML", reason)) from None
    except RecursionError:
        raise refuse(path, unreadable("YAML", "nested too deeply")) from None
    raise_any(locator.problems)
    return document


def _plain_value(loader: yaml.SafeLoader, node: yaml.Node) -> object:
    """The value of a scalar; text that only resembles a date or a number remains text, octal 010 and 1:30 too."""
    if node.tag in _TEXT_TAGS or OLD_NUMBER.fullmatch(node.value):
        return node.value
    try:
        return loader.construct_object(node)
    except ValueError:
        return node.value


def text(value: Located) -> str:
    """A text; numbers are texts as they are written, such as labels 1, 2, 3."""
    if isinstance(value.value, (str, int, float)) and not isinstance(value.value, bool):
        if "\0" in value.text:
            # Neither names nor contents of files may contain NUL.
            raise refuse(None, wrong_type(repr(value.text), "", "a text without NUL"))
        return value.text
    hint = f"quote it, as in '{value.text}'" if isinstance(value.value, bool) else ""
    raise refuse(None, wrong_type(show(value), "", "a text", hint))


def texts(value: Located) -> list[str]:
    """A list of texts; a single text is a list of one."""
    return [text(item) for item in items(value)]


def items(value: Located) -> list[Located]:
    """The values of a list; a single value is a list of one."""
    return value.value if isinstance(value.value, list) else [value]


def scale(value: Located) -> ClassScale:
    """`low<high` or `a,b`, or a list of classes without order."""
    return ClassScale(tuple(texts(value))) if isinstance(value.value, list) else ClassScale.parse(text(value))


def in_place_of(value: Located) -> str:
    """What to write in place of a number that people read otherwise than YAML, or that is too large; else ''."""
    is_large = isinstance(value.value, int) and value.value.bit_length() > BITS
    if not is_large and not OLD_NUMBER.fullmatch(value.text):
        return ""
    digits = value.text.lstrip("0")
    return f"write {digits}" if digits.isdecimal() and len(digits) <= 18 else IN_DIGITS


def show(value: Located) -> str:
    """The value in a message."""
    if isinstance(value.value, (dict, list)):
        return "keys" if isinstance(value.value, dict) else "a list"
    if value.value is None:
        return "nothing"
    read_as = f" (which YAML reads as {str(value.value).lower()})" if isinstance(value.value, bool) else ""
    return f"'{shortened(value.text)}'{read_as}"
