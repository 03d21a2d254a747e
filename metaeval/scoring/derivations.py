"""Item scores of derivations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from metaeval.arrays import Floats
from metaeval.measures.spec import Measure
from metaeval.measures.text.matches import cut
from metaeval.measures.text.overlap import Rouge
from metaeval.model.data_kind import DataKind
from metaeval.model.scores import ItemScores
from metaeval.model.texts import Derivation, DerivationRuns
from metaeval.scoring.evaluation import evaluate, score_plan, whole_grid
from metaeval.scoring.plan import Pieces, Plan, picklable_by_name

STEPS_AT_ONCE = 20_000
"""Maximum steps of references in a block of several items."""

STEPS_FOR_PROCESSES = 50_000
"""Steps of references, times systems, from which processes are worth starting."""


def plan_derivations(runs: DerivationRuns, measures: Sequence[Measure]) -> Plan[slice, Floats]:
    """How to score derivations: blocks of items, each to scores (M, S, items of the block).

    A measure that reads other data is an `InputError`.
    """
    for measure in measures:
        measure.check_reads(DataKind.DERIVATIONS)
    steps = np.array([sum(map(len, of_item)) for of_item in runs.references], dtype=np.int64)
    pieces = Pieces(
        partial(_piece, runs),
        partial(_score_piece, tuple(measures)),
        large=int(steps.sum()) * len(runs.systems) >= STEPS_FOR_PROCESSES and picklable_by_name(measures),
    )
    return Plan.in_pieces(tuple(cut(steps + 1, STEPS_AT_ONCE)), pieces)


def score_derivations(runs: DerivationRuns, measures: Sequence[Measure]) -> ItemScores:
    """Scores of every item of every system under every measure.

    Parameters
    ----------
    runs
        Derivations of S systems for N items.
    measures
        M measures.

    Returns
    -------
    ItemScores
        Values (M, S, N).

    Raises
    ------
    InputError
        If a measure does not read derivations.
    """
    return score_plan(plan_derivations(runs, measures), measures, runs)


def _compare(
    candidates: Sequence[Derivation],
    references: Sequence[Sequence[Derivation]],
    measure: Measure,
    arguments: dict[str, Any],
) -> Rouge:
    return cast(Rouge, whole_grid(measure)(candidates, references, **arguments))


class _Piece(NamedTuple):
    """The derivations of a block of items; see `DerivationRuns`."""

    outputs: tuple[tuple[Derivation, ...], ...]
    references: tuple[tuple[Derivation, ...], ...]


def _piece(runs: DerivationRuns, block: slice) -> _Piece:
    return _Piece(tuple(outputs[block] for outputs in runs.outputs), runs.references[block])


def _score_piece(measures: Sequence[Measure], piece: _Piece) -> Floats:
    scores = np.empty((len(measures), len(piece.outputs), len(piece.references)))
    for system, candidates in enumerate(piece.outputs):
        by_measure = evaluate(measures, partial(_compare, candidates, piece.references))
        scores[:, system] = np.stack(by_measure) if by_measure else 0.0
    return scores
