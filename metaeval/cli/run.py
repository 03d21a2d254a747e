"""`metaeval run`."""

from __future__ import annotations

import click

from metaeval.cli.options import OutputFlags, WorkFlags, output_options, work_options


@click.command("run")
@click.argument("config_file", metavar="CONFIG")
@work_options
@output_options
def command(config_file: str, work: WorkFlags, output: OutputFlags) -> int:
    """Run a whole experiment from a YAML file.

    Every section of the file is an analysis (`score:`, `similarity:`, `stability:`, `merge-classes:`, `summary:`,
    `correlate:`, `agreement:`, `sensitivity:`, `robustness:`, `references:`); `data:`, `measures:` or `preset:`,
    `seed:` and `output:` say on what. Paths in it are relative to the file. An unknown key is an error that names the
    nearest.

    \b
    metaeval run configs/stance.yaml -f csv
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import configured_run
    from metaeval.cli.use_case import carry_out

    config = configured_run(config_file, output, work)
    return carry_out(experiment.run, config, output)
