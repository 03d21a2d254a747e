"""Do measures rank systems alike?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import on_similarity
from metaeval.config import ExperimentConfig, SimilarityConfig
from metaeval.io.dataset import Track
from metaeval.meta.similarity import Groups, group_alike, ranking_similarity
from metaeval.model.report import Column, Kind, Report, Table
from metaeval.scoring.resamples import bootstrap
from metaeval.stats.intervals import percentile_interval
from metaeval.study.read import read_study
from metaeval.study.study import Part, Study, check_rankable, silently, undefined_notes
from metaeval.work.blocks import in_blocks

STRENGTHS = (0.3, 0.6)
"""Below: weak; between: medium; from the second on: strong (Amemiya & Sakai 2021, Table 2)."""


@dataclass(frozen=True)
class Similarities:
    """What an analysis of similarity found.

    values: (M, M). drawn: of bootstrap replicates, (R, M, M); R may be 0.
    """

    values: NDArray[np.float64]
    groups: Groups
    drawn: NDArray[np.float64]


def similarity(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Correlations of the system rankings of every two measures, and groups of measures that rank alike.

    Table `similarity`: measure, then one column a measure, both in the order of the cluster tree. `groups`: measure,
    group. `similarity_tree`: merge, one, other, distance, measures. `similarity_intervals`: measure, other, value, low,
    high, undefined.
    """
    study = read_study(config, track=track)
    part = similarity_tables(study, find_similarities(study, track=track))
    section = study.config.similarity or SimilarityConfig()
    return study.report("similarity", part, command_line=command_line, sections=[section])


def find_similarities(study: Study, *, track: Track) -> Similarities:
    """Compute what `similarity` tells."""
    found = similarities_of_scores(study)
    wanted, config = study.config.similarity or SimilarityConfig(), study.config
    if not wanted.bootstrap:
        return found
    remedy = "say --bootstrap 0, or 'bootstrap: 0' under 'similarity:' in the config"
    samples = study.samples("a bootstrap over items", remedy)
    plan = bootstrap(samples, replicates=wanted.bootstrap, seed=config.seed, memory=config.block_memory)
    drawn = np.concatenate(
        in_blocks(
            plan,
            lambda cube: ranking_similarity(cube, coefficient=wanted.coefficient),
            workers=config.workers,
            track=track,
            doing="Bootstrap of similarity",
        )
    )
    return replace(found, drawn=drawn)


def similarities_of_scores(study: Study) -> Similarities:
    """What `similarity` tells without intervals, which is all that groups of measures need."""
    wanted = study.config.similarity or SimilarityConfig()
    check_rankable(study)
    values = ranking_similarity(study.scores, coefficient=wanted.coefficient)
    return Similarities(values, group_alike(values, cut=wanted.cut), np.empty((0, *values.shape)))


def similarity_tables(study: Study, found: Similarities) -> Part:
    """The tables of `similarity`, and what to say of them."""
    wanted = study.config.similarity or SimilarityConfig()
    names = study.measure_names
    order = found.groups.order
    matrix = Table(
        "similarity",
        f"Similarity of rankings ({wanted.coefficient}) of {len(study.systems)} systems",
        (Column("measure"), *(Column(names[place], Kind.SCORE, bands=STRENGTHS) for place in order)),
        tuple((names[row], *(float(found.values[row, column]) for column in order)) for row in order),
    )
    groups = Table(
        "groups",
        f"Groups of measures that rank alike (average linkage on 1 − similarity, cut at {wanted.cut:g})",
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
    return Part(tables, notes, on_similarity(names, found.values, found.groups))


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
