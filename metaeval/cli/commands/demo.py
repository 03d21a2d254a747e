"""`metaeval demo`."""

from __future__ import annotations

import click

from metaeval.cli.options import OutputFlags, output_options


@click.command("demo")
@click.option("--copy", "copy_to", metavar="DIR", help="Folder for a copy of the samples; nothing is overwritten.")
@output_options
def command(copy_to: str | None, output: OutputFlags) -> None:
    """List the sample experiments and how to run them.

    Shows for each experiment its subject, what must be installed or downloaded, and the command that runs it.

    \b
    metaeval demo
    metaeval demo --copy samples
    """
    from metaeval.cli.flags import output_of
    from metaeval.cli.output import check_output_paths, command_line, write_report
    from metaeval.config import OutputConfig
    from metaeval.info import samples_report

    settings = output_of(output, OutputConfig())
    check_output_paths(None, settings)
    report = samples_report(copy_to, command_line=command_line())
    write_report(report, settings, quiet=output.quiet, wrap=False)
