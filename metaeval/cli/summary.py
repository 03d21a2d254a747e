"""`metaeval summary`."""

from __future__ import annotations

import click

from metaeval.cli.options import (
    DataFlags,
    MeasureFlags,
    OutputFlags,
    WorkFlags,
    data_options,
    measure_options,
    output_options,
    work_options,
)


@click.command("summary")
@data_options
@measure_options
@click.option(
    "--trials", type=click.IntRange(1), metavar="N", help="Random splits, and bootstrap replicates (default: 1000)."
)
@work_options
@output_options
def command(
    data: DataFlags,
    wanted: MeasureFlags,
    trials: int | None,
    work: WorkFlags,
    output: OutputFlags,
) -> None:
    """All criteria for measures in one table.

    Group of alike measures, consistency (stability of the ranking on random halves), discrimination (merge-classes; the
    lower, the better), ranks and intervals, and which measures no other beats on both. Nothing is weighted.

    \b
    metaeval summary --config configs/stance.yaml
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import configured, overlay
    from metaeval.cli.output import command_line, show
    from metaeval.cli.progress import tracker
    from metaeval.config import MergeConfig, StabilityConfig

    config = configured(data, wanted, output, work)
    config = overlay(
        config,
        stability=overlay(config.stability or StabilityConfig(), trials=trials),
        merge_classes=overlay(config.merge_classes or MergeConfig(), trials=trials, bootstrap=trials),
    )
    report = experiment.summary(config, command_line=command_line(), track=tracker(quiet=output.quiet))
    show(report, config.output, quiet=output.quiet)
