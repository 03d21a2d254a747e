"""The settings of the data of an experiment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from metaeval.settings import (
    FileOrName,
    NamedFile,
    Option,
    Parsed,
    Path,
    Paths,
    Settings,
    Text,
    Texts,
    flag,
    numbers_by_name,
    path,
    several,
    text,
)
from metaeval.settings.kinds import FileContext, OneOf
from metaeval.settings.options import (
    CLUSTER_FLAG,
    PYTHON,
    YAML,
    Lazy,
    excluded_measures,
    excluded_systems,
    new_labels,
    patterns,
)

if TYPE_CHECKING:
    from metaeval.errors import InvalidRun
    from metaeval.io.files.run_files import SystemChoice
    from metaeval.io.files.source import InMemorySource, Source
    from metaeval.io.files.yaml import Located
    from metaeval.io.groups import Membership
    from metaeval.io.labels.columns import Columns
    from metaeval.io.labels.join import Policies, Policy
    from metaeval.model.scale import ClassScale

ENGINES = ("memory", "duckdb")

NO_CLUSTERS = "none"
"""Stands for independent items."""


def _task(_name: str, text: str) -> str:
    from metaeval.io.labels.tasks import TASKS

    return TASKS[text].name


def _tasks() -> Iterable[str]:
    from metaeval.io.labels.tasks import TASKS

    return TASKS


def _tokenizer(_name: str, text: str) -> str:
    from metaeval.measures.text.words import TOKENIZERS

    return TOKENIZERS[text].name


def _encoding(name: str, text: str) -> str:
    from metaeval.errors import bad_setting, refuse

    try:
        "a".encode(text).decode(text)
    except (LookupError, UnicodeError, ValueError):
        expected = "an encoding of Python, such as utf-8, cp1252, latin-1, utf-16 or shift_jis"
        raise refuse(None, bad_setting(name, text, expected)) from None
    return text


def _scale(_name: str, text: str) -> ClassScale:
    from metaeval.model.scale import ClassScale

    return ClassScale.parse(text)


def _scale_of_yaml(node: Located) -> ClassScale:
    from metaeval.io.files import yaml

    return yaml.scale(node)


def _is_scale(value: object) -> bool:
    from metaeval.model.scale import ClassScale

    return isinstance(value, ClassScale)


def _no_lexicon_file(word: str, _context: FileContext) -> bool:
    from metaeval.measures.text.lexicons import is_lexicon_file

    return not is_lexicon_file(word)


def _parsed_policy(name: str, text: str) -> Policy:
    from metaeval.io.labels.join import Policy

    return Policy.parse(text, option=name)


def _is_policy(value: object) -> bool:
    from metaeval.io.labels.join import Policy

    return isinstance(value, Policy)


def _error() -> Policy:
    from metaeval.io.labels.join import ERROR

    return ERROR


_POLICY = Parsed(_parsed_policy, _is_policy)
_SCALE = Parsed(_scale, _is_scale, _scale_of_yaml)
Engine: TypeAlias = Literal["memory", "duckdb"]


@dataclass(frozen=True)
class DataConfig(Settings):
    """Files and how they are read. None and empty sequences mean the default.

    Parameters
    ----------
    memory
        Data in memory, to which `gold`, `runs` and `human` refer by their paths, and files that were read before.
    member
        The group to which the data are restricted.
    invalid
        Runs that are left out because they were found to be invalid.
    gaps
        Whether the analyses can compare systems that lack scores of items.
    """

    gold: Path = path(None, "File of gold labels, or files of reference texts; '-' is standard input")
    runs: Paths = several(NamedFile(), (), "Files of predictions or texts of systems", where=frozenset({YAML, PYTHON}))
    task: str = Option(  # type: ignore[assignment]
        Parsed(_task, names=_tasks),
        "labels",
        "Task of the files: fnc1, rumoureval2017, rumoureval2019, rumoureval2019-b, labels (default: tidy, wide or one "
        "label per line), scores (numeric predictions), texts (outputs and references), r4c (derivations), "
        "distributions (over classes), table (item scores of another tool), or the scores of a tool in its own format, "
        "such as mtme, trec, lm-eval or every-eval-ever",
        metavar="TASK",
        default_text=None,
    )
    labels: Option[str | ClassScale | None, ClassScale | None] = Option(
        _SCALE,
        None,
        "Classes: ordered from low to high 'disagree<discuss<agree', or unordered 'support,deny,query'",
        metavar="CLASSES",
    )
    class_weights: Mapping[str, float] | None = numbers_by_name("Class weights for weighted measures")
    class_values: Mapping[str, float] | None = numbers_by_name(
        "Values of ordered classes (default: equally spaced)", metavar="a=1,b=5"
    )
    map_labels: Mapping[str, str] | None = new_labels()
    drop_gold: Texts = several(
        Text(True), (), "Gold class whose items are excluded", metavar="CLASS", default_text=None
    )
    on_missing: Option[str | Policy, Policy] = Option(
        _POLICY,
        Lazy(_error),
        "Policy for items without a prediction: error (default), drop, miss (counts as wrong), worst (the class "
        "farthest from gold, or an empty text), label:NAME, or for tables pairwise (each comparison uses the cells "
        "that both sides have) or zero (a missing score counts as 0)",
        metavar="POLICY",
        default_text=None,
    )
    on_unknown: Option[str | Policy, Policy] = Option(
        _POLICY,
        Lazy(_error),
        "Policy for predictions outside the classes, as for items without a prediction",
        metavar="POLICY",
        default_text=None,
    )
    on_extra: Literal["error", "drop"] = Option(  # type: ignore[assignment]
        OneOf(("error", "drop")),
        "error",
        "Policy for predictions whose ids are not in gold",
        metavar="error|drop",
    )
    encoding: str | None = Option(  # type: ignore[assignment]
        Parsed(_encoding),
        None,
        "Encoding of the files, such as latin-1 or shift_jis",
        metavar="NAME",
        default_text="UTF-8, and cp1252 for lines that are not",
    )
    quoting: Literal["none", "csv"] | None = Option(  # type: ignore[assignment]
        OneOf(("none", "csv")),
        None,
        "Quotes in tables: characters (none), or around cells that may have delimiters and line breaks (csv)",
        metavar="none|csv",
        default_text="csv; in TSV, quotes around a whole cell are left out and others are characters",
    )
    id_column: str | None = text(
        None,
        "Column of item ids in tables, or columns that are the id together: 'item,sentence'",
        metavar="NAME",
        default_text="id",
    )
    label_column: str | None = text(
        None,
        "Column of labels (default: label), texts (default: text) or scores (default: value)",
        metavar="NAME",
        default_text=None,
    )
    gold_column: str | None = text(
        None,
        "Column of gold labels or of references",
        metavar="NAME",
        default_text="gold, target, y_true, human_label …",
    )
    prediction_column: str | None = text(
        None, "Column of labels or texts of a system", metavar="NAME", default_text="prediction, y_pred, judge_label, …"
    )
    system_column: str | None = text(
        None, "Column of the names of systems", metavar="NAME", default_text="system, model, generator, …"
    )
    tokenizer: str = Option(  # type: ignore[assignment]
        Parsed(_tokenizer),
        "rouge",
        "Tokenizer of texts: rouge (default: lower-case ASCII letters and digits), whitespace, characters or japanese",
        metavar="NAME",
        default_text=None,
    )
    lexicon: Path = Option(
        FileOrName(_no_lexicon_file),
        None,
        "Lexicon of semantic labels for esk: a file 'word<TAB>label label…', sudachi, wordnet:NAME or "
        "wordnet-hypernyms:NAME",
    )
    clusters: Texts = several(
        Text(),
        (),
        "Column whose values group the items into clusters, of the gold file, of the table or FILE:COLUMN; "
        "two columns may cross each other; 'none' treats items as independent",
        flag=CLUSTER_FLAG,
        metavar="COLUMN",
        default_text="as the task declares",
    )
    replicates: str | None = text(
        None,
        "Column of a table with the runs of a system, such as random seeds, over which scores are averaged; for "
        "files, name the runs SYSTEM@RUN=PATH",
        flag="--replicate",
        metavar="COLUMN",
        default_text=None,
    )
    group: str | None = text(
        None,
        "Column whose values are groups of items, such as language pairs or domains, of the gold file, of the "
        "table or FILE:COLUMN: each group is analysed alone, and the groups are averaged",
        metavar="COLUMN",
    )
    group_by_file: bool = flag(
        False, "Analyse each run file as a group: a table of scores, or gold and systems in one file"
    )
    human: Paths = several(
        FileOrName(lambda word, context: context.table and not context.exists(word)),
        (),
        "Human scores: a table of ratings, or with task table one of its measures, or a pattern of them",
        default_text=None,
        metavar="FILE|NAME",
    )
    human_pool: Literal["separate", "mean"] = Option(  # type: ignore[assignment]
        OneOf(("separate", "mean")),
        "separate",
        "Several human scores, such as rating dimensions, each by itself (separate), or the mean of raters of the same",
        metavar="separate|mean",
    )
    sources: Path = path(None, "Source texts of the systems, in the layout of outputs", metavar="FILE|DIR")
    only_systems: Texts = patterns("systems, as in the shell: only these are evaluated", "--only-system")
    exclude_systems: Texts = excluded_systems()
    exclude_measures: Texts = excluded_measures()
    skip_invalid: bool = flag(False, "Leave out invalid runs, which table rejected lists, if others are valid")
    lower_is_better: Texts = several(
        Text(), (), "Measure of a table for which lower is better", metavar="NAME", default_text=None
    )
    ratios: Texts = several(
        Text(),
        (),
        "Measure of a table that is a ratio of the sums of two columns, as in wer=edits/words",
        flag="--ratio",
        metavar="NAME=COLUMN/COLUMN",
        default_text=None,
    )
    f_scores: Texts = several(
        Text(),
        (),
        "Measure of a table that is the F1 of the sums of true positives, false positives and false "
        "negatives, as in span-f1=tp,fp,fn",
        flag="--f-score",
        metavar="NAME=TP,FP,FN",
        default_text=None,
    )
    engine: Engine | None = Option(  # type: ignore[assignment]
        OneOf(ENGINES),
        None,
        "Reader of Parquet files of labels",
        default_text="duckdb for partitions, and from 64 MB or 16 million cells",
    )
    memory: tuple[InMemorySource, ...] = field(default=(), repr=False)
    member: Membership | None = field(default=None, repr=False)
    invalid: tuple[InvalidRun, ...] = field(default=(), repr=False)
    gaps: bool = field(default=True, repr=False)

    @property
    def policies(self) -> Policies:
        """The policies for joining gold and predictions."""
        from metaeval.io.labels.join import Policies

        return Policies(
            self.on_missing,
            self.on_unknown,
            self.on_extra == "drop",
            self.drop_gold,
            self.systems,
            map_labels=self.map_labels or {},
            gaps=self.gaps,
        )

    @property
    def systems(self) -> SystemChoice:
        """The systems that are evaluated."""
        from metaeval.io.files.run_files import SystemChoice

        all_systems = self.member.systems if self.member else None
        invalid = tuple(run.system for run in self.invalid)
        return SystemChoice(self.only_systems, self.exclude_systems, all_systems=all_systems, invalid=invalid)

    @property
    def columns(self) -> Columns:
        """The columns of tidy and wide files that are named."""
        from metaeval.io.labels.columns import Columns

        files = (self.gold, *self.runs)
        columns = (*self.clusters, *([self.group] if self.group is not None else []))
        clusters = (name.removeprefix(f"{file}:") for name in columns for file in files if name != NO_CLUSTERS)
        return Columns(
            id=self.id_column,
            label=self.label_column,
            clusters=tuple(dict.fromkeys(clusters)),
            replicates=self.replicates,
            gold=self.gold_column,
            prediction=self.prediction_column,
            system=self.system_column,
        )

    def holds(self, path: str) -> bool:
        """Whether a path refers to data in memory.

        Parameters
        ----------
        path
            Path of the data.
        """
        return any(source.path == path and source.origin is None for source in self.memory)

    @property
    def has_groups(self) -> bool:
        """Whether there are groups, and the data are not restricted to one."""
        return bool(self.grouping) and self.member is None

    @property
    def grouping(self) -> str:
        """The setting that divides the data into groups; '' without one."""
        from metaeval.errors import setting

        if self.group is not None:
            return setting("group", self.group)
        return setting("group_by_file") if self.group_by_file else ""

    def open(self, path: str, role: str) -> Source:
        """Open data in memory, or else a file.

        Parameters
        ----------
        path
            Path of the data or of the file.
        role
            Role in the provenance, such as 'gold' or 'run'.
        """
        from metaeval.io.files.source import open_source

        in_memory = next((source for source in self.memory if source.path == path), None)
        if in_memory is not None:
            return in_memory
        source = open_source(path, role)
        source = source.in_encoding(self.encoding) if self.encoding is not None else source
        return source.with_quoting(self.quoting) if self.quoting is not None else source

    @property
    def is_table(self) -> bool:
        """Whether the files have scores of single items."""
        from metaeval.io.labels.tasks import TASKS, ScoreTask

        return isinstance(TASKS[self.task], ScoreTask)

    def open_scores(self, path: str, role: str) -> Source:
        """Open a file of scores; that of another tool becomes a table.

        Parameters
        ----------
        path
            Path of the data or of the file.
        role
            Role in the provenance.
        """
        from metaeval.io.files.delimited import InMemoryRows
        from metaeval.io.files.source import InMemorySource
        from metaeval.io.labels.tasks import TASKS, ScoreTask

        source, task = self.open(path, role), TASKS[self.task]
        if not isinstance(task, ScoreTask) or task.rows is None or isinstance(source, InMemorySource):
            return source
        return InMemoryRows.of(source, task.rows(source))
