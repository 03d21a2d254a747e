"""YAML with messages that name the line, and without the silent loss of duplicate keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from metaeval.errors import InputError, Problem

_TEXT_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("timestamp", "merge", "value"))


@dataclass(frozen=True)
class Located:
    """A YAML value and the line on which it stands.

    value: a text, number, truth value or None, a list of `Located`, or a dict from key to `Located`.
    line: of its key where it has one. text: a scalar as it is written, so that 010, 1.0 and yes can be names.
    """

    value: Any
    line: int
    text: str = ""


def parse_yaml(text: str, path: str) -> Located:
    """The document of a YAML text; broken YAML and duplicate keys are `InputError`s with their lines."""
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            raise InputError.at(path, found="no YAML value", expected="keys such as 'data:' and 'score:'")
        problems: list[Problem] = []
        document = _locate(loader, node, node.start_mark.line + 1, path, problems)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise InputError.at(
            path,
            mark.line + 1 if mark else None,
            found=f"broken YAML ({error.problem or error.context})",
            expected="valid YAML",
            hint="check indentation, colons and quotes there",
        ) from None
    except yaml.YAMLError as error:
        reason = str(error).partition("\n")[0]
        raise InputError.at(path, found=f"broken YAML ({reason})", expected="valid YAML") from None
    except RecursionError:
        raise InputError.at(path, found="YAML nested too deeply", expected="sections of keys") from None
    if problems:
        raise InputError(problems)
    return document


def _locate(loader: yaml.SafeLoader, node: yaml.Node, line: int, path: str, problems: list[Problem]) -> Located:
    if isinstance(node, yaml.MappingNode):
        members: dict[str, Located] = {}
        for key_node, value_node in node.value:
            key_line = key_node.start_mark.line + 1
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else ""
            if not key:
                problems.append(Problem("a key that is no word", "words as keys", path, key_line))
            elif key in members:
                problems.append(Problem(f"key '{key}' again", "every key once", path, key_line))
            members[key] = _locate(loader, value_node, key_line, path, problems)
        return Located(members, line)
    if isinstance(node, yaml.SequenceNode):
        return Located([_locate(loader, item, item.start_mark.line + 1, path, problems) for item in node.value], line)
    return Located(_plain_value(loader, node), line, node.value)


def _plain_value(loader: yaml.SafeLoader, node: yaml.Node) -> object:
    """A scalar's value; what only looks like a date or a number is text."""
    if node.tag in _TEXT_TAGS:
        return node.value
    try:
        return loader.construct_object(node)
    except ValueError:
        return node.value
