"""The command of an analysis: data, measures, its settings, work and output."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from metaeval.analyses.declaration import RATINGS, Analysis
from metaeval.cli import options
from metaeval.cli.from_settings import click_options, help_of, values_of


def command_of(analysis: Analysis[Any, Any]) -> click.Command:
    """`metaeval NAME`."""
    command = _of_ratings(analysis) if analysis.begins_with == RATINGS else _of_runs(analysis)
    return click.command(analysis.name, help=help_of(analysis.settings.__doc__))(command)


def _of_ratings(analysis: Analysis[Any, Any]) -> Any:
    """A command of files of ratings, its settings and output."""

    def run(*, ratings: tuple[str, ...], output: options.OutputFlags, **said: Any) -> int:
        from functools import partial

        from metaeval.cli.flags import output_of, overlay
        from metaeval.cli.use_case import carry_out
        from metaeval.config import DataConfig, ExperimentConfig, OutputConfig
        from metaeval.runner.one import run_analysis

        settings = analysis.settings().overlaid(**values_of(analysis.settings, said))
        config = ExperimentConfig(data=DataConfig(human=ratings), output=output_of(output, OutputConfig()))
        config = overlay(config.with_settings(settings), seed=output.seed)
        return carry_out(partial(run_analysis, analysis), config, output)

    command: Any = options.output_options(run)
    for decorate in reversed(click_options(analysis.settings)):
        command = decorate(command)
    return click.argument("ratings", nargs=-1, required=True, metavar="RATINGS...")(command)


def _of_runs(analysis: Analysis[Any, Any]) -> Any:
    """A command of runs: data, measures, its settings, work and output."""

    def run(
        *, data: options.DataFlags, wanted: options.MeasureFlags, work: options.WorkFlags, output: options.OutputFlags,
        **said: Any,
    ) -> int:  # fmt: skip
        from functools import partial

        from metaeval.cli.flags import configured
        from metaeval.cli.use_case import carry_out
        from metaeval.runner.one import run_analysis

        if analysis.leading_measures:
            data, wanted = _leading(analysis.leading_measures, data, wanted, said)
        config = configured(data, wanted, output, work)
        settings = config.settings_of(analysis.settings).overlaid(**values_of(analysis.settings, said))
        return carry_out(partial(run_analysis, analysis), config.with_settings(settings), output)

    command: Any = options.work_options(options.output_options(run))
    for decorate in reversed(click_options(analysis.settings)):
        command = decorate(command)
    if analysis.leading_measures:
        help = "Every two of the measures of -m or --preset; then name runs only."
        command = click.option("--all", "every", is_flag=True, help=help)(command)
    command = options.data_options(options.measure_options(command))
    for place in reversed(range(analysis.leading_measures)):
        command = click.argument(f"measure_{place}", metavar="MEASURE", required=False)(command)
    return command


def _leading(
    count: int, data: options.DataFlags, wanted: options.MeasureFlags, said: dict[str, Any]
) -> tuple[options.DataFlags, options.MeasureFlags]:
    """The measures that come first on the command line; with --all these words are runs."""
    words = (said.pop(f"measure_{place}") for place in range(count))
    named = tuple(word for word in words if word is not None)
    if said.pop("every"):
        return replace(data, runs=(*named, *data.runs)), wanted
    if len(named) < count:
        raise click.UsageError("Name two measures to explain, or say --all for every two of those of -m or --preset.")
    if wanted.measures or wanted.preset is not None:
        raise click.UsageError("The two measures are named first; -m and --preset go with --all.")
    return data, options.MeasureFlags(named, None)
