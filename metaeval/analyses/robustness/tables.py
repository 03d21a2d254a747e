"""The tables of `robustness`, and what to say of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.robustness.compute import Robustness
from metaeval.analyses.robustness.settings import RobustnessSettings
from metaeval.analyses.sentences import listed
from metaeval.errors import counted
from metaeval.model.report import Column, Finding, Kind, Table
from metaeval.study.study import Part, Study, undefined_notes


def tabulate(study: Study, settings: RobustnessSettings, found: Robustness) -> Part:
    """The tables of `robustness`, and what to say of them."""
    names, scores = study.measure_names, found.scores
    counts = [Column(system, Kind.COUNT) for system in scores.systems]
    values = [Column(system, Kind.SCORE) for system in scores.systems]
    title = f"How many of {counted(len(study.systems), 'real system')} each trivial one beats"
    beside = Table(
        "robustness_scores",
        "Scores of the trivial systems",
        (Column("measure"), *values),
        tuple((name, *row) for name, row in zip(names, scores.values.tolist(), strict=True)),
    )
    table = Table(
        "robustness",
        f"{title} (its score)",
        (Column("measure"), *counts),
        tuple((name, *row) for name, row in zip(names, found.beaten.tolist(), strict=True)),
        beside=beside,
    )
    headline = findings(names, scores.systems, found.beaten, systems=len(study.systems))
    return Part([table], [*found.notes, *undefined_notes(scores)], headline)


def findings(names: Sequence[str], trivial: Sequence[str], beaten: NDArray[np.intp], *, systems: int) -> list[Finding]:
    """Which measures are gamed most; beaten: real systems by measure and trivial system."""
    most = int(beaten.max(initial=0))
    if not most:
        return [Finding("robustness", "no trivial system beats any real one under any measure")]
    measure, system = (int(place) for place in np.unravel_index(beaten.argmax(), beaten.shape))
    told = f"under {names[measure]} {trivial[system]} beats {most} of {systems} real systems"
    never = [name for name, row in zip(names, beaten, strict=True) if not row.any()]
    return [Finding("robustness", f"{told}; not gamed by any: {listed(never)}" if never else told)]
