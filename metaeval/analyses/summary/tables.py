"""The table, notes and findings of `summary`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.merge_classes.compute import MergeEffects
from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.merge_classes.tables import on_merges
from metaeval.analyses.sentences import ALPHA
from metaeval.analyses.similarity.compute import Similarities
from metaeval.analyses.stability.compute import Stabilities
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.analyses.stability.tables import on_stability
from metaeval.analyses.summary.compute import Criterion, pareto_optimal
from metaeval.analyses.summary.settings import SummarySettings
from metaeval.errors import pluralize
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.study.evidence import methods_of_tests, named_clusters, notes_on_clusters
from metaeval.study.study import AnalysisOutput, Study

Floats: TypeAlias = NDArray[np.float64]

CONSISTENCY = "consistency: mean tau between the rankings on random halves{}, higher is better"
DISCRIMINATION = "discrimination: mean tau between the rankings before and after a merge of classes, lower is better"
BOUNDS = "low, high: 95 % interval on other items"
LETTERS = (
    "measures that share a letter of a criterion are not significantly different in it (by expected tau in "
    "consistency, by corrected tau in discrimination)"
)
PARETO = (
    "pareto (•): no other measure is significantly better in one criterion and at least as good in the other, by "
    "expected and corrected tau"
)


def groups_table(study: Study, similarities: Similarities) -> Table:
    """The extract of similarity: measure, group."""
    rows = tuple(zip(study.measure_names, similarities.letters, strict=True))
    return Table("groups", "Groups of measures with similar rankings", (Column("measure"), Column("group")), rows)


def consistency_table(study: Study, stabilities: Stabilities) -> Table:
    """The extract of stability: measure, mean, low, high, expected, and p for every measure."""
    comparison = stabilities.comparison
    bounds = (comparison.low, np.minimum(comparison.high, 1.0))
    values = np.stack([stabilities.consistency.means, *bounds, stabilities.expected])
    return _of_measures("consistency", study, values, comparison.p)


def discrimination_table(study: Study, merges: MergeEffects) -> Table:
    """The extract of merge-classes: measure, mean, low, high, corrected, and p for every measure."""
    tests, measures = merges.tests, len(study.measure_names)
    if tests is None:
        untested = np.full((3, measures), np.nan)
        return _of_measures(
            "discrimination", study, np.stack([merges.means, *untested]), np.full((measures, measures), np.nan)
        )
    values = np.stack([merges.means, tests.low[-1], tests.high[-1], tests.corrected])
    return _of_measures("discrimination", study, values, tests.p)


def _of_measures(name: str, study: Study, values: Floats, p: Floats) -> Table:
    names = study.measure_names
    heads = ("mean", "low", "high", "tested", *(f"p {other}" for other in names))
    rows = tuple((of, *cells) for of, cells in zip(names, np.concatenate([values, p]).T.tolist(), strict=True))
    return Table(name, name.capitalize(), (Column("measure"), *(Column(head, Kind.SCORE) for head in heads)), rows)


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
    consistency = _criterion(result["stability"], higher_is_better=True)
    columns = _columns("consistency", consistency)
    named = [each.column for each in named_clusters(study)]
    notes = [CONSISTENCY.format(f" of clusters of {' and of '.join(named)}" if named else "")]
    criteria = [consistency]
    found = on_stability(names, consistency.statistic, consistency.p, alpha=ALPHA)
    if "merge-classes" in result:
        discrimination = _criterion(result["merge-classes"], higher_is_better=False)
        columns += _columns("discrimination", discrimination)
        optimal = pareto_optimal(consistency, discrimination)
        columns.append((Column("pareto", Kind.FLAG), optimal.tolist()))
        notes.append(DISCRIMINATION)
        criteria.append(discrimination)
        found += [*on_merges(names, discrimination.statistic, discrimination.p), *findings(names, optimal)]
    notes += [BOUNDS, LETTERS, *([PARETO] if len(criteria) > 1 else []), *_undefined(names, criteria)]
    notes += notes_on_clusters(study)
    letters = [group for _, group in result["similarity"].rows]
    heads, cells = zip(*columns, strict=True)
    rows = tuple(zip(names, letters, *cells, strict=True))
    title = f"Criteria for {pluralize(len(names), 'measure')} on {len(study.systems)} systems"
    table = Table("summary", title, (Column("measure"), Column("group"), *heads), rows)
    return AnalysisOutput([table], notes, found, methods=_methods(study, criteria))


def _methods(study: Study, criteria: Sequence[Criterion]) -> list[str]:
    config = study.config
    stability, merges = config.settings_of(StabilitySettings), config.settings_of(MergeSettings)
    what = "The differences between measures in consistency, the expected tau between random halves,"
    sentences = methods_of_tests(study, what, permutations=stability.permutations, of_measures=True)
    if len(criteria) > 1 and not np.isnan(criteria[1].p).all():
        discrimination = "the mean tau before and after merges of classes, corrected for unreliability"
        tested = f"were tested likewise ({merges.permutations:,} permutations)"
        sentences.append(f"Their differences in discrimination, {discrimination}, {tested}.")
    return [*sentences, "P-values are adjusted for all pairs of measures by the largest statistic."]


def findings(names: Sequence[str], pareto: NDArray[np.bool_]) -> list[Finding]:
    """The measures that are Pareto-optimal; pareto: (M,)."""
    optimal = [name for name, is_optimal in zip(names, pareto, strict=True) if is_optimal]
    return [Finding("summary", f"Pareto-optimal (•) in both criteria: {', '.join(optimal)}")] if optimal else []


def _criterion(table: Table, *, higher_is_better: bool) -> Criterion:
    """The criterion of an extract."""
    values, low, high, statistic, *p = np.array([cells for _, *cells in table.rows], dtype=np.float64).T
    return Criterion(values, low, high, statistic, np.array(p), higher_is_better)


def _columns(name: str, criterion: Criterion) -> list[tuple[Column, Sequence[Cell]]]:
    """The columns of a criterion: values, interval, ranks and letters."""
    ranks = [None if rank != rank else int(rank) for rank in criterion.ranks]
    return [
        (Column(name, Kind.SCORE, higher_is_better=criterion.higher_is_better), criterion.values.tolist()),
        (Column(f"{name}_low", Kind.SCORE, head="low"), criterion.low.tolist()),
        (Column(f"{name}_high", Kind.SCORE, head="high"), criterion.high.tolist()),
        (Column(f"{name}_rank", Kind.COUNT, head="rank"), ranks),
        (Column(f"{name}_letters", head="letters"), criterion.letters),
    ]


def _undefined(names: Sequence[str], criteria: Sequence[Criterion]) -> list[str]:
    """Notes on measures whose values are undefined, or that are not tested."""
    undefined, untested = (
        np.isnan([getattr(each, of) for each in criteria]).any(axis=0) for of in ("values", "statistic")
    )
    texts = {
        "a criterion is undefined (—), because a ranking ties all systems": undefined,
        "not tested and not pareto, because a ranking is too unreliable, or no tests were made": untested & ~undefined,
    }
    return [
        f"{', '.join(names[place] for place in np.flatnonzero(which).tolist())}: {text}"
        for text, which in texts.items()
        if which.any()
    ]
