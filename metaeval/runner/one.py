"""From an experiment to the report of one analysis."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any, Protocol

from metaeval.analyses import analysis as named
from metaeval.analyses.declaration import RUNS, Analysis
from metaeval.config import ExperimentConfig
from metaeval.model.report import Report
from metaeval.study.read import read_study
from metaeval.study.study import Part, Study, Track, silently


class UseCase(Protocol):
    """A function of `metaeval.experiment`."""

    def __call__(
        self, config: ExperimentConfig, *, command_line: str = "", track: Track = silently, **options: Any
    ) -> Report:
        """Its report."""


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
    part = part_of(analysis, study, track=track)
    sections = [settings] if settings.in_signature else []
    return study.report(analysis.name, part, command_line=command_line, sections=sections)


def begin(analysis: Analysis[Any, Any], config: ExperimentConfig, *, track: Track) -> Study:
    """What an analysis begins with: a study of runs, unless the analysis reads other data."""
    if analysis.begins_with == RUNS:
        return read_study(config, track=track)
    settings = config.settings_of(analysis.settings)
    study: Study = _module(analysis, "study").read(config, settings, track=track)
    return study


def part_of(analysis: Analysis[Any, Any], study: Study, *, track: Track) -> Part:
    """What an analysis adds to the report of a study."""
    settings = study.config.settings_of(analysis.settings)
    results = _module(analysis, "compute").analyse(study, settings, track=track)
    part: Part = _module(analysis, "tables").tabulate(study, settings, results)
    return part


def section_of(analysis: Analysis[Any, Any], study: Study, *, track: Track) -> Part:
    """What an analysis adds to the report of a whole experiment; study: of its runs."""
    if analysis.begins_with == RUNS:
        return part_of(analysis, study, track=track)
    own = begin(analysis, study.config, track=track)
    return part_of(analysis, own, track=track).after(notes=own.origin.notes, files=own.origin.files)


def check_analysis(analysis: Analysis[Any, Any], study: Study) -> None:
    """Raise where the settings of an analysis do not go with the study."""
    _module(analysis, "compute").check(study, study.config.settings_of(analysis.settings))


def _module(analysis: Analysis[Any, Any], name: str) -> Any:
    return importlib.import_module(f"{analysis.__module__}.{name}")


def use_case(attribute: str) -> UseCase:
    """The use case of an analysis, by its name in Python."""
    return partial(run_analysis, named(attribute))
