"""The table of `toy`, and its finding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.toy.settings import ToySettings
from metaeval.model.report import Column, Finding, Kind, Table
from metaeval.study.study import AnalysisOutput, Study


def tabulate(study: Study, settings: ToySettings, result: NDArray[np.float64]) -> AnalysisOutput:
    """Table `toy`: measure, difference."""
    rows = tuple(zip(study.measure_names, result.tolist(), strict=True))
    title = f"Quantile {settings.quantile:g} of the differences of two systems"
    table = Table("toy", title, (Column("measure"), Column("difference", Kind.SCORE)), rows)
    if np.isnan(result).all():
        return AnalysisOutput([table])
    largest = int(np.nanargmax(result))
    sentence = f"differences between systems are largest under {study.measure_names[largest]} ({result[largest]:.2f})"
    return AnalysisOutput([table], (), [Finding("toy", sentence)])
