"""`metaeval explain`."""

from __future__ import annotations

from dataclasses import replace

import click

from metaeval.cli import options


@click.command("explain")
@click.argument("first", metavar="MEASURE", required=False)
@click.argument("second", metavar="MEASURE", required=False)
@options.data_options
@options.measure_options
@click.option("--all", "every", is_flag=True, help="Every two of the measures of -m or --preset; then name runs only.")
@click.option("--pairs", type=click.IntRange(1), metavar="N", help="Of systems, most disagreement first (default: 10).")
@click.option(
    "--items", type=click.IntRange(1), metavar="N", help="Of texts or a table, for each pair of systems (default: 5)."
)
@click.option("--system", "systems", multiple=True, metavar="NAME", help="Given twice: explain these two systems.")
@options.work_options
@options.output_options
def command(
    first: str | None,
    second: str | None,
    data: options.DataFlags,
    wanted: options.MeasureFlags,
    every: bool,
    pairs: int | None,
    items: int | None,
    systems: tuple[str, ...],
    work: options.WorkFlags,
    output: options.OutputFlags,
) -> int:
    """Why do two measures disagree?

    The pairs of systems that the two measures order differently, and what makes them do so: with labels the kinds of
    errors, whose contributions sum to the difference of the systems; with texts or a table of scores the items.

    \b
    metaeval explain cem-ord accuracy --config configs/stance.yaml
    metaeval explain --all --config configs/stance.yaml
    """  # noqa: D301 (click wants a real backspace)
    from functools import partial

    from metaeval import experiment
    from metaeval.cli.flags import configured, overlay
    from metaeval.cli.use_case import carry_out
    from metaeval.config import ExplainConfig

    named = tuple(word for word in (first, second) if word is not None)
    if every:
        data = replace(data, runs=(*named, *data.runs))
    else:
        wanted = _two_measures(named, wanted)
    config = configured(data, wanted, output, work)
    section = overlay(config.explain or ExplainConfig(), pairs=pairs, items=items)
    return carry_out(partial(experiment.explain, systems=systems), overlay(config, explain=section), output)


def _two_measures(named: tuple[str, ...], wanted: options.MeasureFlags) -> options.MeasureFlags:
    """The two measures that come first on the command line."""
    if len(named) < 2:
        raise click.UsageError("Name two measures to explain, or say --all for every two of those of -m or --preset.")
    if wanted.measures or wanted.preset is not None:
        raise click.UsageError("The two measures are named first; -m and --preset go with --all.")
    return options.MeasureFlags(named, None)
