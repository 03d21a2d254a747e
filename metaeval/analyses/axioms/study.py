"""The study of this analysis: measures without data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from metaeval.analyses.axioms.properties import DISTRIBUTION_PROPERTIES, PROPERTIES, FormalProperty
from metaeval.analyses.axioms.settings import AxiomsSettings
from metaeval.config import ExperimentConfig
from metaeval.errors import pluralize
from metaeval.measures import Measure, fitting, measure, preset
from metaeval.model.report import AnalysisOutput, Report
from metaeval.model.scale import ClassScale
from metaeval.settings import AnalysisSettings
from metaeval.study.study import AnalysedTables, Progress, Sources

_EVERY_KIND = ClassScale(("unrelated", "low", "high"), ordered=True, weights=(0.2, 0.3, 0.5))
"""A scale on which every measure of labels can be computed."""


@dataclass(frozen=True)
class AxiomsStudy(AnalysedTables):
    """Measures, and the properties to check."""

    properties: tuple[FormalProperty, ...]

    @property
    def contents(self) -> str:
        """What is analysed."""
        return pluralize(len(self.measures), "measure")

    def settings(self) -> list[tuple[str, object]]:
        """The fields of the signature."""
        return [
            ("measures", len(self.measures)),
            ("properties", len(self.properties)),
            ("cases", self.config.settings_of(AxiomsSettings).cases),
            ("seed", self.config.seed),
        ]

    def report(
        self, command: str, output: AnalysisOutput, *, command_line: str, sections: Sequence[AnalysisSettings] = ()
    ) -> Report:
        """A report whose provenance has the names of the measures and the properties."""
        report = super().report(command, output, command_line=command_line, sections=sections)
        names = {"measures": list(map(str, self.measures)), "properties": [axiom.name for axiom in self.properties]}
        return replace(report, provenance=replace(report.provenance, settings={**dict(self.settings()), **names}))


def read(config: ExperimentConfig, settings: AxiomsSettings, *, progress: Progress) -> AxiomsStudy:
    """The measures of an experiment, by default every measure of labels, and the properties of such measures."""
    measures, all_properties = _measures(config), (*PROPERTIES.values(), *DISTRIBUTION_PROPERTIES.values())
    kinds = {measure.declaration.reads for measure in measures}
    by_name = {axiom.name: axiom for axiom in all_properties}
    properties = tuple(by_name[name] for name in dict.fromkeys(settings.properties))
    properties = properties or tuple(axiom for axiom in all_properties if axiom.reads in kinds)
    return AxiomsStudy(config, Sources((), (), {}, ()), properties, measures=measures)


def _measures(config: ExperimentConfig) -> tuple[Measure, ...]:
    measures = [measure(name) for name in config.measures]
    preset_name = config.preset if config.preset is not None or measures else "all"
    if preset_name is not None:
        measures += fitting(_EVERY_KIND) if preset_name == "all" else preset(preset_name)
    return tuple(dict.fromkeys(measures))
