"""Submissions of a shared task that are nobody's copy: those that `audit` takes for copies, or for shifted."""

from __future__ import annotations

from functools import partial

import numpy as np
from planted_faults import gold_and_runs

from metaeval.analyses.audit.pairs import compare_predictions
from metaeval.analyses.audit.shifts import find_shifts
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale
from simulations.scenarios import LEVEL, Bound, Outcome, Scenario

_RARE = Bound(at_most=0.001)


def _audited(random: np.random.Generator, *, items: int, systems: int, sort: bool) -> Outcome:
    """Whether some pair is nearly identical or some submission shifted; sort: whether gold is in blocks of a class."""
    gold, predicted = gold_and_runs(random, systems, items=items, classes=int(random.integers(2, 5)))
    order = np.argsort(gold, kind="stable") if sort else np.arange(items)
    names = tuple(map(str, range(items)))
    scale = ClassScale(tuple("abcd"))
    runs = LabelledRuns(names, gold[order], predicted[:, order].astype(np.uint8), names[:systems], scale)
    similar = compare_predictions(runs, runs.systems).nearly_identical
    return {"a nearly identical pair": float(similar.any()), "a shift": float(find_shifts(runs).significant.any())}


SCENARIOS = [
    Scenario(
        f"{systems} submissions on {items:,} items{', sorted by class' if sort else ''}",
        1000 if items < 2000 else 300,
        40 if items < 2000 else 10,
        partial(_audited, items=items, systems=systems, sort=sort),
        {"a nearly identical pair": LEVEL, "a shift": _RARE},
    )
    for items, systems, sort in ((40, 3, False), (40, 40, False), (300, 10, True), (300, 40, False), (3000, 40, False))
]
