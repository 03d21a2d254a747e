"""How the agreement of annotators is measured, and how judges are tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from metaeval.settings import (
    COMMAND_LINE,
    PYTHON,
    AnalysisSettings,
    Choice,
    FileOrName,
    Number,
    Option,
    Parsed,
    Paths,
    choice,
    number,
    numbers_by_name,
    several,
    text,
    whole,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metaeval.model.scale import ClassScale

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
Unit: TypeAlias = Literal["cell", "system"]
Alignment: TypeAlias = Literal["accuracy", "rmse"]

if TYPE_CHECKING:
    Levels: TypeAlias = Option[Level | Sequence[Level], tuple[Level, ...]]
    Labels: TypeAlias = Option[str | Sequence[object] | ClassScale | None, str | Sequence[object] | ClassScale | None]

_EPSILON = Number(
    at_least=0,
    below=1,
    expected="a share of at least 0 and below 1",
    hint="0.2 where annotators are experts, 0.15 where annotators are skilled, 0.1 where annotators are crowd",
)

_OUTSIDE_YAML = frozenset({COMMAND_LINE, PYTHON})
"""In a YAML file these options are in the section of the data."""

_SCALE = Parsed(
    lambda _name, written: written, lambda _value: True, type_name="str | Sequence[object] | ClassScale"
)  # fmt: skip
"""The classes as they are written; they become a scale when the ratings are read."""


@dataclass(frozen=True, kw_only=True)
class AgreementSettings(AnalysisSettings, section="agreement", in_signature=False):
    """Do annotators agree? And would a judge do as well?

    RATINGS are files with a row a rating (annotator, item, label), a column an annotator (item, ann, bob, …), or a file
    an annotator (item, label); each with a column 'system' where systems were rated. Ratings are numbers, or words of
    --labels, and may be missing.

    Alpha, Fleiss' and Cohen's kappa, Kendall's W and correlations, of all annotators, of every two, and of each with
    the others. A judge, as a language model, is put to the alternative annotator test of Calderon et al. (2025).

    >>> import metaeval
    >>> ratings = {"item": ["q1", "q2", "q3"], "ann": [1, 2, 3], "bob": [1, 2, 2]}
    >>> result = metaeval.agreement(ratings, levels="nominal", resamples=0)
    >>> result.to_pandas().set_index("statistic")["value"]["alpha:level=nominal"].item()
    0.54...

    \b
    metaeval agreement sample_data/tsc3/human.csv
    metaeval agreement sample_data/tsc3/human.csv --by system
    metaeval agreement sample_data/tsc3/human.csv --judge D5 --resamples 0
    """

    annotator_column: str | None = text(None, "Column of annotators in tidy files", metavar="NAME",
                                        default_text="annotator, rater, measure")  # fmt: skip
    id_column: str | None = text(None, "Column of item ids", metavar="NAME", default_text="item, id",
                                 where=_OUTSIDE_YAML)  # fmt: skip
    label_column: str | None = text(None, "Column of ratings in tidy files", metavar="NAME",
                                    default_text="label, rating, value, score", where=_OUTSIDE_YAML)  # fmt: skip
    labels: Labels = Option(
        _SCALE, None, "Where ratings are words: 'low<mid<high' with order, 'support,deny,query' without. Else they are "
        "numbers", metavar="CLASSES", where=_OUTSIDE_YAML,
    )  # fmt: skip
    class_values: Mapping[str, float] | None = numbers_by_name(
        "Values of ordered classes; equal steps by default", metavar="a=1,b=5", where=_OUTSIDE_YAML
    )
    levels: Levels = several(
        Choice(get_args(Level), "level"), (), "Of Krippendorff's alpha: nominal, ordinal, interval, ratio",
        flag="--level", metavar="LEVEL", default_text="all but ratio, as far as they make sense",
    )  # fmt: skip
    by: Unit = choice(
        "cell", "Compare single ratings (default), or the mean rating of each system over the items", get_args(Unit),
        metavar="cell|system", what="unit", default_text=None,
    )  # fmt: skip
    resamples: int = whole(1000, "Samples for intervals, 0 for none")
    judges: Paths = several(
        FileOrName(), (), "Could this judge replace the annotators? A file (folder, pattern, name=path) with its "
        "ratings, or one of the annotators, who then is none; repeatable", flag="--judge", metavar="FILE|NAME",
        default_text=None,
    )  # fmt: skip
    epsilon: float = number(
        0.2, "How much less often than an annotator the judge may be the closer one: 0.2 (default) for experts, 0.1 "
        "for a crowd", metavar="E", default_text=None, kind=_EPSILON,
    )  # fmt: skip
    alignment: Alignment | None = choice(
        None, "When the judge is close: it says the same (default for words and whole numbers), or it is near",
        get_args(Alignment), metavar="accuracy|rmse", default_text=None,
    )  # fmt: skip
