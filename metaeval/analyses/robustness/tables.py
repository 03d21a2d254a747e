"""Tables and findings of `robustness`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.robustness.compute import Robustness
from metaeval.analyses.robustness.settings import RobustnessSettings
from metaeval.analyses.sentences import join_names
from metaeval.errors import pluralize
from metaeval.model.report import Column, Finding, Kind, Table, columns
from metaeval.study.study import AnalysisOutput, Study, undefined_notes


def tabulate(study: Study, settings: RobustnessSettings, result: Robustness) -> AnalysisOutput:
    """Tables and findings of `robustness`."""
    names, scores = study.measure_names, result.scores
    beside = Table(
        "robustness_scores",
        "Scores of the trivial systems",
        (Column("measure"), *columns(Kind.SCORE, *scores.systems)),
        tuple((name, *row) for name, row in zip(names, scores.values.tolist(), strict=True)),
    )
    table = Table(
        "robustness",
        f"How many of {pluralize(len(study.systems), 'real system')} each trivial system beats (its score)",
        (Column("measure"), *columns(Kind.COUNT, *scores.systems)),
        tuple((name, *row) for name, row in zip(names, result.beaten.tolist(), strict=True)),
        beside=beside,
    )
    sentences = findings(names, scores.systems, result.beaten, systems=len(study.systems))
    return AnalysisOutput([table], [*result.notes, *undefined_notes(scores)], sentences)


def findings(names: Sequence[str], trivial: Sequence[str], beaten: NDArray[np.intp], *, systems: int) -> list[Finding]:
    """The measure under which a trivial system beats most real ones; beaten: by measure and trivial system."""
    most = int(beaten.max(initial=0))
    if not most:
        return [Finding("robustness", "no trivial system beats any real one under any measure")]
    measure, system = (int(place) for place in np.unravel_index(beaten.argmax(), beaten.shape))
    text = f"under {names[measure]}, {trivial[system]} beats {most} of {systems} real systems"
    robust = [name for name, row in zip(names, beaten, strict=True) if not row.any()]
    return [
        Finding(
            "robustness", f"{text}; no trivial system beats a real one under {join_names(robust)}" if robust else text
        )
    ]
