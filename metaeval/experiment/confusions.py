"""What systems mistake for what."""

from __future__ import annotations

import numpy as np

from metaeval.model.labels import ClassRuns, NumericRuns
from metaeval.model.report import Cell, Column, Kind, Table
from metaeval.scoring.confusion import counts_of
from metaeval.stats.ratio import divide


def confusion_tables(runs: ClassRuns | NumericRuns) -> list[Table]:
    """Table `confusions`: for each system, gold class and predicted class the items, and their share of the gold class.

    None where systems predict numbers, or there is no system.
    """
    if isinstance(runs, NumericRuns) or not runs.systems:
        return []
    counts = counts_of(runs)
    shares = divide(counts.astype(np.float64), counts.sum(axis=-1, keepdims=True))
    labels = runs.scale.labels
    rows: list[tuple[Cell, ...]] = [
        (runs.systems[system], labels[gold], labels[predicted], int(items), float(shares[system, gold, predicted]))
        for (system, gold, predicted), items in np.ndenumerate(counts)
    ]
    columns = (*map(Column, ("system", "gold", "predicted")), Column("items", Kind.COUNT), Column("share", Kind.SCORE))
    title = "Confusion matrices: share of the items of each gold class"
    return [Table("confusions", title, columns, tuple(rows), detail=True)]
