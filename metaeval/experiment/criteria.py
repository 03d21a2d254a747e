"""All criteria side by side, without a hidden weighting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from metaeval.config import ExperimentConfig, MergeConfig, SimilarityConfig, StabilityConfig
from metaeval.errors import counted
from metaeval.experiment.label_study import LabelStudy
from metaeval.experiment.merges import MergeEffects, check_merges, find_merge_effects
from metaeval.experiment.reading import read_study
from metaeval.experiment.settings import Section
from metaeval.experiment.similarities import Similarities, find_similarities
from metaeval.experiment.stabilities import Stabilities, check_stability, find_stabilities
from metaeval.experiment.study import Study, silently
from metaeval.io.dataset import Track
from metaeval.meta.selection import pareto_best
from metaeval.model.report import Cell, Column, Kind, Report, Table
from metaeval.stats.intervals import defined_mean, percentile_interval
from metaeval.stats.rank import competition_ranks

EXACT_DIGITS = 12
"""Decimals to which criteria are compared."""


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
    # Groups of measures have no intervals, so that nothing needs a bootstrap of similarity.
    alike = replace(config.similarity or SimilarityConfig(), bootstrap=0)
    study = read_study(replace(config, similarity=alike), track=track)
    check_stability(study)
    if isinstance(study, LabelStudy):
        check_merges(study)
    similarities = find_similarities(study, track=track)
    stabilities = find_stabilities(study, track=track)
    merges = find_merge_effects(study, track=track) if isinstance(study, LabelStudy) else None
    tables, notes = summary_tables(study, similarities, stabilities, merges)
    return study.report("summary", tables, notes, command_line=command_line, sections=sections_of(study))


def sections_of(study: Study) -> list[Section]:
    """How the analyses are made that a summary puts together."""
    config = study.config
    merges = [config.merge_classes or MergeConfig()] if isinstance(study, LabelStudy) else []
    return [config.similarity or SimilarityConfig(), config.stability or StabilityConfig(), *merges]


def summary_tables(
    study: Study, similarities: Similarities, stabilities: Stabilities, merges: MergeEffects | None
) -> tuple[list[Table], list[str]]:
    """The table of `summary`, and its reading in a sentence a criterion; merges: None where there are no classes."""
    names = study.measure_names
    tau = stabilities.consistency.tau
    consistency = defined_mean(tau)
    columns = _criterion("consistency", consistency, percentile_interval(tau), higher_is_better=True)
    notes = [
        f"{CONSISTENCY}; {BOUNDS}",
        *_most_consistent(names, consistency),
        *_undefined(names, consistency),
    ]
    if merges is not None:
        interval = percentile_interval(defined_mean(merges.drawn, axis=1))
        columns += _criterion("discrimination", merges.means, interval, higher_is_better=False)
        # Means of the same taus in another order differ in their last digits, which is no difference.
        best = pareto_best(np.stack([consistency, -merges.means], axis=1).round(EXACT_DIGITS))
        columns.append((Column("pareto", Kind.FLAG), best.tolist()))
        notes = [
            f"{CONSISTENCY}; {DISCRIMINATION}; {BOUNDS}",
            *_most_consistent(names, consistency),
            *_most_discriminating(names, merges.means),
            *_undefined(names, consistency, merges.means),
            *_pareto(names, best),
        ]
    groups = similarities.groups.letters
    rows = tuple((name, groups[place], *(cells[place] for _, cells in columns)) for place, name in enumerate(names))
    title = f"Criteria for {counted(len(names), 'measure')} on {len(study.systems)} systems"
    heads = (Column("measure"), Column("group"), *(column for column, _ in columns))
    return [Table("summary", title, heads, rows)], notes


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


def _best_of(names: Sequence[str], criterion: NDArray[np.float64], one: str, several: str) -> tuple[str, str]:
    """The measures with the highest value, ties and all, and the verb that goes with so many."""
    places = np.flatnonzero(np.isclose(criterion, np.nanmax(criterion), rtol=0, atol=10.0**-EXACT_DIGITS)).tolist()
    return ", ".join(names[place] for place in places), one if len(places) == 1 else several


def _most_consistent(names: Sequence[str], consistency: NDArray[np.float64]) -> list[str]:
    if np.isnan(consistency).all():
        return []
    most, verb = _best_of(names, consistency, "ranks", "rank")
    mean = np.nanmax(consistency)
    return [f"{most} {verb} systems most alike on other items (mean tau {mean:.2f} between halves)"]


def _most_discriminating(names: Sequence[str], discrimination: NDArray[np.float64]) -> list[str]:
    if np.isnan(discrimination).all():
        return []
    most, verb = _best_of(names, -discrimination, "makes", "make")
    mean = np.nanmin(discrimination)
    return [f"{most} {verb} most use of the distinctions between classes (mean tau {mean:.2f} when some are merged)"]


def _undefined(names: Sequence[str], *criteria: NDArray[np.float64]) -> list[str]:
    unknown = np.flatnonzero(np.isnan(criteria).any(axis=0)).tolist()
    without = ", ".join(names[place] for place in unknown)
    return [f"{without}: a criterion is undefined (—), because a ranking puts all systems alike"] if unknown else []


def _pareto(names: Sequence[str], best: NDArray[np.bool_]) -> list[str]:
    chosen = [name for name, is_best in zip(names, best, strict=True) if is_best]
    told = f"Pareto-best (•), none is as good on both and better on one: {', '.join(chosen)}"
    return [told] if chosen else []
