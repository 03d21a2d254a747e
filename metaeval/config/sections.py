"""What an experiment is made of: frozen dataclasses, one for each section of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Literal, get_args

from metaeval.errors import InputError, UnknownName
from metaeval.io.held import Held
from metaeval.io.policies import ERROR, Policies, Policy
from metaeval.io.source import Source, open_source
from metaeval.model.report import SourceFile
from metaeval.model.scale import ClassScale
from metaeval.stats.agreement import Level
from metaeval.stats.association import COEFFICIENTS as ASSOCIATIONS
from metaeval.stats.association import LEVELS
from metaeval.stats.judges import EPSILON
from metaeval.stats.rank_correlation import COEFFICIENTS

Alignment = Literal["accuracy", "rmse"]
"""How close a judge is to annotators: alike, or near in numbers."""

ALPHA_LEVELS: tuple[Level, ...] = get_args(Level)
AGREEMENT_UNITS = ("cell", "system")
"""What annotators agree on: each rating, or the mean of a system."""

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


def _check_counts(section: object, **least: int) -> None:
    """Raise an `InputError` where an attribute is no whole number, or below the least it may be."""
    for name, at_least in least.items():
        value = getattr(section, name)
        if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < at_least:
            raise InputError.at(found=f"{name} {value!r}", expected=f"a whole number of at least {at_least}")


@dataclass(frozen=True)
class DataConfig:
    """Which files, and how they are read; None and empty mean: not said.

    gold, runs: paths. task: a name of `io.tasks.TASKS`. labels: the scale. class_weights, class_values: by class.
    drop_gold: gold classes to leave out. on_missing, on_unknown: policies. on_extra: 'error' or 'drop'.
    id_column, label_column: of tidy files. tokenizer: a name of `measures.text.tokenizers.TOKENIZERS`; lexicon: where
    semantic labels of words come from. sources: texts that the systems were given. lower_is_better: measures of a table
    of scores of which less is better. human: files of ratings, or measures of the table that are people. memory: data
    that have no file; `gold`, `runs` and `human` know them by their paths.
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
    plot: a file for a plot of the main table.
    """

    format: str = "table"
    digits: int = 4
    output: str | None = None
    directory: str | None = None
    plot: str | None = None


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
        _check_counts(self, bootstrap=0)
        if self.coefficient not in COEFFICIENTS:
            raise UnknownName("coefficient", self.coefficient, COEFFICIENTS)
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
        _check_counts(self, trials=1, permutations=1)
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

    def __post_init__(self) -> None:
        _check_counts(self, trials=1, bootstrap=0)

    def choosing(self, merge: tuple[str, ...], *, adjacent: bool | None) -> MergeConfig:
        """With other merges: those by name and those of neighbours exclude each other, and what is said last counts."""
        if merge:
            return replace(self, merge=merge, adjacent=bool(adjacent))
        return self if adjacent is None else replace(self, merge=() if adjacent else self.merge, adjacent=adjacent)


@dataclass(frozen=True)
class ReferencesConfig:
    """How scores against fewer references are found.

    trials: draws for intervals. subsets: of the references of an item, at most, for each size.
    """

    trials: int = 1000
    subsets: int = 50

    def __post_init__(self) -> None:
        _check_counts(self, trials=1, subsets=1)


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
        _check_counts(self, resamples=1, permutations=1)
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
class AgreementConfig:
    """How the agreement of annotators is told.

    annotator_column: of tidy files; None for the usual names. levels: of alpha; empty for those that make sense.
    by: what they agree on, of `AGREEMENT_UNITS`. bootstrap: replicates for intervals, 0 for none.
    judges: files, or annotators who are judges here. epsilon: how much less often than an annotator a judge may be the
    closer one. alignment: what close means; None for what the ratings suggest.
    """

    annotator_column: str | None = None
    levels: tuple[Level, ...] = ()
    by: str = "cell"
    bootstrap: int = 1000
    judges: tuple[str, ...] = ()
    epsilon: float = EPSILON["experts"]
    alignment: Alignment | None = None

    def __post_init__(self) -> None:
        _check_counts(self, bootstrap=0)
        for level in self.levels:
            if level not in ALPHA_LEVELS:
                raise UnknownName("level", level, ALPHA_LEVELS)
        if self.by not in AGREEMENT_UNITS:
            raise UnknownName("unit", self.by, AGREEMENT_UNITS)
        if self.alignment is not None and self.alignment not in get_args(Alignment):
            raise UnknownName("alignment", self.alignment, get_args(Alignment))
        if not 0 <= self.epsilon < 1:
            raise InputError.at(
                found=f"epsilon {self.epsilon:g}",
                expected="a share of at least 0 and below 1",
                hint=", ".join(f"{value:g} where annotators are {who}" for who, value in EPSILON.items()),
            )


@dataclass(frozen=True)
class RobustnessConfig:
    """How trivial systems are put among the real ones; there is nothing to set."""


@dataclass(frozen=True)
class SummaryConfig:
    """All criteria in one table; how each is computed stands in its own section."""


@dataclass(frozen=True)
class CheckConfig:
    """What a result has to stand up to.

    fail_if: conditions on cells of tables, none of which may hold. baseline: a file of an earlier run, whose systems
    may not have become significantly worse. alpha: the level of that. resamples: of the items, for it. save_baseline: a
    file for this run, to be a baseline.
    """

    fail_if: tuple[str, ...] = ()
    baseline: str | None = None
    alpha: float = 0.05
    resamples: int = 1999
    save_baseline: str | None = None

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise InputError.at(found=f"alpha {self.alpha:g}", expected="a level between 0 and 1, as 0.05")


@dataclass(frozen=True)
class ExperimentConfig:
    """A whole experiment.

    measures: names of the ones asked for; preset: a named set of them; with neither, those of the task.
    score … agreement: the analyses; None where a section is absent. check: what they have to stand up to.
    workers: how many threads share the work. memory: bytes that a block of it may take. file: the YAML it came from.
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
    check: CheckConfig | None = None
    workers: int = 1
    memory: int = DEFAULT_MEMORY
    output: OutputConfig = OutputConfig()
    file: SourceFile | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        _check_counts(self, seed=0, workers=1)
