"""Conditions on cells of reports: how they are written, the cells that they name, and verdicts.

condition   SIDE OPERATOR SIDE, with the operators < <= > >= == !=; begins with a cell
side        OPERAND, or on one of the two sides the difference OPERAND - OPERAND
operand     a cell, a number, true and false (1 and 0), or `baseline`: the same cell in the earlier results; after ==
            and !=, a text in double quotes. A cell of text is compared with a text, by == or !=
cell        TABLE.ROW….COLUMN; '*' is any row or any column

Finds the cells that a condition names.

The first name is the table, the last one the column. Those between are cells of a row, texts before whole numbers, in
the order of the columns; only as many as identify one row are necessary.
"""

from __future__ import annotations

import itertools
import math
import operator
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Literal, NamedTuple, TypeVar, cast

from metaeval.digits import IN_DIGITS
from metaeval.errors import SHOWN_AT_MOST, InputError, Problem, first_of, nearest, visible
from metaeval.model.report import NUMBERS, Cell, Column, Kind, Report, Table

MAX_LENGTH = 1000
"""Maximum number of characters of a condition."""

_NAME = r'(?:"(?:[^"\\]|\\.)*"|(?:(?!==)[^\s()<>!"\'.])+)'
_TOKEN = re.compile(
    rf"""\s*(?:
    (?P<number>(?:[+-]?(?!0[0-9])(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{{1,2}})?|true|false)(?=[\s<>=!]|\Z)) |
    (?P<baseline>baseline(?=[\s<>=!]|\Z)) |
    (?P<cell>(?=[^\W\d]|"){_NAME}(?:\.{_NAME})+) |
    (?P<text>"(?:[^"\\]|\\.)*"(?=\s|\Z)) |
    (?P<operator>[<>=!]=(?![<>=])|[<>](?![<>=])) |
    (?P<minus>-(?=\s)) |
    (?P<other>[()]|[^\w\s()"'.-]+|[^\s()]+) |
    (?P<end>\Z))""",
    re.VERBOSE | re.DOTALL,
)

_CELL = "a cell, such as TABLE.ROW.COLUMN"
_REPEAT = "write each condition separately: the check fails if any of them holds"
_NO_ARITHMETIC = "compute other numbers beforehand; one difference is allowed, as in scores.a.f1 - scores.b.f1 < 0.02"
_SPACES = 'write spaces around operators, and names with spaces in double quotes: scores."my system".accuracy'
_SIGNS = {"=": "==", "=<": "<=", "≤": "<=", "=>": ">=", "≥": ">=", "<>": "!=", "≠": "!=", "−": "-", "–": "-"}
_REMEDIES = {
    **dict.fromkeys(("and", "or", "&&", "&", "||", "|"), _REPEAT),
    **dict.fromkeys(("not", "!"), "use the opposite operator, such as '>=' for not '<'"),
    **dict.fromkeys("()", "remove the parentheses, or write a name that contains them in double quotes"),
    **dict.fromkeys("+-*/×÷", _NO_ARITHMETIC),
    **dict.fromkeys(("nan", "NaN", "None", "null"), "remove it: a gate fails if a cell is undefined"),
    **{sign: f"write '{spelling}'" for sign, spelling in _SIGNS.items()},
}
"""Remedies for text that is not part of the language."""

TokenKind = Literal[
    "number", "baseline", "cell", "text", "operator", "minus", "end", "name", "quoted", "wildcard", "other"
]
"""The kind of a token: 'name', 'quoted' and 'wildcard' are names of a cell; 'other' is invalid."""

Result = TypeVar("Result")


class Token(NamedTuple):
    """A part of a condition, or a name in a cell. span: its start and end. text: of a quoted name, without quotes."""

    kind: TokenKind
    text: str
    span: tuple[int, int]
    condition: str


@dataclass(frozen=True)
class GateProblem(Problem):
    """A problem of a condition. span: its start and end."""

    condition: str = ""
    span: tuple[int, int] = (0, 0)

    def format(self) -> str:
        """The problem, the condition, carets under the place, and the remedy, each on a line."""
        start, end = self.span
        line = "".join(" " if char.isspace() else char if char.isprintable() else "?" for char in self.condition)
        carets = " " * _width(line[:start]) + "^" * max(1, _width(line[start:end]))
        remedy = f"What to do: {visible(self.hint)}" + ("" if self.hint.endswith("?") else ".")
        lines = [str(self), f"  {line}", f"  {carets}"]
        return "\n".join([*lines, remedy] if self.hint else lines)


class GateSyntaxError(InputError):
    """All problems of conditions that are invalid or have unknown names."""

    problems: tuple[GateProblem, ...]

    def __str__(self) -> str:
        count = len(self.problems)
        lines = [f"{count} problems of conditions"] if count > 1 else []
        lines += [problem.format() for problem in self.problems[:SHOWN_AT_MOST]]
        return "\n".join([*lines, f"and {count - SHOWN_AT_MOST:,} more"] if count > SHOWN_AT_MOST else lines)


def error_at(tokens: Sequence[Token], found: str, expected: str, hint: str = "") -> GateSyntaxError:
    """An error that points at tokens of one condition."""
    span = tokens[0].span[0], tokens[-1].span[1]
    problem = GateProblem(found, expected, condition=tokens[0].condition, span=span, hint=hint)
    return GateSyntaxError([problem], hints=[hint])


def call_all(calls: Iterable[Callable[[], Result]]) -> list[Result]:
    """The results of all calls; one error has the problems of all that fail."""
    results: list[Result] = []
    problems: list[GateProblem] = []
    for call in calls:
        try:
            results.append(call())
        except GateSyntaxError as error:
            problems += error.problems
    if problems:
        raise GateSyntaxError(list(dict.fromkeys(problems)), hints=[problem.hint for problem in problems])
    return results


def _width(text: str) -> int:
    """The width of a text in a terminal."""
    wide = sum(unicodedata.east_asian_width(char) in ("W", "F") for char in text)
    return len(text) + wide - sum(unicodedata.category(char) in ("Mn", "Me") for char in text)


class Gate(NamedTuple):
    """A condition that results must not meet. condition: its text. left, right: one operand, or two to subtract."""

    condition: str
    left: tuple[Token, ...]
    operator: str
    right: tuple[Token, ...]


def parse_gates(conditions: Sequence[str], *, baseline: bool) -> tuple[Gate, ...]:
    """The gates of conditions; one error has all problems. baseline: whether there are earlier results."""
    return tuple(call_all(partial(parse_gate, condition, baseline=baseline) for condition in conditions))


def parse_gate(condition: str, *, baseline: bool = True) -> Gate:
    """The gate of one condition; a `GateSyntaxError` shows the first invalid place."""
    if len(condition) > MAX_LENGTH:
        start = Token("other", condition[:40], (0, 40), condition[:40])
        raise error_at([start], f"a condition of {len(condition):,} characters", f"at most {MAX_LENGTH:,}", _REPEAT)
    tokens: list[Token] = []
    while not tokens or tokens[-1].kind != "end":
        match = _TOKEN.match(condition, tokens[-1].span[1] if tokens else 0)
        assert match is not None, "'other' matches everything"
        kind = cast(TokenKind, match.lastgroup)
        token = Token(kind, match[kind], match.span(kind), condition)
        if expected := _expected_instead(token, tokens, baseline=baseline):
            found = f"'{token.text}'" if token.text else "the end"
            raise error_at([token], found, expected[0], _REMEDIES.get(token.text, expected[1]))
        tokens.append(token)
    operator = next(index for index, token in enumerate(tokens) if token.kind == "operator")
    return Gate(condition, tuple(tokens[:operator:2]), tokens[operator].text, tuple(tokens[operator + 1 : -1 : 2]))


def _expected_instead(token: Token, before: Sequence[Token], *, baseline: bool) -> tuple[str, str] | None:
    """What is expected instead of a token, and what to do; None if the token is valid."""
    kinds = [other.kind for other in (*before, token)]
    if len(before) % 2:
        if token.kind == "minus" and kinds.count("minus") == 1 and before[-1].kind != "text":
            return None
        if "operator" in kinds[:-1]:
            return None if token.kind == "end" else ("the end of the condition", _SPACES)
        return None if token.kind == "operator" else ("a comparison, as in stability.cem-ord.mean < 0.6", _SPACES)
    if not before and token.kind != "cell":
        return _CELL, "write the cell first, as in scores.a.f1 > 0.6"
    if token.kind == "text" and before[-1].text in ("==", "!=") and "minus" not in kinds:
        return None
    if token.kind not in ("cell", "number", "baseline"):
        return _operand_instead(token, before, may_be_text="minus" not in kinds)
    cells = [names_of(other) for other in (*before, token) if other.kind == "cell"]
    if sum("wildcard" in [name.kind for name in names] for names in cells) > 1:
        return "one cell with '*'", "name the row of the other one"
    if token.text.startswith("baseline.") or ("baseline" in kinds and kinds.count("cell") > 1):
        return "a cell and its own baseline", "as in scores.a.f1 < baseline - 0.01"
    if token.kind == "baseline" and not baseline:
        return "no baseline, because there are no earlier results", "use check, with the setting baseline"
    return None


def _operand_instead(token: Token, before: Sequence[Token], *, may_be_text: bool) -> tuple[str, str]:
    """What is expected instead of a token that is no operand, and what to do."""
    in_digits = IN_DIGITS if token.text.lstrip("+-")[:1].isdigit() else ""
    if not may_be_text or before[-1].text not in ("==", "!="):
        hint = "compare a cell of text by == or !=, without a difference" if token.kind == "text" else in_digits
        return f"a number, such as 0.6, or {_CELL}", hint
    word = token.text.strip("'")
    hint = f"write a text in double quotes: {quote(word)}" if word[:1].isalpha() else in_digits
    return f'a number, such as 0.6, a text in double quotes, such as "named", or {_CELL}', hint


def names_of(cell: Token) -> list[Token]:
    """The names between the dots of a cell."""
    names = []
    for match in re.finditer(_NAME, cell.text, re.DOTALL):
        kind: TokenKind = "quoted" if match[0].startswith('"') else "wildcard" if match[0] == "*" else "name"
        text = unquoted(match[0]) if kind == "quoted" else match[0]
        span = cell.span[0] + match.start(), cell.span[0] + match.end()
        names.append(Token(kind, text, span, cell.condition))
    return names


def unquoted(text: str) -> str:
    """A text without its double quotes."""
    return re.sub(r'\\(["\\])', r"\1", text[1:-1])


def quote(text: str) -> str:
    """A text in double quotes."""
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def format_name(name: str, *, is_table: bool = False) -> str:
    r"""A name as it is written in a condition, in quotes if necessary.

    >>> print(format_name("wsk:d=2"), format_name('my "system"'), format_name("a.b"))
    wsk:d=2 "my \"system\"" "a.b"
    """
    is_plain = re.fullmatch(_NAME, name) and '"' not in name and name != "*"
    if is_plain and not (is_table and (name == "baseline" or not name.isidentifier())):
        return name
    return quote(name)


Row = Sequence[Cell]


class NamedCell(NamedTuple):
    """A value and its name in a condition. path: the names that identify it. column: its column, if it is a cell."""

    name: str
    value: Cell
    path: tuple[str, ...] = ()
    column: Column | None = None


def find_cells(names: Sequence[Token], report: Report, source: str) -> list[NamedCell]:
    """The cell of these names, or several for a wildcard; a `GateSyntaxError` shows an unknown name.

    source: the report in messages.
    """
    tables = {table.name: table for table in report.all_tables()}
    table = tables.get(names[0].text)
    if table is None:
        raise _unknown(names[0], f"no table of {source}", tables)
    where = f"the table '{table.name}' of {source}"
    if names[-1].kind == "wildcard":
        columns = _columns_of(table, *NUMBERS)
    else:
        columns = [index for index, column in enumerate(table.columns) if column.name == names[-1].text]
    if not columns:
        raise _unknown(names[-1], f"no column of {where}", [column.name for column in table.columns])
    rows, keys = _find_rows(names, table, where)
    cells = []
    for row, column in itertools.product(rows, sorted(columns)):
        path = (table.name, *(_text(row[key]) for key in keys), table.columns[column].name)
        texts = [format_name(table.name, is_table=True), *map(format_name, path[1:])]
        cells.append(NamedCell(".".join(texts), row[column], path, table.columns[column]))
    return cells


def check_text(text: Token, cell: NamedCell) -> None:
    """Raise a `GateSyntaxError` if a cell never has the text with which it is compared."""
    texts = cell.column.values if cell.column is not None else ()
    if texts and (name := unquoted(text.text)) not in texts:
        found, names = f"{text.text}, which {cell.name} never is", [*map(quote, texts)]
        raise error_at([text], found, f"one of {_first(names)}", _did_you_mean([*map(quote, nearest(name, texts))]))


def _find_rows(names: Sequence[Token], table: Table, where: str) -> tuple[list[Row], list[int]]:
    """The rows of the names, and the columns that identify them."""
    texts, both = _columns_of(table, Kind.TEXT), _columns_of(table, Kind.TEXT, Kind.COUNT)
    row_names = [name for name in names[1:-1] if name.kind != "wildcard"]
    matches = _matches(row_names, table, texts) or _matches(row_names, table, both)
    if not matches:
        for name in row_names:
            if not _matches([name], table, both):
                row_texts = dict.fromkeys(_text(row[column]) for column in texts for row in table.rows)
                raise _unknown(name, f"in no row of {where}", row_texts)
        order = _first([table.columns[column].name for column in both])
        raise error_at(names[1:-1] or names, f"no row of {where} with these names", f"names in the order of {order}")
    rows, keys = [row for row, _ in matches], matches[0][1]
    if len(row_names) < len(names) - 2:
        for column in both:
            if column not in keys and _distinct(rows, [*keys, column]) > _distinct(rows, keys):
                keys = [*keys, column]
    elif len(rows) > 1:
        cells = {table.columns[column].name: list(dict.fromkeys(_text(row[column]) for row in rows)) for column in both}
        differing = [f"{name} ({_first(choices)})" for name, choices in cells.items() if len(choices) > 1]
        found = f"{len(rows)} rows of {where}; they differ in {'; '.join(differing) or 'no name'}"
        raise error_at(names, found, "one row", "add the names that identify one row, or write '*' for any row")
    return rows, [column for column in both if column in keys]


def _matches(row_names: Sequence[Token], table: Table, columns: Sequence[int]) -> list[tuple[Row, list[int]]]:
    """The rows with these names in their order, and the columns of the names."""
    matches: list[tuple[Row, list[int]]] = []
    for row in table.rows:
        rest = iter(columns)
        indices = [next((column for column in rest if _text(row[column]) == name.text), -1) for name in row_names]
        if -1 not in indices:
            matches.append((row, indices))
    return matches


def _columns_of(table: Table, *kinds: Kind) -> list[int]:
    return [index for kind in kinds for index, column in enumerate(table.columns) if column.kind is kind]


def _distinct(rows: Sequence[Row], columns: Sequence[int]) -> int:
    return len({tuple(row[column] for column in columns) for row in rows})


def _text(cell: Cell) -> str:
    return "" if cell is None else str(cell)


def _unknown(name: Token, what: str, texts: Iterable[str]) -> GateSyntaxError:
    """The error for an unknown name."""
    names = [text for text in texts if text]
    similar = [text for text in names if name.text and text.startswith(name.text)][:2] or nearest(name.text, names)
    hint = _did_you_mean([repr(format_name(text)) for text in similar])
    return error_at([name], f"'{name.text}', which is {what}", f"one of {_first([*map(format_name, names)])}", hint)


def _did_you_mean(similar: Sequence[str]) -> str:
    return f"did you mean {' or '.join(similar)}?" if similar else ""


_first = partial(first_of, most=5)


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
    outcomes = [_compare(gate, [group[index % len(group)] for group in cells]) for index in range(count)]
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
    in_text_column = cell.column is not None and cell.column.kind is Kind.TEXT
    return isinstance(cell.value, str) or (in_text_column and cell.value is None)


def _compare_texts(gate: Gate, left: NamedCell, right: NamedCell) -> Outcome:
    compare, relation = _OPERATORS[gate.operator]
    if gate.right[0].kind == "text":
        check_text(gate.right[0], left)
    if undefined := [cell.name for cell in (left, right) if cell.value is None]:
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
        hint = f"compare it with a text in double quotes, as in {cell.name} == {quote(cell.value)}"
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
