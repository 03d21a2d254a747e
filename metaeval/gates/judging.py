"""Judges conditions on a report. A condition on an undefined cell is undefined, which does not pass."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from enum import Enum
from functools import partial
from typing import NamedTuple

from metaeval.gates.cells import NamedCell, check_text, find_cells
from metaeval.gates.parsing import Gate, Token, call_all, error_at, names_of, quoted, unquoted
from metaeval.model.report import Kind, Report

_OPERATORS = {
    **{"<": (operator.lt, "below"), "<=": (operator.le, "at most"), "==": (operator.eq, "equal to")},
    **{">": (operator.gt, "above"), ">=": (operator.ge, "at least"), "!=": (operator.ne, "other than")},
}


class Verdict(Enum):
    """The verdict on a gate: the first of these that one of its cells has."""

    FAILED = "failed"
    UNDEFINED = "undefined"
    PASSED = "passed"


class Outcome(NamedTuple):
    """The verdict on a gate. value, limit: the numbers that decide, not rounded; NaN if undefined."""

    condition: str
    verdict: Verdict
    value: float
    limit: float
    reason: str

    @property
    def passed(self) -> bool:
        """Whether the verdict is 'passed'."""
        return self.verdict is Verdict.PASSED


def judge(gates: Sequence[Gate], report: Report, baseline: Report | None = None) -> tuple[Outcome, ...]:
    """The outcomes of gates; one `GateSyntaxError` reports all unknown names. baseline: earlier results."""
    return tuple(call_all(partial(_judge, gate, report, baseline) for gate in gates))


def _judge(gate: Gate, report: Report, baseline: Report | None) -> Outcome:
    cells = call_all(partial(_cells_of, operand, gate, report, baseline) for operand in (*gate.left, *gate.right))
    count = max(map(len, cells))
    outcomes = [_compare(gate, [each[place % len(each)] for each in cells]) for place in range(count)]
    verdict = next(verdict for verdict in Verdict if verdict in [outcome.verdict for outcome in outcomes])
    same = [outcome for outcome in outcomes if outcome.verdict is verdict]
    sign = {"<": 1, ">": -1}.get(gate.operator[0], 0)
    decisive = max(same, key=lambda outcome: sign * (outcome.limit - outcome.value))
    if count == 1:
        return decisive
    share = f"closest of {count} cells" if decisive.passed else f"{len(same)} of {count} cells"
    return decisive._replace(reason=f"{decisive.reason} ({share})")


def _cells_of(operand: Token, gate: Gate, report: Report, baseline: Report | None) -> list[NamedCell]:
    """The cells of an operand: several for a wildcard, one for a number."""
    if operand.kind == "number":
        return [NamedCell(operand.text, float({"true": 1, "false": 0}.get(operand.text, operand.text)))]
    if operand.kind == "text":
        return [NamedCell(operand.text, unquoted(operand.text))]
    if operand.kind == "cell":
        return find_cells(names_of(operand), report, "the results")
    assert baseline is not None, "parse_gates(baseline=False) refuses such a gate"
    cells: list[NamedCell] = []
    for now in find_cells(names_of(gate.left[0]), report, "the results"):
        names = [operand._replace(kind="quoted", text=name) for name in now.path]
        cells += [cell._replace(name=f"baseline.{cell.name}") for cell in find_cells(names, baseline, "the baseline")]
    return cells


def _compare(gate: Gate, cells: Sequence[NamedCell]) -> Outcome:
    names = [cell.name for cell in cells]
    compare, relation = _OPERATORS[gate.operator]
    if all(map(_is_text, cells)) and len(cells) == 2 and gate.operator in ("==", "!="):
        return _compare_texts(gate, *cells)
    if gate.right[0].kind == "text":
        raise error_at(gate.left, f"{names[0]} without a text", "a cell with text", "compare it with a number")
    values = [_number(cell, gate) for cell in cells]
    split = len(gate.left)
    left, right = (side[0] - sum(side[1:]) for side in (values[:split], values[split:]))
    if undefined := dict.fromkeys(name for name, value in zip(names, values, strict=True) if math.isnan(value)):
        reason = f"{' and '.join(undefined)} {'are' if len(undefined) > 1 else 'is'} undefined"
        return Outcome(gate.condition, Verdict.UNDEFINED, left, right, reason)
    holds = compare(left, right)
    reason = f"{' - '.join(names[:split])} is {_format(left, right)}, {'' if holds else 'not '}{relation} "
    reason += " - ".join(names[split:])
    if any(cell.path for cell in cells[split:]):
        reason += f" ({_format(right, left)})"
    return Outcome(gate.condition, Verdict.FAILED if holds else Verdict.PASSED, left, right, reason)


def _is_text(cell: NamedCell) -> bool:
    """Whether a cell is compared as a text: one of a column of texts may be undefined."""
    of_texts = cell.column is not None and cell.column.kind is Kind.TEXT
    return isinstance(cell.value, str) or (of_texts and cell.value is None)


def _compare_texts(gate: Gate, left: NamedCell, right: NamedCell) -> Outcome:
    compare, relation = _OPERATORS[gate.operator]
    if gate.right[0].kind == "text":
        check_text(gate.right[0], left)
    if undefined := [each.name for each in (left, right) if each.value is None]:
        reason = f"{' and '.join(undefined)} {'are' if len(undefined) > 1 else 'is'} undefined"
        return Outcome(gate.condition, Verdict.UNDEFINED, math.nan, math.nan, reason)
    holds = bool(compare(str(left.value), str(right.value)))
    reason = f"{left.name} is '{left.value}', {'' if holds else 'not '}{relation} {right.name}"
    reason += f" ('{right.value}')" if right.path else ""
    return Outcome(gate.condition, Verdict.FAILED if holds else Verdict.PASSED, math.nan, math.nan, reason)


def _number(cell: NamedCell, gate: Gate) -> float:
    """The value of a cell; NaN where it is undefined or infinite."""
    if isinstance(cell.value, str):
        found = f"text, '{cell.value}' in {cell.name}"
        hint = f"compare it with a text in double quotes, as in {cell.name} == {quoted(cell.value)}"
        raise error_at([*gate.left, *gate.right], found, "cells with numbers, or with true and false", hint)
    return float(cell.value) if cell.value is not None and abs(cell.value) <= 1e308 else math.nan


def _format(value: float, other: float) -> str:
    """A number with four decimals, or with full precision if it would be equal to 0 or to the other number.

    >>> _format(0.5512345, 0.6), _format(0.6 - 1e-7, 0.6), _format(12.0, 20.0)
    ('0.5512', '0.5999999', '12')
    """
    if value.is_integer():
        return f"{value:.0f}"
    return f"{value:.4f}" if round(value, 4) not in (0, round(other, 4)) else repr(value)
