"""`metaeval merge-classes`."""

from __future__ import annotations

import click

from metaeval.cli import options


@click.command("merge-classes")
@options.data_options
@options.measure_options
@click.option("--merge", "merge", multiple=True, metavar="a+b", help="Merge these classes; repeatable.")
@click.option("--adjacent/--no-adjacent", default=None, help="Merge neighbours of an ordered scale only.")
@click.option("--balance/--no-balance", default=None, help="Draw gold classes down to the rarest, --trials times.")
@click.option("--trials", type=click.IntRange(1), metavar="N", help="Balanced samples (default: 1000).")
@click.option(
    "--bootstrap", type=click.IntRange(0), metavar="N", help="Replicates for intervals (default: 1000; 0: none)."
)
@click.option(
    "--merged-values", metavar="a+b=1.5", help="Values of merged classes, where classes have declared values."
)
@options.work_options
@options.output_options
def command(
    data: options.DataFlags,
    wanted: options.MeasureFlags,
    merge: tuple[str, ...],
    adjacent: bool | None,
    balance: bool | None,
    trials: int | None,
    bootstrap: int | None,
    merged_values: str | None,
    work: options.WorkFlags,
    output: options.OutputFlags,
) -> int:
    """Does a measure notice the distinction between classes?

    Merges classes of the scale, ranks the systems again, and compares with the original ranking by Kendall's tau. The
    lower, the more a measure uses the distinction. All pairs of classes are merged unless --merge or --adjacent says
    otherwise.

    \b
    metaeval merge-classes --config configs/stance.yaml
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import class_numbers, configured, overlay
    from metaeval.cli.use_case import carry_out
    from metaeval.config import MergeConfig

    config = configured(data, wanted, output, work)
    section = overlay(
        (config.merge_classes or MergeConfig()).choosing(merge, adjacent=adjacent),
        balance=balance,
        trials=trials,
        bootstrap=bootstrap,
        merged_values=class_numbers(merged_values, "--merged-values"),
    )
    config = overlay(config, merge_classes=section)
    return carry_out(experiment.merge_classes, config, output)
