"""`--fail-if`, which every command knows: conditions that results may not meet."""

from __future__ import annotations

from collections.abc import Sequence

import click

from metaeval.cli.options import OutputFlags
from metaeval.errors import counted
from metaeval.gates import Gate, judge, parse_gates
from metaeval.model.report import Report

GATE_FAILED = 1


def gates_of(output: OutputFlags) -> tuple[Gate, ...]:
    """The gates of a command without a baseline; one that can't be read is better told before the work than after."""
    return parse_gates(output.fail_if, baseline=False)


def hold(gates: Sequence[Gate], report: Report, *, quiet: bool) -> int:
    """Say on standard error which gates failed; the exit code. An `InputError` where one names what is not there."""
    failed = [outcome for outcome in judge(gates, report) if not outcome.passed]
    for outcome in failed:
        click.echo(f"Gate failed: {outcome.condition}: {outcome.reason}", err=True)
    if gates and not failed and not quiet:
        click.echo(f"{counted(len(gates), 'gate')} passed", err=True)
    return GATE_FAILED if failed else 0
