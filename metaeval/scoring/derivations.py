"""Item scores of derivations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from metaeval.measures.spec import Measure
from metaeval.measures.text.matches import cut
from metaeval.measures.text.overlap import Rouge
from metaeval.model.material import Material
from metaeval.model.scores import ItemScores
from metaeval.model.texts import Derivation, DerivationRuns
from metaeval.scoring.evaluation import Values, evaluate, item_scores, whole_grid
from metaeval.scoring.plan import Plan

STEPS_AT_ONCE = 20_000
"""Steps of references that a block of items has at most, if an item has no more."""


def plan_derivations(runs: DerivationRuns, measures: Sequence[Measure]) -> Plan[slice, Values]:
    """How to score derivations: blocks of items, each to scores (M, S, items of the block).

    A measure of something else is an `InputError`.
    """
    for measure in measures:
        measure.check_reads(Material.DERIVATIONS)
    steps = np.array([sum(map(len, of_item)) for of_item in runs.references], dtype=np.int64)
    return Plan(tuple(cut(steps + 1, STEPS_AT_ONCE)), partial(_score_block, runs, measures))


def score_derivations(runs: DerivationRuns, measures: Sequence[Measure]) -> ItemScores:
    """Every item of every system under every measure; values (M, S, N)."""
    plan = plan_derivations(runs, measures)
    return item_scores([plan.score(block) for block in plan.blocks], measures, runs.systems, runs.items)


def _compare(
    candidates: Sequence[Derivation],
    references: Sequence[Sequence[Derivation]],
    measure: Measure,
    arguments: dict[str, Any],
) -> Rouge:
    return cast(Rouge, whole_grid(measure)(candidates, references, **arguments))


def _score_block(runs: DerivationRuns, measures: Sequence[Measure], block: slice) -> Values:
    references = runs.references[block]
    scores = np.empty((len(measures), len(runs.systems), len(references)))
    for system, outputs in enumerate(runs.outputs):
        candidates = outputs[block]
        found = evaluate(measures, partial(_compare, candidates, references))
        scores[:, system] = np.stack(found) if found else 0.0
    return scores
