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

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval.errors import ConfigError, Gathered, InputError, UnknownName, did_you_mean
from metaeval.io import yaml_values as read
from metaeval.io.policies import ERROR, Policy
from metaeval.io.source import STANDARD_INPUT, open_source
from metaeval.io.tasks import TASKS
from metaeval.measures.presets import PRESET_NAMES
from metaeval.measures.spec import measure
from metaeval.measures.text.lexicons import is_lexicon_file
from metaeval.measures.text.tokenizers import TOKENIZERS
from metaeval.model.material import Material
from metaeval.model.report import SourceFile
from metaeval.model.scale import ClassScale
from metaeval.stats.association import COEFFICIENTS as ASSOCIATIONS
from metaeval.stats.association import LEVELS
from metaeval.stats.rank_correlation import COEFFICIENTS

if TYPE_CHECKING:
    from metaeval.io.yaml_text import Located

HUMAN_COEFFICIENTS = (*ASSOCIATIONS, "acc-eq", "soft-pairwise")
"""What measures and people are compared by."""

INTERVALS = ("both", "systems", "items", "fisher", "none")
"""What is resampled for intervals of correlations with people."""

TESTS = ("both", "systems", "items", "williams", "none")
"""What two measures swap, to tell whether one follows people better."""

DEFAULT_SEED = 20201
DEFAULT_TASK = "labels"
DEFAULT_TOKENIZER = "rouge"
DEFAULT_MEMORY = 512 << 20
LEAST_MEMORY = 16 << 20
MOST_DIGITS = 17
"""Decimals after which a float has nothing more to say."""


@dataclass(frozen=True)
class DataConfig:
    """Which files, and how they are read; None and empty mean: not said.

    gold, runs: paths. task: a name of `io.tasks.TASKS`. labels: the scale. class_weights, class_values: by class.
    drop_gold: gold classes to leave out. on_missing, on_unknown: policies. on_extra: 'error' or 'drop'.
    id_column, label_column: of tidy files. tokenizer: a name of `measures.text.tokenizers.TOKENIZERS`; lexicon: where
    semantic labels of words come from. sources: texts that the systems were given. lower_is_better: measures of a table
    of scores of which less is better. human: files of ratings, or measures of the table that are people.
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
    tokenizer: str = DEFAULT_TOKENIZER
    lexicon: str | None = None
    sources: str | None = None
    human: tuple[str, ...] = ()
    lower_is_better: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScoreConfig:
    """How systems are scored.

    trivial: add systems that know nothing. sort_by: a measure, or 'system'. per_item: a file for the scores of items.
    """

    trivial: bool = False
    sort_by: str | None = None
    per_item: str | None = None


@dataclass(frozen=True)
class OutputConfig:
    """How results are shown.

    format: a name of `render.FORMATS`. digits: after the point. output: a file. directory: a folder for a file a table.
    """

    format: str = "table"
    digits: int = 4
    output: str | None = None
    directory: str | None = None


@dataclass(frozen=True)
class SimilarityConfig:
    """How rankings of measures are compared.

    coefficient: a name of `stats.rank_correlation.COEFFICIENTS`. bootstrap: replicates for intervals, 0 for none.
    cut: the distance 1 − τ at which groups of measures part.
    """

    coefficient: str = "kendall-b"
    bootstrap: int = 1000
    cut: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.cut <= 2:
            raise InputError.at(found=f"a cut at {self.cut:g}", expected="a distance 1 − similarity, from 0 to 2")


@dataclass(frozen=True)
class StabilityConfig:
    """How stable rankings are.

    trials: random splits. strata: sizes of groups of systems, best first; empty for thirds. stratified: whether halves
    keep the share of every gold class. size: shares of the items in each half, for a curve. permutations: of the test
    whether two measures differ. alpha: its level.
    """

    trials: int = 1000
    strata: tuple[int, ...] = ()
    stratified: bool = False
    size: tuple[float, ...] = ()
    permutations: int = 1000
    alpha: float = 0.05

    def __post_init__(self) -> None:
        for share in self.size:
            if not 0 < share <= 0.5:
                raise InputError.at(
                    found=f"a size of {share:g}",
                    expected="a share of the items for each half, above 0 and at most 0.5",
                    hint="as in 0.1,0.25,0.5",
                )
        if not 0 < self.alpha < 1:
            raise InputError.at(found=f"alpha {self.alpha:g}", expected="a level between 0 and 1, as 0.05")


@dataclass(frozen=True)
class MergeConfig:
    """Which classes are merged.

    merge: as 'agree+discuss'; empty for all pairs, or for neighbours where adjacent. balance: whether gold classes are
    drawn down to the rarest, trials times. bootstrap: replicates for intervals otherwise, 0 for none. merged_values: of
    merged classes, where the scale has declared values.
    """

    merge: tuple[str, ...] = ()
    adjacent: bool = False
    balance: bool = False
    trials: int = 1000
    bootstrap: int = 1000
    merged_values: Mapping[str, float] | None = None


@dataclass(frozen=True)
class ReferencesConfig:
    """How scores against fewer references are found.

    trials: draws for intervals. subsets: of the references of an item, at most, for each size.
    """

    trials: int = 1000
    subsets: int = 50


@dataclass(frozen=True)
class CorrelateConfig:
    """How measures are compared with people.

    levels: of `stats.association.LEVELS`; empty for all that the data allow of system and item. coefficients: of
    `stats.association.COEFFICIENTS`, 'acc-eq' or 'soft-pairwise'. interval: what is resampled, of `INTERVALS`.
    resamples: for it. test: of `TESTS`, whether two measures differ. permutations: for it. alpha: its level.
    """

    levels: tuple[str, ...] = ()
    coefficients: tuple[str, ...] = ("pearson", "spearman", "kendall-b")
    interval: str = "both"
    resamples: int = 1000
    test: str = "both"
    permutations: int = 1999
    alpha: float = 0.05

    def __post_init__(self) -> None:
        for kind, names, known in (
            ("level", self.levels, LEVELS),
            ("coefficient", self.coefficients, HUMAN_COEFFICIENTS),
            ("interval", (self.interval,), INTERVALS),
            ("test", (self.test,), TESTS),
        ):
            for name in names:
                if name not in known:
                    raise UnknownName(kind, name, known)
        if not 0 < self.alpha < 1:
            raise InputError.at(found=f"alpha {self.alpha:g}", expected="a level between 0 and 1, as 0.05")


@dataclass(frozen=True)
class SensitivityConfig:
    """Which settings of measures are tried.

    grid: values of parameters, as 'lambda=0:1:0.1'. weights: a file of weightings of the classes. coefficient: of
    `stats.association.COEFFICIENTS`, for the correlation with people.
    """

    grid: tuple[str, ...] = ()
    weights: str | None = None
    coefficient: str = "pearson"

    def __post_init__(self) -> None:
        if self.coefficient not in ASSOCIATIONS:
            raise UnknownName("coefficient", self.coefficient, ASSOCIATIONS)


@dataclass(frozen=True)
class RobustnessConfig:
    """How trivial systems are put among the real ones; there is nothing to set."""


@dataclass(frozen=True)
class SummaryConfig:
    """All criteria in one table; how each is computed stands in its own section."""


@dataclass(frozen=True)
class ExperimentConfig:
    """A whole experiment.

    measures: names of the ones asked for; preset: a named set of them; with neither, those of the task.
    score … summary: the analyses; None where a section is absent. workers: how many threads share the work.
    memory: bytes that a block of it may take. file: the YAML it came from.
    """

    data: DataConfig = DataConfig()
    measures: tuple[str, ...] = ()
    preset: str | None = None
    seed: int = DEFAULT_SEED
    score: ScoreConfig | None = None
    similarity: SimilarityConfig | None = None
    stability: StabilityConfig | None = None
    merge_classes: MergeConfig | None = None
    summary: SummaryConfig | None = None
    references: ReferencesConfig | None = None
    robustness: RobustnessConfig | None = None
    correlate: CorrelateConfig | None = None
    sensitivity: SensitivityConfig | None = None
    workers: int = 1
    memory: int = DEFAULT_MEMORY
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
        self.material = Material.LABELS

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
            "robustness": (RobustnessConfig, {}),
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
            "memory": lambda value: parse_memory(read.text(value), option="memory"),
            "seed": lambda value: read.whole_number(value, at_least=0),
            "output": lambda value: OutputConfig(**self.section(value, "output", self.output_keys())),
            **{name: self.section_reader(name, kind, keys) for name, (kind, keys) in sections.items()},
        }

    def measure_name(self, text: str) -> str:
        """The name of a measure, files in it as seen from where metaeval runs; a column of a table has any name."""
        if self.material is Material.ITEM_SCORES:
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
        }

    def output_keys(self) -> dict[str, Callable[[Located], Any]]:
        """Readers of the keys of `output`."""
        return {
            "format": read.text,
            "digits": lambda value: read.whole_number(value, at_least=0, at_most=MOST_DIGITS),
            "output": lambda value: self.located(read.text(value)),
            "directory": lambda value: self.located(read.text(value)),
        }

    def located(self, path: str) -> str:
        """A path of the file, as seen from where metaeval runs."""
        return path if path == STANDARD_INPUT else os.path.normpath(self.folder / path)

    def located_human(self, human: str) -> str:
        """A file of ratings, or the name of a measure in a table."""
        named = self.material is Material.ITEM_SCORES and not os.path.exists(self.folder / human)  # noqa: PTH110
        return human if named else self.located(human)

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


def _material_of(document: Located) -> Material:
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

_SENSITIVITY_KEYS: Keys = {
    "grid": lambda value: tuple(read.texts(value)),
    "coefficient": lambda value: read.text(value),
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
