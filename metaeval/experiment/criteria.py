"""All criteria side by side, without a hidden weighting."""

from __future__ import annotations

import numpy as np

from metaeval.config import ExperimentConfig, MergeConfig, SimilarityConfig, StabilityConfig
from metaeval.experiment.merges import MergeEffects, find_merge_effects
from metaeval.experiment.settings import Section
from metaeval.experiment.similarities import Similarities, find_similarities
from metaeval.experiment.stabilities import Stabilities, find_stabilities
from metaeval.experiment.study import Study, read_study, silently
from metaeval.io.dataset import Track
from metaeval.meta.selection import pareto_best
from metaeval.model.report import Column, Kind, Report, Table
from metaeval.stats.intervals import defined_mean, percentile_interval
from metaeval.stats.rank import competition_ranks


def summary(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Similarity, stability and merge-classes in one table, as Table 7 of Amemiya & Sakai (2021).

    Table `summary`: measure, group, consistency, consistency_low, consistency_high, consistency_rank, discrimination,
    discrimination_low, discrimination_high, discrimination_rank, pareto. Consistency is the mean tau of random halves,
    discrimination the mean tau over merges of classes (lower is better); intervals bound the middle 95 % of the trials.
    """
    study = read_study(config, track=track)
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
    best = pareto_best(np.stack([consistency, -discrimination], axis=1))
    columns = [
        consistency,
        *percentile_interval(tau),
        competition_ranks(consistency),
        discrimination,
        *percentile_interval(defined_mean(merges.drawn, axis=1)),
        competition_ranks(-discrimination),
        best,
    ]
    rows = tuple(
        (name, similarities.groups.letters[place], *(column[place].item() for column in columns))
        for place, name in enumerate(names)
    )
    table = Table(
        "summary",
        f"Criteria for {len(names)} measures on {len(study.runs.systems)} systems",
        (
            Column("measure"),
            Column("group"),
            Column("consistency", Kind.SCORE, higher_is_better=True),
            Column("consistency_low", Kind.SCORE),
            Column("consistency_high", Kind.SCORE),
            Column("consistency_rank", Kind.COUNT),
            Column("discrimination", Kind.SCORE, higher_is_better=False),
            Column("discrimination_low", Kind.SCORE),
            Column("discrimination_high", Kind.SCORE),
            Column("discrimination_rank", Kind.COUNT),
            Column("pareto", Kind.FLAG),
        ),
        rows,
    )
    return [table], _sentences(names, consistency, discrimination, best)


def _sentences(
    names: list[str],
    consistency: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    discrimination: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    best: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
) -> list[str]:
    sentences = []
    if not np.isnan(consistency).all():
        most = int(np.nanargmax(consistency))
        sentences.append(
            f"{names[most]} ranks systems most alike on other items (mean tau {consistency[most]:.2f} between halves)"
        )
    if not np.isnan(discrimination).all():
        most = int(np.nanargmin(discrimination))
        sentences.append(
            f"{names[most]} makes most use of the distinctions between classes (mean tau {discrimination[most]:.2f} "
            "when some are merged)"
        )
    chosen = [name for name, is_best in zip(names, best, strict=True) if is_best]
    if chosen:
        sentences.append(f"Pareto-best (•), no other measure does as well on both: {', '.join(chosen)}")
    return sentences
