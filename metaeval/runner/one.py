"""From an experiment to the report of one analysis."""

from __future__ import annotations

from functools import partial
from typing import Any, Protocol

from metaeval.analyses import analysis as named
from metaeval.analyses.declaration import RUNS, Analysis
from metaeval.config import ExperimentConfig
from metaeval.model.report import Report
from metaeval.study.read import read_study
from metaeval.study.study import Track, silently


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
    config = config.with_settings(settings)
    study = read_study(config, track=track) if analysis.begins_with == RUNS else analysis.read(config, track=track)
    part = analysis.part(study, track=track)
    sections = [settings] if settings.in_signature else []
    return study.report(analysis.name, part, command_line=command_line, sections=sections)


def use_case(attribute: str) -> UseCase:
    """The use case of an analysis, by its name in Python."""
    return partial(run_analysis, named(attribute))
