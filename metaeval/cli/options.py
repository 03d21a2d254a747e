"""Groups of options that commands share; a command gets each group as one object."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, TypeAlias, TypeVar, cast

import click
from click.shell_completion import CompletionItem

from metaeval.cli.help import SharedOption
from metaeval.config.data import DataConfig
from metaeval.config.experiment import ExperimentConfig, OutputConfig
from metaeval.registry import ANALYSES, declaration
from metaeval.settings import COMMAND_LINE, YAML, Number, Option, Settings, Several, Truth, Whole, options_of
from metaeval.settings.kinds import FilePath, MeasureName, OneOf, WordFlag

shared_option = functools.partial(click.option, cls=SharedOption)

FLAGS_OF_COMMANDS = {"copy_to": "--copy"}
"""Flags of settings that belong to a command alone and whose name differs."""


def click_options(settings: type[Settings], names: Iterable[str] | None = None) -> list[Callable[[Command], Command]]:
    """A decorator for each option of the command line; names: only these, in their order."""
    options = options_of(settings)
    subset = (options[name] for name in (options if names is None else names))
    return [click_option(option) for option in subset if COMMAND_LINE in option.where]


def click_option(option: Option[Any, Any]) -> Callable[[Command], Command]:
    """One option of click; if absent, its value is None, or () if it is repeatable."""
    kind, flags = option.kind, [*([option.short] if option.short else []), option.flag, option.name]
    if isinstance(kind, Truth):
        off = option.off or f"--no-{option.flag[2:]}"
        return shared_option(f"{option.flag}/{off}", option.name, default=None, help=option.about)
    if isinstance(kind, WordFlag):
        return shared_option(option.flag, option.name, flag_value=kind.names[0], default=None, help=option.about)
    return shared_option(
        *flags,
        multiple=isinstance(kind, Several) and not kind.separated,
        type=_type_of(option),
        metavar=option.metavar or None,
        help=option.about,
    )


class Word(click.ParamType):  # type: ignore[type-arg]
    """A text whose values the shell completes. words: the values, for the context of the command; None for files."""

    name = "text"

    def __init__(self, words: Callable[[click.Context], Iterable[str]] | None) -> None:
        self.words = words

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """The values that begin with a word."""
        if self.words is None:
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(word) for word in self.words(ctx) if word.startswith(incomplete)]


def _tables(context: click.Context) -> list[str]:
    """The names of the tables of a command."""
    names = [context.info_name] if context.info_name in ANALYSES else ANALYSES
    return [table for name in names for table in declaration(str(name)).tables]


def _measures(_context: click.Context) -> Iterable[str]:
    """The names of the measures, those of plugins included."""
    return MeasureName().words()


MEASURE, FILE = Word(_measures), Word(None)

_WORDS = {"table": Word(_tables), "official": MEASURE}
"""The types of options whose kind does not list their values."""


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


def _type_of(option: Option[Any, Any]) -> click.ParamType:  # type: ignore[type-arg]
    kind = option.kind
    param_type: _ReadByOption
    if isinstance(kind, Whole):
        param_type = _WholeNumber(kind.at_least, kind.at_most)
    elif isinstance(kind, Number):
        param_type = _Number()
    elif isinstance(kind, OneOf) and not option.metavar:
        param_type = _Word(kind.names)
    elif option.name in _WORDS:
        return _WORDS[option.name]
    else:
        item = kind.item if isinstance(kind, Several) else kind
        return FILE if isinstance(item, FilePath) else Word(lambda _context: item.words())
    param_type.option = option
    return param_type


def values_of(settings: type[Settings], words: dict[str, Any]) -> dict[str, Any]:
    """The values of the words of the command line, by option; errors name the flag."""
    options = options_of(settings)
    return {name: _value(options[name], word) for name, word in words.items() if word is not None and word != ()}


def _value(option: Option[Any, Any], value: Any) -> Any:
    if isinstance(value, str):
        return option.kind.from_text(option.flag, value)
    if isinstance(value, tuple) and isinstance(option.kind, Several):
        return tuple(option.kind.item.from_text(option.flag, item) for item in value)
    return value


@cache
def flag_of(name: str) -> str:
    """The flag of a setting, whichever settings it belongs to."""
    flags = (option.flag for _, option in _options(name))
    return next(flags, FLAGS_OF_COMMANDS.get(name, f"--{name.replace('_', '-')}"))


def as_key(name: str, value: object, *, flags: frozenset[str], otherwise: Callable[[str, object], str]) -> str:
    """A setting as a key of an experiment file, or otherwise if a command has it among its flags or it has no key."""
    matches = [(section, option.key) for section, option in _options(name) if YAML in option.where]
    # Options of the output are of all commands that write the results which others read.
    if not matches or matches[0][0] == "output" or flag_of(name) in flags:
        return otherwise(name, value)
    section, key = matches[0]
    # Several analyses may have settings of one name.
    if section and (len(matches) == 1 or section not in ANALYSES):
        key = f"{section}.{key}"
    if value == "":
        return key
    from metaeval.names import names_text

    return f"{key}: {_in_yaml(names_text(value) if isinstance(value, dict) else value)}"


def _in_yaml(value: object) -> str:
    """A value, in quotes where YAML would read another one."""
    import yaml

    text = str(value)
    try:
        plain = not isinstance(value, str) or yaml.safe_load(f"key: {text}") == {"key": text}
    except yaml.YAMLError:
        plain = False
    return text if plain else "'" + text.replace("'", "''") + "'"


def _options(name: str) -> Iterator[tuple[str, Option[Any, Any]]]:
    """The options of a name, with the section of an experiment file that they belong to."""
    # Settings of analyses are imported only for a name that is not of the data.
    sections = ((analysis, declaration(analysis).settings) for analysis in ANALYSES)
    every = chain((("data", DataConfig), ("", ExperimentConfig), ("output", OutputConfig)), sections)
    return ((section, options_of(settings)[name]) for section, settings in every if name in options_of(settings))


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

COMPUTATION = "Computation"
"""The section of the help that has the random seed, too."""


def _decorated(command: Command, options: Sequence[Callable[[Any], Any]], section: str = "") -> Command:
    """A command with further options, in the order of the help, and in a section of it that commands share."""
    for option in reversed(options):
        command = option(command)
        command.__click_params__[-1].section = section  # type: ignore[attr-defined]
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


def _bundle(command: Command, name: str, take: Callable[[dict[str, Any]], object]) -> Command:
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
    config = shared_option("--config", "config_file", metavar="FILE", type=FILE, help=help)
    runs = click.argument("runs", nargs=-1, metavar="RUN...", type=FILE)
    return runs(_decorated(_bundle(command, "data", group), [*click_options(DataConfig), config], "Data"))


_READING = ("encoding", "quoting")


def reading_options(command: Command) -> Command:
    """The options of `DataConfig` on how files are read, for commands that read tables of their own."""
    command = _bundle(command, "reading", lambda every: {name: every.pop(name) for name in _READING})
    return _decorated(command, click_options(DataConfig, _READING), "Data")


def measure_options(command: Command) -> Command:
    """-m and --preset."""
    command = _bundle(command, "measures", lambda every: MeasureFlags(every.pop("measures"), every.pop("preset")))
    return _decorated(command, click_options(ExperimentConfig, ("measures", "preset")), "Measures")


def output_options(command: Command) -> Command:
    """The options of `OutputConfig`, --fail-if, --seed and -q."""

    def group(arguments: dict[str, Any]) -> OutputFlags:
        values = _values(OutputConfig, arguments)
        return OutputFlags(values, arguments.pop("fail_if"), arguments.pop("seed"), arguments.pop("quiet"))

    condition = "Condition that makes the command exit with 1, such as 'stability.cem-ord.mean < 0.6'; repeatable."
    options = [
        *click_options(OutputConfig),
        shared_option("--fail-if", multiple=True, metavar="CONDITION", help=condition),
        shared_option("-q", "--quiet", is_flag=True, help="Suppress progress and warnings on standard error."),
    ]
    command = _decorated(_bundle(command, "output", group), options, "Output")
    return _decorated(command, click_options(ExperimentConfig, ("seed",)), COMPUTATION)


def work_options(command: Command) -> Command:
    """--plugin and the options of the computation."""
    command = _bundle(command, "work", lambda every: {name: every.pop(name) for name in _WORK})
    return _decorated(command, [plugin_option, *click_options(ExperimentConfig, _WORK)], COMPUTATION)


def plugin_option(function: Command) -> Command:
    """--plugin, whose files are loaded before other options are read and while names are completed."""
    option = options_of(ExperimentConfig)["plugins"]

    def load(_context: click.Context, _parameter: click.Parameter, paths: tuple[str, ...]) -> None:
        option.kind.check(option.flag, paths)

    decorate = shared_option(
        option.flag,
        multiple=True,
        type=FILE,
        metavar=option.metavar,
        help=option.about,
        is_eager=True,
        expose_value=False,
        callback=load,
    )
    return decorate(function)
