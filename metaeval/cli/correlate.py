"""`metaeval correlate`."""

from __future__ import annotations

import click

from metaeval.cli import options


@click.command("correlate")
@options.data_options
@options.measure_options
@click.option("--level", "levels", multiple=True, metavar="LEVEL", help="system, item, global, by-system; repeatable.")
@click.option(
    "--coefficient",
    "coefficients",
    multiple=True,
    metavar="NAME",
    help="pearson, spearman, kendall-b (these three by default), kendall-c, kendall-a, pairwise-accuracy, acc-eq "
    "(ties calibrated) or soft-pairwise; repeatable.",
)
@click.option(
    "--interval", metavar="WHAT", help="What is resampled: both (default), systems, items; or fisher, or none."
)
@click.option("--resamples", type=click.IntRange(1), metavar="N", help="For the intervals (default: 1000).")
@click.option(
    "--test",
    metavar="WHAT",
    help="Is one measure better? What two of them swap: both (default), systems, items; or williams, or none.",
)
@click.option("--permutations", type=click.IntRange(1), metavar="N", help="Of that test (default: 1999).")
@click.option("--alpha", type=float, metavar="P", help="Level of that test (default: 0.05).")
@options.work_options
@options.output_options
def command(
    data: options.DataFlags,
    wanted: options.MeasureFlags,
    levels: tuple[str, ...],
    coefficients: tuple[str, ...],
    interval: str | None,
    resamples: int | None,
    test: str | None,
    permutations: int | None,
    alpha: float | None,
    work: options.WorkFlags,
    output: options.OutputFlags,
) -> int:
    """Do measures agree with people?

    Correlations of every measure with the scores that people gave (--human), of systems and on single items, with
    intervals, and the measures that can't be told from the best one.

    \b
    metaeval correlate --config configs/tsc3.yaml --human sample_data/tsc3/human.csv --level system
    metaeval correlate --task table sample_data/tsc3/human.csv --human D5
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import configured, overlay
    from metaeval.cli.use_case import carry_out
    from metaeval.config import CorrelateConfig

    config = configured(data, wanted, output, work)
    section = overlay(
        config.correlate or CorrelateConfig(),
        levels=levels,
        coefficients=coefficients,
        interval=interval,
        resamples=resamples,
        test=test,
        permutations=permutations,
        alpha=alpha,
    )
    return carry_out(experiment.correlate, overlay(config, correlate=section), output)
