"""Checks results: conditions, and the comparison with a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from metaeval.analyses.score.settings import ScoreSettings
from metaeval.config import CheckSettings, ExperimentConfig
from metaeval.errors import InputError, pluralize, refuse, setting
from metaeval.gates.baselines import PREDICTIONS_TABLE, Baseline, compare_with_baseline, with_items
from metaeval.gates.conditions import Gate, Outcome, Verdict, judge, names_of, parse_gates
from metaeval.gates.signatures import FrozenSignature, judge_signature, read_signature
from metaeval.io.dataset import Progress
from metaeval.io.files.source import STANDARD_INPUT, open_source
from metaeval.io.report_file import ORIGIN, read_report
from metaeval.model.report import (
    BY_GROUP,
    OVER_GROUPS,
    Finding,
    Report,
    SourceFile,
    as_notes,
    group_report,
    merged_output,
    score,
    signature,
    table,
    text,
    with_filled_columns,
)
from metaeval.registry import declaration
from metaeval.runner.groups import ONLY, merged_report, naming, read_groups
from metaeval.runner.one import Results
from metaeval.runner.several import SECTIONS, needs_no_runs, run_files, run_study, wants, with_all_averages
from metaeval.study.read import read_study
from metaeval.study.study import AnalysisOutput, no_progress

_DATA_SETTINGS = ("task", "n", "scale", "drop-gold")
"""Fields of the signature that must be the same in a baseline."""


class CheckResult(NamedTuple):
    """The result of a check.

    report: the verdicts in the tables `gates` (gate, verdict, value, limit, reason) and, with a baseline, `baseline` of
    `baselines.compare_with_baseline`. baseline: the results to save; None without the setting `save_baseline`. results:
    what was checked; None if it had been computed before.
    """

    report: Report
    baseline: Report | None = None
    results: Report | None = None


def check_run(config: ExperimentConfig, *, command_line: str = "", progress: Progress = no_progress) -> CheckResult:
    """Run an experiment and check its results."""
    if not any(wants(config, section) for section in SECTIONS):
        config = config.with_settings(ScoreSettings())
    config = config.without_item_file()
    settings = config.check or CheckSettings()
    gates = parse_gates(settings.fail_if, baseline=settings.baseline is not None)
    if not gates and settings.baseline is None and settings.save_baseline is None and settings.frozen_signature is None:
        path = config.file.path if config.file else None
        raise _nothing_to_check(path)
    earlier = read_report(settings.baseline) if settings.baseline is not None else None
    frozen = None if settings.frozen_signature is None else read_signature(settings.frozen_signature)
    without_runs, files = needs_no_runs(config), _source_files(settings.baseline, "baseline")
    if config.report is None and settings.save_baseline is None and frozen is None:
        config = replace(config, computed=_sections_of(gates, config))
    if without_runs:
        results = run_files(config, command_line=command_line, progress=progress)
        report = _report(results, _judge(gates, results, earlier, frozen), AnalysisOutput(()), files)
        return CheckResult(report, results if settings.save_baseline is not None else None, results)
    studies = read_groups(config, partial(read_study, progress=progress))
    averaged = {name: Results(study, progress) for name, study in studies.items()}
    every: dict[str, Report] = {}
    drops: dict[str, AnalysisOutput] = {}
    for name, study in studies.items():
        with naming(name, config):
            if study.has_gaps and (settings.baseline is not None or settings.save_baseline is not None):
                found = f"a baseline of systems that lack scores of items, with {setting('on_missing', 'pairwise')}"
                hint = f"drop such items for every system with {setting('on_missing', 'drop')}"
                raise refuse(None, found, "every score", hint)
            every[name] = run_study(study, averaged[name], command_line=command_line)
            if earlier is not None and settings.baseline is not None:
                before = earlier if name == ONLY else _baseline_of(earlier, name)
                drops[name] = compare_with_baseline(study, before, path=settings.baseline, families=len(studies))
                every[name] = _with_clusters(every[name], [clusters.column for clusters in study.origin.clusters])
    results = with_all_averages(config, merged_report(config, studies, every), averaged)
    drop = drops[ONLY] if ONLY in drops else merged_output(drops)
    report = _report(results, _judge(gates, results, earlier, frozen), drop, files)
    if settings.save_baseline is None:
        return CheckResult(report, results=results)
    with_all_items = {name: with_items(every[name], study) for name, study in studies.items()}
    return CheckResult(report, merged_report(config, studies, with_all_items), results)


def _judge(
    gates: Sequence[Gate], results: Report, earlier: Report | None, frozen: FrozenSignature | None
) -> tuple[Outcome, ...]:
    """The outcomes of the gates, and of the frozen signature."""
    outcomes = judge(gates, results, earlier)
    if frozen is None:
        return outcomes
    return (judge_signature(frozen, results.signature, results.provenance.files), *outcomes)


def _sections_of(gates: Sequence[Gate], config: ExperimentConfig) -> tuple[str, ...] | None:
    """The names of the analyses whose tables the gates name; None for all if a table is of none of them."""
    section_of = {
        f"{table}{end}": name
        for name in SECTIONS
        if wants(config, name)
        for table in declaration(name).tables
        for end in ("", BY_GROUP, OVER_GROUPS)
    }
    cells = (cell for gate in gates for cell in (*gate.left, *gate.right) if cell.kind == "cell")
    tables = {names_of(cell)[0].text for cell in cells}
    return tuple({section_of[table] for table in tables}) if tables <= section_of.keys() else None


def _baseline_of(earlier: Report, group: str) -> Report:
    """The baseline of a group, whose predictions are those of its own systems."""
    part = group_report(earlier, group)
    tables = [with_filled_columns(table) if table.name == PREDICTIONS_TABLE else table for table in part.tables]
    return replace(part, tables=tuple(tables))


def check_results(path: str, settings: CheckSettings, *, command_line: str = "") -> CheckResult:
    """Check the results of an earlier command, a JSON file or a folder; systems cannot be compared."""
    gates, earlier = parse_gates(settings.fail_if, baseline=settings.baseline is not None), None
    expected, hint = "an experiment file (.yaml)", "run check on that file"
    if settings.save_baseline is not None:
        raise refuse(path, "results that are computed already, for a baseline", expected, hint)
    frozen = None if settings.frozen_signature is None else read_signature(settings.frozen_signature)
    if not gates and settings.baseline is not None:
        raise refuse(path, "results without predictions to compare with a baseline", expected, hint)
    if not gates and frozen is None:
        raise _nothing_to_check(path)
    if path == settings.baseline == STANDARD_INPUT:
        raise refuse(None, "standard input for the results and for the baseline", "one of them", "save the other")
    results = read_report(path)
    if settings.baseline is not None:
        earlier = read_report(settings.baseline)
        baseline = Baseline(earlier, settings.baseline)
        baseline.check_settings(results.provenance.settings, _DATA_SETTINGS)
        baseline.check_measures(results.provenance.measures)
        baseline.check_gold_files(results.provenance.files, are_optional=True)
    files = (*_source_files(path, "results"), *_source_files(settings.baseline, "baseline"))
    report = _report(results, _judge(gates, results, earlier, frozen), AnalysisOutput(()), files)
    return CheckResult(replace(report, provenance=replace(report.provenance, command_line=command_line)))


def _nothing_to_check(path: str | None) -> InputError:
    """The error for a check of nothing."""
    condition = "'TABLE.ROW.COLUMN < NUMBER'"
    hint = f"set {setting('fail_if')} to a condition, as {condition}, or {setting('baseline')} to earlier results"
    return refuse(path, "nothing to check", "a condition or a baseline", hint)


def _with_clusters(results: Report, columns: Sequence[str]) -> Report:
    """The results with a signature that names the clusters, which comparisons with a baseline use."""
    if not columns:
        return results
    settings = {**results.provenance.settings, "clusters": ",".join(columns)}
    origin = replace(results.provenance, settings=settings)
    return replace(results, signature=signature(results.provenance.version, settings.items()), provenance=origin)


def _source_files(path: str | None, role: str) -> tuple[SourceFile, ...]:
    """The file of results; none for standard input."""
    if path is None or path == STANDARD_INPUT:
        return ()
    return (open_source(str(Path(path) / ORIGIN) if Path(path).is_dir() else path, role).file,)


def _report(results: Report, outcomes: Sequence[Outcome], drops: AnalysisOutput, files: Sequence[SourceFile]) -> Report:
    """The verdicts with the signature of the results."""
    gates = table(
        "gates",
        "Gates: conditions that the results must not meet",
        text("gate", [outcome.condition for outcome in outcomes]),
        text("verdict", [outcome.verdict.value for outcome in outcomes], values=tuple(item.value for item in Verdict)),
        # The reason has the numbers.
        score("value", [outcome.value for outcome in outcomes], detail=True),
        score("limit", [outcome.limit for outcome in outcomes], detail=True),
        text("reason", [outcome.reason for outcome in outcomes]),
    )
    failed, count = sum(not outcome.passed for outcome in outcomes), pluralize(len(outcomes), "gate")
    sentence = f"{failed} of {count} failed" if failed else f"{count} passed"
    if not outcomes:
        sentence = "nothing was checked, because there is neither a condition nor a baseline"
    findings = () if drops.tables and not outcomes else (Finding("check", sentence),)
    origin = replace(results.provenance, files=tuple(dict.fromkeys((*results.provenance.files, *files, *drops.files))))
    tables = drops.tables if drops.tables and not outcomes else (gates, *drops.tables)
    methods = tuple(dict.fromkeys((*results.methods, *drops.methods)))
    return Report(
        "check",
        results.signature,
        tuple(tables),
        as_notes(drops.notes),
        origin,
        findings=(*findings, *drops.findings),
        methods=methods,
    )
