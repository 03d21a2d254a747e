"""The table, notes and findings of `summary`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.merge_classes.compute import MergeEffects
from metaeval.analyses.merge_classes.tables import on_merges
from metaeval.analyses.similarity.compute import Similarities
from metaeval.analyses.stability.compute import Stabilities
from metaeval.analyses.stability.tables import on_stability
from metaeval.analyses.summary.compute import compare_criteria
from metaeval.analyses.summary.settings import SummarySettings
from metaeval.errors import pluralize
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.stats.intervals import defined_mean, percentile_interval
from metaeval.study.evidence import named_clusters
from metaeval.study.study import AnalysisOutput, Study

Floats: TypeAlias = NDArray[np.float64]

CONSISTENCY = "consistency: mean tau between the rankings on random halves{}, higher is better"
DISCRIMINATION = "discrimination: mean tau between the rankings before and after a merge of classes, lower is better"
CONSISTENCY_BOUNDS = "its low, high: 95 % interval of the expected tau on other items"
DISCRIMINATION_BOUNDS = "its low, high: middle 95 % of bootstrap resamples"

ALPHA = 0.05
"""Significance level of the differences that findings name."""


def groups_table(study: Study, similarities: Similarities) -> Table:
    """The extract of similarity: measure, group."""
    rows = tuple(zip(study.measure_names, similarities.groups.letters, strict=True))
    return Table("groups", "Groups of measures with similar rankings", (Column("measure"), Column("group")), rows)


def consistency_table(study: Study, stabilities: Stabilities) -> Table:
    """The extract of stability: measure, mean, low, high, expected, p (adjusted, against the most stable measure)."""
    comparison = stabilities.comparison
    mean = defined_mean(stabilities.consistency.tau)
    values = (mean, comparison.low, np.minimum(comparison.high, 1.0), stabilities.expected, stabilities.p_with_best)
    return _of_measures("consistency", study, values, ("mean", "low", "high", "expected", "p"))


def discrimination_table(study: Study, merges: MergeEffects) -> Table:
    """The extract of merge-classes: measure, mean, low, high."""
    interval = percentile_interval(defined_mean(merges.drawn, axis=1))
    return _of_measures("discrimination", study, (merges.means, *interval), ("mean", "low", "high"))


def _of_measures(name: str, study: Study, values: Iterable[Floats], heads: Sequence[str]) -> Table:
    columns = (Column("measure"), *(Column(head, Kind.SCORE) for head in heads))
    cells = (study.measure_names, *(of_head.tolist() for of_head in values))
    return Table(name, name.capitalize(), columns, tuple(zip(*cells, strict=True)))


extracts: dict[str, Callable[[Study, Any], Table]] = {
    "similarity": groups_table,
    "stability": consistency_table,
    "merge-classes": discrimination_table,
}
"""The part of the results of each analysis that the summary combines."""


def tabulate(study: Study, settings: SummarySettings, result: Mapping[str, Table]) -> AnalysisOutput:
    """The table, notes and findings of `summary`, from the extracts of the analyses.

    Without classes, the table has neither discrimination nor pareto.
    """
    names = study.measure_names
    *of_consistency, expected, p = _numbers(result["stability"])
    consistency = np.array(of_consistency)
    discrimination = _numbers(result["merge-classes"]) if "merge-classes" in result else None
    criteria = compare_criteria(consistency[0], None if discrimination is None else discrimination[0])
    columns = _criterion("consistency", consistency, criteria.consistency_ranks, higher_is_better=True)
    named = [each.column for each in named_clusters(study)]
    halves = CONSISTENCY.format(f" of clusters of {' and of '.join(named)}" if named else "")
    notes = [f"{halves}; {CONSISTENCY_BOUNDS}", *_undefined(names, consistency[0])]
    sentences = on_stability(names, expected, p, alpha=ALPHA)
    if discrimination is not None and criteria.discrimination_ranks is not None and criteria.pareto is not None:
        columns += _criterion("discrimination", discrimination, criteria.discrimination_ranks, higher_is_better=False)
        columns.append((Column("pareto", Kind.FLAG), criteria.pareto.tolist()))
        notes = [
            f"{halves}; {CONSISTENCY_BOUNDS}",
            f"{DISCRIMINATION}; {DISCRIMINATION_BOUNDS}",
            *_undefined(names, consistency[0], discrimination[0]),
        ]
        sentences += [*on_merges(names, discrimination[0]), *findings(names, criteria.pareto)]
    letters = [group for _, group in result["similarity"].rows]
    heads, cells = zip(*columns, strict=True)
    rows = tuple(zip(names, letters, *cells, strict=True))
    title = f"Criteria for {pluralize(len(names), 'measure')} on {len(study.systems)} systems"
    return AnalysisOutput(
        [Table("summary", title, (Column("measure"), Column("group"), *heads), rows)], notes, sentences
    )


def findings(names: Sequence[str], pareto: NDArray[np.bool_]) -> list[Finding]:
    """The measures that are Pareto-optimal; pareto: (M,)."""
    optimal = [name for name, is_optimal in zip(names, pareto, strict=True) if is_optimal]
    return [Finding("summary", f"Pareto-optimal (•) in both criteria: {', '.join(optimal)}")] if optimal else []


def _numbers(table: Table) -> Floats:
    """The columns after the first: means, lower and upper bounds of measures, (3, M)."""
    return np.array([cells for _, *cells in table.rows], dtype=np.float64).T


def _criterion(
    name: str, numbers: Floats, ranks: Floats, *, higher_is_better: bool
) -> list[tuple[Column, Sequence[Cell]]]:
    """The columns of a criterion: values, interval and ranks; numbers: means, lower and upper bounds, (3, M)."""
    values, low, high = numbers.tolist()
    return [
        (Column(name, Kind.SCORE, higher_is_better=higher_is_better), values),
        (Column(f"{name}_low", Kind.SCORE, head="low"), low),
        (Column(f"{name}_high", Kind.SCORE, head="high"), high),
        (Column(f"{name}_rank", Kind.COUNT, head="rank"), [None if rank != rank else int(rank) for rank in ranks]),
    ]


def _undefined(names: Sequence[str], *criteria: Floats) -> list[str]:
    undefined = ", ".join(names[place] for place in np.flatnonzero(np.isnan(criteria).any(axis=0)).tolist())
    return [f"{undefined}: a criterion is undefined (—), because a ranking ties all systems"] if undefined else []
