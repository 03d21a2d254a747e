"""`metaeval power`."""

from __future__ import annotations

import click

from metaeval.cli import options


@click.command("power")
@options.data_options
@options.measure_options
@click.option(
    "--test",
    metavar="TEST",
    help="auto (default: randomised Tukey HSD for means over items, a paired bootstrap for other measures), bootstrap "
    "or tukey.",
)
@click.option("--resamples", type=click.IntRange(1), metavar="N", help="Permutations, or samples (default: 5000).")
@click.option("--alpha", type=float, metavar="P", help="Level of the tests (default: 0.05).")
@options.work_options
@options.output_options
def command(
    data: options.DataFlags,
    wanted: options.MeasureFlags,
    test: str | None,
    resamples: int | None,
    alpha: float | None,
    work: options.WorkFlags,
    output: options.OutputFlags,
) -> int:
    """How well does a measure tell systems apart?

    Tests the difference of every two systems under every measure: how many are significant, and how large must a
    difference be? -f json has all p-values.

    \b
    metaeval power --config configs/stance.yaml
    metaeval power --config configs/stance.yaml --test bootstrap --plot power.svg
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import configured, overlay
    from metaeval.cli.use_case import carry_out
    from metaeval.config import PowerConfig

    config = configured(data, wanted, output, work)
    section = overlay(config.power or PowerConfig(), test=test, resamples=resamples, alpha=alpha)
    return carry_out(experiment.power, overlay(config, power=section), output)
