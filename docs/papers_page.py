"""docs/reproduction.md: the numbers that papers print beside those that metaeval computes, and the CSV of all."""

from __future__ import annotations

from docs.writing import NOT_SEARCHED, comma_separated, markdown_table
from metaeval import reproduce
from metaeval.model.report import Table

_INTRODUCTION = """\
# The papers' tables

<!-- Made by docs/generate.py from the tables in metaeval/papers; edit those. -->

Printed numbers of five papers by the verdict of [`metaeval reproduce`](how-to/reproduce.md), which has no data of the
shared tasks here. *Exact*: equal at the printed precision. *Within rounding*, *within chance*: possible, since the
printed inputs are rounded or random. *Unattainable*: possible with no data. Every number, with what was computed and
why: [reproduction.csv](assets/reproduction.csv).
"""


def reproduction_page() -> str:
    """A table of the verdicts, and a table of the numbers that differ."""
    report = reproduce()
    verdicts = report.table("verdicts")
    header = [column.name.replace("_", " ") for column in verdicts.columns]
    counts = [[str(value) for value in row.values()] for row in verdicts.records()]
    return NOT_SEARCHED + "\n\n".join(
        [
            _INTRODUCTION.rstrip(),
            markdown_table(header, counts),
            "## Numbers that differ, or that no data give",
            _differences(report.table("findings")) + "\n",
        ]
    )


def _differences(table: Table) -> str:
    rows = [
        [
            str(row["paper"]),
            str(row["place"]).replace("*", "\\*"),
            str(row["printed"]),
            "—" if row["computed"] is None else f"{row['computed']:.4f}",
        ]
        for row in table.records()
    ]
    return markdown_table(["paper", "place", "printed", "computed"], rows)


def reproduction_data() -> str:
    """docs/assets/reproduction.csv: every printed number."""
    return comma_separated(reproduce().table("reproduction").records())
