"""`metaeval summary`."""

from __future__ import annotations

import click

from metaeval.cli import options


@click.command("summary")
@options.data_options
@options.measure_options
@click.option(
    "--trials", type=click.IntRange(1), metavar="N", help="Random splits, and bootstrap replicates (default: 1000)."
)
@options.work_options
@options.output_options
def command(
    data: options.DataFlags,
    wanted: options.MeasureFlags,
    trials: int | None,
    work: options.WorkFlags,
    output: options.OutputFlags,
) -> int:
    """All criteria for measures in one table.

    Group of alike measures, consistency (stability of the ranking on random halves), discrimination (merge-classes; the
    lower, the better), ranks and intervals, and which measures no other beats on both. Nothing is weighted.

    \b
    metaeval summary --config configs/stance.yaml
    """
    from metaeval import experiment
    from metaeval.cli.flags import configured, overlay
    from metaeval.cli.use_case import run_command
    from metaeval.config import MergeConfig, StabilityConfig

    config = configured(data, wanted, output, work)
    config = overlay(
        config,
        stability=overlay(config.stability or StabilityConfig(), trials=trials),
        merge_classes=overlay(config.merge_classes or MergeConfig(), trials=trials, bootstrap=trials),
    )
    return run_command(experiment.summary, config, output)
