"""What the analysis begins with in place of a study of runs: measures alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from metaeval.analyses.axioms.properties import PROPERTIES, FormalProperty
from metaeval.analyses.axioms.settings import AxiomsSettings
from metaeval.config import ExperimentConfig
from metaeval.measures import Measure, fitting, measure, preset
from metaeval.model.report import Report
from metaeval.model.scale import ClassScale
from metaeval.study.output import Origin, Part, report_of
from metaeval.study.study import Track

_EVERY_KIND = ClassScale(("unrelated", "low", "high"), ordered=True, weights=(0.2, 0.3, 0.5))
"""A scale that every measure of labels can be computed on."""


@dataclass(frozen=True)
class AxiomsStudy:
    """Measures, and the properties that they are put to."""

    config: ExperimentConfig
    measures: tuple[Measure, ...]
    properties: tuple[FormalProperty, ...]

    def report(self, command: str, part: Part, *, command_line: str, sections: Sequence[object] = ()) -> Report:
        """A report with the signature and the provenance of these measures; no file is read for it."""
        settings = [
            ("measures", len(self.measures)),
            ("properties", len(self.properties)),
            ("cases", self.config.settings_of(AxiomsSettings).cases),
            ("seed", self.config.seed),
        ]
        report = report_of(command, part, settings, Origin((), (), {}, ()), command_line=command_line)
        names = {"measures": list(map(str, self.measures)), "properties": [each.name for each in self.properties]}
        return replace(report, provenance=replace(report.provenance, settings={**dict(settings), **names}))


def read(config: ExperimentConfig, settings: AxiomsSettings, *, track: Track) -> AxiomsStudy:
    """The measures of an experiment, every measure of labels where it names none; and the properties."""
    names: Iterable[str] = dict.fromkeys(settings.properties) or PROPERTIES
    return AxiomsStudy(config, _measures(config), tuple(PROPERTIES[name] for name in names))


def _measures(config: ExperimentConfig) -> tuple[Measure, ...]:
    chosen = [measure(name) for name in config.measures]
    preset_name = config.preset if config.preset is not None or chosen else "all"
    if preset_name is not None:
        chosen += fitting(_EVERY_KIND) if preset_name == "all" else preset(preset_name)
    return tuple(dict.fromkeys(chosen))
