"""The tables of `similarity`, and what to say of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import every, listed
from metaeval.analyses.similarity.compute import Groups, Similarities
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.errors import counted
from metaeval.model.report import Column, Finding, Kind, Table
from metaeval.stats.association import STRENGTHS
from metaeval.stats.intervals import percentile_interval
from metaeval.study.study import Part, Study, undefined_notes


def tabulate(study: Study, settings: SimilaritySettings, found: Similarities) -> Part:
    """The tables of `similarity`, and what to say of them."""
    names = study.measure_names
    order = found.groups.order
    matrix = Table(
        "similarity",
        f"Similarity of rankings ({settings.coefficient}) of {len(study.systems)} systems",
        (Column("measure"), *(Column(names[place], Kind.SCORE, bands=STRENGTHS) for place in order)),
        tuple((names[row], *(float(found.values[row, column]) for column in order)) for row in order),
    )
    groups = Table(
        "groups",
        f"Groups of measures that rank alike (average linkage on 1 − similarity, cut at {settings.cut:g})",
        (Column("measure"), Column("group")),
        tuple((names[place], found.groups.letters[place]) for place in order),
    )
    tables = [matrix, groups]
    if len(found.groups.tree):
        tables.append(_tree(names, found.groups))
    if len(found.drawn) and len(names) > 1:
        tables.append(_intervals(names, order, found))
    notes = undefined_notes(study.scores)
    constant = [names[place] for place in order if np.isnan(found.values[place, place])]
    if constant:
        notes.append(f"{', '.join(constant)} ranks all systems alike, so that its similarity to others is undefined")
    return Part(tables, notes, findings(names, found.values, found.groups))


def _tree(names: Sequence[str], groups: Groups) -> Table:
    """The merges of the cluster tree, nearest first; a merge is called by its number in parentheses."""
    leaves = [names[place] for place in groups.leaves]
    called = [*leaves, *(f"({number})" for number in range(1, len(groups.tree) + 1))]
    rows = tuple(
        (number, called[int(one)], called[int(other)], float(distance), int(measures))
        for number, (one, other, distance, measures) in enumerate(groups.tree.tolist(), start=1)
    )
    return Table(
        "similarity_tree",
        "The cluster tree: which measures, or earlier merges, are joined at which distance (1 − similarity)",
        (
            Column("merge", Kind.COUNT),
            Column("one"),
            Column("other"),
            Column("distance", Kind.SCORE),
            Column("measures", Kind.COUNT),
        ),
        rows,
        detail=True,
    )


def _intervals(names: Sequence[str], order: Sequence[int], found: Similarities) -> Table:
    low, high = percentile_interval(found.drawn)
    undefined = np.isnan(found.drawn).sum(axis=0)
    pairs = [(one, other) for place, one in enumerate(order) for other in order[place + 1 :]]
    return Table(
        "similarity_intervals",
        f"95 % intervals, bootstrap over items ({len(found.drawn):,} replicates)",
        (
            Column("measure"),
            Column("other"),
            *(Column(name, Kind.SCORE) for name in ("value", "low", "high")),
            Column("undefined", Kind.COUNT),
        ),
        tuple(
            (
                names[one],
                names[other],
                float(found.values[one, other]),
                float(low[one, other]),
                float(high[one, other]),
                int(undefined[one, other]),
            )
            for one, other in pairs
        ),
    )


def findings(names: Sequence[str], values: NDArray[np.float64], groups: Groups) -> list[Finding]:
    """How many kinds of measures there are, and which two differ most; values: (M, M)."""
    one, other = np.triu_indices(len(names), k=1)
    pairs = values[one, other]
    if np.isnan(pairs).all():
        return []
    kinds: dict[str, list[str]] = {}
    for place in groups.order:
        kinds.setdefault(groups.letters[place], []).append(names[place])
    kinds.pop("—", None)
    least = int(np.nanargmin(pairs))
    apart = f"{names[one[least]]} and {names[other[least]]} are least alike ({pairs[least]:.2f})"
    if len(kinds) == 1:
        return [Finding("similarity", f"{every(len(names))} fall into one group; {apart}")]
    told = "; ".join(f"{letter}: {listed(members)}" for letter, members in kinds.items())
    sentence = f"the measures fall into {counted(len(kinds), 'group')} that rank systems alike ({told}); {apart}"
    return [Finding("similarity", sentence)]
