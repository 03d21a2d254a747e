"""`metaeval measures`."""

from __future__ import annotations

import click

from metaeval.cli.from_settings import MeasureType
from metaeval.cli.options import OutputFlags, output_options, plugin_option

READABLE = 110
"""Width of a description, in columns, if standard output is not a terminal."""


@click.command("measures")
@click.argument("name", required=False, type=MeasureType())
@plugin_option
@output_options
def command(name: str | None, output: OutputFlags) -> int:
    """List the measures, or describe one.

    The description of a measure has its meaning, formula, range, parameters, undefined cases and source.

    \b
    metaeval measures
    metaeval measures cem-ord
    """
    from metaeval.cli.flags import output_of
    from metaeval.cli.gates import gates_of, judge_report, report_gates
    from metaeval.cli.output import command_line, write_report
    from metaeval.config import OutputConfig
    from metaeval.info import measures_report

    gates = gates_of(output)
    report = measures_report(name, command_line=command_line())
    outcomes = judge_report(gates, report)
    write_report(report, output_of(output, OutputConfig()), quiet=output.quiet, width=READABLE if name else None)
    return report_gates(outcomes, quiet=output.quiet)
