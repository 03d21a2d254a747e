"""What an experiment is made of: data, analyses and output, as frozen dataclasses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

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
    check_counts,
)
from metaeval.errors import InputError
from metaeval.io.held import Held
from metaeval.io.policies import ERROR, Policies, Policy
from metaeval.io.source import Source, open_source
from metaeval.model.report import SourceFile
from metaeval.model.scale import ClassScale

DEFAULT_SEED = 20201
DEFAULT_TASK = "labels"
ENGINES = ("memory", "duckdb")
DEFAULT_TOKENIZER = "rouge"
DEFAULT_MEMORY = 512 << 20
LEAST_MEMORY = 16 << 20
LOCAL_SCHEDULER = "local"
"""In place of a scheduler's address: a cluster of processes on this machine."""
MOST_DIGITS = 17
"""Decimals after which a float has nothing more to say."""


@dataclass(frozen=True)
class DataConfig:
    """Which files, and how they are read; None and empty mean: not said.

    gold, runs: paths. task: a name of `io.tasks.TASKS`. labels: the scale. class_weights, class_values: by class.
    drop_gold: gold classes to leave out. on_missing, on_unknown: policies. on_extra: 'error' or 'drop'.
    id_column, label_column: of tidy files. tokenizer: a name of `measures.text.tokenizers.TOKENIZERS`; lexicon: where
    semantic labels of words come from. sources: texts that the systems were given. lower_is_better: measures of a table
    of scores of which less is better. human: files of ratings, or measures of the table that are people. engine: a
    name of `ENGINES` that reads labels, None for the one that fits their size. memory: data that have no file;
    `gold`, `runs` and `human` know them by their paths.
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
    engine: str | None = None
    memory: tuple[Held, ...] = field(default=(), repr=False)

    @property
    def policies(self) -> Policies:
        """What the join does where things do not fit."""
        return Policies(self.on_missing, self.on_unknown, self.on_extra == "drop", self.drop_gold)

    def holds(self, path: str) -> bool:
        """Whether data in memory go by that name."""
        return any(held.path == path for held in self.memory)

    def open(self, path: str, role: str) -> Source:
        """Data in memory of that name, else the file, as `io.source.open_source` opens it."""
        return next((held for held in self.memory if held.path == path), None) or open_source(path, role)


@dataclass(frozen=True)
class OutputConfig:
    """How results are shown.

    format: a name of `render.FORMATS`. digits: after the point. output: a file. directory: a folder for a file a table.
    plot: a file for a plot of the main table.
    """

    format: str = "table"
    digits: int = 4
    output: str | None = None
    directory: str | None = None
    plot: str | None = None


@dataclass(frozen=True)
class ExperimentConfig:
    """A whole experiment.

    measures: names of the ones asked for; preset: a named set of them; with neither, those of the task.
    score … explain: the analyses; None where a section is absent. check: what they have to stand up to.
    workers: how many threads share the work, or processes where texts are many or with `LOCAL_SCHEDULER`.
    scheduler: of a Dask cluster that does it instead, `tcp://HOST:PORT` or `LOCAL_SCHEDULER`; None for this process.
    memory: bytes that a block of it may take, and DuckDB in reading; None where nobody said. file: the YAML it came
    from.
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
    agreement: AgreementConfig | None = None
    power: PowerConfig | None = None
    compare: CompareConfig | None = None
    plan: PlanConfig | None = None
    explain: ExplainConfig | None = None
    check: CheckConfig | None = None
    workers: int = 1
    scheduler: str | None = None
    memory: int | None = None
    output: OutputConfig = OutputConfig()
    file: SourceFile | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_counts(self, seed=0, workers=1)
        if self.scheduler is not None:
            check_scheduler(self.scheduler)

    @property
    def block_memory(self) -> int:
        """Bytes that a block of work may take."""
        return DEFAULT_MEMORY if self.memory is None else self.memory


def check_scheduler(scheduler: str) -> str:
    """Where work is sent; an `InputError` where it is no address.

    >>> check_scheduler("tcp://node7:8786")
    'tcp://node7:8786'
    """
    if scheduler != LOCAL_SCHEDULER and not re.fullmatch(r"[a-z]+://\S+:\d+", scheduler):
        raise InputError.at(
            found=f"scheduler '{scheduler}'",
            expected=f"the address of a Dask scheduler, as tcp://HOST:PORT, or '{LOCAL_SCHEDULER}'",
            hint="`dask scheduler` prints its address when it starts",
        )
    return scheduler
