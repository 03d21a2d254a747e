"""`metaeval validate`."""

from __future__ import annotations

import click

from metaeval.cli.options import DataFlags, MeasureFlags, OutputFlags, data_options, measure_options, output_options


@click.command("validate")
@data_options
@measure_options
@output_options
def command(data: DataFlags, wanted: MeasureFlags, output: OutputFlags) -> int:
    """Check that gold and runs fit together; compute nothing.

    Reads every file as `score` would, says all that is wrong at once (exit 2), or what was found: how often gold and
    each system use each class, how long texts are, which measures a table has.

    \b
    metaeval validate --config configs/rumour2017.yaml
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import configured
    from metaeval.cli.use_case import carry_out

    config = configured(data, wanted, output)
    return carry_out(experiment.validate, config, output)
