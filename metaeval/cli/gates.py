"""The option --fail-if of every command: conditions that results must not meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from metaeval.cli.options import OutputFlags
from metaeval.errors import pluralize, visible
from metaeval.model.report import Report

if TYPE_CHECKING:
    from metaeval.gates import Gate, Outcome

GATE_FAILED = 1


def gates_of(output: OutputFlags) -> tuple[Gate, ...]:
    """The gates of a command without a baseline, parsed before the computation."""
    if not output.fail_if:
        return ()
    from metaeval.gates import parse_gates

    return parse_gates(output.fail_if, baseline=False)


def judge_report(gates: Sequence[Gate], report: Report) -> tuple[Outcome, ...]:
    """The outcomes of gates. Call it before results are written, so that an invalid name leaves no output."""
    if not gates:
        return ()
    from metaeval.gates import judge

    return judge(gates, report)


def report_gates(outcomes: Sequence[Outcome], *, quiet: bool) -> int:
    """Report failed gates on standard error; the exit code."""
    failed = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in failed:
        click.echo(f"Gate failed: {visible(outcome.condition)}: {visible(outcome.reason)}", err=True)
    if outcomes and not failed and not quiet:
        click.echo(f"{pluralize(len(outcomes), 'gate')} passed", err=True)
    return GATE_FAILED if failed else 0
