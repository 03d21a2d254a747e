"""Options of settings as options of click, and what was said on the command line as values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

import click

from metaeval.registry import ANALYSES, declaration
from metaeval.settings import COMMAND_LINE, Number, Option, Settings, Several, Truth, Whole, options_of
from metaeval.settings.kinds import Kind, OneOf

Command = TypeVar("Command", bound=Callable[..., Any])


def click_options(settings: type[Settings], names: Iterable[str] | None = None) -> list[Callable[[Command], Command]]:
    """A decorator for each option that the command line takes; names: only these, in their order."""
    options = options_of(settings)
    chosen = (options[name] for name in (options if names is None else names))
    return [click_option(option) for option in chosen if COMMAND_LINE in option.where]


def click_option(option: Option[Any, Any]) -> Callable[[Command], Command]:
    """One option as click has it; not said is None, or () where it is repeatable."""
    kind, flags = option.kind, [*([option.short] if option.short else []), option.flag, option.name]
    if isinstance(kind, Truth):
        off = option.off or f"--no-{option.flag[2:]}"
        return click.option(f"{option.flag}/{off}", option.name, default=None, help=option.about)
    if isinstance(kind, Several):
        repeatable = not kind.separated
        return click.option(*flags, multiple=repeatable, metavar=option.metavar, help=option.about)
    return click.option(*flags, type=_type_of(option), metavar=option.metavar or None, help=option.about)


def _type_of(option: Option[Any, Any]) -> click.ParamType[Any] | None:
    """The type that click shows in the help; the kind of the option reads the word."""
    kind = option.kind
    if isinstance(kind, Whole):
        return _WholeNumber(option.flag, kind)
    if isinstance(kind, Number):
        return _Number(option.flag, kind)
    return _Word(option.flag, kind) if isinstance(kind, OneOf) and not option.metavar else None


class _WholeNumber(click.IntRange):
    def __init__(self, flag: str, kind: Whole) -> None:
        super().__init__(kind.at_least, kind.at_most)
        self._read = partial(_read, flag, kind)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        return self._read(value)


class _Number(click.types.FloatParamType):
    def __init__(self, flag: str, kind: Number) -> None:
        self._read = partial(_read, flag, kind)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        return self._read(value)


class _Word(click.Choice):  # type: ignore[type-arg]
    def __init__(self, flag: str, kind: OneOf) -> None:
        super().__init__(kind.names)
        self._read = partial(_read, flag, kind)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        return self._read(value)


def _read(flag: str, kind: Kind[Any], value: object) -> object:
    return kind.from_text(flag, value) if isinstance(value, str) else value


def values_of(settings: type[Settings], said: dict[str, Any]) -> dict[str, Any]:
    """What was said, by option, as values; errors name the flag."""
    options = options_of(settings)
    return {name: _value(options[name], value) for name, value in said.items() if value is not None and value != ()}


def _value(option: Option[Any, Any], value: Any) -> Any:
    if isinstance(value, str):
        return option.kind.from_text(option.flag, value)
    if isinstance(value, tuple) and isinstance(option.kind, Several):
        return tuple(option.kind.item.from_text(option.flag, each) for each in value)
    return value


def help_of(text: str | None) -> str:
    """A docstring as a help text: without the examples of Python, which follow `>>>`."""
    from inspect import cleandoc

    paragraphs = cleandoc(text or "").split("\n\n")
    return "\n\n".join(paragraph for paragraph in paragraphs if not paragraph.startswith(">>>"))


def flag_of(name: str) -> str:
    """The flag of a setting, whichever settings it belongs to."""
    from metaeval.config.data import DataConfig
    from metaeval.config.experiment import ExperimentConfig, OutputConfig

    every = (DataConfig, ExperimentConfig, OutputConfig, *(declaration(each).settings for each in ANALYSES))
    flags = (options_of(settings)[name].flag for settings in every if name in options_of(settings))
    return next(flags, f"--{name.replace('_', '-')}")
