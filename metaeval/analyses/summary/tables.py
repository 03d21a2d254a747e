"""The table, notes and findings of `summary`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.correlate.compute import Correlations, of_first_human
from metaeval.analyses.correlate.report import with_first_human
from metaeval.analyses.merge_classes.compute import MergeEffects
from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.power.compute import Powers
from metaeval.analyses.power.settings import PowerSettings
from metaeval.analyses.robustness.compute import Robustness, gamed_share
from metaeval.analyses.robustness.settings import RobustnessSettings
from metaeval.analyses.similarity.compute import Similarities
from metaeval.analyses.stability.compute import Stabilities
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.analyses.summary.compute import Criterion, candidates, pareto_optimal, pareto_shares
from metaeval.analyses.summary.settings import SummarySettings
from metaeval.errors import pluralize
from metaeval.inference.statistics import compare_statistics
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.model.works import cite
from metaeval.study.evidence import methods_of_tests, named_clusters, notes_on_clusters
from metaeval.study.study import AnalysisOutput, Study

Floats: TypeAlias = NDArray[np.float64]

SAMPLES = 200
"""Other samples of the items on which Pareto-optimal measures are counted."""


class Meaning(NamedTuple):
    """A criterion: its name, what it is, and its direction."""

    name: str
    text: str
    higher_is_better: bool


CRITERIA = {
    "stability": Meaning("consistency", "mean tau between the rankings on random halves{}, higher is better", True),
    "power": Meaning("power", "share of the pairs of systems that differ significantly, higher is better", True),
    "merge-classes": Meaning(
        "discrimination", "mean tau between the rankings before and after a merge of classes, lower is better", False
    ),
    "robustness": Meaning(
        "gamed", "share of the systems that a trivial system significantly beats, lower is better", False
    ),
    "correlate": Meaning(
        "human",
        "correlation with human scores, higher is better; its interval and letters are those of correlate",
        True,
    ),
}
"""The criteria by the analysis that they come from."""

BOUNDS = (
    "low, high: 95 % interval on other items; of consistency, that of the expected tau, not of the mean of the halves"
)
LETTERS = (
    "measures that share a letter of a criterion are not significantly different in it (by expected tau in "
    "consistency, by corrected tau in discrimination)"
)
PARETO = (
    "pareto (•): no other measure is significantly better in one of consistency and discrimination and at least as "
    "good in the other, by expected and corrected tau; pareto_share: share of {} other samples of the items in which "
    "no other measure is better in one and at least as good in the other, whatever the significance"
)


def groups_table(study: Study, similarities: Similarities) -> Table:
    """The extract of similarity: measure, group."""
    rows = tuple(zip(study.measure_names, similarities.letters, strict=True))
    return Table("groups", "Groups of measures with similar rankings", (Column("measure"), Column("group")), rows)


def consistency_table(study: Study, result: Stabilities) -> Table:
    """The extract of stability, by the expected values."""
    comparison = result.comparison
    bounds = comparison.low.clip(-1, 1), comparison.high.clip(-1, 1)
    values = np.stack([result.consistency.means, *bounds, result.expected])
    return _of_measures(study, values, comparison.p, comparison.chance)


def power_table(study: Study, result: Powers) -> Table:
    """The extract of power; without p-values where the test is another one."""
    settings = study.config.settings_of(PowerSettings)
    shares = np.array([each.share(alpha=settings.alpha) for each in result.measures])
    if result.comparison is None:
        return _of_measures(study, _untested(shares))
    bounds = result.comparison.low.clip(0, 1), result.comparison.high.clip(0, 1)
    return _of_measures(study, np.stack([shares, *bounds, shares]), result.comparison.p)


def discrimination_table(study: Study, result: MergeEffects) -> Table:
    """The extract of merge-classes, by the corrected values."""
    tests = result.tests
    if tests is None:
        return _of_measures(study, _untested(result.means))
    values = np.stack([result.means, tests.low[-1], tests.high[-1], tests.corrected])
    return _of_measures(study, values, tests.p, tests.chance)


def gamed_table(study: Study, result: Robustness) -> Table:
    """The extract of robustness: the share of real systems that a trivial one significantly beats."""
    alpha = study.config.settings_of(RobustnessSettings).alpha
    if not result.evidence:
        return _of_measures(study, np.full((4, len(study.measure_names)), np.nan))
    every = [gamed_share(each, len(study.systems), alpha=alpha) for each in result.evidence]
    shares = np.array([share for share, _ in every])
    chance = np.stack([chance for _, chance in every], axis=1)
    comparison = compare_statistics(shares, chance, smallest_p=result.evidence[0].smallest_p)
    values = np.stack([shares, comparison.low.clip(0, 1), comparison.high.clip(0, 1), shares])
    return _of_measures(study, values, comparison.p)


def human_table(study: Study, result: Sequence[Correlations]) -> Table:
    """The extract of correlate: its first coefficient at its first level, with the first human scores or their mean."""
    part = of_first_human(result)
    p = None if part.test is None else part.test.p_adjusted
    return _of_measures(study, np.stack([part.values, part.low, part.high, part.values]), p)


def _untested(values: Floats) -> Floats:
    """Rows of an extract for values without intervals and tests."""
    return np.stack([values, *np.full((3, len(values)), np.nan)])


def _of_measures(study: Study, values: Floats, p: Floats | None = None, chance: Floats | None = None) -> Table:
    """An extract: measure, mean, low, high and what is tested, (4, M); p for every measure, (M, M); and samples."""
    names = study.measure_names
    p = np.full((len(names), len(names)), np.nan) if p is None else p
    samples = np.empty((0, len(names))) if chance is None else chance[:SAMPLES]
    heads = ("mean", "low", "high", "tested", *(f"p {name}" for name in names), *map(str, range(len(samples))))
    rows = tuple((of, *cells) for of, cells in zip(names, np.concatenate([values, p, samples]).T.tolist(), strict=True))
    return Table("criterion", "Criterion", (Column("measure"), *(Column(head, Kind.SCORE) for head in heads)), rows)


extracts: dict[str, Callable[[Study, Any], Table]] = {
    "similarity": groups_table,
    "stability": consistency_table,
    "power": power_table,
    "merge-classes": discrimination_table,
    "robustness": gamed_table,
    "correlate": human_table,
}
"""The part of the results of each analysis that the summary combines."""


def tabulate(study: Study, settings: SummarySettings, result: Mapping[str, Table]) -> AnalysisOutput:
    """The table, notes and findings of `summary`, from the extracts of the analyses that apply."""
    names = study.measure_names
    criteria = {section: _criterion(result[section], each) for section, each in CRITERIA.items() if section in result}
    named = [each.column for each in named_clusters(study)]
    clusters = f" of clusters of {' and of '.join(named)}" if named else ""
    notes = [f"{CRITERIA[each].name}: {CRITERIA[each].text.format(clusters)}" for each in criteria]
    columns = [column for section, each in criteria.items() for column in _columns(CRITERIA[section], each)]
    found: list[Finding] = []
    if {"stability", "merge-classes"} <= set(criteria):
        both = criteria["stability"], criteria["merge-classes"]
        optimal, shares = pareto_optimal(*both), pareto_shares(*both)
        columns += [
            (Column("pareto", Kind.FLAG), optimal.tolist()),
            (Column("pareto_share", Kind.SCORE), shares.tolist()),
        ]
        found = findings(names, optimal)
        notes.append(PARETO.format(len(both[0].samples)))
    notes += [BOUNDS, LETTERS, *_undefined(names, list(criteria.values())), *_left_out(study, settings)]
    groups = [group for _, group in result["similarity"].rows]
    cells = [each for _, each in columns]
    rows = tuple(zip(names, groups, *cells, strict=True))
    title = f"Criteria for {pluralize(len(names), 'measure')} on {len(study.systems)} systems"
    table = Table("summary", title, (Column("measure"), Column("group"), *(column for column, _ in columns)), rows)
    notes += [each for each in notes_on_clusters(study) if criteria]
    return with_first_human(study, AnalysisOutput([table], notes, found, methods=_methods(study, criteria)))


def _left_out(study: Study, settings: SummarySettings) -> list[str]:
    """Notes on criteria that do not apply."""
    every = [(CRITERIA[each.section].name, reason) for each, reason in candidates(study, settings) if reason]
    return [f"{name} is left out: {reason}" for name, reason in every]


def _methods(study: Study, criteria: Mapping[str, Criterion]) -> list[str]:
    config = study.config
    if "stability" not in criteria:
        return []
    permutations = config.settings_of(StabilitySettings).permutations
    what = "The differences between measures in consistency, the expected tau between random halves,"
    sentences = methods_of_tests(study, what, permutations=permutations, of_measures=True)
    if "merge-classes" in criteria and not np.isnan(criteria["merge-classes"].p).all():
        discrimination = "the mean tau before and after merges of classes, corrected for unreliability"
        tested = f"were tested likewise ({config.settings_of(MergeSettings).permutations:,} permutations)"
        sentences.append(f"Their differences in discrimination, {discrimination}, {tested}.")
    others = [CRITERIA[each].name for each in ("power", "robustness") if each in criteria]
    sentences += [f"So were those in {' and '.join(others)}."] if others else []
    return [
        *sentences,
        f"P-values are adjusted for all pairs of measures by the largest statistic {cite('westfall1993')}.",
    ]


def findings(names: Sequence[str], pareto: NDArray[np.bool_]) -> list[Finding]:
    """The measures that are Pareto-optimal; pareto: (M,)."""
    optimal = [name for name, is_optimal in zip(names, pareto, strict=True) if is_optimal]
    sentence = f"Pareto-optimal (•) in consistency and discrimination: {', '.join(optimal)}"
    return [Finding("summary", sentence)] if optimal and len(names) > 1 else []


def _criterion(table: Table, meaning: Meaning) -> Criterion:
    """The criterion of an extract."""
    values, low, high, statistic, *rest = np.array([cells for _, *cells in table.rows], dtype=np.float64).T
    measures = len(table.rows)
    p, samples = np.array(rest[:measures]), np.array(rest[measures:]).reshape(-1, measures)
    return Criterion(values, low, high, statistic, p, meaning.higher_is_better, samples)


def _columns(meaning: Meaning, criterion: Criterion) -> list[tuple[Column, Sequence[Cell]]]:
    """The columns of a criterion: values, interval, ranks and letters."""
    ranks = [None if rank != rank else int(rank) for rank in criterion.ranks]
    name = meaning.name
    return [
        (Column(name, Kind.SCORE, higher_is_better=criterion.higher_is_better), criterion.values.tolist()),
        (Column(f"{name}_low", Kind.SCORE, head="low"), criterion.low.tolist()),
        (Column(f"{name}_high", Kind.SCORE, head="high"), criterion.high.tolist()),
        (Column(f"{name}_rank", Kind.COUNT, head="rank"), ranks),
        (Column(f"{name}_letters", head="letters"), criterion.letters),
    ]


def _undefined(names: Sequence[str], criteria: Sequence[Criterion]) -> list[str]:
    """Notes on measures whose values are undefined, or that are not tested."""
    if not criteria:
        return []
    undefined, untested = (
        np.isnan([getattr(each, of) for each in criteria]).any(axis=0) for of in ("values", "statistic")
    )
    texts = {
        "a criterion is undefined (—), because a ranking ties all systems, or a score is undefined": undefined,
        "not tested and not pareto, because a ranking is too unreliable, or no tests were made": untested & ~undefined,
    }
    return [
        f"{', '.join(names[place] for place in np.flatnonzero(which).tolist())}: {text}"
        for text, which in texts.items()
        if which.any()
    ]
