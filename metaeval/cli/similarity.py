"""`metaeval similarity`."""

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


@click.command("similarity")
@data_options
@measure_options
@click.option(
    "--coefficient",
    metavar="NAME",
    help="kendall-b (default), kendall-a, kendall-c, tau-ap, weighted, spearman or pearson.",
)
@click.option(
    "--bootstrap", type=click.IntRange(0), metavar="N", help="Replicates for intervals (default: 1000; 0: none)."
)
@click.option("--cut", type=float, metavar="D", help="Distance 1 − similarity at which groups part (default: 0.5).")
@work_options
@output_options
def command(
    data: DataFlags,
    wanted: MeasureFlags,
    coefficient: str | None,
    bootstrap: int | None,
    cut: float | None,
    work: WorkFlags,
    output: OutputFlags,
) -> None:
    """Do measures rank systems alike?

    For every two measures, the correlation of the rankings they make of the systems, with bootstrap intervals over
    items, and groups of measures that rank alike. Rows are in the order of the cluster tree.

    \b
    metaeval similarity --config configs/stance.yaml
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import configured, known_coefficient, overlay
    from metaeval.cli.output import command_line, show
    from metaeval.cli.progress import tracker
    from metaeval.config import SimilarityConfig

    config = configured(data, wanted, output, work)
    section = overlay(
        config.similarity or SimilarityConfig(),
        coefficient=known_coefficient(coefficient),
        bootstrap=bootstrap,
        cut=cut,
    )
    config = overlay(config, similarity=section)
    report = experiment.similarity(config, command_line=command_line(), track=tracker(quiet=output.quiet))
    show(report, config.output, quiet=output.quiet)
