"""`metaeval run`."""

from __future__ import annotations

import click

from metaeval.cli.options import OutputFlags, WorkFlags, output_options, work_options


@click.command("run")
@click.argument("config_file", metavar="CONFIG")
@click.option(
    "--resume", is_flag=True, help="Continue an interrupted run with the same --output-dir; results do not change."
)
@work_options
@output_options
def command(config_file: str, resume: bool, work: WorkFlags, output: OutputFlags) -> int:
    """Run a whole experiment from a YAML file.

    Sections of the file are analyses, by the names of their commands (`score:`, `merge-classes:`), and `data:`,
    `measures:` or `preset:`, `seed:` and `output:`. Paths are relative to the file. A section `report:` adds the HTML
    page of `metaeval report` to the results.

    With --output-dir, the results of each section are saved until all sections are done. A folder with the file
    INCOMPLETE has only a part of the results; --resume continues with the same configuration, files and versions.

    If a condition of `fail-if` in the section `check:` holds, the command exits with 1, as `metaeval check` does.

    \b
    metaeval run configs/stance.yaml -f csv
    """
    from functools import partial

    from metaeval.cli.flags import configured_run
    from metaeval.cli.folder import CheckpointFolder
    from metaeval.cli.page import page_of
    from metaeval.cli.use_case import run_command
    from metaeval.errors import InputError
    from metaeval.runner.several import run_experiment

    config = configured_run(config_file, output, work)
    page = page_of(config)
    directory = config.output.output_dir
    if resume and directory is None:
        raise InputError.at(
            found="--resume without a folder",
            expected="the one that the run began to write",
            hint="add --output-dir DIR",
        )
    checkpoint = CheckpointFolder(directory, resume=resume) if directory is not None else None
    return run_command(partial(run_experiment, checkpoint=checkpoint), config, output, config.check, page)
