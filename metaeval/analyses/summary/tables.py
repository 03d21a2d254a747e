"""The table of `summary`, and what to say of it."""

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
from metaeval.errors import counted
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.stats.intervals import defined_mean, percentile_interval
from metaeval.study.study import Part, Study

Floats: TypeAlias = NDArray[np.float64]

CONSISTENCY = "consistency: mean tau of the rankings on random halves, higher is better"
DISCRIMINATION = "discrimination: mean tau of the rankings before and after a merge of classes, lower is better"
BOUNDS = "low and high bound the middle 95 %"


def groups_table(study: Study, similarities: Similarities) -> Table:
    """What the summary takes from similarity: measure, group."""
    rows = tuple(zip(study.measure_names, similarities.groups.letters, strict=True))
    return Table("groups", "Groups of measures that rank alike", (Column("measure"), Column("group")), rows)


def consistency_table(study: Study, stabilities: Stabilities) -> Table:
    """What the summary takes from stability: measure, mean, low, high."""
    tau = stabilities.consistency.tau
    return _of_measures("consistency", study, defined_mean(tau), percentile_interval(tau))


def discrimination_table(study: Study, merges: MergeEffects) -> Table:
    """What the summary takes from merges: measure, mean, low, high."""
    interval = percentile_interval(defined_mean(merges.drawn, axis=1))
    return _of_measures("discrimination", study, merges.means, interval)


def _of_measures(name: str, study: Study, means: Floats, interval: Iterable[Floats]) -> Table:
    columns = (Column("measure"), *(Column(part, Kind.SCORE) for part in ("mean", "low", "high")))
    cells = (study.measure_names, *(values.tolist() for values in (means, *interval)))
    return Table(name, name.capitalize(), columns, tuple(zip(*cells, strict=True)))


extracts: dict[str, Callable[[Study, Any], Table]] = {
    "similarity": groups_table,
    "stability": consistency_table,
    "merge-classes": discrimination_table,
}
"""What the summary takes from the results of each analysis that it combines."""


def tabulate(study: Study, settings: SummarySettings, found: Mapping[str, Table]) -> Part:
    """The table of `summary`, and its reading in a sentence a criterion; found: the extract of each analysis.

    `summary`: measure, group, consistency, consistency_low, consistency_high, consistency_rank, discrimination,
    discrimination_low, discrimination_high, discrimination_rank, pareto. Consistency is the mean tau of random halves,
    discrimination the mean tau over merges of classes (lower is better); intervals bound the middle 95 % of the trials.
    Items without classes have neither discrimination nor pareto.
    """
    names = study.measure_names
    consistency = _numbers(found["stability"])
    discrimination = _numbers(found["merge-classes"]) if "merge-classes" in found else None
    criteria = compare_criteria(consistency[0], None if discrimination is None else discrimination[0])
    columns = _criterion("consistency", consistency, criteria.consistency_ranks, higher_is_better=True)
    notes = [f"{CONSISTENCY}; {BOUNDS}", *_undefined(names, consistency[0])]
    sentences = on_stability(names, consistency[0])
    if discrimination is not None and criteria.discrimination_ranks is not None and criteria.pareto is not None:
        columns += _criterion("discrimination", discrimination, criteria.discrimination_ranks, higher_is_better=False)
        columns.append((Column("pareto", Kind.FLAG), criteria.pareto.tolist()))
        notes = [
            f"{CONSISTENCY}; {DISCRIMINATION}; {BOUNDS}",
            *_undefined(names, consistency[0], discrimination[0]),
        ]
        sentences += [*on_merges(names, discrimination[0]), *findings(names, criteria.pareto)]
    letters = [group for _, group in found["similarity"].rows]
    rows = tuple((name, letters[place], *(cells[place] for _, cells in columns)) for place, name in enumerate(names))
    title = f"Criteria for {counted(len(names), 'measure')} on {len(study.systems)} systems"
    heads = (Column("measure"), Column("group"), *(column for column, _ in columns))
    return Part([Table("summary", title, heads, rows)], notes, sentences)


def findings(names: Sequence[str], pareto: NDArray[np.bool_]) -> list[Finding]:
    """Which measures no other one is better than on every criterion; pareto: (M,)."""
    chosen = [name for name, is_best in zip(names, pareto, strict=True) if is_best]
    told = f"Pareto-best (•), none is as good on both and better on one: {', '.join(chosen)}"
    return [Finding("summary", told)] if chosen else []


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
        (
            Column(f"{name}_rank", Kind.COUNT, head="rank"),
            [None if np.isnan(rank) else int(rank) for rank in ranks.tolist()],
        ),
    ]


def _undefined(names: Sequence[str], *criteria: NDArray[np.float64]) -> list[str]:
    unknown = np.flatnonzero(np.isnan(criteria).any(axis=0)).tolist()
    without = ", ".join(names[place] for place in unknown)
    return [f"{without}: a criterion is undefined (—), because a ranking puts all systems alike"] if unknown else []
