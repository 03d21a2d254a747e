"""Experiments as YAML, in which an unknown key is an error that names the nearest.

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

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval import registry
from metaeval.config.check import CheckSettings
from metaeval.config.data import DEFAULT_TASK, DataConfig
from metaeval.config.experiment import ExperimentConfig, OutputConfig
from metaeval.errors import ConfigError, Gathered, InputError, UnknownName, did_you_mean
from metaeval.io.files import yaml_values as read
from metaeval.io.files.source import STANDARD_INPUT, open_source
from metaeval.io.labels.tasks import TASKS
from metaeval.model.data_kind import DataKind
from metaeval.settings import YAML, Option, Settings, options_of
from metaeval.settings.kinds import Place

if TYPE_CHECKING:
    from metaeval.io.files.yaml_text import Located


def is_config(path: str) -> bool:
    """Whether a path names an experiment, and not results.

    >>> is_config("stance.YAML"), is_config("results.json")
    (True, False)
    """
    return path.lower().endswith((".yaml", ".yml"))


def read_config(path: str) -> ExperimentConfig:
    """The experiment of a YAML file.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    InputError
        If anything is wrong with the file; the message lists all problems.
    """
    from metaeval.io.files.yaml_text import parse_yaml

    source = open_source(path, "config")
    document = parse_yaml(source.text(), source.path_or_name)
    folder = Path() if path == STANDARD_INPUT else Path(path).parent
    return replace(_Reader(source.path_or_name, folder).experiment(document), file=source.file)


class _Reader:
    """Turns located YAML values into configuration, gathering what is wrong."""

    def __init__(self, path: str, folder: Path) -> None:
        self.path = path
        self.place = Place(str(folder))
        self.gathered = Gathered()

    def experiment(self, document: Located) -> ExperimentConfig:
        """The whole file."""
        with self.gathered.errors(), self.located_errors("", document.line):
            self.place = replace(self.place, table=_material_of(document) is DataKind.ITEM_SCORES)
            values = self.section(document, "", self.keys())
        self.gathered.raise_any()
        known = ExperimentConfig.__dataclass_fields__
        analyses = tuple(value for key, value in values.items() if key not in known)
        return ExperimentConfig(**{key: value for key, value in values.items() if key in known}, analyses=analyses)

    def keys(self) -> Keys:
        """Readers of the keys at the top."""
        found = (registry.declaration(name) for name in registry.ANALYSES)
        sections: dict[str, type[Settings]] = {each.name: each.settings for each in found if each.in_experiments}
        sections["check"] = CheckSettings
        readers = {name: self.section_reader(name, kind, self.keys_of(kind)) for name, kind in sections.items()}
        top = self.keys_of(ExperimentConfig)
        every = {
            "data": self.section_reader("data", DataConfig, self.keys_of(DataConfig)),
            **{key: top[key] for key in ("measures", "preset", "workers", "scheduler", "memory", "seed")},
            "output": self.section_reader("output", OutputConfig, self.keys_of(OutputConfig)),
        }
        return {
            **every,
            **{name: readers[name] for name in dict.fromkeys((*_ORDER, *readers))},
        }

    def keys_of(self, settings: type[Settings]) -> Keys:
        """Readers of the options of settings, by their keys."""

        def reader(option: Option[Any, Any]) -> Callable[[Located], Any]:
            return lambda value: option.kind.from_yaml(option.key, value, self.place)

        return {option.key: reader(option) for option in options_of(settings).values() if YAML in option.where}

    def section_reader(self, name: str, kind: type[Any], keys: Keys) -> Callable[[Located], Any]:
        """A reader of a section into its dataclass."""
        return lambda value: kind(**self.section(value, name, keys))

    def section(self, section: Located, name: str, keys: Mapping[str, Callable[[Located], Any]]) -> dict[str, Any]:
        """The values of a mapping by attribute name; unknown keys and unfit values are gathered."""
        values: dict[str, Any] = {}
        if section.value is None:
            return values
        if not isinstance(section.value, dict):
            raise InputError.at(
                found=read.shown(section),
                expected=f"keys, of {', '.join(keys)}",
                hint="write 'key: value' on lines of their own",
            )
        for key, value in section.value.items():
            with self.gathered.errors(), self.located_errors(f"{name}.{key}" if name else key, value.line):
                if key not in keys:
                    raise InputError.at(
                        found="an unknown key",
                        expected=f"one of {', '.join(keys)}" if keys else "no key, because there is nothing to set",
                        hint=did_you_mean(key, keys) or f"remove '{key}'",
                    )
                values[key.replace("-", "_")] = keys[key](value)
        return values

    @contextmanager
    def located_errors(self, key: str, line: int) -> Iterator[None]:
        """Tell in which file, on which line and of which key something is wrong."""
        try:
            yield
        except InputError as error:
            first = error.problems[0]
            # The place names the setting.
            found = first.found.removeprefix(f"{key.rpartition('.')[2]} ")
            raise ConfigError(
                self.path, key, line, found=found, expected=first.expected, hint="; ".join(error.hints)
            ) from None
        except UnknownName as error:
            raise ConfigError(self.path, key, line, found=str(error).rstrip(".")) from None


def _material_of(document: Located) -> DataKind:
    """What the task of an experiment is about, as far as it can be told before the file is checked."""
    found: Any = document
    for key in ("data", "task"):
        found = found.value.get(key) if found is not None and isinstance(found.value, dict) else None
    name = found.value if found is not None else None
    return TASKS[name if isinstance(name, str) and name in TASKS else DEFAULT_TASK].material


Keys = Mapping[str, Callable[["Located"], Any]]

_ORDER = (
    *("score", "similarity", "stability", "merge-classes", "summary", "references", "agreement", "robustness", "power"),
    *("compare", "plan", "explain", "check", "correlate", "sensitivity"),
)
"""Of sections, in messages."""
