"""Settings of the correction of a judge's scores by human ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from metaeval.settings import PYTHON, YAML, AnalysisSettings, FilePath, Number, Paths, choice, number, several, text
from metaeval.settings.options import OUTSIDE_YAML, classes, cluster_column, new_labels

if TYPE_CHECKING:
    from metaeval.study.runs import LabelsOption

Method: TypeAlias = Literal["ppi", "rogan-gladen"]


@dataclass(frozen=True, kw_only=True)
class CorrectSettings(AnalysisSettings, section="correct", in_signature=False):
    """What are the scores if a judge rates all items, people some?

    SCORES are tables with the columns system, item, judge and human; human is empty where no person scored. Without a
    column 'system' each file is a system. Scores are numbers, or words of two classes that are declared as labels.

    Computes the mean of each system from both: for labels of two classes by the sensitivity and specificity of the
    judge (Rogan and Gladen), for other scores by prediction-powered inference (PPI++). Beside it stand the means of the
    judge and of the human scores alone, and how many human scores the judge is worth. Ranks, differences of systems and
    their tests are those of the corrected means.

    >>> import metaeval
    >>> scores = {"system": ["a"] * 6, "item": range(6), "judge": [1, 2, 3, 2, 4, 1], "human": [2, 3, 4, None, None, 2]}
    >>> metaeval.correct(scores).to_pandas()["corrected"].item()
    3.02...

    \b
    metaeval correct sample_data/judged/scores.csv
    metaeval correct sample_data/judged/labels.csv --labels 'no<yes' --interval-width 0.1
    """

    scores: Paths = several(FilePath(), (), "Tables of scores", where=frozenset({YAML, PYTHON}))
    judge_column: str = text("judge", "Column of the judge's scores", metavar="NAME")
    human_column: str = text("human", "Column of the human scores", metavar="NAME")
    id_column: str | None = text(
        None, "Column of item ids", metavar="NAME", default_text="item, id", where=OUTSIDE_YAML
    )
    labels: LabelsOption = classes(
        "The two classes of scores that are words, the better one last: 'no<yes'; other scores are numbers"
    )
    map_labels: Mapping[str, str] | None = new_labels(where=OUTSIDE_YAML)
    clusters: str | None = cluster_column(
        "Column whose values group the items into clusters, of the scores or FILE:COLUMN", "none"
    )
    method: Method | None = choice(
        None,
        "Prediction-powered inference (ppi), if the items that people scored are a random sample, or by "
        "sensitivity and specificity (rogan-gladen)",
        get_args(Method),
        metavar="ppi|rogan-gladen",
        default_text="rogan-gladen for labels of two classes, else ppi",
    )
    interval_width: float | None = number(
        None,
        "Width of an interval of a mean: adds the number of human scores that it takes",
        metavar="W",
        kind=Number(above=0),
        default_text=None,
    )
