"""`metaeval compare`."""

from __future__ import annotations

import click

from metaeval.cli import options


@click.command("compare")
@options.data_options
@options.measure_options
@click.option(
    "--system", "systems", multiple=True, metavar="NAME", help="Compare this one; repeatable (default: all systems)."
)
@click.option(
    "--all-pairs/--first",
    default=None,
    help="Each with each, or only the first with the others (default: each with each, unless --system is given).",
)
@click.option(
    "--test", metavar="TEST", help="bootstrap (default, paired), permutation (of answers between two systems) or tukey."
)
@click.option("--adjust", metavar="HOW", help="For several pairs: holm (default), bh or none.")
@click.option(
    "--resamples",
    type=click.IntRange(1),
    metavar="N",
    help="Samples or permutations (default: 5000, or as many as so many pairs take, at most 50000).",
)
@click.option("--alpha", type=float, metavar="P", help="Level of the tests (default: 0.05).")
@options.work_options
@options.output_options
def command(
    data: options.DataFlags,
    wanted: options.MeasureFlags,
    systems: tuple[str, ...],
    all_pairs: bool | None,
    test: str | None,
    adjust: str | None,
    resamples: int | None,
    alpha: float | None,
    work: options.WorkFlags,
    output: options.OutputFlags,
) -> int:
    """Which systems are better than which?

    Differences of every two systems, or of the first that is named and each of the others, with intervals and p-values
    under every measure; of all pairs also ranks with intervals, and tiers of systems that can't be told apart.

    \b
    metaeval compare --config configs/stance.yaml --system atlas_large --system atlas_base
    metaeval compare --config configs/stance.yaml -m cem-ord -m accuracy
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import configured, overlay
    from metaeval.cli.use_case import carry_out
    from metaeval.config import CompareConfig

    config = configured(data, wanted, output, work)
    section = overlay(
        config.compare or CompareConfig(),
        systems=systems,
        all_pairs=all_pairs,
        test=test,
        adjust=adjust,
        resamples=resamples,
        alpha=alpha,
    )
    return carry_out(experiment.compare, overlay(config, compare=section), output)
