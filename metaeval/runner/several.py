"""A whole experiment file, section by section."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from metaeval import analyses
from metaeval.analyses.declaration import RUNS, Analysis
from metaeval.config import ExperimentConfig
from metaeval.errors import ConfigError
from metaeval.io.dataset import Track
from metaeval.model.report import Report, Table
from metaeval.runner.one import Results, check_settings, combined, extract, section_of, signed, used
from metaeval.settings import AnalysisSettings
from metaeval.study.human import people_of
from metaeval.study.read import read_study
from metaeval.study.study import Part, Study, silently
from metaeval.work.checkpoint import Checkpoint, NoCheckpoint

_ORDER = (
    *("score", "similarity", "stability", "merge-classes", "summary"),
    *("correlate", "agreement", "sensitivity", "robustness", "references"),
    *("power", "compare", "plan", "explain"),
)
SECTIONS = (
    *_ORDER,
    *(name for name in analyses.declared() if name not in _ORDER and analyses.analysis(name).in_experiments),
)

DETAILS = tuple(table for name in analyses.declared() for table in analyses.analysis(name).details)


def run_experiment(
    config: ExperimentConfig, *, command_line: str = "", track: Track = silently, checkpoint: Checkpoint | None = None
) -> Report:
    """Every analysis that an experiment file has a section for, in one report; what two need is computed once.

    checkpoint: stores the outputs of sections; those that it has already are not computed again.
    """
    check_sections(config)
    return run_study(read_study(config, track=track), command_line=command_line, track=track, checkpoint=checkpoint)


def check_sections(config: ExperimentConfig) -> None:
    """Raise a `ConfigError` where there is no analysis to run."""
    if not any(wants(config, section) for section in SECTIONS):
        raise ConfigError(
            config.file.path if config.file else None,
            "",
            found="no analysis to run",
            expected=f"a section: {', '.join(f'{section}:' for section in SECTIONS)}",
            hint="add 'score: {}' for a table of systems and measures",
        )


def run_study(
    study: Study, *, command_line: str = "", track: Track = silently, checkpoint: Checkpoint | None = None
) -> Report:
    """Every analysis that the configuration of a study has a section for; checkpoint: as of `run_experiment`."""
    config = study.config
    with_people = wants(config, "sensitivity") or wants(config, "plan")
    needs_people = wants(config, "correlate") or (with_people and bool(config.data.human))
    people = people_of(study, track=track) if needs_people else None
    settings = _settings(study)
    _check(settings, study)
    checkpoint = checkpoint or NoCheckpoint()
    made = signed(settings.values())
    files = people.files if people is not None else ()
    checkpoint.begin(study.report("run", Part([], files=files), command_line=command_line, sections=made))
    parts = list(_parts(study, track, checkpoint))
    # A whole study has many tables; the long ones are for files.
    whole = Part(
        [replace(table, detail=table.detail or table.name in DETAILS) for part in parts for table in part.tables],
        list(dict.fromkeys(note for part in parts for note in part.notes)),
        list(dict.fromkeys(finding for part in parts for finding in part.findings)),
        [file for part in parts for file in part.files],
    )
    return study.report("run", whole, command_line=command_line, sections=made)


def _settings(study: Study) -> dict[str, AnalysisSettings]:
    """How every analysis is made that is wanted or used by one that is, by name; what a section says comes first."""
    found: dict[str, AnalysisSettings] = {
        name: section for name in SECTIONS if (section := study.config.section(name)) is not None
    }
    for analysis in _combining(study.config):
        for each in used(analysis, study):
            found.setdefault(each.section, each)
    return {name: found[name] for name in SECTIONS if name in found}


def _combining(config: ExperimentConfig) -> list[Analysis[Any, Any]]:
    """The wanted analyses that combine what others find."""
    wanted = (analyses.analysis(name) for name in SECTIONS if wants(config, name))
    return [analysis for analysis in wanted if analysis.combines]


def wants(config: ExperimentConfig, section: str) -> bool:
    """Whether an experiment has a section for an analysis."""
    return config.section(section) is not None


def _check(settings: Mapping[str, AnalysisSettings], study: Study) -> None:
    """Raise where something does not go together: better told before hours of work than after."""
    for name, section in settings.items():
        analysis = analyses.analysis(name)
        if analysis.begins_with == RUNS and not analysis.combines:
            check_settings(section, study)


def _parts(study: Study, track: Track, checkpoint: Checkpoint) -> Iterator[Part]:
    """What every wanted analysis adds, in the order of the sections."""
    combining = _combining(study.config)
    extracts: dict[str, dict[str, Table]] = {analysis.name: {} for analysis in combining}
    for name in SECTIONS:
        results = Results(study, track)
        if name in extracts:
            yield combined(analyses.analysis(name), study, extracts[name])
        elif wants(study.config, name):
            yield checkpoint.section(name, partial(section_of, analyses.analysis(name), results))
        # What takes long is done once, and only where its tables or what others take of it are not kept yet.
        for analysis in combining:
            for each in used(analysis, study):
                if each.section == name:
                    extracts[analysis.name][name] = _extract_of(analysis, each, results, checkpoint)


def _extract_of(
    analysis: Analysis[Any, Any], settings: AnalysisSettings, results: Results, checkpoint: Checkpoint
) -> Table:
    part = checkpoint.section(
        f"{analysis.name}-{settings.section}", lambda: Part([extract(analysis, settings, results)])
    )
    return part.tables[0]
