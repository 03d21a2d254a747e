"""Bundles of options that commands share; each comes back as one object."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypeVar, cast

import click

from metaeval.cli.from_settings import click_options
from metaeval.settings import COMMAND_LINE, Settings, options_of

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class DataFlags:
    """What the command line says of the data. said: by option of `DataConfig`; None and empty mean: nothing."""

    runs: tuple[str, ...]
    config_file: str | None
    said: dict[str, Any]


@dataclass(frozen=True)
class MeasureFlags:
    """Which measures the command line asks for."""

    measures: tuple[str, ...]
    preset: str | None


@dataclass(frozen=True)
class OutputFlags:
    """How the command line wants its results."""

    format: str | None
    output: str | None
    output_dir: str | None
    plot: str | None
    digits: int | None
    fail_if: tuple[str, ...]
    seed: int | None
    quiet: bool


@dataclass(frozen=True)
class WorkFlags:
    """How work is shared out."""

    workers: int | None
    scheduler: str | None
    memory: str | None


def _bundle(
    name: str, kind: type, options: Callable[[], list[Callable[[Command], Command]]]
) -> Callable[[Command], Command]:
    """A decorator that adds options to a command and hands them over as one object called `name`."""

    def decorate(function: Command) -> Command:
        @functools.wraps(function)
        def command(*positional: object, **given: object) -> object:
            own = {field.name: given.pop(field.name) for field in fields(kind)}
            return function(*positional, **{name: kind(**own)}, **given)

        decorated: Any = command
        for option in reversed(options()):
            decorated = option(decorated)
        return cast(Command, decorated)

    return decorate


def data_options(function: Command) -> Command:
    """RUN..., the options of `DataConfig`, and --config."""
    from metaeval.config.data import DataConfig

    @functools.wraps(function)
    def command(*positional: object, runs: tuple[str, ...], config_file: str | None, **given: Any) -> object:
        said = {name: given.pop(name) for name in options_of(DataConfig) if name in given and name in names}
        return function(*positional, data=DataFlags(runs, config_file, said), **given)

    names = [name for name, option in options_of(DataConfig).items() if COMMAND_LINE in option.where]
    decorated: Any = command
    config = click.option(
        "--config", "config_file", metavar="FILE", help="YAML that gives any of these; flags win over it."
    )
    for option in reversed([*click_options(DataConfig), config]):
        decorated = option(decorated)
    return cast(Command, click.argument("runs", nargs=-1, metavar="RUN...")(decorated))


measure_options = _bundle("wanted", MeasureFlags, lambda: click_options(_experiment(), ("measures", "preset")))

output_options = _bundle("output", OutputFlags, lambda: _output_options())
work_options = _bundle("work", WorkFlags, lambda: click_options(_experiment(), ("workers", "scheduler", "memory")))


def _output_options() -> list[Callable[[Command], Command]]:
    from metaeval.config.experiment import OutputConfig

    return [
        *click_options(OutputConfig, ("format", "output", "output_dir", "plot", "digits")),
        click.option(
            "--fail-if",
            multiple=True,
            metavar="CONDITION",
            help="Exit with 1 where it holds of the results, as 'stability.cem-ord.mean < 0.6'; repeatable.",
        ),
        *click_options(_experiment(), ("seed",)),
        click.option("-q", "--quiet", is_flag=True, help="No progress and no notes on standard error."),
    ]


def _experiment() -> type[Settings]:
    from metaeval.config.experiment import ExperimentConfig

    return ExperimentConfig
