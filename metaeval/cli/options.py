"""Groups of options that commands share; a command gets each group as one object."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, cast

import click

from metaeval.cli.from_settings import click_options
from metaeval.config.data import DataConfig
from metaeval.config.experiment import ExperimentConfig, OutputConfig
from metaeval.settings import COMMAND_LINE, Settings, options_of

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class DataFlags:
    """Options of data. values: by option of `DataConfig`; None and () stand for absent options."""

    runs: tuple[str, ...]
    config_file: str | None
    values: dict[str, Any]


@dataclass(frozen=True)
class MeasureFlags:
    """Options of measures."""

    measures: tuple[str, ...]
    preset: str | None


@dataclass(frozen=True)
class OutputFlags:
    """Options of output. values: by option of `OutputConfig`; None stands for absent options."""

    values: dict[str, Any]
    fail_if: tuple[str, ...]
    seed: int | None
    quiet: bool


WorkFlags: TypeAlias = dict[str, Any]
"""Options of the computation, by option of `ExperimentConfig`; None stands for absent options."""

_WORK = ("undefined", "workers", "scheduler", "memory")


def _decorated(command: Command, options: Sequence[Callable[[Any], Any]]) -> Command:
    """A command with further options, in the order of the help."""
    for option in reversed(options):
        command = option(command)
    return command


def settings_options(settings: type[Settings]) -> Callable[[Command], Command]:
    """A decorator that adds the options of settings to a command, which gets each by its name."""
    return lambda command: _decorated(command, click_options(settings))


class _Grouping:
    """A command that gets groups of its arguments, each as one argument; groups: take them out, by name."""

    def __init__(self, command: Callable[..., Any]) -> None:
        self.command = command
        self.groups: dict[str, Callable[[dict[str, Any]], object]] = {}
        functools.update_wrapper(self, command)

    def __call__(self, *positional: object, **arguments: Any) -> object:
        groups = {name: take(arguments) for name, take in self.groups.items()}
        return self.command(*positional, **groups, **arguments)


def _grouped(command: Command, name: str, take: Callable[[dict[str, Any]], object]) -> Command:
    """A command that gets a group of its arguments as one argument of this name; take: takes them out."""
    grouping = command if isinstance(command, _Grouping) else _Grouping(command)
    grouping.groups[name] = take
    return cast(Command, grouping)


def _values(settings: type[Settings], arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments that are options of settings, which are taken out."""
    names = [name for name, option in options_of(settings).items() if COMMAND_LINE in option.where]
    return {name: arguments.pop(name) for name in names if name in arguments}


def data_options(command: Command) -> Command:
    """RUN..., the options of `DataConfig`, and --config."""

    def group(arguments: dict[str, Any]) -> DataFlags:
        return DataFlags(arguments.pop("runs"), arguments.pop("config_file"), _values(DataConfig, arguments))

    help = "Experiment file (.yaml); options override it."
    config = click.option("--config", "config_file", metavar="FILE", help=help)
    runs = click.argument("runs", nargs=-1, metavar="RUN...")
    return _decorated(_grouped(command, "data", group), [runs, *click_options(DataConfig), config])


def measure_options(command: Command) -> Command:
    """-m and --preset."""
    command = _grouped(command, "measures", lambda every: MeasureFlags(every.pop("measures"), every.pop("preset")))
    return _decorated(command, click_options(ExperimentConfig, ("measures", "preset")))


def output_options(command: Command) -> Command:
    """The options of `OutputConfig`, --fail-if, --seed and -q."""

    def group(arguments: dict[str, Any]) -> OutputFlags:
        values = _values(OutputConfig, arguments)
        return OutputFlags(values, arguments.pop("fail_if"), arguments.pop("seed"), arguments.pop("quiet"))

    condition = "Condition that makes the command exit with 1, such as 'stability.cem-ord.mean < 0.6'; repeatable."
    options = [
        *click_options(OutputConfig),
        click.option("--fail-if", multiple=True, metavar="CONDITION", help=condition),
        *click_options(ExperimentConfig, ("seed",)),
        click.option("-q", "--quiet", is_flag=True, help="Suppress progress and notes on standard error."),
    ]
    return _decorated(_grouped(command, "output", group), options)


def work_options(command: Command) -> Command:
    """--plugin and the options of the computation."""
    command = _grouped(command, "work", lambda every: {name: every.pop(name) for name in _WORK})
    return _decorated(command, [plugin_option, *click_options(ExperimentConfig, _WORK)])


def plugin_option(function: Command) -> Command:
    """--plugin, whose files are loaded before other options are read and while names are completed."""
    option = options_of(ExperimentConfig)["plugins"]

    def load(_context: click.Context, _parameter: click.Parameter, paths: tuple[str, ...]) -> None:
        option.kind.check(option.flag, paths)

    decorate = click.option(
        option.flag,
        multiple=True,
        metavar=option.metavar,
        help=option.about,
        is_eager=True,
        expose_value=False,
        callback=load,
    )
    return decorate(function)
