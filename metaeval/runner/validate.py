"""Checks the files of an experiment."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from metaeval import registry
from metaeval.analyses.declaration import RUNS, Analysis
from metaeval.config import ExperimentConfig
from metaeval.errors import Gathered
from metaeval.io.dataset import Progress
from metaeval.model.report import Column, Report, Table, as_notes
from metaeval.runner.groups import merged_report, naming, read_groups
from metaeval.runner.one import check_settings
from metaeval.runner.several import merged, needs_no_runs
from metaeval.study.read import read_study
from metaeval.study.study import AnalysedTables, AnalysisOutput, no_progress


def validate_experiment(
    config: ExperimentConfig, *, command_line: str = "", progress: Progress = no_progress
) -> Report:
    """Read all files without computing anything; runs are optional.

    Table `files`: gold and each system with its file, and class frequencies, or the minimum, mean and maximum of
    numbers, or the numbers of sentences and words, of steps of derivations, or of measures. Table `tables`: the files
    of each analysis of tables of its own, and what they contain.
    """
    problems, tables, whole = Gathered(), dict[Analysis[Any, Any], AnalysedTables](), None
    for analysis in map(registry.declaration, registry.ANALYSES):
        settings = config.section(analysis.name)
        if settings is not None and analysis.begins_with != RUNS:
            with problems.errors():
                tables[analysis] = analysis.read(config, settings, progress=progress)
                check_settings(settings, tables[analysis])
    if config.data.gold is not None or config.data.runs or not needs_no_runs(config):
        with problems.errors():
            studies = read_groups(config, partial(read_study, progress=progress, needs_runs=False))
            reports = {}
            for group, study in studies.items():
                with naming(group, config):
                    study.check_measures()
                    output = AnalysisOutput([study.files_table()])
                    reports[group] = study.report("validate", output, command_line=command_line)
            whole = merged_report(config, studies, reports)
    problems.raise_any()
    if not tables:
        assert whole is not None, "an experiment without tables of analyses has runs"
        return whole
    empty = AnalysisOutput([])
    pairs = [(analysis.name, study) for analysis, study in tables.items()]
    table_report = merged({name: study.report("validate", empty, command_line=command_line) for name, study in pairs})
    rows = tuple((name, ", ".join(file.path for file in study.origin.files), study.contents) for name, study in pairs)
    heads = tuple(map(Column, ("analysis", "file", "contents")))
    table = Table("tables", "Tables that analyses read by themselves", heads, rows)
    if whole is None:
        return replace(table_report, tables=(table,))
    origin = whole.provenance
    files = tuple(dict.fromkeys((*origin.files, *table_report.provenance.files)))
    notes = as_notes([*whole.notes, *table_report.notes])
    return replace(whole, tables=(*whole.tables, table), notes=notes, provenance=replace(origin, files=files))
