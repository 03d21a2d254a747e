"""`metaeval references`."""

from __future__ import annotations

import click

from metaeval.cli import options


@click.command("references")
@options.data_options
@options.measure_options
@click.option("--trials", type=click.IntRange(1), metavar="N", help="Draws for the intervals (default: 1000).")
@click.option(
    "--subsets", type=click.IntRange(1), metavar="N", help="Choices of references an item, at most (default: 50)."
)
@options.work_options
@options.output_options
def command(
    data: options.DataFlags,
    wanted: options.MeasureFlags,
    trials: int | None,
    subsets: int | None,
    work: options.WorkFlags,
    output: options.OutputFlags,
) -> int:
    """How many references are enough?

    Scores every system against 1, 2, … of the references of each item, and compares the rankings with that against all
    of them.

    \b
    metaeval references --config configs/r4c.yaml -m r4c-rouge:level=full
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import configured, overlay
    from metaeval.cli.use_case import carry_out
    from metaeval.config import ReferencesConfig

    config = configured(data, wanted, output, work)
    section = overlay(config.references or ReferencesConfig(), trials=trials, subsets=subsets)
    return carry_out(experiment.references, overlay(config, references=section), output)
