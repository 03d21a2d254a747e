"""`metaeval demo`."""

from __future__ import annotations

import click

from metaeval.cli.options import OutputFlags, output_options

READABLE = 110
"""Columns to which the table is laid out where no terminal says otherwise."""


@click.command("demo")
@click.option(
    "--copy", "copy_to", metavar="DIR", help="Copy the samples there, to change them; nothing is overwritten."
)
@output_options
def command(copy_to: str | None, output: OutputFlags) -> None:
    """The shipped samples, and how to run them.

    Each is an experiment with its data: what it shows, what has to be installed or fetched first, and the command that
    runs it.

    \b
    metaeval demo
    metaeval demo --copy samples
    """
    from metaeval.cli.flags import output_of
    from metaeval.cli.output import check_output_paths, command_line, write_report
    from metaeval.config import OutputConfig
    from metaeval.info.samples import samples_report

    wanted = output_of(output, OutputConfig())
    check_output_paths(None, wanted)
    report = samples_report(copy_to, command_line=command_line())
    write_report(report, wanted, quiet=output.quiet, width=READABLE)
