"""The command of an analysis: data, measures, its settings, work and output."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from metaeval.analyses.declaration import MEASURES, RATINGS, RUNS, Analysis
from metaeval.cli import options
from metaeval.cli.from_settings import click_options, help_of, values_of

if TYPE_CHECKING:
    from metaeval.config import ExperimentConfig


def command_of(analysis: Analysis[Any, Any]) -> click.Command:
    """`metaeval NAME`."""
    of = {RUNS: _of_runs, RATINGS: _of_ratings, MEASURES: _of_measures}
    return click.command(analysis.name, help=help_of(analysis.settings.__doc__))(of[analysis.begins_with](analysis))


def _of_ratings(analysis: Analysis[Any, Any]) -> Any:
    """A command of files of ratings, its settings and output."""

    def run(*, ratings: tuple[str, ...], output: options.OutputFlags, **said: Any) -> int:
        from metaeval.config import DataConfig, ExperimentConfig

        return _without_runs(analysis, ExperimentConfig(data=DataConfig(human=ratings)), said, output)

    command = _with_settings(analysis, options.output_options(run))
    return click.argument("ratings", nargs=-1, required=True, metavar="RATINGS...")(command)


def _of_measures(analysis: Analysis[Any, Any]) -> Any:
    """A command of measures, its settings and output."""

    def run(*, wanted: options.MeasureFlags, output: options.OutputFlags, **said: Any) -> int:
        from metaeval.config import ExperimentConfig

        config = ExperimentConfig(measures=wanted.measures, preset=wanted.preset)
        return _without_runs(analysis, config, said, output)

    return options.measure_options(_with_settings(analysis, options.output_options(run)))


def _without_runs(
    analysis: Analysis[Any, Any], config: ExperimentConfig, said: dict[str, Any], output: options.OutputFlags
) -> int:
    """Carry out an analysis that no experiment file describes; its exit code."""
    from functools import partial

    from metaeval.cli.flags import output_of
    from metaeval.cli.use_case import run_command
    from metaeval.runner.one import run_analysis

    settings = analysis.settings().overlaid(**values_of(analysis.settings, said))
    config = config.with_settings(settings).overlaid(seed=output.seed, output=output_of(output, config.output))
    return run_command(partial(run_analysis, analysis), config, output)


def _with_settings(analysis: Analysis[Any, Any], command: Any) -> Any:
    """A command with the options of an analysis before those it has."""
    for decorate in reversed(click_options(analysis.settings)):
        command = decorate(command)
    return command


def _of_runs(analysis: Analysis[Any, Any]) -> Any:
    """A command of runs: data, measures, its settings, work and output."""

    def run(
        *, data: options.DataFlags, wanted: options.MeasureFlags, work: options.WorkFlags, output: options.OutputFlags,
        **said: Any,
    ) -> int:  # fmt: skip
        from functools import partial

        from metaeval.cli.flags import configured
        from metaeval.cli.use_case import run_command
        from metaeval.runner.one import run_analysis

        if analysis.leading_measures:
            data, wanted = _leading(analysis.leading_measures, data, wanted, said)
        config = configured(data, wanted, output, work)
        settings = config.settings_of(analysis.settings).overlaid(**values_of(analysis.settings, said))
        return run_command(partial(run_analysis, analysis), config.with_settings(settings), output)

    command = _with_settings(analysis, options.work_options(options.output_options(run)))
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
