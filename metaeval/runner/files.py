"""Runs the analyses of an experiment that needs no runs, such as the agreement of annotators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import chain

from metaeval import registry
from metaeval.analyses.declaration import RUNS
from metaeval.config import ExperimentConfig
from metaeval.io.dataset import Progress
from metaeval.model.report import AnalysisOutput, Report, as_notes, signature
from metaeval.runner.one import Results, begin, part_of
from metaeval.work.checkpoint import Checkpoint


def needs_no_runs(config: ExperimentConfig) -> bool:
    """Whether an experiment has sections, and none of an analysis of runs."""
    requested = [name for name in registry.ANALYSES if config.section(name) is not None]
    return bool(requested) and all(registry.declaration(name).begins_with != RUNS for name in requested)


def run_files(
    config: ExperimentConfig, *, command_line: str, progress: Progress, checkpoint: Checkpoint | None = None
) -> Report:
    """The report of all analyses for which an experiment has a section; each reads its own files."""
    store = checkpoint or Checkpoint()
    requested = [registry.declaration(name) for name in registry.ANALYSES if config.section(name) is not None]
    studies = {analysis: begin(analysis, config, progress=progress) for analysis in requested}
    report = {
        analysis.name: partial(study.report, "run", command_line=command_line) for analysis, study in studies.items()
    }
    store.begin(merged({name: of(AnalysisOutput([])) for name, of in report.items()}))
    parts = {
        analysis.name: store.section(analysis.name, partial(part_of, analysis, Results(study, progress)))
        for analysis, study in studies.items()
    }
    whole = merged({name: of(parts[name]) for name, of in report.items()})
    return replace(whole, notes_of={name: as_notes(part.notes) for name, part in parts.items() if part.notes})


def merged(reports: Mapping[str, Report]) -> Report:
    """Several reports as one, whose settings begin with the name of their analysis."""
    first, *others = reports.values()
    if not others:
        return first
    joined = list(reports.values())
    every = [each.provenance for each in joined]
    settings = {
        _field(name, key): value for name, it in reports.items() for key, value in it.provenance.settings.items()
    }
    fields = {
        _field(name, key): value
        for name, it in reports.items()
        for key, _, value in (field.partition(":") for field in it.signature.split("|")[1:])
    }
    origin = replace(
        first.provenance,
        files=tuple(dict.fromkeys(chain.from_iterable(each.files for each in every))),
        settings=settings,
        titles={name: title for each in every for name, title in each.titles.items()},
        sources={name: source for each in every for name, source in each.sources.items()},
    )
    return replace(
        first,
        signature=signature(origin.version, fields.items()),
        tables=tuple(chain.from_iterable(each.tables for each in joined)),
        notes=tuple(dict.fromkeys(chain.from_iterable(each.notes for each in joined))),
        provenance=origin,
        findings=tuple(chain.from_iterable(each.findings for each in joined)),
        methods=tuple(dict.fromkeys(chain.from_iterable(each.methods for each in joined))),
    )


def _field(analysis: str, key: str) -> str:
    """The name of a field of the signature."""
    return key if key == "seed" else f"{analysis}-{key}"
