"""Settings of the correction of a judge's scores by human ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from metaeval.settings import (
    PYTHON,
    YAML,
    AnalysisSettings,
    FilePath,
    Number,
    Paths,
    Texts,
    choice,
    number,
    several,
    text,
    whole,
)
from metaeval.settings.options import (
    OUTSIDE_YAML,
    classes,
    cluster_column,
    excluded_systems,
    group_column,
    new_labels,
    replicate_column,
)

if TYPE_CHECKING:
    from metaeval.study.runs import LabelsOption

Sample: TypeAlias = Literal["random", "verdict", "class"]


@dataclass(frozen=True, kw_only=True)
class CorrectSettings(AnalysisSettings, section="correct", in_signature=False):
    """What are the scores if a judge rates all items, people some?

    SCORES are tables with a row for each answer: columns of the judge and of people, whose cells are empty where no
    person scored, and of the item and the system. Without a system each file is one. Scores are numbers, or words.

    Computes the mean of each system from both, by prediction-powered inference (PPI++) if the items that people scored
    are a random sample, by the judge's sensitivity and specificity (Rogan and Gladen) if they are as many of each
    class, and with weights of the judge's verdicts if they were chosen by these. Beside it stand the means of the judge
    and of the human scores alone. Ranks, differences of systems and their tests are those of the corrected means.

    >>> import metaeval
    >>> scores = {"item": range(20), "judge": [1, 0] * 5 + [1] * 10, "human": [1, 0] * 4 + [0, 0] + [None] * 10}
    >>> round(metaeval.correct(scores, sampled_by="verdict").to_pandas()["corrected"].item(), 3)
    0.6

    \b
    metaeval correct sample_data/judged/scores.csv
    metaeval correct sample_data/judged/labels.csv --labels 'no<yes' --interval-width 0.1
    metaeval correct sample_data/judged/labels.csv --labels 'no<yes' --group topic
    metaeval correct sample_data/judged/labels.csv --labels 'no<yes' --label 30 --table to_label -f csv
    """

    scores: Paths = several(FilePath(), (), "Tables of scores", where=frozenset({YAML, PYTHON}))
    judge_column: str | None = text(
        None, "Column of the judge's scores", metavar="NAME", default_text="judge, judge_label and the like"
    )
    human_column: str | None = text(
        None, "Column of the human scores", metavar="NAME", default_text="human, human_label and the like"
    )
    id_column: str | None = text(
        None, "Column of item ids", metavar="NAME", default_text="item, id", where=OUTSIDE_YAML
    )
    exclude_systems: Texts = excluded_systems(where=OUTSIDE_YAML)
    labels: LabelsOption = classes(
        "The two classes of scores that are words, the better one last, as 'no<yes', or with a tie, as "
        "'loss<tie<win'; other scores are numbers"
    )
    map_labels: Mapping[str, str] | None = new_labels(where=OUTSIDE_YAML)
    clusters: str | None = cluster_column(
        "Column whose values group the items into clusters, of the scores or FILE:COLUMN", "none"
    )
    group: str | None = group_column("items")
    replicates: str | None = replicate_column("the judge")
    sampled_by: Sample | None = choice(
        None,
        "How people chose the items that they scored: a random sample, by the judge's verdicts, or by their class",
        get_args(Sample),
        metavar="random|verdict|class",
        default_text="random, unless the judge's scores of these items show another choice",
    )
    label: int | None = whole(
        None, "Number of items of each system to list that people should score next", at_least=1, metavar="N"
    )
    interval_width: float | None = number(
        None,
        "Width of an interval of a mean: adds the number of human scores that it takes",
        metavar="W",
        kind=Number(above=0),
        default_text=None,
    )
