"""`metaeval stability`."""

from __future__ import annotations

import click

from metaeval.cli import options


@click.command("stability")
@options.data_options
@options.measure_options
@click.option("--trials", type=click.IntRange(1), metavar="N", help="Random splits (default: 1000).")
@click.option("--strata", metavar="5,5,4", help="Sizes of groups of systems, best first (default: thirds).")
@click.option("--stratified/--no-stratified", default=None, help="Halves keep the share of every gold class.")
@click.option("--size", metavar="0.1,0.2", help="A curve: these shares of the items in each half, at most 0.5.")
@click.option("--permutations", type=click.IntRange(1), metavar="N", help="Of the test of differences (default: 1000).")
@click.option("--alpha", type=float, metavar="P", help="Level of that test (default: 0.05).")
@options.work_options
@options.output_options
def command(
    data: options.DataFlags,
    wanted: options.MeasureFlags,
    trials: int | None,
    strata: str | None,
    stratified: bool | None,
    size: str | None,
    permutations: int | None,
    alpha: float | None,
    work: options.WorkFlags,
    output: options.OutputFlags,
) -> int:
    """Is a measure's ranking the same on other items?

    Splits the items into random halves, ranks the systems on both, and compares the rankings by Kendall's tau; for all
    systems and for the top, middle and bottom ones. Measures that share a letter can't be told apart.

    \b
    metaeval stability --trials 1000 --config configs/stance.yaml
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import configured, numbers, overlay, whole_numbers
    from metaeval.cli.use_case import carry_out
    from metaeval.config import StabilityConfig

    config = configured(data, wanted, output, work)
    section = overlay(
        config.stability or StabilityConfig(),
        trials=trials,
        strata=whole_numbers(strata, "--strata"),
        stratified=stratified,
        size=numbers(size, "--size"),
        permutations=permutations,
        alpha=alpha,
    )
    config = overlay(config, stability=section)
    return carry_out(experiment.stability, config, output)
