"""The table, the finding and the plot of `toy`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.toy.settings import ToySettings
from metaeval.errors import pluralize
from metaeval.model.report import Finding, score, table, text
from metaeval.render.plots.columns import numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series
from metaeval.study.study import AnalysisOutput, Study


def tabulate(study: Study, settings: ToySettings, result: NDArray[np.float64]) -> AnalysisOutput:
    """Table `toy`: measure, difference."""
    main = table(
        "toy",
        f"Quantile {settings.quantile:g} of the differences of two systems",
        text("measure", study.measure_names),
        score("difference", result, about="quantile over all pairs of systems"),
    )
    if np.isnan(result).all():
        return AnalysisOutput([main])
    largest = int(np.nanargmax(result))
    sentence = f"differences between systems are largest under {study.measure_names[largest]} ({result[largest]:.2f})"
    return AnalysisOutput([main], findings=[Finding("toy", sentence)])


@plot("toy", title="Differences of systems under each measure", needs=("toy",))
def toy(tables: Tables) -> Picture | None:
    """A dot for each measure; None if no difference is defined."""
    names, differences = texts(tables["toy"], "measure"), numbers(tables["toy"], "difference")
    if np.isnan(differences).all():
        return None
    panel = Panel(rows=names, series=[Series(differences)])
    alt = f"Dot plot of {pluralize(len(names), 'measure')}."
    return Picture(alt, DotPlot(panels=[panel], across="difference").draw)
