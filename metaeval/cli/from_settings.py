"""Options of settings as options of click, and the words of the command line as values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from metaeval.registry import ANALYSES, declaration
from metaeval.settings import COMMAND_LINE, Number, Option, Settings, Several, Truth, Whole, options_of
from metaeval.settings.kinds import MeasureName, OneOf

FLAGS_OF_COMMANDS = {"copy_to": "--copy"}
"""Flags of settings that belong to a command alone and whose name differs."""

Command = TypeVar("Command", bound=Callable[..., Any])


def click_options(settings: type[Settings], names: Iterable[str] | None = None) -> list[Callable[[Command], Command]]:
    """A decorator for each option of the command line; names: only these, in their order."""
    options = options_of(settings)
    chosen = (options[name] for name in (options if names is None else names))
    return [click_option(option) for option in chosen if COMMAND_LINE in option.where]


def click_option(option: Option[Any, Any]) -> Callable[[Command], Command]:
    """One option of click; if absent, its value is None, or () if it is repeatable."""
    kind, flags = option.kind, [*([option.short] if option.short else []), option.flag, option.name]
    if isinstance(kind, Truth):
        off = option.off or f"--no-{option.flag[2:]}"
        return click.option(f"{option.flag}/{off}", option.name, default=None, help=option.about)
    if isinstance(kind, Several):
        completed = MeasureType() if isinstance(kind.item, MeasureName) else None
        return click.option(
            *flags, multiple=not kind.separated, type=completed, metavar=option.metavar, help=option.about
        )
    return click.option(*flags, type=_type_of(option), metavar=option.metavar or None, help=option.about)


class MeasureType(click.ParamType):  # type: ignore[type-arg]
    """The name of a measure, which the shell completes."""

    name = "measure"

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """The names that begin with a word, those of plugins included."""
        from metaeval.measures import REGISTRY

        return [CompletionItem(name) for name in REGISTRY if name.startswith(incomplete)]


class _ReadByOption(click.ParamType):  # type: ignore[type-arg]
    """A type of which click shows the bounds; the option reads the word."""

    option: Option[Any, Any]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        return _value(self.option, value)


class _WholeNumber(_ReadByOption, click.IntRange):
    pass


class _Number(_ReadByOption, click.types.FloatParamType):
    pass


class _Word(_ReadByOption, click.Choice):  # type: ignore[type-arg]
    pass


def _type_of(option: Option[Any, Any]) -> _ReadByOption | None:
    kind = option.kind
    shown: _ReadByOption
    if isinstance(kind, Whole):
        shown = _WholeNumber(kind.at_least, kind.at_most)
    elif isinstance(kind, Number):
        shown = _Number()
    elif isinstance(kind, OneOf) and not option.metavar:
        shown = _Word(kind.names)
    else:
        return None
    shown.option = option
    return shown


def values_of(settings: type[Settings], words: dict[str, Any]) -> dict[str, Any]:
    """The values of the words of the command line, by option; errors name the flag."""
    options = options_of(settings)
    return {name: _value(options[name], word) for name, word in words.items() if word is not None and word != ()}


def _value(option: Option[Any, Any], value: Any) -> Any:
    if isinstance(value, str):
        return option.kind.from_text(option.flag, value)
    if isinstance(value, tuple) and isinstance(option.kind, Several):
        return tuple(option.kind.item.from_text(option.flag, each) for each in value)
    return value


def help_of(text: str | None) -> str:
    """A docstring as a help text, without the examples of Python."""
    from inspect import cleandoc

    paragraphs = cleandoc(text or "").split("\n\n")
    return "\n\n".join(paragraph for paragraph in paragraphs if not paragraph.startswith(">>>"))


@cache
def flag_of(name: str) -> str:
    """The flag of a setting, whichever settings it belongs to."""
    from metaeval.config.data import DataConfig
    from metaeval.config.experiment import ExperimentConfig, OutputConfig

    # Settings of analyses are imported only for a name that is not of the data.
    of_analyses = (declaration(each).settings for each in ANALYSES)
    every = chain((DataConfig, ExperimentConfig, OutputConfig), of_analyses)
    flags = (options_of(settings)[name].flag for settings in every if name in options_of(settings))
    return next(flags, FLAGS_OF_COMMANDS.get(name, f"--{name.replace('_', '-')}"))
