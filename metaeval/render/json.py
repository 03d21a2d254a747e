"""The whole report as JSON, in full precision: NaN is null, and each row of a table is a line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from metaeval.model.report import Report
from metaeval.render.cells import Style

_UNSEEN = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def json_text(report: Report, _style: Style) -> str:
    """`Report.to_dict` as JSON: command, signature, findings, tables, notes, provenance, layout.

    Each row is on a line of its own, so that `diff` and `grep` show whole rows.
    """
    # The layout of a table is one line, because few readers need it.
    writers: dict[str, Callable[[Any], str]] = {"tables": _rows, "layout": _dumps}
    members = {
        key: _object({name: writers[key](each) for name, each in value.items()}, "  ")
        if key in writers
        # Newlines in strings are escaped, so every newline here separates members.
        else _dumps(value, indent=2).replace("\n", "\n  ")
        for key, value in report.to_dict().items()
    }
    return _object(members, "") + "\n"


def _object(members: Mapping[str, str], margin: str) -> str:
    """An object with one member on each line; the values are JSON."""
    lines = [f"{margin}  {_dumps(name)}: {text}" for name, text in members.items()]
    return "{\n" + ",\n".join(lines) + f"\n{margin}}}" if lines else "{}"


def _rows(rows: list[dict[str, Any]]) -> str:
    return "[\n" + ",\n".join(f"      {_dumps(row)}" for row in rows) + "\n    ]" if rows else "[]"


def _dumps(value: object, *, indent: int | None = None) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    # Characters that control a terminal and that `json` leaves as they are.
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
