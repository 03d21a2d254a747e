"""Reads experiments from YAML.

    data:
      task: fnc1
      gold: ../sample_data/fnc1/gold.csv
      runs: [../sample_data/fnc1/systems]
      labels: disagree<discuss<agree
    preset: stance-nine
    score:
      trivial: true

Paths are relative to the file. Unknown keys are errors. Options of the command line override the file.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from metaeval import registry
from metaeval.config.data import DataConfig
from metaeval.config.experiment import CheckSettings, ExperimentConfig, OutputConfig, PageSettings
from metaeval.errors import ConfigError, Gathered, InputError, UnknownName, did_you_mean, refuse, wrong_type
from metaeval.io.files import yaml as read
from metaeval.io.files.source import STANDARD_INPUT, open_source
from metaeval.io.labels.tasks import TASKS
from metaeval.model.runs import DataKind
from metaeval.settings import YAML, Option, Settings, options_of
from metaeval.settings.kinds import FileContext

if TYPE_CHECKING:
    from metaeval.io.files.yaml import Located


def is_config(path: str) -> bool:
    """Whether a path is that of an experiment file, not of results.

    >>> is_config("stance.YAML"), is_config("results.json")
    (True, False)
    """
    return path.lower().endswith((".yaml", ".yml"))


def read_config(path: str) -> ExperimentConfig:
    """Read the experiment of a YAML file.

    Parameters
    ----------
    path
        Path of the file.

    Raises
    ------
    InputError
        If the file is invalid; the message lists all problems.
    """
    source = open_source(path, "config")
    document = read.parse_yaml(source.text(), source.path_or_name)
    folder = pathlib.Path() if path == STANDARD_INPUT else pathlib.Path(path).parent
    return replace(_Reader(source.path_or_name, folder).experiment(document), file=source.file)


class _Reader:
    """Converts YAML nodes to settings, and collects all problems."""

    def __init__(self, path: str, folder: pathlib.Path) -> None:
        self.path = path
        self.context = FileContext(str(folder))
        self.problems = Gathered()

    def experiment(self, document: Located) -> ExperimentConfig:
        """The whole file."""
        with self.problems.errors(), self.located_errors("", document.line):
            self.context = replace(self.context, table=_data_kind_of(document) is DataKind.ITEM_SCORES)
            values = self.section(document, "", self.keys())
        self.problems.raise_any()
        fields = ExperimentConfig.__dataclass_fields__
        analyses = tuple(value for key, value in values.items() if key not in fields)
        return ExperimentConfig(**{key: value for key, value in values.items() if key in fields}, analyses=analyses)

    def keys(self) -> Keys:
        """Readers of the keys at the top level."""
        analyses = (registry.declaration(name) for name in registry.ANALYSES)
        sections: dict[str, type[Settings]] = {analysis.name: analysis.settings for analysis in analyses}
        sections["check"] = CheckSettings
        return {
            "data": self.section_reader("data", DataConfig),
            **self.keys_of(ExperimentConfig),
            "output": self.section_reader("output", OutputConfig),
            "report": lambda value: replace(self.section_reader("report", PageSettings)(value), line=value.line),
            **{name: self.section_reader(name, kind) for name, kind in sections.items()},
        }

    def keys_of(self, settings: type[Settings]) -> Keys:
        """Readers of the options of settings, by key."""

        def reader(option: Option[Any, Any]) -> Callable[[Located], Any]:
            return lambda value: option.kind.from_yaml(option.key, value, self.context)

        return {option.key: reader(option) for option in options_of(settings).values() if YAML in option.where}

    def section_reader(self, name: str, kind: type[Settings]) -> Callable[[Located], Any]:
        """A reader of a section into its dataclass."""
        return lambda value: kind(**self.section(value, name, self.keys_of(kind)))

    def section(self, section: Located, name: str, keys: Mapping[str, Callable[[Located], Any]]) -> dict[str, Any]:
        """The values of a mapping by name of the setting; problems are collected."""
        values: dict[str, Any] = {}
        if section.value is None:
            return values
        if not isinstance(section.value, dict):
            expected, hint = f"some of the keys {', '.join(keys)}", "write 'key: value', each on its own line"
            raise refuse(None, wrong_type(read.show(section), "", expected, hint))
        # The names of measures may be those of plugins.
        for key, value in sorted(section.value.items(), key=lambda entry: entry[0] != "plugins"):
            with self.problems.errors(), self.located_errors(f"{name}.{key}" if name else key, value.line):
                if key not in keys:
                    expected = f"one of {', '.join(keys)}" if keys else "no key, because it has no settings"
                    raise refuse(None, "an unknown key", expected, did_you_mean(key, keys) or f"remove '{key}'")
                values[key.replace("-", "_")] = keys[key](value)
        return values

    @contextmanager
    def located_errors(self, key: str, line: int) -> Iterator[None]:
        """Add the file, the line and the key to errors."""
        try:
            yield
        except InputError as error:
            first = error.problems[0]
            if first.path is not None:
                raise
            # The key already names the setting.
            found = first.found.removeprefix(f"{key.rpartition('.')[2]} ")
            raise ConfigError(
                self.path, key, line, found=found, expected=first.expected, hint="; ".join(error.hints)
            ) from None
        except UnknownName as error:
            raise ConfigError(self.path, key, line, found=str(error).rstrip(".")) from None


def _data_kind_of(document: Located) -> DataKind:
    """The kind of data of the task of an experiment, before the file is checked."""
    node: Any = document
    for key in "data.task".partition(".")[::2]:
        node = node.value.get(key) if node is not None and isinstance(node.value, dict) else None
    name = node.value if node is not None else None
    return TASKS[name if isinstance(name, str) and name in TASKS else DataConfig().task].data_kind


Keys = Mapping[str, Callable[["Located"], Any]]
