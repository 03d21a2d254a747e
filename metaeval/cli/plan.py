"""`metaeval plan`."""

from __future__ import annotations

import click

from metaeval.cli import options


@click.command("plan")
@options.data_options
@options.measure_options
@click.option("--tau", type=float, metavar="TAU", help="How well two rankings should agree (default: 0.9).")
@click.option(
    "--delta",
    type=float,
    metavar="D",
    help="A difference that should be found (default: the median one of two systems).",
)
@click.option("--power", type=float, metavar="P", help="How surely it should be found (default: 0.8).")
@click.option(
    "--width", type=float, metavar="W", help="Of the 95 % interval of a correlation with people (default: 0.2)."
)
@click.option("--items", metavar="100,200", help="Numbers of items to try, for the curves (default: a grid).")
@click.option(
    "--resamples", type=click.IntRange(1), metavar="N", help="Of the pilot, for the intervals (default: 200)."
)
@click.option("--alpha", type=float, metavar="P", help="Level of the test of a difference (default: 0.05).")
@options.work_options
@options.output_options
def command(
    data: options.DataFlags,
    wanted: options.MeasureFlags,
    tau: float | None,
    delta: float | None,
    power: float | None,
    width: float | None,
    items: str | None,
    resamples: int | None,
    alpha: float | None,
    work: options.WorkFlags,
    output: options.OutputFlags,
) -> int:
    """How many items, systems or annotators are enough?

    Takes the data for a pilot of a next study: how many items until rankings agree, or a difference is found; with
    --human also how many systems and annotators until it is known how well a measure follows people.

    \b
    metaeval plan --config configs/stance.yaml
    metaeval plan --config configs/stance.yaml --delta 0.01 --items 1000,5000,20000 -f json
    """
    from metaeval import experiment
    from metaeval.cli.flags import configured, overlay, whole_numbers
    from metaeval.cli.use_case import carry_out
    from metaeval.config import PlanConfig

    config = configured(data, wanted, output, work)
    section = overlay(
        config.plan or PlanConfig(),
        tau=tau,
        delta=delta,
        power=power,
        width=width,
        items=whole_numbers(items, "--items"),
        resamples=resamples,
        alpha=alpha,
    )
    return carry_out(experiment.plan, overlay(config, plan=section), output)
