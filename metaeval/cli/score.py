"""`metaeval score`."""

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


@click.command("score")
@data_options
@measure_options
@click.option("--trivial/--no-trivial", default=None, help="Add the majority class, every constant class, and chance.")
@click.option(
    "--sort-by", metavar="MEASURE|system", help="Order of the rows; by default the first measure, best first."
)
@click.option(
    "--per-item", metavar="FILE", help="Also write the score of every item: CSV that --task table reads again."
)
@work_options
@output_options
def command(
    data: DataFlags,
    wanted: MeasureFlags,
    trivial: bool | None,
    sort_by: str | None,
    per_item: str | None,
    work: WorkFlags,
    output: OutputFlags,
) -> int:
    """Score systems under measures, and rank them.

    A RUN is a file, a folder or a pattern of files with one system each, or name=FILE; '-' is standard input. A wide
    gold file (id,gold,system,…) brings its systems along. With --task texts --gold names references, and a RUN is a
    folder with a file an item, or JSON lines or CSV with 'system', 'item' and 'text'.

    \b
    metaeval score --task fnc1 --gold sample_data/fnc1/gold.csv sample_data/fnc1/systems \\
        --labels 'disagree<discuss<agree' -m cem-ord -m kappa:weights=linear
    metaeval score --task texts --gold sample_data/news/references sample_data/news/systems -m rouge-l
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import configured, overlay
    from metaeval.cli.use_case import carry_out
    from metaeval.config import ScoreConfig

    config = configured(data, wanted, output, work)
    section = overlay(config.score or ScoreConfig(), trivial=trivial, sort_by=sort_by, per_item=per_item)
    config = overlay(config, score=section)
    return carry_out(experiment.score, config, output)
