"""Groups of options that commands share; a command gets each group as one object."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar, cast

import click

from metaeval.cli.from_settings import click_options
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
    """Options of output."""

    format: str | None
    output: str | None
    output_dir: str | None
    overwrite: bool | None
    safe_csv: bool | None
    plot: str | None
    table: str | None
    names: str | None
    methods: bool | None
    bibtex: str | None
    digits: int | None
    fail_if: tuple[str, ...]
    seed: int | None
    quiet: bool


@dataclass(frozen=True)
class WorkFlags:
    """Options of the computation."""

    undefined: str | None
    workers: int | None
    scheduler: str | None
    memory: str | None


def decorated(command: Command, options: Sequence[Callable[[Any], Any]]) -> Command:
    """A command with further options, in the order of the help."""
    for option in reversed(options):
        command = option(command)
    return command


def _group(
    name: str, kind: type, options: Callable[[], list[Callable[[Command], Command]]]
) -> Callable[[Command], Command]:
    """A decorator that adds options to a command, which gets them as one argument of that name."""

    def decorate(function: Command) -> Command:
        @functools.wraps(function)
        def command(*positional: object, **arguments: object) -> object:
            group = {field.name: arguments.pop(field.name) for field in fields(kind)}
            return function(*positional, **{name: kind(**group)}, **arguments)

        return decorated(cast(Command, command), options())

    return decorate


def data_options(function: Command) -> Command:
    """RUN..., the options of `DataConfig`, and --config."""
    from metaeval.config.data import DataConfig

    names = [name for name, option in options_of(DataConfig).items() if COMMAND_LINE in option.where]

    @functools.wraps(function)
    def command(*positional: object, runs: tuple[str, ...], config_file: str | None, **arguments: Any) -> object:
        values = {name: arguments.pop(name) for name in names if name in arguments}
        return function(*positional, data=DataFlags(runs, config_file, values), **arguments)

    help = "Experiment file (.yaml); options override it."
    config = click.option("--config", "config_file", metavar="FILE", help=help)
    runs = click.argument("runs", nargs=-1, metavar="RUN...")
    return decorated(cast(Command, command), [runs, *click_options(DataConfig), config])


def _output_options() -> list[Callable[[Command], Command]]:
    from metaeval.config.experiment import OutputConfig

    condition = "Condition that makes the command exit with 1, such as 'stability.cem-ord.mean < 0.6'; repeatable."
    return [
        *click_options(OutputConfig),
        click.option("--fail-if", multiple=True, metavar="CONDITION", help=condition),
        *click_options(_experiment(), ("seed",)),
        click.option("-q", "--quiet", is_flag=True, help="Suppress progress and notes on standard error."),
    ]


def _experiment() -> type[Settings]:
    from metaeval.config.experiment import ExperimentConfig

    return ExperimentConfig


def plugin_option(function: Command) -> Command:
    """--plugin, whose files are loaded before other options are read and while names are completed."""
    option = options_of(_experiment())["plugins"]

    def load(_context: click.Context, _parameter: click.Parameter, paths: tuple[str, ...]) -> None:
        option.kind.check(option.flag, paths)

    decorate = click.option(
        option.flag, multiple=True, metavar=option.metavar, help=option.about, is_eager=True, expose_value=False,
        callback=load,
    )  # fmt: skip
    return decorate(function)


measure_options = _group("measures", MeasureFlags, lambda: click_options(_experiment(), ("measures", "preset")))
output_options = _group("output", OutputFlags, _output_options)
work_options = _group(
    "work",
    WorkFlags,
    lambda: [plugin_option, *click_options(_experiment(), ("undefined", "workers", "scheduler", "memory"))],
)
