"""`--fail-if`, which every command knows: conditions that results may not meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from metaeval.cli.options import OutputFlags
from metaeval.errors import counted, visible
from metaeval.model.report import Report

if TYPE_CHECKING:
    from metaeval.gates import Gate, Outcome

GATE_FAILED = 1


def gates_of(output: OutputFlags) -> tuple[Gate, ...]:
    """The gates of a command without a baseline; one that can't be read is better told before the work than after."""
    if not output.fail_if:
        return ()
    from metaeval.gates import parse_gates

    return parse_gates(output.fail_if, baseline=False)


def judge_report(gates: Sequence[Gate], report: Report) -> tuple[Outcome, ...]:
    """What the gates say; an `InputError` where one names what is not there.

    To be asked before the results are shown, so that a wrong name leaves standard output empty.
    """
    if not gates:
        return ()
    from metaeval.gates import judge

    return judge(gates, report)


def report_gates(outcomes: Sequence[Outcome], *, quiet: bool) -> int:
    """Say on standard error which gates failed, after the results; the exit code."""
    failed = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in failed:
        click.echo(f"Gate failed: {visible(outcome.condition)}: {visible(outcome.reason)}", err=True)
    if outcomes and not failed and not quiet:
        click.echo(f"{counted(len(outcomes), 'gate')} passed", err=True)
    return GATE_FAILED if failed else 0
