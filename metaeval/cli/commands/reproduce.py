"""`metaeval reproduce`."""

from __future__ import annotations

import click

from metaeval.cli.options import OutputFlags, output_options

DOCUMENTS = ("markdown", "latex")
"""Formats for readers, who have no use for thousands of rows."""


@click.command("reproduce")
@click.argument("paper", required=False)
@click.option("--data", metavar="DIR", help="A folder with FNC-1, RumourEval and R4C as they were published.")
@click.option("--strict", is_flag=True, help="Exit with 1 where a printed number differs from what is computed.")
@output_options
def command(paper: str | None, data: str | None, strict: bool, output: OutputFlags) -> int:
    """The papers' tables, printed beside what metaeval computes.

    Every printed number gets a verdict, which follows from arithmetic: exact, within rounding, differs, unattainable,
    or needs data. With a PAPER (amemiya2021, hirao2006, inoue2020, ordinal2022, scarton2020) its tables are shown.

    \b
    metaeval reproduce
    metaeval reproduce amemiya2021
    """
    from dataclasses import replace

    from metaeval.cli.flags import output_of
    from metaeval.cli.gates import gates_of, judge_report, report_gates
    from metaeval.cli.output import command_line, write_report
    from metaeval.cli.progress import tracker
    from metaeval.config import DEFAULT_SEED, OutputConfig
    from metaeval.reproduction import differing, reproduce_papers

    wanted = output_of(output, OutputConfig())
    gates = gates_of(output)
    seed = DEFAULT_SEED if output.seed is None else output.seed
    report = reproduce_papers(
        paper, data=data, seed=seed, command_line=command_line(), track=tracker(quiet=output.quiet)
    )
    outcomes, differs = judge_report(gates, report), differing(report)
    if wanted.format in DOCUMENTS:
        report = replace(report, tables=tuple(table for table in report.tables if not table.detail))
    write_report(report, wanted, quiet=output.quiet)
    failed = report_gates(outcomes, quiet=output.quiet)
    return 1 if strict and differs else failed
