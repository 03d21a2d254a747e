"""The table of `toy`, and its finding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.toy.settings import ToySettings
from metaeval.study.study import Part, Study
from metaeval.model.report import Column, Finding, Kind, Table


def tabulate(study: Study, settings: ToySettings, found: NDArray[np.float64]) -> Part:
    """Table `toy`: measure, difference."""
    rows = tuple(zip(study.measure_names, found.tolist(), strict=True))
    title = f"Quantile {settings.quantile:g} of the differences of two systems"
    table = Table("toy", title, (Column("measure"), Column("difference", Kind.SCORE)), rows)
    most = study.measure_names[int(np.nanargmax(found))]
    return Part([table], (), [Finding("toy", f"systems are farthest apart under {most}")])
