"""`metaeval score`."""

from __future__ import annotations

import click

from metaeval.cli.options import DataFlags, MeasureFlags, OutputFlags, data_options, measure_options, output_options


@click.command("score")
@data_options
@measure_options
@click.option("--trivial/--no-trivial", default=None, help="Add the majority class, every constant class, and chance.")
@click.option(
    "--sort-by", metavar="MEASURE|system", help="Order of the rows; by default the first measure, best first."
)
@output_options
def command(
    data: DataFlags, wanted: MeasureFlags, trivial: bool | None, sort_by: str | None, output: OutputFlags
) -> None:
    """Score systems under measures, and rank them.

    A RUN is a file, a folder or a pattern of files with one system each, or name=FILE; '-' is standard input. A wide
    gold file (id,gold,system,…) brings its systems along.

    \b
    metaeval score --task fnc1 --gold sample_data/fnc1/gold.csv sample_data/fnc1/systems \\
        --labels 'disagree<discuss<agree' -m cem-ord -m kappa:weights=linear
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import configured, overlay
    from metaeval.cli.use_case import carry_out
    from metaeval.config import ScoreConfig

    config = configured(data, wanted, output)
    config = overlay(config, score=overlay(config.score or ScoreConfig(), trivial=trivial, sort_by=sort_by))
    carry_out(experiment.score, config, quiet=output.quiet)
