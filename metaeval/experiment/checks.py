"""Is a result good enough? Conditions on its cells, and systems that may not have become worse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from metaeval.config import CheckConfig, ExperimentConfig, ScoreConfig
from metaeval.errors import InputError, counted
from metaeval.gates import Gate, Outcome, judge, parse_gates
from metaeval.io.dataset import Track
from metaeval.io.files.source import STANDARD_INPUT, open_source
from metaeval.io.report_file import ORIGIN, read_report
from metaeval.model.report import Cell, Column, Finding, Kind, Report, SourceFile, Table
from metaeval.runner.several import SECTIONS, run_study, wants
from metaeval.study.read import read_study
from metaeval.study.study import Part, silently

DATA_SETTINGS = ("task", "n", "scale", "drop-gold")
"""Fields of the signature that say what was scored; results on other data are no baseline."""

_COLUMNS = (
    *(Column(name) for name in ("gate", "verdict")),
    *(Column(name, Kind.SCORE) for name in ("value", "limit")),
    Column("reason"),
)


class Checked(NamedTuple):
    """What a check finds.

    report: the verdicts. results: what they are about. baseline: the results with what a later check compares with;
    None unless `save_baseline` asks for it.
    """

    report: Report
    results: Report
    baseline: Report | None = None


def check(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Run an experiment and judge its results by its section `check`.

    Table `gates`, unless there is only a baseline: gate (the condition), verdict ('passed', 'failed' where the
    condition holds, 'undefined' where that can't be told), value, limit, reason. Table `baseline`, with one: see
    `baselines.find_drops`.
    """
    return check_run(config, command_line=command_line, track=track).report


def check_run(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Checked:
    """What `check` finds, and what it found it in."""
    config = _to_run(config)
    wanted = config.check or CheckConfig()
    gates = _gates(wanted)
    if not gates and wanted.baseline is None and wanted.save_baseline is None:
        raise _nothing_to_check(config.file.path if config.file else None)
    earlier = read_report(wanted.baseline) if wanted.baseline is not None else None
    study = read_study(config, track=track)
    results = run_study(study, command_line=command_line, track=track)
    compared = Part(())
    if earlier is not None and wanted.baseline is not None:
        from metaeval.experiment.baselines import find_drops

        compared = find_drops(study, earlier, path=wanted.baseline, track=track)
    report = _report(results, judge(gates, results, earlier), compared, _read(wanted.baseline, "baseline"))
    if wanted.save_baseline is None:
        return Checked(report, results)
    from metaeval.experiment.baseline_items import with_items

    return Checked(report, results, with_items(results, study))


def check_results(path: str, wanted: CheckConfig, *, command_line: str = "") -> Checked:
    """Judge what a command found before; systems are not compared, because it does not say what they predicted.

    path: a JSON file or a folder of results.
    """
    gates = _gates(wanted)
    if wanted.save_baseline is not None:
        raise InputError.at(
            path,
            found="results that are computed already, for a baseline",
            expected="an experiment file (.yaml)",
            hint="metaeval check CONFIG --save-baseline FILE",
        )
    if not gates:
        raise _nothing_to_check(path, compares=wanted.baseline is not None)
    if path == wanted.baseline == STANDARD_INPUT:
        raise InputError.at(
            found="standard input for the results and for the baseline",
            expected="a file for one of them",
            hint="save one: metaeval check RESULTS --baseline FILE",
        )
    results = read_report(path)
    earlier = read_report(wanted.baseline) if wanted.baseline is not None else None
    if earlier is not None and wanted.baseline is not None:
        _check_same_data(results, earlier, wanted.baseline)
    files = (*_read(path, "results"), *_read(wanted.baseline, "baseline"))
    report = _report(results, judge(gates, results, earlier), Part(()), files)
    return Checked(replace(report, provenance=replace(report.provenance, command_line=command_line)), results)


def _gates(wanted: CheckConfig) -> tuple[Gate, ...]:
    return parse_gates(wanted.fail_if, baseline=wanted.baseline is not None)


def _to_run(config: ExperimentConfig) -> ExperimentConfig:
    """The experiment with scores, where it has no analysis; those of items are for a file that nobody writes here."""
    if not any(wants(config, section) for section in SECTIONS):
        return replace(config, score=ScoreConfig())
    return replace(config, score=replace(config.score, per_item=None)) if config.score is not None else config


def _nothing_to_check(path: str | None, *, compares: bool = False) -> InputError:
    if compares:
        return InputError.at(
            path,
            found="results without what the systems predicted, to compare with a baseline",
            expected="an experiment file (.yaml), or a condition",
            hint="metaeval check CONFIG --baseline FILE, or add --fail-if 'scores.SYSTEM.MEASURE < baseline - 0.01'",
        )
    return InputError.at(
        path,
        found="nothing to check",
        expected="a condition or a baseline",
        hint="add --fail-if 'TABLE.ROW.COLUMN < NUMBER' or --baseline FILE, or a section 'check:' with 'fail-if:'",
    )


def _check_same_data(results: Report, earlier: Report, path: str) -> None:
    """Raise where two results are about different data, as far as they tell."""
    now, before = results.provenance, earlier.provenance
    for name in DATA_SETTINGS:
        found, expected = before.settings.get(name), now.settings.get(name)
        if found != expected:
            raise _other_data(path, f"a baseline with {name} {found or '(none)'}", f"{name} {expected or '(none)'}")
    golds = [{file.sha256 for file in each.files if file.role == "gold"} for each in (now, before)]
    if all(golds) and golds[0] != golds[1]:
        raise _other_data(path, "a baseline with another gold file", "the same, byte for byte")


def _other_data(path: str, found: str, expected: str) -> InputError:
    return InputError.at(path, found=found, expected=expected, hint="make the baseline again, from the same data")


def _read(path: str | None, role: str) -> tuple[SourceFile, ...]:
    """What the provenance says of results that were read; of standard input nothing, which is gone."""
    if path is None or path == STANDARD_INPUT:
        return ()
    return (open_source(str(Path(path) / ORIGIN) if Path(path).is_dir() else path, role).file,)


def _report(results: Report, outcomes: Sequence[Outcome], compared: Part, files: Sequence[SourceFile]) -> Report:
    """The verdicts, under the signature of the results."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (outcome.condition, outcome.verdict.value, outcome.value, outcome.limit, outcome.reason) for outcome in outcomes
    )
    failed = sum(not outcome.passed for outcome in outcomes)
    said = (
        f"{failed} of {counted(len(outcomes), 'gate')} failed" if failed else f"{counted(len(outcomes), 'gate')} passed"
    )
    findings = [Finding("check", said)] if outcomes else []
    if not outcomes and not compared.tables:
        findings = [Finding("check", "nothing was judged: there is no condition, and no baseline to compare with")]
    gates = Table("gates", "Gates: conditions that the results may not meet", _COLUMNS, rows)
    origin = results.provenance
    return Report(
        "check",
        results.signature,
        (*(() if compared.tables and not rows else (gates,)), *compared.tables),
        tuple(compared.notes),
        replace(origin, files=tuple(dict.fromkeys((*origin.files, *files, *compared.files)))),
        (*findings, *compared.findings),
    )
