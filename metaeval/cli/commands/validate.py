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
    data: options.DataFlags, wanted: options.MeasureFlags, work: options.WorkFlags, output: options.OutputFlags
) -> int:
    """Check that gold and runs fit together; compute nothing.

    Reads every file as `score` would, says all that is wrong at once (exit 2), or what was found: how often gold and
    each system use each class, how long texts are, which measures a table has.

    \b
    metaeval validate --config configs/rumour2017.yaml
    """
    from metaeval.cli.flags import configured
    from metaeval.cli.use_case import run_command
    from metaeval.runner.validate import validate_experiment

    config = configured(data, wanted, output, work)
    return run_command(validate_experiment, config, output)
