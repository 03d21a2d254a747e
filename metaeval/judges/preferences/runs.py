"""Repeated runs of a judge: how often two of them agree, beside how often one agrees with people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.arrays import Bools, Indices
from metaeval.judges.preferences.groups import compact
from metaeval.judges.preferences.study import Raters, Verdicts
from metaeval.stats.rater_pairs import Pairs, RunConsistency, run_consistency


def consistency_of(verdicts: Verdicts, judges: Sequence[Raters], people: Bools) -> dict[str, RunConsistency]:
    """The consistency of each judge with repeated runs, by name; people: their verdicts, (V,)."""
    results: dict[str, RunConsistency] = {}
    if verdicts.runs is None:
        return results
    humans = np.flatnonzero(people)
    humans = humans[np.argsort(verdicts.units[humans], kind="stable")]
    for name, is_judge in judges:
        rows = np.flatnonzero(is_judge & (verdicts.runs >= 0))
        names, run = compact(verdicts.runs[rows]) if len(rows) else (rows, rows)
        if len(names) < 2:
            continue
        _, first, unit = np.unique(verdicts.outputs[rows], return_index=True, return_inverse=True)
        outcomes = np.full((len(names), len(first)), np.nan)
        outcomes[run, unit] = verdicts.outcome[rows]
        clusters = compact(verdicts.clusters[rows[first]])[1]
        with_people = _with_people(verdicts, rows, humans, unit, clusters)
        if result := run_consistency(outcomes, (clusters, clusters), with_people, categories=True):
            results[name] = result
    return results


def _with_people(verdicts: Verdicts, rows: Indices, humans: Indices, unit: Indices, clusters: Indices) -> Pairs:
    """Each verdict of a judge with each of people on the same outputs.

    humans: verdicts of people by what they are on. unit: what each verdict of the judge is on, and in which order.
    clusters: of each such unit.
    """
    human_units = verdicts.units[humans]
    begin, end = (np.searchsorted(human_units, verdicts.units[rows], side) for side in ("left", "right"))
    number = end - begin
    positions = np.repeat(np.arange(len(rows)), number)
    human = humans[np.arange(len(positions)) - np.repeat(np.cumsum(number) - number - begin, number)]
    one, other = (verdicts.outcome[indices].astype(np.float64) for indices in (human, rows[positions]))
    pair_units = unit[positions]
    return Pairs(one, other, pair_units, clusters[pair_units], clusters[pair_units])
