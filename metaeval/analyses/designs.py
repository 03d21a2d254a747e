"""What makes the scores of single items differ, from which follows what more items or runs would buy."""

from __future__ import annotations

import numpy as np

from metaeval.inference.components import Components, tau_of_coefficient
from metaeval.model.report import Cell, Column, Kind, Table, columns
from metaeval.steps import steps
from metaeval.study.capabilities import ADDITIVE, REPLICATES
from metaeval.study.study import Study

SIZES = (0.5, 1, 2, 4)
"""Sizes of other tests, relative to the items of the data."""

RUNS = (1, 2, 3, 5, 10)
"""Numbers of runs of each system."""


def components_of(study: Study, what: str) -> dict[int, Components]:
    """The variance components by index of the measure, of those that are means over items, defined for every item.

    what: the analysis that needs them. Clusters of the items are at most one column.
    """
    replicates = study.find(REPLICATES)
    additive = study.need(ADDITIVE, what) if replicates is None else replicates.of_runs
    systems = np.arange(len(study.systems)) if replicates is None else replicates.system_of_run
    codes = study.origin.clusters[0].codes if study.origin.clusters else None
    places = steps(additive.places, "Components of variance")
    worths = ((place, additive.worths(place)) for place in places)
    return {place: Components.of(values, systems, codes) for place, values in worths if not np.isnan(values).any()}


def table_of_designs(study: Study, components: dict[int, Components], name: str) -> Table:
    """The reliability of tests with other numbers of items and runs; name: of the table."""
    rows: list[tuple[Cell, ...]] = []
    for place, each in components.items():
        for runs in RUNS if each.freedom[1] > 0 else (1,):
            for size in SIZES:
                items = round(each.items * size)
                value = each.coefficient(items, runs)
                rows.append((study.measure_names[place], items, runs, value, tau_of_coefficient(value)))
    heads = (Column("measure"), Column("items", Kind.COUNT), Column("runs", Kind.COUNT))
    title = "Reliability of tests with other numbers of items, and of runs of each system"
    return Table(name, title, (*heads, *columns(Kind.SCORE, "coefficient", "tau")), tuple(rows))
