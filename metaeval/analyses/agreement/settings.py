"""Settings of the agreement of annotators and of the tests of judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from metaeval.errors import conflict, leave_out, refuse, setting
from metaeval.settings import (
    PYTHON,
    YAML,
    AnalysisSettings,
    Choice,
    FileOrName,
    FilePath,
    Number,
    Option,
    Paths,
    Texts,
    choice,
    number,
    numbers_by_name,
    several,
    text,
)
from metaeval.settings.options import (
    CLUSTER_FLAG,
    OUTSIDE_YAML,
    classes,
    excluded_systems,
    human_names,
    new_labels,
)

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
    hint="0.2 for experts, 0.15 for skilled annotators, 0.1 for crowd workers",
)


@dataclass(frozen=True, kw_only=True)
class AgreementSettings(AnalysisSettings, section="agreement", in_signature=False):
    """Do annotators agree, and could a judge replace one of them?

    RATINGS are a table with a column of people's labels and one of a judge's (case_id, human_label, judge_label), or
    files with a row for each rating (annotator, item, label), a column for each annotator (item, ann, bob, …), or one
    annotator in each file (item, label); with a column 'system' if systems were rated. Ratings are numbers, or words
    that are declared as labels, or occur in the columns of people and of a judge; they may be missing.

    Computes Krippendorff's alpha, Fleiss' and Cohen's kappa, Kendall's W, and correlations of each pair of annotators
    and of each with the mean of the others. Judges, such as language models, are compared with people: agreement, each
    class, Gwet's AC, Matthews' correlation, intraclass correlations and limits of agreement; and with several people
    tested with the alternative annotator test of Calderon et al. (2025).

    >>> import metaeval
    >>> ratings = {"item": ["q1", "q2", "q3"], "ann": [1, 2, 3], "bob": [1, 2, 2]}
    >>> result = metaeval.agreement(ratings, levels="nominal")
    >>> result.to_pandas().set_index("statistic")["value"]["alpha:level=nominal"].item()
    0.54...

    \b
    metaeval agreement sample_data/tsc3/human.csv
    metaeval agreement sample_data/tsc3/human.csv --by system
    metaeval agreement sample_data/tsc3/human.csv --judge D5
    metaeval agreement sample_data/judged/labels.csv --cluster topic --group system --exclude-system 'kin-*'
    """

    ratings: Paths = several(
        FilePath(), (), "Files of ratings", default_text="the human scores of the data", where=frozenset({YAML, PYTHON})
    )
    judge_column: str | None = text(
        None,
        "Column of annotators in files with a row for each rating",
        metavar="NAME",
        default_text="annotator, judge, rater, worker, user, with _id or _name, or measure",
    )
    id_column: str | None = text(
        None, "Column of item ids", metavar="NAME", default_text="item, id", where=OUTSIDE_YAML
    )
    label_column: str | None = text(
        None,
        "Column of ratings in files with a row for each rating",
        metavar="NAME",
        default_text="label, labels, rating, value, score",
        where=OUTSIDE_YAML,
    )
    labels: Labels = classes(
        "Classes of ratings that are words: 'low<mid<high' with order, 'support,deny,query' without; "
        "other ratings are numbers"
    )
    map_labels: Mapping[str, str] | None = new_labels(where=OUTSIDE_YAML)
    class_values: Mapping[str, float] | None = numbers_by_name(
        "Values of ordered classes (default: equal steps)", metavar="a=1,b=5", where=OUTSIDE_YAML
    )
    levels: Levels = several(
        Choice(get_args(Level), what="level"),
        (),
        "Level of Krippendorff's alpha: nominal, ordinal, interval or ratio",
        flag="--level",
        metavar="LEVEL",
        default_text="that of the ratings, then all that suit them, except ratio",
    )
    by: Unit = choice(
        "cell",
        "Compare single ratings (default) or system means",
        get_args(Unit),
        metavar="cell|system",
        what="unit",
        default_text=None,
    )
    clusters: str | None = text(
        None,
        "Column whose values group the items into clusters, of the ratings or FILE:COLUMN",
        flag=CLUSTER_FLAG,
        metavar="COLUMN",
        default_text="none",
    )
    judges: Paths = several(
        FileOrName(),
        (),
        "Judge to compare with people, and to test as a replacement for one of them: a file (folder, pattern, "
        "name=path) with its ratings, or the name or a pattern of a column or annotator, who is then left out of the "
        "others",
        flag="--judge",
        metavar="FILE|NAME",
        default_text="columns judge…, prediction, model beside one of people",
    )
    humans: Texts = human_names(
        "Column of people's labels, or name of an annotator, or a pattern of them: only these count as people",
        "columns human…, annotator…, gold beside one of a judge; without a judge all",
    )
    exclude_systems: Texts = excluded_systems(where=OUTSIDE_YAML)
    positive: str | None = text(
        None,
        "Class to be found (default: the rarer of two)",
        metavar="LABEL",
        default_text=None,
    )
    group: str | None = text(
        None,
        "Column whose values are groups of items or outputs: is the judge as good on each as on the others?",
        metavar="COLUMN",
        default_text="none",
    )
    replicates: str | None = text(
        None,
        "Column with the repeated runs of the judge",
        flag="--replicate",
        metavar="COLUMN",
        default_text=None,
    )
    epsilon: float = number(
        0.2,
        "Margin by which the judge may be closer to the other annotators less often than an annotator: 0.2 "
        "(default) for experts, 0.1 for crowd workers",
        metavar="E",
        default_text=None,
        kind=_EPSILON,
    )
    alignment: Alignment | None = choice(
        None,
        "Closeness of judge and annotators: root mean squared difference (rmse, default for numbers) or share "
        "of equal ratings (accuracy, default for words)",
        get_args(Alignment),
        metavar="accuracy|rmse",
        default_text=None,
    )

    def check(self) -> None:
        """Clusters are those of the items."""
        if self.clusters is not None and self.by == "system":
            hint = leave_out(setting("clusters"))
            raise refuse(None, conflict(f"clusters {self.clusters}", setting("by", "system"), "items as units", hint))
        if self.group is not None and self.by == "system":
            hint = leave_out(setting("by", "system"))
            raise refuse(None, conflict(setting("group", self.group), setting("by", "system"), "one of both", hint))
