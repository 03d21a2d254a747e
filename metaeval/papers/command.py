"""`metaeval reproduce`."""

from __future__ import annotations

import click

from metaeval.cli.help import Command
from metaeval.cli.options import OutputFlags, output_options

DOCUMENTS = ("markdown", "latex")
"""Formats in which the table of thousands of rows is left out."""


@click.command("reproduce", cls=Command)
@click.argument("paper", required=False)
@click.option("--data", metavar="DIR", help="Folder with FNC-1, RumourEval and R4C as published.")
@click.option("--strict", is_flag=True, help="Exit with 1 if a printed number differs from the computed value.")
@output_options
def command(paper: str | None, data: str | None, strict: bool, output: OutputFlags) -> int:
    """Compare the tables of five papers with computed values.

    Every printed number gets a verdict: exact, within rounding, differs, unattainable, or needs data. PAPER
    (amemiya2021, hirao2006, inoue2020, ordinal2022 or scarton2020) shows the tables of one paper.

    \b
    metaeval reproduce
    metaeval reproduce amemiya2021
    """
    from dataclasses import replace

    from metaeval.cli.output import (
        check_output_paths,
        command_line,
        gates_of,
        judge_report,
        report_gates,
        write_report,
    )
    from metaeval.cli.progress import tracking
    from metaeval.config import DEFAULT_SEED, OutputConfig
    from metaeval.papers.reproduction import count_differing, reproduce_papers

    settings = OutputConfig().overlaid(**output.values)
    gates = gates_of(output)
    check_output_paths(None, settings)
    seed = DEFAULT_SEED if output.seed is None else output.seed
    with tracking(quiet=output.quiet) as progress:
        report = reproduce_papers(paper, data=data, seed=seed, command_line=command_line(), progress=progress)
    outcomes, differs = judge_report(gates, report), count_differing(report)
    if settings.format in DOCUMENTS:
        report = replace(report, tables=tuple(table for table in report.tables if table.name != "reproduction"))
    write_report(report, settings, quiet=output.quiet)
    failed = report_gates(outcomes, quiet=output.quiet)
    return 1 if strict and differs else failed
