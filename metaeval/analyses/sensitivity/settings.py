"""Settings of `sensitivity`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from metaeval.settings import AnalysisSettings, Option, Path, Text, by_name, choice, path, several

if TYPE_CHECKING:
    from metaeval.study.runs import HumanRatings

Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall-b", "kendall-c", "kendall-a", "pairwise-accuracy"]


def _axes(grid: object) -> object:
    """The axes of a grid as texts, also where they are a mapping by name."""
    return by_name(grid) if isinstance(grid, Mapping) else grid


@dataclass(frozen=True, kw_only=True)
class SensitivitySettings(AnalysisSettings, section="sensitivity"):
    """What does a parameter do?

    Scores the systems at every point of a grid of parameters, or with several weightings of the classes, and compares
    the rankings. With human scores, it also finds the point with the highest correlation, and the share of points that
    are nearly as good.

    >>> import metaeval
    >>> result = metaeval.sensitivity("configs/stance.yaml", "f-beta", grid={"beta": [0.5, 1, 2]})
    >>> [row["beta"] for row in result.to_dict()["tables"]["sensitivity"]]
    ['0.5', '1', '2']

    \b
    metaeval sensitivity --config configs/tsc3.yaml -m esk:d=2 --human sample_data/tsc3/human.csv \\
        --grid lambda=0:1:0.1 --grid beta=0.5:4.5:0.5
    metaeval sensitivity --config configs/stance.yaml -m f-beta --grid beta=0.5,1,2
    """

    grid: Option[str | Sequence[str] | Mapping[str, object], tuple[str, ...]] = several(
        Text(),
        (),
        "Values of a parameter, both ends included, or NAME=VALUE,VALUE; repeatable",
        default_text=None,
        metavar="NAME=FROM:TO:STEP",
        as_items=_axes,
    )
    weights: Path = path(None, "Weightings of the classes: CSV 'weights,CLASS,CLASS…', a row for each weighting")
    coefficient: Coefficient = choice(
        "pearson", "Coefficient of the correlation with human scores", get_args(Coefficient), what="coefficient"
    )

    human: InitVar[HumanRatings | None] = None
