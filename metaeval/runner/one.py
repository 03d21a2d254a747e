"""From an experiment to the report of one analysis."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any

from metaeval.analyses import analysis as named
from metaeval.analyses.declaration import RUNS, Analysis
from metaeval.config import ExperimentConfig
from metaeval.model.report import Report, Table
from metaeval.settings import AnalysisSettings
from metaeval.study.read import read_study
from metaeval.study.study import Part, Study, Track, silently


def run_analysis(
    analysis: Analysis[Any, Any],
    config: ExperimentConfig,
    *,
    command_line: str = "",
    track: Track = silently,
    **options: Any,
) -> Report:
    """The report of an analysis; options: on top of what the experiment says of it."""
    settings = config.settings_of(analysis.settings).overlaid(**options)
    study = begin(analysis, config.with_settings(settings), track=track)
    part = part_of(analysis, Results(study, track))
    return study.report(analysis.name, part, command_line=command_line, sections=signed(settings_used(analysis, study)))


def begin(analysis: Analysis[Any, Any], config: ExperimentConfig, *, track: Track) -> Study:
    """What an analysis begins with: a study of runs, unless the analysis reads other data."""
    if analysis.begins_with == RUNS:
        return read_study(config, track=track)
    settings = config.settings_of(analysis.settings)
    study: Study = _module(analysis, "study").read(config, settings, track=track)
    return study


class Results:
    """What analyses find in a study, each computed once for equal settings."""

    def __init__(self, study: Study, track: Track) -> None:
        self.study = study
        self.track = track
        self._found: list[tuple[AnalysisSettings, Any]] = []

    def of(self, settings: AnalysisSettings) -> Any:
        """The results of the analysis of these settings."""
        for known, results in self._found:
            if known == settings:
                return results
        results = _module(named(settings.section), "compute").analyse(self.study, settings, track=self.track)
        self._found.append((settings, results))
        return results


def part_of(analysis: Analysis[Any, Any], results: Results) -> Part:
    """What an analysis adds to the report of a study."""
    study = results.study
    if analysis.combines:
        check_analysis(analysis, study)
        return combined(
            analysis, study, {each.section: extract(analysis, each, results) for each in used(analysis, study)}
        )
    settings = study.config.settings_of(analysis.settings)
    part: Part = _module(analysis, "tables").tabulate(study, settings, results.of(settings))
    return part


def section_of(analysis: Analysis[Any, Any], results: Results) -> Part:
    """What an analysis adds to the report of a whole experiment; results: of the study of its runs."""
    if analysis.begins_with == RUNS:
        return part_of(analysis, results)
    own = begin(analysis, results.study.config, track=results.track)
    return part_of(analysis, Results(own, results.track)).after(notes=own.origin.notes, files=own.origin.files)


def used(analysis: Analysis[Any, Any], study: Study) -> list[AnalysisSettings]:
    """The settings of the analyses whose results an analysis combines."""
    if not analysis.combines:
        return []
    found: list[AnalysisSettings] = _module(analysis, "compute").used(
        study, study.config.settings_of(analysis.settings)
    )
    return found


def extract(analysis: Analysis[Any, Any], settings: AnalysisSettings, results: Results) -> Table:
    """What an analysis takes of the results of another, whose settings these are."""
    table: Table = _module(analysis, "tables").extracts[settings.section](results.study, results.of(settings))
    return table


def combined(analysis: Analysis[Any, Any], study: Study, extracts: Mapping[str, Table]) -> Part:
    """What an analysis makes of its extracts, by the names of the analyses that they are of."""
    settings = study.config.settings_of(analysis.settings)
    part: Part = _module(analysis, "tables").tabulate(study, settings, extracts)
    return part


def settings_used(analysis: Analysis[Any, Any], study: Study) -> list[AnalysisSettings]:
    """The settings of an analysis, and of those whose results it combines."""
    return [study.config.settings_of(analysis.settings), *used(analysis, study)]


def signed(settings: Iterable[AnalysisSettings]) -> list[AnalysisSettings]:
    """Those settings that belong to the signature."""
    return [each for each in settings if each.in_signature]


def check_analysis(analysis: Analysis[Any, Any], study: Study) -> None:
    """Raise where the settings of an analysis do not go with the study."""
    for each in used(analysis, study) or settings_used(analysis, study):
        check_settings(each, study)


def check_settings(settings: AnalysisSettings, study: Study) -> None:
    """Raise where settings do not go with the study."""
    _module(named(settings.section), "compute").check(study, settings)


def _module(analysis: Analysis[Any, Any], name: str) -> Any:
    return importlib.import_module(f"{analysis.__module__}.{name}")


def run_named(name: str, config: ExperimentConfig, **options: Any) -> Report:
    """The report of the analysis of a name; options: as of `run_analysis`."""
    return run_analysis(named(name), config, **options)
