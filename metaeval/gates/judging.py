"""Whether conditions hold of a report: with three answers, because a cell may be undefined."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from metaeval.gates.cells import Found, find_again, find_cells
from metaeval.gates.expression import (
    Baseline,
    Binary,
    CellPath,
    Kind,
    Negative,
    Node,
    Not,
    Number,
    Text,
    Truth,
    parts_of,
)
from metaeval.gates.grounds import Ground, Judged, Value, ground_of
from metaeval.gates.mistakes import ConditionError, Mistake
from metaeval.gates.parsing import Gate
from metaeval.model.report import Cell, Report


class Verdict(Enum):
    """What became of a gate."""

    PASSED = "passed"
    FAILED = "failed"
    UNDEFINED = "undefined"
    """It can't be told, which does not let anything through."""


@dataclass(frozen=True)
class Outcome:
    """A gate after it was judged.

    condition: as it was written. grounds: the comparisons that decided.
    """

    condition: str
    verdict: Verdict
    grounds: tuple[Ground, ...]

    @property
    def passed(self) -> bool:
        """Whether the results may go through."""
        return self.verdict is Verdict.PASSED

    @property
    def reason(self) -> str:
        """Why, as in 'stability.cem-ord.mean is 0.5512, below 0.6'."""
        return "; ".join(ground.sentence for ground in self.grounds)

    @property
    def value(self) -> float:
        """The number that decided, in full precision; NaN where it is none."""
        return self.grounds[0].value

    @property
    def limit(self) -> float:
        """What it was compared with; NaN where that is no number."""
        return self.grounds[0].limit


def judge(gates: Sequence[Gate], report: Report, baseline: Report | None = None) -> tuple[Outcome, ...]:
    """What becomes of each gate; names that are not there are told in one `ConditionError`.

    baseline: an earlier result, for gates that need one.
    """
    outcomes: list[Outcome] = []
    mistakes: list[Mistake] = []
    for gate in gates:
        judging = _Judging(gate, report, baseline)
        mistakes += judging.mistakes
        if not mistakes:
            try:
                holds, grounds = judging.judged(gate.tree)
            except ConditionError as error:
                mistakes += error.mistakes
            else:
                verdict = {True: Verdict.FAILED, False: Verdict.PASSED, None: Verdict.UNDEFINED}[holds]
                outcomes.append(Outcome(gate.condition, verdict, grounds))
    if mistakes:
        raise ConditionError(list(dict.fromkeys(mistakes)))
    return tuple(outcomes)


Judgement = tuple[bool | None, tuple[Ground, ...]]
"""Whether a condition holds, None where that can't be told; and the comparisons that decide it."""


class _Judging:
    """One gate, its cells found."""

    def __init__(self, gate: Gate, report: Report, baseline: Report | None) -> None:
        self.condition = gate.condition
        self.mistakes: list[Mistake] = []
        self.cells: dict[CellPath, tuple[Found, ...]] = {}
        self.earlier: dict[CellPath, tuple[Found, ...]] = {}
        for node in parts_of(gate.tree):
            try:
                self.find(node, report, baseline)
            except ConditionError as error:
                self.mistakes += error.mistakes

    def find(self, node: Node, report: Report, baseline: Report | None) -> None:
        """Look up the cells of a path, or the earlier ones of a `baseline`."""
        if isinstance(node, CellPath):
            source = baseline if node.of_baseline else report
            assert source is not None, "parse_gates(baseline=False) refuses such a gate"
            self.cells[node] = find_cells(node, source, self.condition)
        elif isinstance(node, Baseline):
            assert baseline is not None, "parse_gates(baseline=False) refuses such a gate"
            now = self.cells.get(node.path, ())
            self.earlier[node.path] = tuple(find_again(cell, baseline, self.condition, node.span) for cell in now)

    def judged(self, node: Node) -> Judgement:
        """A condition."""
        if isinstance(node, Not):
            holds, grounds = self.judged(node.operand)
            return (None if holds is None else not holds), grounds
        assert isinstance(node, Binary)
        if node.operator.kind is Kind.COMPARISON:
            return self.compared(node)
        sides = (self.judged(node.left), self.judged(node.right))
        # One that holds decides an 'or', one that does not an 'and'; without such a one what is unknown does.
        for decisive in (node.operator.sign == "or", None):
            decided = [grounds for holds, grounds in sides if holds is decisive]
            if decided:
                return decisive, sum(decided, ())
        return node.operator.sign == "and", sides[0][1] + sides[1][1]

    def compared(self, node: Binary) -> Judgement:
        """A comparison; with '*' it holds where it does for any of the cells."""
        wildcard = next((part for part in parts_of(node) if isinstance(part, CellPath) and part.has_wildcard), None)
        places = range(len(self.cells[wildcard])) if wildcard is not None else (0,)
        judged = [self.judged_once(node, wildcard, place) for place in places]
        answers = [each.holds for each in judged]
        holds = True if True in answers else None if None in answers else False
        return holds, (ground_of(node, judged, holds),)

    def judged_once(self, node: Binary, wildcard: CellPath | None, place: int) -> Judged:
        """A comparison of single cells; place: which of those that the wildcard stands for."""

        def cell(path: CellPath, cells: Mapping[CellPath, tuple[Found, ...]]) -> Found:
            return cells[path][place if path == wildcard else 0]

        paths = [part for part in parts_of(node) if isinstance(part, CellPath)]
        befores = [part for part in parts_of(node) if isinstance(part, Baseline)]
        read = [*(cell(path, self.cells) for path in paths), *(cell(each.path, self.earlier) for each in befores)]
        values: dict[Node, Value] = {path: usable(cell(path, self.cells).value) for path in paths}
        values |= {each: usable(cell(each.path, self.earlier).value) for each in befores}
        left, right = self.value(node.left, values), self.value(node.right, values)
        names = {str(path): cell(path, self.cells).name for path in paths}
        undefined = tuple(found.name for found in read if usable(found.value) is None)
        return Judged(self.holds(node, left, right), left, right, names, undefined)

    def holds(self, node: Binary, left: Value, right: Value) -> bool | None:
        if left is None or right is None:
            return None
        self.check_alike(node, left, right)
        sign = node.operator.sign
        if sign in ("==", "!="):
            return (left == right) == (sign == "==")
        return _ORDER[sign](_number(left), _number(right))

    def check_alike(self, node: Binary, left: Value, right: Value) -> None:
        """Words are compared with words, and whether they are the same."""
        if kind_of(left) != kind_of(right):
            raise self.mistake(node, f"{kind_of(left)} compared with {kind_of(right)}", "two of a kind")
        if kind_of(left) != NUMBER and node.operator.sign not in ("==", "!="):
            raise self.mistake(node.left, f"{kind_of(left)} with '{node.operator.sign}'", "a number", "use == or !=")

    def value(self, node: Node, values: Mapping[Node, Value]) -> Value:
        """What a value is; None where it is undefined."""
        if isinstance(node, (Number, Text, Truth)):
            return node.value
        if isinstance(node, (CellPath, Baseline)):
            return values[node]
        if isinstance(node, Negative):
            operand = self.number(node.operand, values)
            return None if operand is None else -operand
        assert isinstance(node, Binary)
        left, right = self.number(node.left, values), self.number(node.right, values)
        if left is None or right is None:
            return None
        return _finite(_ARITHMETIC[node.operator.sign](left, right))

    def number(self, node: Node, values: Mapping[Node, Value]) -> float | None:
        """What a value is that is reckoned with."""
        value = self.value(node, values)
        if value is not None and kind_of(value) != NUMBER:
            raise self.mistake(node, f"{kind_of(value)} to reckon with", "a number")
        return None if value is None else _number(value)

    def mistake(self, node: Node, found: str, expected: str, hint: str = "") -> ConditionError:
        return ConditionError([Mistake(self.condition, node.span, found, expected, hint)])


NUMBER = "a number"


def kind_of(value: Value) -> str:
    """What a value is, in words."""
    if isinstance(value, bool):
        return "true or false"
    return "words" if isinstance(value, str) else NUMBER


def usable(cell: Cell) -> Value:
    """A cell as a value; None for what is no number that can be written.

    >>> usable(float("nan")), usable(12), usable(True), usable("a")
    (None, 12.0, True, 'a')
    """
    if isinstance(cell, (bool, str)) or cell is None:
        return cell
    try:
        return _finite(float(cell))
    except OverflowError:
        return None


def _number(value: float | str | bool) -> float:
    assert not isinstance(value, str)
    return float(value)


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _divided(left: float, right: float) -> float:
    return left / right if right else math.nan


_ARITHMETIC: Mapping[str, Callable[[float, float], float]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _divided,
}
_ORDER: Mapping[str, Callable[[float, float], bool]] = {
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}
