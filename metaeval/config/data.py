"""Which files an experiment reads, and how: options as everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

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
    numbers_by_name,
    path,
    several,
    text,
)
from metaeval.settings.kinds import OneOf, Place
from metaeval.settings.options import PYTHON, YAML, Lazy

if TYPE_CHECKING:
    from metaeval.io.files.source import InMemorySource, Source
    from metaeval.io.files.yaml_text import Located
    from metaeval.io.labels.policies import Policies, Policy
    from metaeval.model.scale import ClassScale

DEFAULT_TASK = "labels"
DEFAULT_TOKENIZER = "rouge"
ENGINES = ("memory", "duckdb")


def _task(_name: str, text: str) -> str:
    from metaeval.io.labels.tasks import TASKS

    return TASKS[text].name


def _tokenizer(_name: str, text: str) -> str:
    from metaeval.measures.text.tokenizers import TOKENIZERS

    return TOKENIZERS[text].name


def _scale(_name: str, text: str) -> ClassScale:
    from metaeval.model.scale import ClassScale

    return ClassScale.parse(text)


def _scale_of_yaml(node: Located) -> ClassScale:
    from metaeval.io.files import yaml_values

    return yaml_values.scale(node)


def _is_scale(value: object) -> bool:
    from metaeval.model.scale import ClassScale

    return isinstance(value, ClassScale)


def _no_lexicon_file(word: str, _place: Place) -> bool:
    from metaeval.measures.text.lexicons import is_lexicon_file

    return not is_lexicon_file(word)


def _parsed_policy(name: str, text: str) -> Policy:
    from metaeval.io.labels.policies import Policy

    return Policy.parse(text, option=name)


def _is_policy(value: object) -> bool:
    from metaeval.io.labels.policies import Policy

    return isinstance(value, Policy)


def _error() -> Policy:
    from metaeval.io.labels.policies import ERROR

    return ERROR


def policy(help: str) -> Any:
    """An option that takes a policy."""
    kind = Parsed(_parsed_policy, _is_policy)
    return Option(kind, Lazy(_error), help, metavar="POLICY", default_text=None)


_SCALE = Parsed(_scale, _is_scale, _scale_of_yaml)


Engine: TypeAlias = Literal["memory", "duckdb"]


@dataclass(frozen=True)
class DataConfig(Settings):
    """Which files, and how they are read; None and empty stand for the default.

    Parameters
    ----------
    memory
        Data without a file, to which `gold`, `runs` and `human` refer by their paths.
    """

    gold: Path = path(None, "Gold labels, or references; '-' is standard input")
    runs: Paths = several(NamedFile(), (), "What systems predicted or wrote", where=frozenset({YAML, PYTHON}))
    task: str = Option(  # type: ignore[assignment]
        Parsed(_task), DEFAULT_TASK,
        "What the files are: fnc1, rumoureval2017, rumoureval2019, rumoureval2019-b, labels (the default: tidy, wide "
        "or one label a line), scores (systems predict numbers), texts (outputs and references), r4c (derivations) or "
        "table (scores that another tool gave each item)", metavar="TASK", default_text=None,
    )  # fmt: skip
    labels: Option[str | ClassScale | None, ClassScale | None] = Option(
        _SCALE, None, "The classes: 'disagree<discuss<agree' with order from low to high, 'support,deny,query' without",
        metavar="CLASSES",
    )  # fmt: skip
    class_weights: Mapping[str, float] | None = numbers_by_name("How much each class matters, for weighted measures")
    class_values: Mapping[str, float] | None = numbers_by_name(
        "Values of ordered classes; equal steps by default", metavar="a=1,b=5"
    )
    drop_gold: Texts = several(Text(), (), "Leave out items of this gold class; repeatable", metavar="CLASS",
                               default_text=None)  # fmt: skip
    on_missing: Option[str | Policy, Policy] = policy(
        "An item without a prediction: error (default), drop, worst (the class farthest from gold, or an empty text) "
        "or label:NAME"
    )
    on_unknown: Option[str | Policy, Policy] = policy("A prediction outside the classes: the same policies")
    on_extra: Literal["error", "drop"] = Option(  # type: ignore[assignment]
        OneOf(("error", "drop")), "error", "Predictions for ids that are not in gold", metavar="error|drop",
        default_text=None,
    )  # fmt: skip
    id_column: str | None = text(None, "Column of item ids in tidy files", metavar="NAME", default_text="id")
    label_column: str | None = text(
        None, "Column of labels (default: label), texts (text) or scores (value)", metavar="NAME", default_text=None
    )
    tokenizer: str = Option(  # type: ignore[assignment]
        Parsed(_tokenizer), DEFAULT_TOKENIZER,
        "How sentences become words: rouge (default: ASCII letters and digits, lower case), whitespace, characters or "
        "japanese", metavar="NAME", default_text=None,
    )  # fmt: skip
    lexicon: Path = Option(
        FileOrName(_no_lexicon_file), None,
        "Semantic labels of words, for esk: a file 'word<TAB>label label…', sudachi, wordnet:NAME or "
        "wordnet-hypernyms:NAME",
    )  # fmt: skip
    human: Paths = several(
        FileOrName(lambda word, place: place.table and not place.exists(word)), (),
        "What people think: a table of ratings, or with --task table one of its measures; repeatable",
        default_text=None, metavar="FILE|NAME",
    )  # fmt: skip
    sources: Path = path(None, "Texts that the systems were given, in the layout of outputs", metavar="FILE|DIR")
    lower_is_better: Texts = several(Text(), (), "A measure of a table of which less is better; repeatable",
                                     metavar="NAME", default_text=None)  # fmt: skip
    engine: Engine | None = Option(  # type: ignore[assignment]
        OneOf(ENGINES), None, "What reads Parquet of labels; by default duckdb from 64 MB or 16 million cells on, and "
        "for partitions",
    )  # fmt: skip
    memory: tuple[InMemorySource, ...] = field(default=(), repr=False)

    @property
    def policies(self) -> Policies:
        """What the join does where things do not fit."""
        from metaeval.io.labels.policies import Policies

        return Policies(self.on_missing, self.on_unknown, self.on_extra == "drop", self.drop_gold)

    def holds(self, path: str) -> bool:
        """Whether a path stands for data in memory.

        Parameters
        ----------
        path
            Name of the data.
        """
        return any(held.path == path for held in self.memory)

    def open(self, path: str, role: str) -> Source:
        """The data in memory of that name, otherwise the file.

        Parameters
        ----------
        path
            Name of the data, or a file.
        role
            'gold', 'run' or another role, for provenance.
        """
        from metaeval.io.files.source import open_source

        return next((held for held in self.memory if held.path == path), None) or open_source(path, role)
