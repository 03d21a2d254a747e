"""The table of repeated runs of judges, and columns of values with their intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from metaeval.model.report import Cells, Table, count, p_value, score, table, text
from metaeval.stats.rater_pairs import RunConsistency


def with_interval(name: str, cells: Sequence[Sequence[float] | None], **more: Any) -> list[Cells]:
    """A column of values, and those of the ends of their intervals; cells: value, low and high of each row."""
    rows = [(math.nan,) * 3 if cell is None else tuple(cell[:3]) for cell in cells]
    ends = f"{name}_low", f"{name}_high"
    first, low, high = ([row[index] for row in rows] for index in range(3))
    return [score(name, first, interval=ends, **more), score(ends[0], low), score(ends[1], high)]


def table_of_runs(
    name: str, runs: Mapping[str, RunConsistency], *, equal: bool, judge: str = "judge", truth: str = "people"
) -> Table:
    """How consistent each judge is; equal: whether ratings are equal or not, and no measurements.

    judge: the column of those who rate. truth: with what single runs are compared.
    """
    rows = [*runs.values()]
    value = "consistency" if equal else "between_runs"
    about = "share of equal pairs of runs" if equal else "mean size of the difference between two runs"
    return table(
        name,
        f"Repeated runs of the {judge}",
        text(judge, [*runs]),
        count("runs", [row.runs for row in rows]),
        *with_interval(value, [(row.value, row.low, row.high) for row in rows], about=about),
        *with_interval(
            "excess",
            [tuple(map(float, row.excess[:3])) for row in rows],
            about=f"by how much the {judge} differs more from {truth} than from itself",
        ),
        p_value("p", [float(row.excess.p) for row in rows]),
    )
