"""`metaeval run`."""

from __future__ import annotations

import click

from metaeval.cli.options import OutputFlags, WorkFlags, output_options, work_options


@click.command("run")
@click.argument("config_file", metavar="CONFIG")
@click.option(
    "--resume",
    is_flag=True,
    help="Go on where a run into the same --output-dir was interrupted; the results are the same.",
)
@work_options
@output_options
def command(config_file: str, resume: bool, work: WorkFlags, output: OutputFlags) -> int:
    """Run a whole experiment from a YAML file.

    Every section of the file is an analysis (`score:`, `similarity:`, `stability:`, `merge-classes:`, `summary:`,
    `correlate:`, `agreement:`, `sensitivity:`, `robustness:`, `references:`, `power:`, `compare:`, `plan:`,
    `explain:`); `data:`, `measures:` or `preset:`, `seed:` and `output:` say on what. Paths in it are relative to the
    file. An unknown key is an error that names the nearest.

    With --output-dir, what a section found is kept there until all are done. A folder that holds the file INCOMPLETE
    is not whole; --resume goes on where it stopped, with the same configuration, files and versions.

    \b
    metaeval run configs/stance.yaml -f csv
    """
    from functools import partial

    from metaeval.cli.flags import configured_run
    from metaeval.cli.folder import CheckpointFolder
    from metaeval.cli.use_case import run_command
    from metaeval.errors import InputError
    from metaeval.runner.several import run_experiment

    config = configured_run(config_file, output, work)
    directory = config.output.output_dir
    if resume and directory is None:
        raise InputError.at(
            found="--resume without a folder",
            expected="the one that the run began to write",
            hint="add --output-dir DIR",
        )
    checkpoint = CheckpointFolder(directory, resume=resume) if directory is not None else None
    return run_command(partial(run_experiment, checkpoint=checkpoint), config, output)
