"""`metaeval robustness`."""

from __future__ import annotations

import click

from metaeval.cli import options


@click.command("robustness")
@options.data_options
@options.measure_options
@options.work_options
@options.output_options
def command(
    data: options.DataFlags, wanted: options.MeasureFlags, work: options.WorkFlags, output: options.OutputFlags
) -> int:
    """Can a measure be gamed? Trivial systems among the real ones.

    How many real systems each trivial one beats. For labels: the majority class, every constant class, chance. For
    texts: nothing at all, a sentence of the reference again and again, the reference shuffled; with --sources also the
    words that matter most in them, and their first sentences.

    \b
    metaeval robustness --config configs/news.yaml --sources sample_data/news/sources
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import configured
    from metaeval.cli.use_case import carry_out

    return carry_out(experiment.robustness, configured(data, wanted, output, work), output)
