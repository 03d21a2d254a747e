"""The option --fail-if of every command: conditions that results must not meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from metaeval.cli.options import OutputFlags
from metaeval.errors import pluralize, visible
from metaeval.model.report import Report

if TYPE_CHECKING:
    from metaeval.config import CheckSettings
    from metaeval.gates import Gate, Outcome

GATE_FAILED = 1


def gates_of(output: OutputFlags, check: CheckSettings | None = None) -> tuple[Gate, ...]:
    """The gates of a command, parsed before the computation. check: further conditions, and earlier results."""
    conditions = (*(check.fail_if if check is not None else ()), *output.fail_if)
    if not conditions:
        return ()
    from metaeval.gates import parse_gates

    return parse_gates(conditions, baseline=check is not None and check.baseline is not None)


def judge_report(gates: Sequence[Gate], report: Report, baseline: str | None = None) -> tuple[Outcome, ...]:
    """The outcomes of gates. Call it before results are written, so that an invalid name leaves no output.

    baseline: the file of the earlier results.
    """
    if not gates:
        return ()
    from metaeval.gates import judge
    from metaeval.io.report_file import read_report

    uses_baseline = any(token.kind == "baseline" for gate in gates for token in (*gate.left, *gate.right))
    return judge(gates, report, read_report(baseline) if baseline is not None and uses_baseline else None)


def report_gates(outcomes: Sequence[Outcome], *, quiet: bool) -> int:
    """Report failed gates on standard error; the exit code."""
    failed = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in failed:
        click.echo(f"Gate failed: {visible(outcome.condition)}: {visible(outcome.reason)}", err=True)
    if outcomes and not failed and not quiet:
        click.echo(f"{pluralize(len(outcomes), 'gate')} passed", err=True)
    return GATE_FAILED if failed else 0
