"""`metaeval similarity`."""

from __future__ import annotations

import click

from metaeval.cli import options


@click.command("similarity")
@options.data_options
@options.measure_options
@click.option(
    "--coefficient",
    metavar="NAME",
    help="kendall-b (default), kendall-a, kendall-c, tau-ap, weighted, spearman or pearson.",
)
@click.option(
    "--bootstrap", type=click.IntRange(0), metavar="N", help="Replicates for intervals (default: 1000; 0: none)."
)
@click.option("--cut", type=float, metavar="D", help="Distance 1 − similarity at which groups part (default: 0.5).")
@options.work_options
@options.output_options
def command(
    data: options.DataFlags,
    wanted: options.MeasureFlags,
    coefficient: str | None,
    bootstrap: int | None,
    cut: float | None,
    work: options.WorkFlags,
    output: options.OutputFlags,
) -> int:
    """Do measures rank systems alike?

    For every two measures, the correlation of the rankings they make of the systems, with bootstrap intervals over
    items, and groups of measures that rank alike. Rows are in the order of the cluster tree.

    \b
    metaeval similarity --config configs/stance.yaml
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import configured, known_coefficient, overlay
    from metaeval.cli.use_case import carry_out
    from metaeval.config import SimilarityConfig

    config = configured(data, wanted, output, work)
    section = overlay(
        config.similarity or SimilarityConfig(),
        coefficient=known_coefficient(coefficient),
        bootstrap=bootstrap,
        cut=cut,
    )
    config = overlay(config, similarity=section)
    return carry_out(experiment.similarity, config, output)
