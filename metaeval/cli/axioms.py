"""`metaeval axioms`."""

from __future__ import annotations

import click

from metaeval.cli.options import MeasureFlags, OutputFlags, measure_options, output_options


@click.command("axioms")
@measure_options
@click.option(
    "--property", "properties", multiple=True, metavar="NAME", help="One property; repeatable (default: all)."
)
@click.option(
    "--cases", type=click.IntRange(0), metavar="N", help="Random systems for each number of classes (default: 500)."
)
@output_options
def command(wanted: MeasureFlags, properties: tuple[str, ...], cases: int | None, output: OutputFlags) -> int:
    """Which formal properties does a measure have?

    Ordinal invariance, monotonicity and imbalance, invariances, chance correction, what a perfect system scores: tried
    on all small confusion matrices and on random ones; the smallest counter-example is printed. Without -m, every
    measure of labels.

    \b
    metaeval axioms -m cem-ord -m accuracy
    metaeval axioms --preset stance-nine --property imbalance
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import output_of
    from metaeval.cli.gates import gates_of, judged, tell
    from metaeval.cli.output import check_places, command_line, show
    from metaeval.cli.progress import tracker
    from metaeval.config import DEFAULT_SEED, OutputConfig
    from metaeval.experiment.formal_properties import DEFAULT_CASES

    shown = output_of(output, OutputConfig())
    gates = gates_of(output)
    check_places(None, shown)
    report = experiment.axioms(
        wanted.measures,
        preset=wanted.preset,
        properties=properties,
        cases=DEFAULT_CASES if cases is None else cases,
        seed=DEFAULT_SEED if output.seed is None else output.seed,
        command_line=command_line(),
        track=tracker(quiet=output.quiet),
    )
    outcomes = judged(gates, report)
    show(report, shown, quiet=output.quiet)
    return tell(outcomes, quiet=output.quiet)
