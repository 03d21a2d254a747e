"""Runs one analysis of an experiment."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from metaeval.analyses import ANALYSES
from metaeval.analyses import analysis as named
from metaeval.analyses.declaration import RUNS, Analysis
from metaeval.config import ExperimentConfig
from metaeval.errors import InputError, setting
from metaeval.model.grouped import BY_GROUP, OVER_GROUPS
from metaeval.model.report import Report, Table
from metaeval.runner.groups import read_groups, report_module, report_of_groups
from metaeval.settings import AnalysisSettings
from metaeval.steps import step
from metaeval.study.read import read_study
from metaeval.study.study import AnalysisOutput, Progress, Study, no_progress


def run_analysis(
    analysis: Analysis[Any, Any],
    config: ExperimentConfig,
    *,
    command_line: str = "",
    progress: Progress = no_progress,
    **options: Any,
) -> Report:
    """The report of an analysis. options: override its settings in the experiment."""
    settings = config.settings_of(analysis.settings).overlaid(**options)
    config = config.with_settings(settings)
    results: dict[str, Results] = {}

    def report(group: str, study: Study) -> Report:
        part = part_of(analysis, results.setdefault(group, Results(study, progress)))
        part = part.after(notes=notes_on_idle_clusters(study, {analysis.name: part}))
        sections = signed(settings_used(analysis, study))
        return study.report(analysis.name, part, command_line=command_line, sections=sections)

    def read(own: ExperimentConfig) -> Study:
        study = begin(analysis, own, progress=progress)
        if config.data.has_groups:
            # A group that cannot be analysed is reported before the others are.
            study.check_measures()
            check_analysis(analysis, study)
        return study

    whole = report_of_groups(config, read_groups(config, read), report)
    if not (analysis.averages and config.data.has_groups):
        return whole
    return with_averages(analysis, whole, averages_of(analysis, config, results))


def averages_of(
    analysis: Analysis[Any, Any], config: ExperimentConfig, results: Mapping[str, Results]
) -> AnalysisOutput:
    """The averages of an analysis over groups; results: of each group."""
    settings = config.settings_of(analysis.settings)
    of_groups = {group: own.of(settings) for group, own in results.items()}
    averages: AnalysisOutput = _module(analysis, "groups").tabulate(of_groups, settings, seed=config.seed)
    return averages


def with_averages(analysis: Analysis[Any, Any], whole: Report, averages: AnalysisOutput) -> Report:
    """A report on groups with averages over them before the other tables of the analysis."""
    ends = {f"{table}{end}" for table in analysis.tables for end in ("", BY_GROUP, OVER_GROUPS)}
    own = [table.name in ends for table in whole.tables]
    first = own.index(True) if any(own) else 0
    tables = [_beside_averages(table) if is_own else table for table, is_own in zip(whole.tables, own, strict=True)]
    of_section = {analysis.name: (*averages.notes, *whole.notes_of.get(analysis.name, ()))} if whole.notes_of else {}
    return replace(
        whole,
        tables=(*tables[:first], *averages.tables, *tables[first:]),
        findings=(*averages.findings, *whole.findings),
        notes=(*averages.notes, *whole.notes),
        notes_of={**whole.notes_of, **of_section},
    )


def _beside_averages(table: Table) -> Table:
    """A table over groups beside tested averages: ranks are theirs, and means are details."""
    if table.name.endswith(OVER_GROUPS):
        return replace(table, detail=True)
    return replace(table, beside=None) if table.name.endswith(BY_GROUP) else table


def begin(analysis: Analysis[Any, Any], config: ExperimentConfig, *, progress: Progress) -> Study:
    """The study of an analysis: of runs, or of the data that the analysis reads."""
    settings = config.settings_of(analysis.settings)
    if analysis.begins_with == RUNS:
        measures, preset = settings.measures_of(config.measures, config.preset)
        return read_study(replace(config, measures=measures, preset=preset), progress=progress)
    study: Study = _module(analysis, "study").read(config, settings, progress=progress)
    return study


class Results:
    """The results of analyses of a study, each computed once for equal settings."""

    def __init__(self, study: Study, progress: Progress) -> None:
        self.study = study
        self.progress = progress
        self._results: list[tuple[AnalysisSettings, Any]] = []

    def of(self, settings: AnalysisSettings) -> Any:
        """The results of the analysis of these settings."""
        for known, results in self._results:
            if known == settings:
                return results
        check_gaps(named(settings.section), self.study)
        with step(settings.section):
            results = _module(named(settings.section), "compute").analyse(self.study, settings, progress=self.progress)
        self._results.append((settings, results))
        return results


def part_of(analysis: Analysis[Any, Any], results: Results) -> AnalysisOutput:
    """The output of an analysis of a study."""
    study = results.study
    check_gaps(analysis, study)
    if analysis.combines:
        check_analysis(analysis, study)
        return combined(
            analysis, study, {each.section: extract(analysis, each, results) for each in used(analysis, study)}
        )
    settings = study.config.settings_of(analysis.settings)
    part: AnalysisOutput = report_module(analysis).tabulate(study, settings, results.of(settings))
    return part


def section_of(analysis: Analysis[Any, Any], results: Results) -> AnalysisOutput:
    """The output of an analysis in the report of a whole experiment; results: of the study of its runs."""
    if analysis.begins_with == RUNS:
        return part_of(analysis, results)
    own = begin(analysis, results.study.config, progress=results.progress)
    return part_of(analysis, Results(own, results.progress)).after(notes=own.origin.notes, files=own.origin.files)


def notes_on_idle_clusters(study: Study, outputs: Mapping[str, AnalysisOutput]) -> list[str]:
    """A note on the analyses in which the clusters that the user named play no role; outputs: by name of the analysis.

    The output of an analysis that infers with clusters has notes on them.
    """
    if not study.config.data.clusters or not study.origin.clusters:
        return []
    from metaeval.study.evidence import notes_on_clusters, units_of

    own = [each for each in map(named, outputs) if each.begins_with == RUNS and not each.combines]
    idle = [each.name for each in own if set(outputs[each.name].notes).isdisjoint(notes_on_clusters(study))]
    return [f"{units_of(study)} play no role in {', '.join(idle)}"] if idle else []


def used(analysis: Analysis[Any, Any], study: Study) -> list[AnalysisSettings]:
    """The settings of the analyses that an analysis combines."""
    if not analysis.combines:
        return []
    settings = study.config.settings_of(analysis.settings)
    combined: list[AnalysisSettings] = _module(analysis, "compute").used(study, settings)
    return combined


def extract(analysis: Analysis[Any, Any], settings: AnalysisSettings, results: Results) -> Table:
    """The table that an analysis derives from the results of another one with these settings."""
    table: Table = report_module(analysis).extracts[settings.section](results.study, results.of(settings))
    return table


def combined(analysis: Analysis[Any, Any], study: Study, extracts: Mapping[str, Table]) -> AnalysisOutput:
    """The output of an analysis that combines extracts of others, by their names."""
    settings = study.config.settings_of(analysis.settings)
    part: AnalysisOutput = report_module(analysis).tabulate(study, settings, extracts)
    return part


def settings_used(analysis: Analysis[Any, Any], study: Study) -> list[AnalysisSettings]:
    """The settings of an analysis, and of those that it combines."""
    return [study.config.settings_of(analysis.settings), *used(analysis, study)]


def signed(settings: Iterable[AnalysisSettings]) -> list[AnalysisSettings]:
    """The settings that are part of the signature."""
    return [each for each in settings if each.in_signature]


def check_analysis(analysis: Analysis[Any, Any], study: Study) -> None:
    """Raise an `InputError` if the settings of an analysis do not suit the study."""
    for each in used(analysis, study) or settings_used(analysis, study):
        check_settings(each, study)


def check_gaps(analysis: Analysis[Any, Any], study: Study) -> None:
    """Raise an `InputError` if an analysis needs all scores, and systems lack some."""
    if getattr(study, "has_gaps", False) and not analysis.gaps:
        possible = ", ".join(name for name in ANALYSES if named(name).gaps)
        raise InputError.at(
            found=f"{analysis.name} of systems that lack scores of items, with {setting('on_missing', 'pairwise')}",
            expected=f"every score, because only {possible} can compare systems on the items that both have",
            hint=f"drop such items for every system with {setting('on_missing', 'drop')}",
        )


def check_settings(settings: AnalysisSettings, study: Study) -> None:
    """Raise an `InputError` if settings do not suit the study."""
    check_gaps(named(settings.section), study)
    _module(named(settings.section), "compute").check(study, settings)


def _module(analysis: Analysis[Any, Any], name: str) -> Any:
    return importlib.import_module(f"{analysis.__module__}.{name}")


def run_named(name: str, config: ExperimentConfig, **options: Any) -> Report:
    """The report of the analysis of a name; see `run_analysis`."""
    return run_analysis(named(name), config, **options)
