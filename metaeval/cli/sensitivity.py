"""`metaeval sensitivity`."""

from __future__ import annotations

import click

from metaeval.cli import options


@click.command("sensitivity")
@options.data_options
@options.measure_options
@click.option(
    "--grid",
    multiple=True,
    metavar="NAME=FROM:TO:STEP",
    help="Values of a parameter, both ends included, or NAME=VALUE,VALUE; repeatable.",
)
@click.option("--weights", metavar="FILE", help="Weightings of the classes: CSV 'weights,CLASS,CLASS…', a row each.")
@click.option("--coefficient", metavar="NAME", help="Of the correlation with people (default: pearson).")
@options.work_options
@options.output_options
def command(
    data: options.DataFlags,
    wanted: options.MeasureFlags,
    grid: tuple[str, ...],
    weights: str | None,
    coefficient: str | None,
    work: options.WorkFlags,
    output: options.OutputFlags,
) -> int:
    """What does a parameter do?

    Scores the systems at every point of a grid of parameters, or under several weightings of the classes, and says how
    the ranking changes and, with --human, where the measure follows people best and how flat the top is.

    \b
    metaeval sensitivity --config configs/tsc3.yaml -m esk:d=2 --human sample_data/tsc3/human.csv \\
        --grid lambda=0:1:0.1 --grid beta=0.5:4.5:0.5
    """
    from metaeval import experiment
    from metaeval.cli.flags import configured, overlay
    from metaeval.cli.use_case import carry_out
    from metaeval.config import SensitivityConfig

    config = configured(data, wanted, output, work)
    section = overlay(config.sensitivity or SensitivityConfig(), grid=grid, weights=weights, coefficient=coefficient)
    return carry_out(experiment.sensitivity, overlay(config, sensitivity=section), output)
