"""Experiments as YAML: frozen dataclasses, and a reader to which an unknown key is an error that names the nearest.

    data:
      task: fnc1
      gold: ../sample_data/fnc1/gold.csv
      runs: [../sample_data/fnc1/systems]
      labels: disagree<discuss<agree
    preset: stance-nine
    score:
      trivial: true

Paths are relative to the file that holds them. A flag on the command line wins over the file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval.errors import ConfigError, Gathered, InputError, UnknownName, did_you_mean
from metaeval.io.policies import ERROR, Policy
from metaeval.io.source import STANDARD_INPUT, open_source
from metaeval.io.tasks import TASKS
from metaeval.measures.presets import PRESET_NAMES
from metaeval.measures.spec import Measure, measure
from metaeval.model.report import SourceFile
from metaeval.model.scale import ClassScale

if TYPE_CHECKING:
    from metaeval.io.yaml_text import Located

DEFAULT_SEED = 20201
DEFAULT_TASK = "labels"
MOST_DIGITS = 17
"""Decimals after which a float has nothing more to say."""


@dataclass(frozen=True)
class DataConfig:
    """Which files, and how they are read; None and empty mean: not said.

    gold, runs: paths. task: a name of `io.tasks.TASKS`. labels: the scale. class_weights, class_values: by class.
    drop_gold: gold classes to leave out. on_missing, on_unknown: policies. on_extra: 'error' or 'drop'.
    id_column, label_column: of tidy files.
    """

    gold: str | None = None
    runs: tuple[str, ...] = ()
    task: str = DEFAULT_TASK
    labels: ClassScale | None = None
    class_weights: Mapping[str, float] | None = None
    class_values: Mapping[str, float] | None = None
    drop_gold: tuple[str, ...] = ()
    on_missing: Policy = ERROR
    on_unknown: Policy = ERROR
    on_extra: str = "error"
    id_column: str | None = None
    label_column: str | None = None


@dataclass(frozen=True)
class ScoreConfig:
    """How systems are scored. trivial: add systems that know nothing. sort_by: a measure, or 'system'."""

    trivial: bool = False
    sort_by: str | None = None


@dataclass(frozen=True)
class OutputConfig:
    """How results are shown. format: a name of `render.FORMATS`. digits: after the point. output: a file."""

    format: str = "table"
    digits: int = 4
    output: str | None = None


@dataclass(frozen=True)
class ExperimentConfig:
    """A whole experiment.

    measures: the ones asked for; preset: a named set of them; with neither, those of the task.
    score: None where the section is absent. file: the YAML it came from.
    """

    data: DataConfig = DataConfig()
    measures: tuple[Measure, ...] = ()
    preset: str | None = None
    seed: int = DEFAULT_SEED
    score: ScoreConfig | None = None
    output: OutputConfig = OutputConfig()
    file: SourceFile | None = field(default=None, compare=False)


def read_config(path: str) -> ExperimentConfig:
    """The experiment of a YAML file; whatever is wrong with it is told in one `InputError`."""
    from metaeval.io.yaml_text import parse_yaml

    source = open_source(path, "config")
    document = parse_yaml(source.text(), source.path_or_name)
    folder = Path() if path == STANDARD_INPUT else Path(path).parent
    return replace(_Reader(source.path_or_name, folder).experiment(document), file=source.file)


class _Reader:
    """Turns located YAML values into configuration, gathering what is wrong."""

    def __init__(self, path: str, folder: Path) -> None:
        self.path = path
        self.folder = folder
        self.gathered = Gathered()

    def experiment(self, document: Located) -> ExperimentConfig:
        """The whole file."""
        with self.gathered.errors(), self.located_errors("", document.line):
            read = self.section(document, "", self.keys())
        self.gathered.raise_any()
        return ExperimentConfig(**read)

    def keys(self) -> dict[str, Callable[[Located], Any]]:
        """Readers of the keys at the top."""
        return {
            "data": lambda value: DataConfig(**self.section(value, "data", self.data_keys())),
            "measures": lambda value: tuple(measure(text) for text in _texts(value)),
            "preset": _preset,
            "seed": lambda value: _whole_number(value, at_least=0),
            "score": lambda value: ScoreConfig(**self.section(value, "score", _SCORE_KEYS)),
            "output": lambda value: OutputConfig(**self.section(value, "output", self.output_keys())),
        }

    def data_keys(self) -> dict[str, Callable[[Located], Any]]:
        """Readers of the keys of `data`."""
        return {
            "gold": lambda value: self.located(_text(value)),
            "runs": lambda value: tuple(self.located_run(run) for run in _texts(value)),
            "task": lambda value: TASKS[_text(value)].name,
            "labels": _scale,
            "class-weights": lambda value: _class_numbers(value, "class-weights"),
            "class-values": lambda value: _class_numbers(value, "class-values"),
            "drop-gold": lambda value: tuple(_texts(value)),
            "on-missing": lambda value: Policy.parse(_text(value), option="on-missing"),
            "on-unknown": lambda value: Policy.parse(_text(value), option="on-unknown"),
            "on-extra": lambda value: _one_of(value, ("error", "drop")),
            "id-column": _text,
            "label-column": _text,
        }

    def output_keys(self) -> dict[str, Callable[[Located], Any]]:
        """Readers of the keys of `output`."""
        return {
            "format": _text,
            "digits": lambda value: _whole_number(value, at_least=0, at_most=MOST_DIGITS),
            "output": lambda value: self.located(_text(value)),
        }

    def located(self, path: str) -> str:
        """A path of the file, as seen from where metaeval runs."""
        return path if path == STANDARD_INPUT else os.path.normpath(self.folder / path)

    def located_run(self, run: str) -> str:
        """A RUN of the file, `name=path` too."""
        name, equals, path = run.partition("=")
        if equals and not os.path.exists(self.folder / run):  # noqa: PTH110 (no error for a path too long)
            return f"{name}={self.located(path)}"
        return self.located(run)

    def section(self, section: Located, name: str, keys: Mapping[str, Callable[[Located], Any]]) -> dict[str, Any]:
        """The values of a mapping by attribute name; unknown keys and unfit values are gathered."""
        read: dict[str, Any] = {}
        if section.value is None:
            return read
        if not isinstance(section.value, dict):
            raise InputError.at(
                found=_shown(section),
                expected=f"keys, of {', '.join(keys)}",
                hint="write 'key: value' on lines of their own",
            )
        for key, value in section.value.items():
            with self.gathered.errors(), self.located_errors(f"{name}.{key}" if name else key, value.line):
                if key not in keys:
                    raise InputError.at(
                        found="an unknown key",
                        expected=f"one of {', '.join(keys)}",
                        hint=did_you_mean(key, keys) or f"remove '{key}'",
                    )
                read[key.replace("-", "_")] = keys[key](value)
        return read

    @contextmanager
    def located_errors(self, key: str, line: int) -> Iterator[None]:
        """Tell in which file, on which line and of which key something is wrong."""
        try:
            yield
        except InputError as error:
            first = error.problems[0]
            raise ConfigError(
                self.path, key, line, found=first.found, expected=first.expected, hint="; ".join(error.hints)
            ) from None
        except UnknownName as error:
            raise ConfigError(self.path, key, line, found=str(error).rstrip(".")) from None


_SCORE_KEYS: dict[str, Callable[[Located], Any]] = {
    "trivial": lambda value: _truth(value),
    "sort-by": lambda value: _text(value),
}


def _text(value: Located) -> str:
    """A word; numbers count as words, as in labels 1, 2, 3, and stand as they are written."""
    if isinstance(value.value, (str, int, float)) and not isinstance(value.value, bool):
        return value.text
    raise InputError.at(
        found=_shown(value),
        expected="a text",
        hint=f"put it in quotes, as in '{value.text}'" if isinstance(value.value, bool) else "",
    )


def _texts(value: Located) -> list[str]:
    """A list of words; a single word is a list of one."""
    return [_text(item) for item in value.value] if isinstance(value.value, list) else [_text(value)]


def _truth(value: Located) -> bool:
    if isinstance(value.value, bool):
        return value.value
    raise InputError.at(found=_shown(value), expected="true or false")


def _preset(value: Located) -> str:
    name = _text(value)
    if name not in PRESET_NAMES:
        raise UnknownName("preset", name, PRESET_NAMES)
    return name


def _whole_number(value: Located, *, at_least: int, at_most: int | None = None) -> int:
    number = value.value
    if isinstance(number, int) and not isinstance(number, bool) and at_least <= number <= (at_most or number):
        return number
    span = f"of at least {at_least}" if at_most is None else f"from {at_least} to {at_most}"
    raise InputError.at(found=_shown(value), expected=f"a whole number {span}")


def _one_of(value: Located, words: tuple[str, ...]) -> str:
    if value.value in words:
        return str(value.value)
    raise InputError.at(found=_shown(value), expected=f"one of {', '.join(words)}")


def _scale(value: Located) -> ClassScale:
    """`low<high` or `a,b` as on the command line, or a list of names without order."""
    return ClassScale(tuple(_texts(value))) if isinstance(value.value, list) else ClassScale.parse(_text(value))


def _class_numbers(value: Located, key: str) -> Mapping[str, float]:
    """A mapping from class to number, or the text of one as on the command line."""
    if not isinstance(value.value, dict):
        return parse_class_numbers(_text(value), option=key)
    return {label: _number(number, label) for label, number in value.value.items()}


def _number(value: Located, label: str) -> float:
    try:
        number = float(value.text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError.at(found=f"{_shown(value)} for class '{label}'", expected="a number")
    return number


def parse_class_numbers(text: str, *, option: str) -> Mapping[str, float]:
    """The numbers of `a=.4,b=.6`; option: where it was written, for the message.

    >>> parse_class_numbers("a=.4,b=.6", option="--class-weights")
    {'a': 0.4, 'b': 0.6}
    """
    numbers: dict[str, float] = {}
    for part in text.split(","):
        label, equals, number = (piece.strip() for piece in part.rpartition("="))
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not equals or not label or not math.isfinite(value):
            raise InputError.at(
                found=f"'{part}' in {option} {text}", expected="class=number, as in agree=.4,disagree=.6"
            )
        if label in numbers:
            raise InputError.at(found=f"class '{label}' twice in {option}", expected="every class once")
        numbers[label] = value
    return numbers


def _shown(value: Located) -> str:
    if isinstance(value.value, (dict, list)):
        return "keys" if isinstance(value.value, dict) else "a list"
    if value.value is None:
        return "nothing"
    read_as = f" (which YAML reads as {str(value.value).lower()})" if isinstance(value.value, bool) else ""
    return f"'{value.text}'{read_as}"
