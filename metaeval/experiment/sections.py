"""A whole experiment file, section by section."""

from __future__ import annotations

from dataclasses import replace

from metaeval.config import ExperimentConfig
from metaeval.errors import ConfigError
from metaeval.experiment.criteria import sections_of, summary_tables
from metaeval.experiment.label_study import LabelStudy
from metaeval.experiment.merges import check_merges, find_merge_effects, merge_tables
from metaeval.experiment.reading import read_study
from metaeval.experiment.scores import score_tables
from metaeval.experiment.settings import Section
from metaeval.experiment.similarities import find_similarities, similarity_tables
from metaeval.experiment.stabilities import check_stability, find_stabilities, stability_tables
from metaeval.experiment.study import Study, silently
from metaeval.io.dataset import Track
from metaeval.model.report import Report, Table

DETAILS = ("similarity_intervals", "stability_differences", "merge_classes_intervals")

SECTIONS = ("score", "similarity", "stability", "merge-classes", "summary")


def run(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Every analysis that an experiment file has a section for, in one report; what two need is computed once."""
    if not any(_wants(config, section) for section in SECTIONS):
        raise ConfigError(
            config.file.path if config.file else None,
            "",
            found="no analysis to run",
            expected=f"a section: {', '.join(f'{section}:' for section in SECTIONS)}",
            hint="add 'score: {}' for a table of systems and measures",
        )
    study = read_study(config, track=track)
    tables, notes = _analyses(study, track)
    # A whole study has many tables; the long ones are for files.
    tables = [replace(table, detail=table.name in DETAILS) for table in tables]
    made = sections_of(study) if config.summary is not None else _made(config)
    return study.report("run", tables, list(dict.fromkeys(notes)), command_line=command_line, sections=made)


def _made(config: ExperimentConfig) -> list[Section]:
    return [section for section in (config.similarity, config.stability, config.merge_classes) if section is not None]


def _wants(config: ExperimentConfig, section: str) -> bool:
    return getattr(config, section.replace("-", "_")) is not None


def _analyses(study: Study, track: Track) -> tuple[list[Table], list[str]]:
    config = study.config
    whole = config.summary is not None
    # Whatever does not go together is better told before hours of work than after.
    if whole or config.stability is not None:
        check_stability(study)
    merging = config.merge_classes is not None or (whole and isinstance(study, LabelStudy))
    if merging:
        check_merges(study)
    parts = [score_tables(study)] if config.score is not None else []
    similarities = find_similarities(study, track=track) if whole or config.similarity is not None else None
    stabilities = find_stabilities(study, track=track) if whole or config.stability is not None else None
    merges = find_merge_effects(study, track=track) if merging else None
    if similarities is not None and config.similarity is not None:
        parts.append(similarity_tables(study, similarities))
    if stabilities is not None and config.stability is not None:
        parts.append(stability_tables(study, stabilities))
    if merges is not None and config.merge_classes is not None:
        parts.append(merge_tables(study, merges))
    if whole and similarities is not None and stabilities is not None:
        parts.append(summary_tables(study, similarities, stabilities, merges))
    return [table for tables, _ in parts for table in tables], [note for _, notes in parts for note in notes]
