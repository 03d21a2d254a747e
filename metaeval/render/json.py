"""The whole report for programs: JSON at full precision, NaN as null, one row of a table a line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from metaeval.model.report import Report


def json_text(report: Report) -> str:
    """`Report.to_dict` as JSON: command, signature, findings, tables, notes, provenance, layout.

    A row stands on a line of its own, so that `diff` and `grep` speak of systems rather than of numbers.
    """
    parts = report.to_dict()
    writers: dict[str, Callable[[Any], str]] = {"tables": _tables, "layout": _layout}
    members = [f"  {_dumps(key)}: {writers.get(key, _block)(value)}" for key, value in parts.items()]
    return "{\n" + ",\n".join(members) + "\n}\n"


def _tables(tables: dict[str, list[dict[str, Any]]]) -> str:
    members = [f"    {_dumps(name)}: {_rows(rows)}" for name, rows in tables.items()]
    return "{\n" + ",\n".join(members) + "\n  }" if members else "{}"


def _layout(layouts: dict[str, dict[str, Any]]) -> str:
    """A line a table: nobody reads it who reads the rows."""
    members = [f"    {_dumps(name)}: {_dumps(layout)}" for name, layout in layouts.items()]
    return "{\n" + ",\n".join(members) + "\n  }" if members else "{}"


def _rows(rows: list[dict[str, Any]]) -> str:
    return "[\n" + ",\n".join(f"      {_dumps(row)}" for row in rows) + "\n    ]" if rows else "[]"


def _block(value: object) -> str:
    """A member of the report, indented below its key."""
    # Newlines inside strings are escapes by now, so that every newline here is layout.
    return _dumps(value, indent=2).replace("\n", "\n  ")


def _dumps(value: object, *, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
