"""A whole experiment file, section by section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from metaeval.config import ExperimentConfig
from metaeval.errors import ConfigError
from metaeval.experiment.agreements import agreement
from metaeval.experiment.correlations import correlation_tables, find_correlations
from metaeval.experiment.criteria import sections_of, summary_tables
from metaeval.experiment.fewer_references import check_references, find_references, reference_tables
from metaeval.experiment.gaming import find_gamed, robustness_tables
from metaeval.experiment.label_study import LabelStudy
from metaeval.experiment.merges import check_merges, find_merge_effects, merge_tables
from metaeval.experiment.people import People, read_people
from metaeval.experiment.reading import read_study
from metaeval.experiment.scores import score_tables
from metaeval.experiment.sensitivities import find_sensitivities, sensitivity_tables
from metaeval.experiment.settings import Section
from metaeval.experiment.similarities import find_similarities, similarity_tables
from metaeval.experiment.stabilities import check_stability, find_stabilities, stability_tables
from metaeval.experiment.study import Part, Study, silently
from metaeval.io.dataset import Track
from metaeval.model.report import Report

DETAILS = ("similarity_intervals", "stability_differences", "merge_classes_intervals")

SECTIONS = (
    *("score", "similarity", "stability", "merge-classes", "summary"),
    *("correlate", "agreement", "sensitivity", "robustness", "references"),
)


def run(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Every analysis that an experiment file has a section for, in one report; what two need is computed once."""
    check_sections(config)
    return run_study(read_study(config, track=track), command_line=command_line, track=track)


def check_sections(config: ExperimentConfig) -> None:
    """Raise a `ConfigError` where there is no analysis to run."""
    if not any(_wants(config, section) for section in SECTIONS):
        raise ConfigError(
            config.file.path if config.file else None,
            "",
            found="no analysis to run",
            expected=f"a section: {', '.join(f'{section}:' for section in SECTIONS)}",
            hint="add 'score: {}' for a table of systems and measures",
        )


def run_study(study: Study, *, command_line: str = "", track: Track = silently) -> Report:
    """Every analysis that the configuration of a study has a section for."""
    config = study.config
    needs_people = config.correlate is not None or (config.sensitivity is not None and bool(config.data.human))
    people = read_people(study, track=track) if needs_people else None
    _check(study)
    parts = [*_shared(study, track), *_single(study, people, track)]
    # A whole study has many tables; the long ones are for files.
    whole = Part(
        [replace(table, detail=table.detail or table.name in DETAILS) for part in parts for table in part.tables],
        list(dict.fromkeys(note for part in parts for note in part.notes)),
        list(dict.fromkeys(finding for part in parts for finding in part.findings)),
        [file for part in parts for file in part.files],
    )
    return study.report("run", whole, command_line=command_line, sections=_made(study))


def _made(study: Study) -> list[Section]:
    """How the analyses were made."""
    config = study.config
    first = (config.similarity, config.stability, config.merge_classes)
    shared = sections_of(study) if config.summary is not None else [each for each in first if each is not None]
    others = (config.correlate, config.sensitivity, config.robustness, config.references)
    return [*shared, *(section for section in others if section is not None)]


def _wants(config: ExperimentConfig, section: str) -> bool:
    return getattr(config, section.replace("-", "_")) is not None


def _merging(study: Study) -> bool:
    config = study.config
    return config.merge_classes is not None or (config.summary is not None and isinstance(study, LabelStudy))


def _check(study: Study) -> None:
    """Raise where something does not go together: better told before hours of work than after."""
    if study.config.summary is not None or study.config.stability is not None:
        check_stability(study)
    if _merging(study):
        check_merges(study)
    if study.config.references is not None:
        check_references(study)


def _shared(study: Study, track: Track) -> Iterator[Part]:
    """The analyses that the summary puts together, and the scores."""
    config = study.config
    whole = config.summary is not None
    if config.score is not None:
        yield score_tables(study)
    similarities = find_similarities(study, track=track) if whole or config.similarity is not None else None
    stabilities = find_stabilities(study, track=track) if whole or config.stability is not None else None
    merges = find_merge_effects(study, track=track) if _merging(study) else None
    if similarities is not None and config.similarity is not None:
        yield similarity_tables(study, similarities)
    if stabilities is not None and config.stability is not None:
        yield stability_tables(study, stabilities)
    if merges is not None and config.merge_classes is not None:
        yield merge_tables(study, merges)
    if whole and similarities is not None and stabilities is not None:
        yield summary_tables(study, similarities, stabilities, merges)


def _single(study: Study, people: People | None, track: Track) -> Iterator[Part]:
    """The analyses that stand by themselves."""
    config = study.config
    if config.correlate is not None and people is not None:
        yield correlation_tables(study, people, find_correlations(study, people, track=track))
    if config.agreement is not None:
        agreed = agreement(config, track=track)
        yield Part(agreed.tables, agreed.notes, agreed.findings, agreed.provenance.files)
    if config.sensitivity is not None:
        found, files = find_sensitivities(study)
        yield sensitivity_tables(study, people, found).after(files=files)
    if config.robustness is not None:
        yield robustness_tables(study, find_gamed(study))
    if config.references is not None:
        yield reference_tables(study, find_references(study, track=track))
