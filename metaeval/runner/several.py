"""Runs all analyses of an experiment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from metaeval import registry
from metaeval.analyses.declaration import RUNS, Analysis
from metaeval.config import ExperimentConfig
from metaeval.errors import ConfigError
from metaeval.io.dataset import Progress
from metaeval.model.report import AnalysisOutput, Report, as_notes, signature
from metaeval.runner.groups import ONLY, joined_provenance, merged_report, naming, read_groups
from metaeval.runner.one import (
    Results,
    averages_of,
    begin,
    check_gaps,
    check_settings,
    components,
    extract,
    notes_on_idle_clusters,
    part_of,
    section_of,
    with_averages,
)
from metaeval.settings import AnalysisSettings
from metaeval.study.human import human_scores_of
from metaeval.study.read import read_study
from metaeval.study.study import Study, no_progress
from metaeval.work.checkpoint import NO_CHECKPOINT, Checkpoint, CheckpointOfGroup


def needs_no_runs(config: ExperimentConfig) -> bool:
    """Whether an experiment has sections, and none of an analysis of runs."""
    requested = [name for name in registry.ANALYSES if wants(config, name)]
    return bool(requested) and all(registry.declaration(name).begins_with != RUNS for name in requested)


def run_files(
    config: ExperimentConfig, *, command_line: str, progress: Progress, checkpoint: Checkpoint = NO_CHECKPOINT
) -> Report:
    """The report of all analyses for which an experiment has a section; each reads its own files."""
    requested = [registry.declaration(name) for name in registry.ANALYSES if wants(config, name)]
    studies = {analysis: begin(analysis, config, progress=progress) for analysis in requested}
    report = {
        analysis.name: partial(study.report, "run", command_line=command_line) for analysis, study in studies.items()
    }
    checkpoint.begin(merged({name: report_of(AnalysisOutput([])) for name, report_of in report.items()}))
    parts = {
        analysis.name: checkpoint.section(analysis.name, partial(part_of, analysis, Results(study, progress)))
        for analysis, study in progress([*studies.items()], "Analyses")
    }
    whole = merged({name: report_of(parts[name]) for name, report_of in report.items()})
    notes_of = {name: as_notes(part.notes) for name, part in parts.items() if part.notes}
    return replace(whole, notes_of=notes_of, provenance=replace(whole.provenance, title=config.title or ""))


def merged(reports: Mapping[str, Report]) -> Report:
    """Several reports as one, whose settings begin with the name of their analysis."""
    first, *others = reports.values()
    if not others:
        return first
    every = list(reports.values())
    settings = {
        _field(name, key): value for name, it in reports.items() for key, value in it.provenance.settings.items()
    }
    fields = {
        _field(name, key): value
        for name, report in reports.items()
        for key, _, value in (field.partition(":") for field in report.signature.split("|")[1:])
    }
    origin = joined_provenance([report.provenance for report in every], settings)
    return replace(
        first,
        signature=signature(origin.version, fields.items()),
        tables=tuple(chain.from_iterable(report.tables for report in every)),
        notes=tuple(dict.fromkeys(chain.from_iterable(report.notes for report in every))),
        provenance=origin,
        findings=tuple(chain.from_iterable(report.findings for report in every)),
        methods=tuple(dict.fromkeys(chain.from_iterable(report.methods for report in every))),
    )


def _field(analysis: str, key: str) -> str:
    """The name of a field of the signature."""
    return key if key == "seed" else f"{analysis}-{key}"


SECTIONS = tuple(sorted(registry.ANALYSES, key=lambda name: registry.declaration(name).combines))
"""The sections of analyses, in the order in which they run: those that combine others are last."""

DETAILS = tuple(table for name in registry.ANALYSES for table in registry.declaration(name).details)


def run_experiment(
    config: ExperimentConfig,
    *,
    command_line: str = "",
    progress: Progress = no_progress,
    checkpoint: Checkpoint = NO_CHECKPOINT,
) -> Report:
    """The report of all analyses for which an experiment has a section. What two need is computed once.

    checkpoint: stores the outputs of sections; stored ones are not computed again.
    """
    check_sections(config)
    if needs_no_runs(config):
        return run_files(config, command_line=command_line, progress=progress, checkpoint=checkpoint)
    studies = read_groups(config, partial(_read, progress=progress))
    results = {group: Results(study, progress) for group, study in studies.items()}
    reports = {}
    groups = progress([*studies.items()], "Groups") if config.data.has_groups else studies.items()
    for number, (group, study) in enumerate(groups):
        part = checkpoint if group == ONLY else CheckpointOfGroup(checkpoint, number, config.data.group or "file")
        with naming(group, config):
            reports[group] = run_study(study, results[group], command_line=command_line, checkpoint=part)
    return with_all_averages(config, merged_report(config, studies, reports), results, checkpoint)


def with_all_averages(
    config: ExperimentConfig, whole: Report, results: Mapping[str, Results], checkpoint: Checkpoint = NO_CHECKPOINT
) -> Report:
    """A report with averages over groups, if there are any, of the analyses that have such; results: of each group."""
    for analysis in map(registry.declaration, SECTIONS if config.data.has_groups else ()):
        if analysis.averages and wants(config, analysis.name):
            averages = checkpoint.section(f"averages-{analysis.name}", partial(averages_of, analysis, config, results))
            whole = with_averages(analysis, whole, averages)
    return whole


def _read(config: ExperimentConfig, *, progress: Progress) -> Study:
    """The study of an experiment, or of a group, whose settings are checked."""
    every = (registry.declaration(name) for name in SECTIONS if wants(config, name))
    gaps = all(analysis.gaps for analysis in every if analysis.begins_with == RUNS)
    study = read_study(replace(config, data=replace(config.data, gaps=gaps)), progress=progress)
    if config.data.member is not None:
        # A group that cannot be analysed is reported before the others are.
        _check(_settings(study), study)
    return study


def check_sections(config: ExperimentConfig) -> None:
    """Raise a `ConfigError` if there is no analysis to run."""
    if not any(wants(config, section) for section in SECTIONS):
        raise ConfigError(
            config.file.path if config.file else None,
            "",
            found="no analysis to run",
            expected=f"a section: {', '.join(f'{section}:' for section in SECTIONS)}",
            hint="add 'score: {}' for a table of systems and measures",
        )


def run_study(
    study: Study, averaged: Results, *, command_line: str = "", checkpoint: Checkpoint = NO_CHECKPOINT
) -> Report:
    """The report of all analyses for which the experiment of a study has a section; see `run_experiment`.

    averaged: the results of analyses that have averages over groups.
    """
    config = study.config
    may_use_human = any(wants(config, name) for name in ("recommend", "sensitivity", "plan", "summary"))
    needs_human = wants(config, "correlate") or (may_use_human and bool(config.data.human))
    files = human_scores_of(study, progress=averaged.progress).files if needs_human else ()
    settings = _settings(study)
    _check(settings, study)
    sections = [section for section in settings.values() if section.in_signature]
    empty = AnalysisOutput([], files=files)
    checkpoint.begin(study.report("run", empty, command_line=command_line, sections=sections))
    outputs = dict(_parts(study, averaged, checkpoint))
    parts, duplicates = outputs.values(), _duplicates(study)
    excluded = {name for part in parts for name in part.excluded}
    # Long tables, and those whose values another table has beside others, are shown in files only.
    whole = AnalysisOutput(
        [
            replace(table, detail=table.detail or table.name in DETAILS or name in duplicates)
            for name, part in outputs.items()
            for table in part.tables
        ],
        [*notes_on_idle_clusters(study, outputs), *(note for part in parts for note in part.notes)],
        list(dict.fromkeys(finding.beside(excluded) for part in parts for finding in part.findings)),
        [file for part in parts for file in part.files],
        list(dict.fromkeys(sentence for part in parts for sentence in part.methods)),
    )
    report = study.report("run", whole, command_line=command_line, sections=sections)
    return replace(report, notes_of={name: as_notes(part.notes) for name, part in outputs.items() if part.notes})


def _settings(study: Study) -> dict[str, AnalysisSettings]:
    """The settings of the requested analyses, and of those that they combine, by name."""
    settings: dict[str, AnalysisSettings] = {
        name: study.config.section(name) for name in SECTIONS if wants(study.config, name)
    }
    for analysis in _combining(study.config):
        for component in components(analysis, study):
            settings.setdefault(component.section, component)
    return {name: settings[name] for name in SECTIONS if name in settings}


def _combining(config: ExperimentConfig) -> list[Analysis[Any, Any]]:
    """The requested analyses that combine others."""
    requested = (registry.declaration(name) for name in SECTIONS if wants(config, name))
    return [analysis for analysis in requested if analysis.combines]


def _duplicates(study: Study) -> set[str]:
    """The analyses whose values of measures a requested one shows side by side, by name."""
    combined = {component.section for analysis in _combining(study.config) for component in components(analysis, study)}
    statistics = {name: registry.declaration(name).statistic for name in combined}
    return {name for name, statistic in statistics.items() if statistic is not None and statistic.ranked}


def wants(config: ExperimentConfig, section: str) -> bool:
    """Whether an experiment has a section for an analysis, which is computed."""
    return config.section(section) is not None and (config.computed is None or section in config.computed)


def _check(settings: Mapping[str, AnalysisSettings], study: Study) -> None:
    """Raise an `InputError` before the computation if settings do not suit the study."""
    for name, section in settings.items():
        analysis = registry.declaration(name)
        if analysis.begins_with == RUNS:
            if analysis.combines:
                check_gaps(analysis, study)
            else:
                check_settings(section, study)


def _parts(study: Study, averaged: Results, checkpoint: Checkpoint) -> Iterator[tuple[str, AnalysisOutput]]:
    """The name and the output of every requested analysis, in the order of the sections."""
    combining = _combining(study.config)
    extracts: dict[str, dict[str, Any]] = {analysis.name: {} for analysis in combining}
    for name in averaged.progress(list(_settings(study)), "Analyses"):
        analysis = registry.declaration(name)
        results = averaged if analysis.averages else Results(study, averaged.progress)
        if analysis in combining:
            yield name, analysis.tabulate(study, study.config.settings_of(analysis.settings), extracts[name])
        elif wants(study.config, name):
            yield name, checkpoint.section(name, partial(section_of, analysis, results))
        # `results` computes each analysis once, and only if what is taken from it is not stored.
        for other in combining:
            for component in components(other, study):
                if component.section == name:
                    take = partial(extract, other, component, results)
                    extracts[other.name][name] = checkpoint.section(f"{other.name}-{name}", take)
