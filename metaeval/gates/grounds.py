"""Why a comparison holds or does not, in a sentence with numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metaeval.errors import counted
from metaeval.gates.expression import Baseline, Binary, CellPath, Node, Number, Text, Truth, parts_of, quoted

Value = float | str | bool | None
"""What a cell or a sum of cells is; None where it is undefined."""

_FEWEST_DIGITS = 4
_MOST_DIGITS = 17


@dataclass(frozen=True)
class Judged:
    """A comparison of single cells.

    holds: None where it can't be told. left, right: what was compared. names: of the cells, by the paths in the
    condition. undefined: the names of cells without a value.
    """

    holds: bool | None
    left: Value
    right: Value
    names: Mapping[str, str]
    undefined: tuple[str, ...]


@dataclass(frozen=True)
class Ground:
    """Why a comparison holds or does not.

    value: the number that decided; limit: what it was compared with; both in full precision, NaN for what is no number.
    """

    sentence: str
    value: float
    limit: float


def ground_of(comparison: Binary, judged: Sequence[Judged], holds: bool | None) -> Ground:
    """Why a comparison comes out as it does; judged: of every cell that it is about, at least one."""
    alike = [each for each in judged if each.holds is holds]
    decisive = max(alike, key=lambda each: _excess(comparison, each))
    sentence = _undefined(decisive) if holds is None else _sentence(comparison, decisive)
    if len(judged) > 1:
        sentence += _others(len(alike) - 1, len(judged), holds)
    value, limit = decisive.left, decisive.right
    if not _has_cell(comparison.left):
        value, limit = limit, value
    return Ground(sentence, _number(value), _number(limit))


def _excess(comparison: Binary, judged: Judged) -> float:
    """By how much a comparison holds; below 0 where it does not. 0 for what is no number."""
    difference = _number(judged.right) - _number(judged.left)
    if math.isnan(difference) or comparison.operator.sign in ("==", "!="):
        return 0
    return difference if comparison.operator.sign.startswith("<") else -difference


def _others(alike: int, cells: int, holds: bool | None) -> str:
    of_cells = f"of {counted(cells, 'cell')}"
    if holds is None:
        return f" ({alike + 1} {of_cells})"
    if not holds:
        return f", and that is the nearest {of_cells}"
    return f", and so {'is' if alike == 1 else 'are'} {alike} more {of_cells}" if alike else f", alone {of_cells}"


def _undefined(judged: Judged) -> str:
    if judged.undefined:
        names = dict.fromkeys(judged.undefined)
        return f"{' and '.join(names)} {'are' if len(names) > 1 else 'is'} undefined"
    return "it can't be computed: a division by zero, or a number without end"


def _sentence(comparison: Binary, judged: Judged) -> str:
    subject, other = comparison.left, comparison.right
    value, limit = judged.left, judged.right
    relation = comparison.operator.says
    if not _has_cell(subject):
        subject, other, value, limit = other, subject, limit, value
        relation = comparison.operator.mirrored
    negation = "" if judged.holds else "not "
    against = _text(other, judged)
    if not isinstance(other, (Number, Text, Truth)):
        against += f" ({shown(limit, value)})"
    return f"{_text(subject, judged)} is {shown(value, limit)}, {negation}{relation} {against}"


def _text(node: Node, judged: Judged) -> str:
    """A value as it is written, each cell by its own name."""
    if isinstance(node, CellPath):
        return judged.names[str(node)]
    text = str(node)
    for path in (part for part in parts_of(node) if isinstance(part, CellPath) and part.has_wildcard):
        text = text.replace(str(path), judged.names[str(path)])
    return text


def _has_cell(node: Node) -> bool:
    return any(isinstance(part, (CellPath, Baseline)) for part in parts_of(node))


def shown(value: Value, other: Value) -> str:
    """A value for a sentence: four decimals, or as many as set it apart from another.

    >>> shown(0.5512345, 0.6), shown(0.6 - 1e-7, 0.6), shown(12.0, 20.0), shown("a", "b"), shown(True, False)
    ('0.5512', '0.5999999', '12', '"a"', 'true')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, float):
        return quoted(value) if isinstance(value, str) else "undefined"
    if value.is_integer():
        return f"{value:.0f}"
    for digits in range(_FEWEST_DIGITS, _MOST_DIGITS + 1):
        text = f"{value:.{digits}f}"
        if float(text) and (not isinstance(other, float) or text != f"{other:.{digits}f}" or value == other):
            return text
    return repr(value)


def _number(value: Value) -> float:
    return value if isinstance(value, float) else math.nan
