"""Table, notes and finding of the biases of judges."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metaeval.analyses.sentences import ALPHA, join_names
from metaeval.arrays import Floats
from metaeval.errors import pluralize
from metaeval.judges.preferences.biases import FIRST, LONGER, NULL, OWN
from metaeval.judges.preferences.cells import value_cells
from metaeval.judges.preferences.judges import PEOPLE, JudgeStatistic
from metaeval.judges.preferences.study import PreferencesStudy
from metaeval.model.report import Note, Table, count, score, table, text

BIASES = {FIRST: "first outputs", LONGER: "longer outputs", OWN: "own family"}
"""What judges may be biased for."""


def table_of_biases(statistics: Sequence[JudgeStatistic], adjusted: Floats) -> Table:
    """Shares of judges less those of people, where people judged the same outputs."""
    ratios = np.array([one.difference for one in statistics]).T
    people = np.array([one.people for one in statistics])
    compared = np.array([one.compared for one in statistics])
    return table(
        "judge_biases",
        "Biases of judges: their share less that of people, on outputs that people also decided",
        text("judge", [one.judge for one in statistics]),
        text("statistic", [one.name for one in statistics]),
        score("share", people + ratios[0]),
        score("people", people),
        *value_cells("difference", (*ratios, adjusted[:, 1])),
        count("verdicts", compared, detail=True),
        order=np.flatnonzero(compared).tolist(),
    )


def on_biases(statistics: Sequence[JudgeStatistic], adjusted: Floats) -> list[str]:
    """The significant biases of judges: differences from people, or from one half where theirs are unknown."""
    biases, tested = [], False
    for one, (p, difference_p) in zip(statistics, adjusted.tolist(), strict=True):
        against_people = not math.isnan(difference_p)
        value = one.difference.value if against_people else one.share.value - NULL
        if one.judge == PEOPLE or one.name not in BIASES or math.isnan(p):
            continue
        tested = True
        if (difference_p if against_people else p) <= ALPHA:
            size = f"{round(100 * value):+d} points".replace("-", "−") if against_people else f"{one.share.value:.0%}"
            biases.append(f"{one.judge} {'for' if value > 0 else 'against'} {BIASES[one.name]} ({size})")
    if biases:
        return [f"Significant biases (adjusted p ≤ {ALPHA}): {join_names(biases)}"]
    return [f"No judge has a significant bias (adjusted p > {ALPHA})"] if tested else []


def notes_on_biases(study: PreferencesStudy, statistics: Sequence[JudgeStatistic]) -> list[Note | str]:
    """Where the order of the outputs may be that of the systems."""
    notes: list[Note | str] = []
    verdicts = study.verdicts
    if any(one.name == FIRST for one in statistics):
        shown = verdicts.displayed
        systems = len(verdicts.systems)
        orders = np.unique(verdicts.left[shown] * systems + verdicts.right[shown])
        fixed = int((~np.isin(orders % systems * systems + orders // systems, orders)).sum())
        if fixed:
            pairs = f"{pluralize(fixed, 'pair')} of systems always shown in the same order"
            notes.append(f"{pairs}: a preference for the first output may be one for the systems that are shown first")
    return notes
