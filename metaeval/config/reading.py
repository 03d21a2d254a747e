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

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval.config.analyses import (
    AgreementConfig,
    CheckConfig,
    CompareConfig,
    CorrelateConfig,
    ExplainConfig,
    MergeConfig,
    PlanConfig,
    PowerConfig,
    ReferencesConfig,
    RobustnessConfig,
    ScoreConfig,
    SensitivityConfig,
    SimilarityConfig,
    StabilityConfig,
    SummaryConfig,
)
from metaeval.config.sections import (
    DEFAULT_TASK,
    ENGINES,
    LEAST_MEMORY,
    MOST_DIGITS,
    DataConfig,
    ExperimentConfig,
    OutputConfig,
    check_scheduler,
)
from metaeval.errors import ConfigError, Gathered, InputError, UnknownName, did_you_mean
from metaeval.io import yaml_values as read
from metaeval.io.policies import Policy
from metaeval.io.source import STANDARD_INPUT, open_source
from metaeval.io.tasks import TASKS
from metaeval.measures.presets import PRESET_NAMES
from metaeval.measures.spec import measure
from metaeval.measures.text.lexicons import is_lexicon_file
from metaeval.measures.text.tokenizers import TOKENIZERS
from metaeval.model.data_kind import DataKind
from metaeval.stats.rank_correlation import COEFFICIENTS

if TYPE_CHECKING:
    from metaeval.io.yaml_text import Located


def is_config(path: str) -> bool:
    """Whether a path names an experiment, and not results.

    >>> is_config("stance.YAML"), is_config("results.json")
    (True, False)
    """
    return path.lower().endswith((".yaml", ".yml"))


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
        self.material = DataKind.LABELS

    def experiment(self, document: Located) -> ExperimentConfig:
        """The whole file."""
        with self.gathered.errors(), self.located_errors("", document.line):
            self.material = _material_of(document)
            values = self.section(document, "", self.keys())
        self.gathered.raise_any()
        return ExperimentConfig(**values)

    def keys(self) -> dict[str, Callable[[Located], Any]]:
        """Readers of the keys at the top."""
        sections: dict[str, tuple[type[Any], Keys]] = {
            "score": (ScoreConfig, {**_SCORE_KEYS, "per-item": lambda value: self.located(read.text(value))}),
            "similarity": (SimilarityConfig, _SIMILARITY_KEYS),
            "stability": (StabilityConfig, _STABILITY_KEYS),
            "merge-classes": (MergeConfig, _MERGE_KEYS),
            "summary": (SummaryConfig, {}),
            "references": (ReferencesConfig, _REFERENCES_KEYS),
            "agreement": (
                AgreementConfig,
                {**_AGREEMENT_KEYS, "judges": lambda value: tuple(map(self.located_judge, read.texts(value)))},
            ),
            "robustness": (RobustnessConfig, {}),
            "power": (PowerConfig, _POWER_KEYS),
            "compare": (CompareConfig, _COMPARE_KEYS),
            "plan": (PlanConfig, _PLAN_KEYS),
            "explain": (ExplainConfig, _EXPLAIN_KEYS),
            "check": (
                CheckConfig,
                {**_CHECK_KEYS, "baseline": lambda value: self.located(read.text(value))},
            ),
            "correlate": (CorrelateConfig, _CORRELATE_KEYS),
            "sensitivity": (
                SensitivityConfig,
                {**_SENSITIVITY_KEYS, "weights": lambda value: self.located(read.text(value))},
            ),
        }
        return {
            "data": lambda value: DataConfig(**self.section(value, "data", self.data_keys())),
            "measures": lambda value: tuple(self.measure_name(text) for text in read.texts(value)),
            "preset": lambda value: read.one_name(value, "preset", PRESET_NAMES),
            "workers": lambda value: read.whole_number(value, at_least=1),
            "scheduler": lambda value: check_scheduler(read.text(value)),
            "memory": lambda value: parse_memory(read.text(value), option="memory"),
            "seed": lambda value: read.whole_number(value, at_least=0),
            "output": lambda value: OutputConfig(**self.section(value, "output", self.output_keys())),
            **{name: self.section_reader(name, kind, keys) for name, (kind, keys) in sections.items()},
        }

    def measure_name(self, text: str) -> str:
        """The name of a measure, files in it as seen from where metaeval runs; a column of a table has any name."""
        if self.material is DataKind.ITEM_SCORES:
            return text
        if "=" in text and ":" not in text:
            raise InputError.at(
                found=f"'{text}', a parameter without its measure",
                expected="a measure",
                hint="in a list in brackets put a name with commas in quotes, as ['rouge-n:n=2,stat=recall']",
            )
        return str(measure(text).with_files(self.located))

    def section_reader(self, name: str, kind: type[Any], keys: Keys) -> Callable[[Located], Any]:
        """A reader of a section into its dataclass."""
        return lambda value: kind(**self.section(value, name, keys))

    def data_keys(self) -> dict[str, Callable[[Located], Any]]:
        """Readers of the keys of `data`."""
        return {
            "gold": lambda value: self.located(read.text(value)),
            "runs": lambda value: tuple(self.located_run(run) for run in read.texts(value)),
            "task": lambda value: TASKS[read.text(value)].name,
            "labels": read.scale,
            "class-weights": lambda value: read.class_numbers(value, "class-weights"),
            "class-values": lambda value: read.class_numbers(value, "class-values"),
            "drop-gold": lambda value: tuple(read.texts(value)),
            "on-missing": lambda value: Policy.parse(read.text(value), option="on-missing"),
            "on-unknown": lambda value: Policy.parse(read.text(value), option="on-unknown"),
            "on-extra": lambda value: read.one_of(value, ("error", "drop")),
            "id-column": read.text,
            "label-column": read.text,
            "tokenizer": lambda value: TOKENIZERS[read.text(value)].name,
            "lexicon": lambda value: self.located_lexicon(read.text(value)),
            "sources": lambda value: self.located(read.text(value)),
            "human": lambda value: tuple(self.located_human(text) for text in read.texts(value)),
            "lower-is-better": lambda value: tuple(read.texts(value)),
            "engine": lambda value: read.one_of(value, ENGINES),
        }

    def output_keys(self) -> dict[str, Callable[[Located], Any]]:
        """Readers of the keys of `output`."""
        return {
            "format": read.text,
            "digits": lambda value: read.whole_number(value, at_least=0, at_most=MOST_DIGITS),
            "output": lambda value: self.located(read.text(value)),
            "directory": lambda value: self.located(read.text(value)),
            "plot": lambda value: self.located(read.text(value)),
        }

    def located(self, path: str) -> str:
        """A path of the file, as seen from where metaeval runs."""
        return path if path == STANDARD_INPUT else os.path.normpath(self.folder / path)

    def located_human(self, human: str) -> str:
        """A file of ratings, or the name of a measure in a table."""
        named = self.material is DataKind.ITEM_SCORES and not os.path.exists(self.folder / human)  # noqa: PTH110
        return human if named else self.located(human)

    def located_judge(self, judge: str) -> str:
        """A file of a judge, or the name of an annotator."""
        path = self.located(judge)
        return path if os.path.exists(path) else judge  # noqa: PTH110 (no error for a path too long)

    def located_lexicon(self, lexicon: str) -> str:
        """A lexicon of the file, which is a path unless it is the name of another kind."""
        return self.located(lexicon) if is_lexicon_file(lexicon) else lexicon

    def located_run(self, run: str) -> str:
        """A RUN of the file, `name=path` too."""
        name, equals, path = run.partition("=")
        if equals and not os.path.exists(self.folder / run):  # noqa: PTH110 (no error for a path too long)
            return f"{name}={self.located(path)}"
        return self.located(run)

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
            raise ConfigError(
                self.path, key, line, found=first.found, expected=first.expected, hint="; ".join(error.hints)
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

_SCORE_KEYS: Keys = {
    "trivial": lambda value: read.truth(value),
    "sort-by": lambda value: read.text(value),
}

_SIMILARITY_KEYS: Keys = {
    "coefficient": lambda value: read.one_name(value, "coefficient", tuple(COEFFICIENTS)),
    "bootstrap": lambda value: read.whole_number(value, at_least=0),
    "cut": lambda value: read.number(value),
}

_STABILITY_KEYS: Keys = {
    "trials": lambda value: read.whole_number(value, at_least=1),
    "strata": lambda value: tuple(read.whole_number(size, at_least=1) for size in read.items(value)),
    "stratified": lambda value: read.truth(value),
    "size": lambda value: tuple(read.numbers(value)),
    "permutations": lambda value: read.whole_number(value, at_least=1),
    "alpha": lambda value: read.number(value),
}

_MERGE_KEYS: Keys = {
    "merge": lambda value: tuple(read.texts(value)),
    "adjacent": lambda value: read.truth(value),
    "balance": lambda value: read.truth(value),
    "trials": lambda value: read.whole_number(value, at_least=1),
    "bootstrap": lambda value: read.whole_number(value, at_least=0),
    "merged-values": lambda value: read.class_numbers(value, "merged-values"),
}

_REFERENCES_KEYS: Keys = {
    "trials": lambda value: read.whole_number(value, at_least=1),
    "subsets": lambda value: read.whole_number(value, at_least=1),
}

_CORRELATE_KEYS: Keys = {
    "levels": lambda value: tuple(read.texts(value)),
    "coefficients": lambda value: tuple(read.texts(value)),
    "interval": lambda value: read.text(value),
    "resamples": lambda value: read.whole_number(value, at_least=1),
    "test": lambda value: read.text(value),
    "permutations": lambda value: read.whole_number(value, at_least=1),
    "alpha": lambda value: read.number(value),
}

_AGREEMENT_KEYS: Keys = {
    "annotator-column": lambda value: read.text(value),
    "levels": lambda value: tuple(read.texts(value)),
    "by": lambda value: read.text(value),
    "bootstrap": lambda value: read.whole_number(value, at_least=0),
    "epsilon": lambda value: read.number(value),
    "alignment": lambda value: read.text(value),
}

_SENSITIVITY_KEYS: Keys = {
    "grid": lambda value: tuple(read.texts(value)),
    "coefficient": lambda value: read.text(value),
}

_POWER_KEYS: Keys = {
    "test": lambda value: read.text(value),
    "resamples": lambda value: read.whole_number(value, at_least=1),
    "alpha": lambda value: read.number(value),
}

_COMPARE_KEYS: Keys = {
    "systems": lambda value: tuple(read.texts(value)),
    "all-pairs": lambda value: read.truth(value),
    "adjust": lambda value: read.text(value),
    **_POWER_KEYS,
}

_PLAN_KEYS: Keys = {
    "tau": lambda value: read.number(value),
    "delta": lambda value: read.number(value),
    "power": lambda value: read.number(value),
    "width": lambda value: read.number(value),
    "items": lambda value: tuple(read.whole_number(size, at_least=2) for size in read.items(value)),
    "resamples": lambda value: read.whole_number(value, at_least=1),
    "alpha": lambda value: read.number(value),
}

_EXPLAIN_KEYS: Keys = {
    "pairs": lambda value: read.whole_number(value, at_least=1),
    "items": lambda value: read.whole_number(value, at_least=1),
}

_CHECK_KEYS: Keys = {
    "fail-if": lambda value: tuple(read.texts(value)),
    "alpha": lambda value: read.number(value),
    "resamples": lambda value: read.whole_number(value, at_least=1),
}

_UNITS = {"": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


def parse_memory(text: str, *, option: str) -> int:
    """Bytes of `512MB`, `1GB` or a plain number; option: where it was written, for the message.

    >>> parse_memory("1GB", option="--memory")
    1073741824
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]B)?", text.strip().upper())
    size = int(float(match[1]) * _UNITS[match[2] or ""]) if match else 0
    if not size >= LEAST_MEMORY:
        raise InputError.at(found=f"{option} {text}", expected="a size of at least 16MB", hint="as in 512MB or 1GB")
    return size
