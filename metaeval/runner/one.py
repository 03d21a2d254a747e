"""Runs one analysis of an experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from metaeval.analyses.declaration import RUNS, Analysis, AnalysisOfFiles
from metaeval.analyses.levels import LevelEstimate, output_by_level
from metaeval.config import ExperimentConfig
from metaeval.errors import InputError, refuse, setting
from metaeval.model.report import BY_GROUP, OVER_GROUPS, Note, Report, Table, as_notes, on_input
from metaeval.registry import ANALYSES
from metaeval.registry import declaration as named
from metaeval.runner.groups import merged_report, naming, read_groups
from metaeval.settings import AnalysisSettings
from metaeval.steps import step
from metaeval.study.read import read_study
from metaeval.study.study import Analysed, AnalysisOutput, Progress, Study, no_progress


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
    if analysis.skips_invalid:
        config = replace(config, data=replace(config.data, skip_invalid=True))

    def read(config_of_group: ExperimentConfig) -> Analysed:
        study = begin(analysis, config_of_group, progress=progress)
        if config.data.has_groups and isinstance(study, Study):
            # A group that cannot be analysed is reported before the others are.
            study.check_measures()
            check_analysis(analysis, study)
        return study

    studies = read_groups(config, read)
    results = {group: Results(study, progress) for group, study in studies.items()}
    reports = {}
    for group, study in progress([*studies.items()], "Groups") if config.data.has_groups else studies.items():
        with naming(group, config):
            part = part_of(analysis, results[group])
            part = part.after(notes=notes_on_idle_clusters(study, {analysis.name: part}))
            sections = [section for section in settings_used(analysis, study) if section.in_signature]
            report = study.report(analysis.name, part, command_line=command_line, sections=sections)
            reports[group] = replace(report, groups=tuple(levels_of(analysis, study)))
    whole = merged_report(config, studies, reports)
    if not (analysis.averages and config.data.has_groups):
        return whole
    return with_averages(analysis, whole, averages_of(analysis, config, results))


def averages_of(
    analysis: Analysis[Any, Any], config: ExperimentConfig, results: Mapping[str, Results]
) -> AnalysisOutput:
    """The averages of an analysis over groups; results: of each group."""
    settings = config.settings_of(analysis.settings)
    results_by_group = {group: group_results.of(settings) for group, group_results in results.items()}
    return analysis.tabulate_averages(results_by_group, settings, seed=config.seed)


def with_averages(analysis: Analysis[Any, Any], whole: Report, averages: AnalysisOutput) -> Report:
    """A report on groups with averages over them before the other tables of the analysis.

    Sentences on single groups are notes beside findings on all.
    """
    ends = {f"{table}{end}" for table in analysis.tables for end in ("", BY_GROUP, OVER_GROUPS)}
    matches = [table.name in ends for table in whole.tables]
    first = matches.index(True) if any(matches) else 0
    tables = [_beside_averages(table) if match else table for table, match in zip(whole.tables, matches, strict=True)]
    on_groups = [finding for finding in whole.findings if averages.findings and finding.criterion == analysis.name]
    group_notes = [Note(finding.sentence, groups=finding.groups or whole.groups) for finding in on_groups]
    notes, notes_of = as_notes([*averages.notes, *group_notes]), dict(whole.notes_of)
    if notes_of:
        notes_of[analysis.name] = (*notes, *notes_of.get(analysis.name, ()))
    return replace(
        whole,
        tables=(*tables[:first], *averages.tables, *tables[first:]),
        findings=(*averages.findings, *(finding for finding in whole.findings if finding not in on_groups)),
        notes=(*notes, *whole.notes),
        notes_of=notes_of,
    )


def _beside_averages(table: Table) -> Table:
    """A table over groups beside tested averages: ranks are theirs, and means are details."""
    if table.name.endswith(OVER_GROUPS):
        return replace(table, detail=True)
    return replace(table, beside=None) if table.name.endswith(BY_GROUP) else table


def begin(analysis: Analysis[Any, Any], config: ExperimentConfig, *, progress: Progress) -> Analysed:
    """The study of an analysis: of runs, or of the data that the analysis reads."""
    settings = config.settings_of(analysis.settings)
    if analysis.begins_with != RUNS:
        return analysis.read(config, settings, progress=progress)
    measures, preset = settings.measures_of(config.measures, config.preset)
    if config.data.task == "table" and not config.measures:
        # A table holds its candidates.
        measures = ()
    data = replace(config.data, gaps=analysis.gaps)
    return read_study(replace(config, measures=measures, preset=preset, data=data), progress=progress)


class Results:
    """The results of analyses of a study, each computed once for equal settings."""

    def __init__(self, study: Analysed, progress: Progress) -> None:
        self.study = study
        self.progress = progress
        self._results: list[tuple[AnalysisSettings, Any]] = []

    def of(self, settings: AnalysisSettings) -> Any:
        """The results of the analysis of these settings."""
        for earlier_settings, results in self._results:
            if earlier_settings == settings:
                return results
        analysis = named(settings.section)
        check_gaps(analysis, self.study)
        with step(settings.section):
            results = analysis.analyse(self.study, settings, progress=self.progress)
        self._results.append((settings, results))
        return results


def part_of(analysis: Analysis[Any, Any], results: Results) -> AnalysisOutput:
    """The output of an analysis of a study."""
    study = results.study
    settings = study.config.settings_of(analysis.settings)
    if isinstance(analysis, AnalysisOfFiles) and (levels := levels_of(analysis, study)):
        return by_level(analysis, levels, settings)
    if not analysis.combines:
        return analysis.tabulate(study, settings, results.of(settings))
    check_gaps(analysis, study)
    check_analysis(analysis, study)
    extracts = {component.section: extract(analysis, component, results) for component in components(analysis, study)}
    return analysis.tabulate(study, settings, extracts)


def levels_of(analysis: Analysis[Any, Any], study: Any) -> Mapping[str, Analysed]:
    """The study of each level of the column of groups; empty without one."""
    return study.levels if isinstance(analysis, AnalysisOfFiles) and analysis.levels else {}


def by_level(analysis: AnalysisOfFiles[Any, Any], levels: Mapping[str, Analysed], settings: Any) -> AnalysisOutput:
    """The output of an analysis of each level, and of their differences; levels that it refuses are left out."""
    outputs: dict[str, AnalysisOutput] = {}
    estimates: dict[str, Sequence[LevelEstimate]] = {}
    errors: dict[str, InputError] = {}
    for level, study in levels.items():
        try:
            with naming(level, study.config):
                result = Results(study, no_progress).of(settings)
        except InputError as error:
            if type(error) is not InputError:
                raise
            errors[level] = error
            continue
        outputs[level] = analysis.tabulate(study, settings, result)
        estimates[level] = analysis.estimates_of_level(study, settings, result)
    if not outputs:
        raise next(iter(errors.values()))
    name = next(table for table in analysis.tables if table.endswith(BY_GROUP))
    output = output_by_level(analysis.name, outputs, estimates, name=name, column=settings.group, keys=analysis.levels)
    return output.after(notes=[f"left out: {error.problems[0].at(None)}" for error in errors.values()])


def section_of(analysis: Analysis[Any, Any], results: Results) -> AnalysisOutput:
    """The output of an analysis in the report of a whole experiment; results: of the study of its runs."""
    if analysis.begins_with == RUNS:
        return part_of(analysis, results)
    study = begin(analysis, results.study.config, progress=results.progress)
    return part_of(analysis, Results(study, results.progress)).after(
        notes=on_input(study.origin.notes), files=study.origin.files
    )


def notes_on_idle_clusters(study: Analysed, outputs: Mapping[str, AnalysisOutput]) -> list[str]:
    """A note on the analyses in which the clusters that the user named play no role; outputs: by name of the analysis.

    The output of an analysis that infers with clusters has notes on them.
    """
    if not isinstance(study, Study) or not study.config.data.clusters or not study.origin.clusters:
        return []
    from metaeval.study.evidence import units_of

    analyses = map(named, outputs)
    names = [analysis.name for analysis in analyses if analysis.begins_with == RUNS and not analysis.combines]
    idle = [name for name in names if not any(note.on_clusters for note in as_notes(outputs[name].notes))]
    return [f"{units_of(study)} play no role in {', '.join(idle)}"] if idle else []


def components(analysis: Analysis[Any, Any], study: Analysed) -> list[AnalysisSettings]:
    """The settings of the analyses that an analysis combines."""
    if not analysis.combines or not isinstance(study, Study):
        return []
    return analysis.select(study, study.config.settings_of(analysis.settings))


def extract(analysis: Analysis[Any, Any], settings: AnalysisSettings, results: Results) -> Any:
    """What an analysis takes from the results of another one with these settings."""
    assert isinstance(results.study, Study)
    return analysis.extracts[settings.section](results.study, results.of(settings))


def settings_used(analysis: Analysis[Any, Any], study: Analysed) -> list[AnalysisSettings]:
    """The settings of an analysis, and of those that it combines."""
    return [study.config.settings_of(analysis.settings), *components(analysis, study)]


def check_analysis(analysis: Analysis[Any, Any], study: Analysed) -> None:
    """Raise an `InputError` if the settings of an analysis do not suit the study."""
    for section in components(analysis, study) or settings_used(analysis, study):
        check_settings(section, study)


def check_gaps(analysis: Analysis[Any, Any], study: Analysed) -> None:
    """Raise an `InputError` if an analysis needs all scores, and systems lack some."""
    if isinstance(study, Study) and study.has_gaps and not analysis.gaps:
        possible = ", ".join(name for name in ANALYSES if named(name).gaps)
        found = f"{analysis.name} of systems that lack scores of items, with {setting('on_missing', 'pairwise')}"
        expected = f"every score, because only {possible} can compare systems on the items that both have"
        raise refuse(None, found, expected, f"drop such items for every system with {setting('on_missing', 'drop')}")


def check_settings(settings: AnalysisSettings, study: Analysed) -> None:
    """Raise an `InputError` if settings do not suit the study."""
    analysis = named(settings.section)
    check_gaps(analysis, study)
    analysis.check(study, settings)
