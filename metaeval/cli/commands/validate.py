"""`metaeval validate`."""

from __future__ import annotations

import click

from metaeval.cli import options


@click.command("validate")
@options.data_options
@options.measure_options
@options.work_options
@options.output_options
def command(
    data: options.DataFlags, measures: options.MeasureFlags, work: options.WorkFlags, output: options.OutputFlags
) -> int:
    """Check gold and runs without computing anything.

    Reads every file as `score` does, and the tables that analyses of an experiment read by themselves. Reports all
    problems at once (exit code 2), or the contents of the files: the frequency of each class, the lengths of texts, or
    the measures of a table.

    \b
    metaeval validate --config configs/rumour2017.yaml
    """
    from metaeval.cli.flags import configured
    from metaeval.cli.use_case import run_command
    from metaeval.runner.validate import validate_experiment

    config = configured(data, measures, output, work)
    return run_command(validate_experiment, config, output)
