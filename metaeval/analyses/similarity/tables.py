"""Tables, notes and findings of `similarity`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import every, join_names
from metaeval.analyses.similarity.compute import Groups, Similarities
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.errors import pluralize
from metaeval.model.report import Column, Finding, Kind, Table
from metaeval.stats.association import STRENGTHS
from metaeval.stats.intervals import percentile_interval
from metaeval.study.study import AnalysisOutput, Study, undefined_notes


def tabulate(study: Study, settings: SimilaritySettings, result: Similarities) -> AnalysisOutput:
    """Tables `similarity`, `groups`, `similarity_tree` and `similarity_intervals`."""
    names, order = study.measure_names, result.groups.order
    matrix = Table(
        "similarity",
        f"Similarity of rankings ({settings.coefficient}) of {len(study.systems)} systems",
        (Column("measure"), *(Column(names[place], Kind.SCORE, bands=STRENGTHS) for place in order)),
        tuple((names[row], *(float(result.values[row, column]) for column in order)) for row in order),
    )
    groups = Table(
        "groups",
        f"Groups of measures with similar rankings (average linkage on 1 − similarity, cut at {settings.cut:g})",
        (Column("measure"), Column("group")),
        tuple((names[place], result.groups.letters[place]) for place in order),
    )
    tables = [matrix, groups]
    if len(result.groups.tree):
        tables.append(_tree(names, result.groups))
    if len(result.resamples) and len(names) > 1:
        tables.append(_intervals(names, result))
    notes = undefined_notes(study.scores)
    constant = [names[place] for place in order if np.isnan(result.values[place, place])]
    if constant:
        notes.append(f"undefined similarity (—) of {', '.join(constant)}: all systems are tied")
    return AnalysisOutput(tables, notes, findings(names, result.values, result.groups, settings.coefficient))


def _tree(names: Sequence[str], groups: Groups) -> Table:
    """The merges of the cluster tree, nearest first; a merge is named by its number in parentheses."""
    nodes = [*(names[place] for place in groups.leaves), *(f"({place + 1})" for place in range(len(groups.tree)))]
    rows = tuple(
        (number, nodes[int(one)], nodes[int(other)], float(distance), int(measures))
        for number, (one, other, distance, measures) in enumerate(groups.tree.tolist(), start=1)
    )
    columns = (
        *(Column("merge", Kind.COUNT), Column("one"), Column("other")),
        *(Column("distance", Kind.SCORE), Column("measures", Kind.COUNT)),
    )
    title = "Cluster tree: the measures or earlier merges that are joined at each distance (1 − similarity)"
    return Table("similarity_tree", title, columns, rows, detail=True)


def _intervals(names: Sequence[str], result: Similarities) -> Table:
    low, high = percentile_interval(result.resamples)
    undefined = np.isnan(result.resamples).sum(axis=0)
    order = np.array(result.groups.order)
    columns = (
        *(Column("measure"), Column("other")),
        *(Column(name, Kind.SCORE) for name in ("value", "low", "high")),
        Column("undefined", Kind.COUNT),
    )
    rows = tuple(
        (names[one], names[other], *(float(each[one, other]) for each in (result.values, low, high)),
         int(undefined[one, other]))
        for one, other in order[np.stack(np.triu_indices(len(order), k=1), axis=1)].tolist()
    )  # fmt: skip
    title = f"95 % bootstrap intervals ({pluralize(len(result.resamples), 'resample')} of the items)"
    return Table("similarity_intervals", title, columns, rows)


def findings(names: Sequence[str], values: NDArray[np.float64], groups: Groups, coefficient: str) -> list[Finding]:
    """The groups of measures, and the pair with the lowest similarity; values: (M, M)."""
    one, other = np.triu_indices(len(names), k=1)
    pairs = values[one, other]
    if np.isnan(pairs).all():
        return []
    members: dict[str, list[str]] = {}
    for place in groups.order:
        members.setdefault(groups.letters[place], []).append(names[place])
    members.pop("—", None)
    lowest = int(np.nanargmin(pairs))
    pair = f"{names[one[lowest]]} and {names[other[lowest]]} are the least similar ({coefficient} {pairs[lowest]:.2f})"
    if len(members) == 1:
        return [Finding("similarity", f"{every(len(names))} form one group of similar rankings; {pair}")]
    listed = "; ".join(f"{letter}: {join_names(own)}" for letter, own in members.items())
    return [Finding("similarity", f"the measures form {len(members)} groups of similar rankings ({listed}); {pair}")]
