"""All criteria side by side, without a hidden weighting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.merge_classes import compute as merging
from metaeval.analyses.merge_classes.compute import MergeEffects
from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.merge_classes.tables import on_merges
from metaeval.analyses.sentences import EXACT_DIGITS, on_summary
from metaeval.analyses.similarity import compute as similarity
from metaeval.analyses.similarity.compute import Similarities
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.analyses.stability import compute as stability
from metaeval.analyses.stability.compute import Stabilities
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.analyses.stability.tables import on_stability
from metaeval.config import ExperimentConfig
from metaeval.errors import counted
from metaeval.io.dataset import Track
from metaeval.meta.selection import pareto_best
from metaeval.model.report import Cell, Column, Kind, Report, Table
from metaeval.settings import AnalysisSettings
from metaeval.stats.intervals import defined_mean, percentile_interval
from metaeval.stats.rank import competition_ranks
from metaeval.study.labels import LabelStudy
from metaeval.study.read import read_study
from metaeval.study.study import Part, Study, silently

Floats: TypeAlias = NDArray[np.float64]

CONSISTENCY = "consistency: mean tau of the rankings on random halves, higher is better"
DISCRIMINATION = "discrimination: mean tau of the rankings before and after a merge of classes, lower is better"
BOUNDS = "low and high bound the middle 95 %"


def summary(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Similarity, stability and merge-classes in one table, as Table 7 of Amemiya & Sakai (2021).

    Table `summary`: measure, group, consistency, consistency_low, consistency_high, consistency_rank, discrimination,
    discrimination_low, discrimination_high, discrimination_rank, pareto. Consistency is the mean tau of random halves,
    discrimination the mean tau over merges of classes (lower is better); intervals bound the middle 95 % of the trials.
    Items without classes have neither discrimination nor pareto.
    """
    study = read_study(config, track=track)
    settings, merges = study.config.settings_of(StabilitySettings), study.config.settings_of(MergeSettings)
    stability.check(study, settings)
    if isinstance(study, LabelStudy):
        merging.check(study, merges)
    # Groups of measures have no intervals, so that nothing needs a bootstrap of similarity.
    alike = replace(config.settings_of(SimilaritySettings), bootstrap=0)
    groups = groups_table(study, similarity.analyse(study, alike, track=track))
    consistency = consistency_table(study, stability.analyse(study, settings, track=track))
    labels = isinstance(study, LabelStudy)
    discrimination = discrimination_table(study, merging.analyse(study, merges, track=track)) if labels else None
    part = summary_tables(study, groups, consistency, discrimination)
    return study.report("summary", part, command_line=command_line, sections=sections_of(study, alike))


def sections_of(study: Study, alike: SimilaritySettings) -> list[AnalysisSettings]:
    """How the analyses are made that a summary puts together."""
    config = study.config
    merges: list[AnalysisSettings] = [config.settings_of(MergeSettings)] if isinstance(study, LabelStudy) else []
    return [alike, config.settings_of(StabilitySettings), *merges]


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


def summary_tables(study: Study, groups: Table, consistency: Table, discrimination: Table | None) -> Part:
    """The table of `summary`, and its reading in a sentence a criterion; discrimination: None without classes."""
    names = study.measure_names
    steady, *around = _numbers(consistency)
    columns = _criterion("consistency", steady, around, higher_is_better=True)
    notes = [f"{CONSISTENCY}; {BOUNDS}", *_undefined(names, steady)]
    findings = on_stability(names, steady)
    if discrimination is not None:
        means, *interval = _numbers(discrimination)
        columns += _criterion("discrimination", means, interval, higher_is_better=False)
        # Means of the same taus in another order differ in their last digits, which is no difference.
        best = pareto_best(np.stack([steady, -means], axis=1).round(EXACT_DIGITS))
        columns.append((Column("pareto", Kind.FLAG), best.tolist()))
        notes = [f"{CONSISTENCY}; {DISCRIMINATION}; {BOUNDS}", *_undefined(names, steady, means)]
        findings += [*on_merges(names, means), *on_summary(names, best)]
    letters = [group for _, group in groups.rows]
    rows = tuple((name, letters[place], *(cells[place] for _, cells in columns)) for place, name in enumerate(names))
    title = f"Criteria for {counted(len(names), 'measure')} on {len(study.systems)} systems"
    heads = (Column("measure"), Column("group"), *(column for column, _ in columns))
    return Part([Table("summary", title, heads, rows)], notes, findings)


def _numbers(table: Table) -> Floats:
    """The columns after the first: means, lower and upper bounds of measures, (3, M)."""
    return np.array([cells for _, *cells in table.rows], dtype=np.float64).T


def _criterion(
    name: str, values: NDArray[np.float64], interval: Iterable[NDArray[np.float64]], *, higher_is_better: bool
) -> list[tuple[Column, Sequence[Cell]]]:
    """The columns of a criterion: values, interval and ranks."""
    low, high = (bounds.tolist() for bounds in interval)
    return [
        (Column(name, Kind.SCORE, higher_is_better=higher_is_better), values.tolist()),
        (Column(f"{name}_low", Kind.SCORE, head="low"), low),
        (Column(f"{name}_high", Kind.SCORE, head="high"), high),
        (
            Column(f"{name}_rank", Kind.COUNT, head="rank"),
            _ranks((values if higher_is_better else -values).round(EXACT_DIGITS)),
        ),
    ]


def _ranks(criterion: NDArray[np.float64]) -> list[Cell]:
    """Places from 1, the highest first; none for a measure without a value."""
    places = competition_ranks(criterion).tolist()
    return [None if missing else place for place, missing in zip(places, np.isnan(criterion).tolist(), strict=True)]


def _undefined(names: Sequence[str], *criteria: NDArray[np.float64]) -> list[str]:
    unknown = np.flatnonzero(np.isnan(criteria).any(axis=0)).tolist()
    without = ", ".join(names[place] for place in unknown)
    return [f"{without}: a criterion is undefined (—), because a ranking puts all systems alike"] if unknown else []
