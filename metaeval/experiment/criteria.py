"""All criteria side by side, without a hidden weighting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from metaeval.config import ExperimentConfig, MergeConfig, SimilarityConfig, StabilityConfig
from metaeval.errors import counted
from metaeval.experiment.merges import MergeEffects, check_merges, find_merge_effects
from metaeval.experiment.settings import Section
from metaeval.experiment.similarities import Similarities, find_similarities
from metaeval.experiment.stabilities import Stabilities, check_stability, find_stabilities
from metaeval.experiment.study import Study, read_study, silently
from metaeval.io.dataset import Track
from metaeval.meta.selection import pareto_best
from metaeval.model.report import Cell, Column, Kind, Report, Table
from metaeval.stats.intervals import defined_mean, percentile_interval
from metaeval.stats.rank import competition_ranks

EXACT_DIGITS = 12
"""Decimals to which criteria are compared."""


CRITERIA = (
    "consistency: mean tau of the rankings on random halves, higher is better; discrimination: mean tau of the "
    "rankings before and after a merge of classes, lower is better; low and high bound the middle 95 %"
)


def summary(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Similarity, stability and merge-classes in one table, as Table 7 of Amemiya & Sakai (2021).

    Table `summary`: measure, group, consistency, consistency_low, consistency_high, consistency_rank, discrimination,
    discrimination_low, discrimination_high, discrimination_rank, pareto. Consistency is the mean tau of random halves,
    discrimination the mean tau over merges of classes (lower is better); intervals bound the middle 95 % of the trials.
    """
    # Groups of measures have no intervals, so that nothing needs a bootstrap of similarity.
    alike = replace(config.similarity or SimilarityConfig(), bootstrap=0)
    study = read_study(replace(config, similarity=alike), track=track)
    check_stability(study)
    check_merges(study)
    similarities = find_similarities(study, track=track)
    stabilities = find_stabilities(study, track=track)
    merges = find_merge_effects(study, track=track)
    tables, notes = summary_tables(study, similarities, stabilities, merges)
    return study.report("summary", tables, notes, command_line=command_line, sections=sections_of(study))


def sections_of(study: Study) -> list[Section]:
    """How the analyses are made that a summary puts together."""
    config = study.config
    return [
        config.similarity or SimilarityConfig(),
        config.stability or StabilityConfig(),
        config.merge_classes or MergeConfig(),
    ]


def summary_tables(
    study: Study, similarities: Similarities, stabilities: Stabilities, merges: MergeEffects
) -> tuple[list[Table], list[str]]:
    """The table of `summary`, and its reading in a sentence a criterion."""
    names = [str(measure) for measure in study.measures]
    tau = stabilities.consistency.tau
    consistency, discrimination = defined_mean(tau), merges.means
    # Means of the same taus in another order differ in their last digits, which is no difference.
    criteria = np.stack([consistency, -discrimination], axis=1).round(EXACT_DIGITS)
    best = pareto_best(criteria)
    columns: list[Sequence[Cell]] = [
        consistency.tolist(),
        *_listed(percentile_interval(tau)),
        _ranks(criteria[:, 0]),
        discrimination.tolist(),
        *_listed(percentile_interval(defined_mean(merges.drawn, axis=1))),
        _ranks(criteria[:, 1]),
        best.tolist(),
    ]
    rows = tuple(
        (name, similarities.groups.letters[place], *(column[place] for column in columns))
        for place, name in enumerate(names)
    )
    table = Table(
        "summary",
        f"Criteria for {counted(len(names), 'measure')} on {len(study.runs.systems)} systems",
        (
            Column("measure"),
            Column("group"),
            Column("consistency", Kind.SCORE, higher_is_better=True),
            Column("consistency_low", Kind.SCORE, head="low"),
            Column("consistency_high", Kind.SCORE, head="high"),
            Column("consistency_rank", Kind.COUNT, head="rank"),
            Column("discrimination", Kind.SCORE, higher_is_better=False),
            Column("discrimination_low", Kind.SCORE, head="low"),
            Column("discrimination_high", Kind.SCORE, head="high"),
            Column("discrimination_rank", Kind.COUNT, head="rank"),
            Column("pareto", Kind.FLAG),
        ),
        rows,
    )
    return [table], _sentences(names, consistency, discrimination, best)


def _listed(arrays: Iterable[NDArray[np.float64]]) -> list[list[float]]:
    return [array.tolist() for array in arrays]


def _ranks(criterion: NDArray[np.float64]) -> list[Cell]:
    """Places from 1, the highest first; none for a measure without a value."""
    places = competition_ranks(criterion).tolist()
    return [None if missing else place for place, missing in zip(places, np.isnan(criterion).tolist(), strict=True)]


def _best_of(names: list[str], criterion: NDArray[np.float64], one: str, several: str) -> tuple[str, str]:
    """The measures with the highest value, ties and all, and the verb that goes with so many."""
    places = np.flatnonzero(np.isclose(criterion, np.nanmax(criterion), rtol=0, atol=10.0**-EXACT_DIGITS)).tolist()
    return ", ".join(names[place] for place in places), one if len(places) == 1 else several


def _sentences(
    names: list[str],
    consistency: NDArray[np.float64],
    discrimination: NDArray[np.float64],
    best: NDArray[np.bool_],
) -> list[str]:
    sentences = [CRITERIA]
    if not np.isnan(consistency).all():
        most, verb = _best_of(names, consistency, "ranks", "rank")
        mean = np.nanmax(consistency)
        sentences.append(f"{most} {verb} systems most alike on other items (mean tau {mean:.2f} between halves)")
    if not np.isnan(discrimination).all():
        most, verb = _best_of(names, -discrimination, "makes", "make")
        mean = np.nanmin(discrimination)
        sentences.append(
            f"{most} {verb} most use of the distinctions between classes (mean tau {mean:.2f} when some are merged)"
        )
    unknown = np.flatnonzero(np.isnan(consistency) | np.isnan(discrimination)).tolist()
    if unknown:
        without = ", ".join(names[place] for place in unknown)
        sentences.append(f"{without}: a criterion is undefined (—), because a ranking puts all systems alike")
    chosen = [name for name, is_best in zip(names, best, strict=True) if is_best]
    if chosen:
        sentences.append(f"Pareto-best (•), none is as good on both and better on one: {', '.join(chosen)}")
    return sentences
