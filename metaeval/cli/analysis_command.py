"""The command of an analysis, which is derived from its declaration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import click

from metaeval.analyses.declaration import FILES, MEASURES, RUNS, Analysis, AnalysisOfFiles
from metaeval.cli import options
from metaeval.cli.help import Command, help_of
from metaeval.cli.options import values_of

Run: TypeAlias = Callable[..., int]


def command_of(analysis: Analysis[Any, Any]) -> click.Command:
    """`metaeval NAME`."""

    def run(
        *,
        output: options.OutputFlags,
        data: options.DataFlags | None = None,
        measures: options.MeasureFlags | None = None,
        work: options.WorkFlags | None = None,
        reading: dict[str, Any] | None = None,
        **values: Any,
    ) -> int:
        from metaeval.cli.output import configured, run_command
        from metaeval.config import DataConfig, ExperimentConfig, OutputConfig
        from metaeval.runner.one import run_analysis

        flags = measures or options.MeasureFlags((), None)
        if data is None or work is None:
            file_data = DataConfig().overlaid(**values_of(DataConfig, reading or {}))
            output_config = OutputConfig().overlaid(**output.values)
            config = ExperimentConfig(file_data, measures=flags.measures, preset=flags.preset, output=output_config)
            config = config.overlaid(seed=output.seed)
        else:
            if analysis.leading_measures:
                data, flags = _leading(analysis.leading_measures, data, flags, values)
            config = configured(data, flags, output, work)
        settings = config.settings_of(analysis.settings).overlaid(**values_of(analysis.settings, values))
        return run_command(partial(run_analysis, analysis), config.with_settings(settings), output)

    with_options = {RUNS: _run_options, FILES: _file_options, MEASURES: _measure_options}[analysis.begins_with]
    help = help_of(analysis.settings.__doc__)
    return click.command(analysis.name, cls=Command, help=help)(with_options(analysis, run))


def _file_options(analysis: Analysis[Any, Any], run: Run) -> Run:
    """The options of a command that reads tables of its own."""
    assert isinstance(analysis, AnalysisOfFiles)
    argument = analysis.argument
    command = options.settings_options(analysis.settings)(options.reading_options(options.output_options(run)))
    if analysis.takes_measures:
        command = options.measure_options(options.plugin_option(command))
    metavar = f"{argument.upper()}..." if analysis.required else f"[{argument.upper()}]..."
    files = click.argument(argument, nargs=-1, required=analysis.required, metavar=metavar, type=options.FILE)
    return files(command)


def _measure_options(analysis: Analysis[Any, Any], run: Run) -> Run:
    """The options of a command without data."""
    command = options.settings_options(analysis.settings)(options.output_options(run))
    return options.measure_options(options.plugin_option(command))


def _run_options(analysis: Analysis[Any, Any], run: Run) -> Run:
    """The options of a command that reads runs."""
    command = options.settings_options(analysis.settings)(options.work_options(options.output_options(run)))
    if analysis.leading_measures:
        help = "Compare every pair of the measures of -m or --preset; the arguments are runs only."
        command = click.option("--all", "every", is_flag=True, help=help)(command)
    command = options.data_options(options.measure_options(command))
    for index in reversed(range(analysis.leading_measures)):
        command = click.argument(f"measure_{index}", metavar="MEASURE", type=options.MEASURE, required=False)(command)
    return command


def _leading(
    count: int, data: options.DataFlags, measures: options.MeasureFlags, values: dict[str, Any]
) -> tuple[options.DataFlags, options.MeasureFlags]:
    """The measures that precede the runs on the command line; with --all these arguments are runs."""
    arguments = (values.pop(f"measure_{index}") for index in range(count))
    names = tuple(argument for argument in arguments if argument is not None)
    if values.pop("every"):
        return replace(data, runs=(*names, *data.runs)), measures
    if len(names) < count:
        raise click.UsageError("Name two measures to explain, or use --all for every pair of those of -m or --preset.")
    if measures.measures or measures.preset is not None:
        raise click.UsageError("The two measures precede the runs; -m and --preset require --all.")
    return data, options.MeasureFlags(names, None)
