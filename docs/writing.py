"""Tables of generated pages, in Markdown and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

NOT_SEARCHED = "---\nsearch: {exclude: true}\n---\n\n"
"""What a page of evidence begins with."""


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already."""
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, ["---"] * len(header), *rows])


def comma_separated(records: Sequence[Mapping[str, Any]]) -> str:
    """Rows of a table of a report as CSV, numbers with six digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(records[0])
    for record in records:
        writer.writerow([f"{value:.6g}" if isinstance(value, float) else value for value in record.values()])
    return text.getvalue()
