"""Which settings of measures are tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from metaeval.settings import AnalysisSettings, Option, Path, Text, by_name, choice, path, several

if TYPE_CHECKING:
    from metaeval.study.runs import People

Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall-b", "kendall-c", "kendall-a", "pairwise-accuracy"]


def _axes(grid: object) -> object:
    """Axes of a grid that is given by name, as on the command line."""
    return by_name(grid) if isinstance(grid, Mapping) else grid


@dataclass(frozen=True, kw_only=True)
class SensitivitySettings(AnalysisSettings, section="sensitivity"):
    """What does a parameter do?

    Scores the systems at every point of a grid of parameters, or under several weightings of the classes, and says how
    the ranking changes and, with --human, where the measure follows people best and how flat the top is.

    >>> import metaeval
    >>> result = metaeval.sensitivity("configs/stance.yaml", "f-beta", grid={"beta": [0.5, 1, 2]})
    >>> [row["beta"] for row in result.to_dict()["tables"]["sensitivity"]]
    ['0.5', '1', '2']

    \b
    metaeval sensitivity --config configs/tsc3.yaml -m esk:d=2 --human sample_data/tsc3/human.csv \\
        --grid lambda=0:1:0.1 --grid beta=0.5:4.5:0.5
    """

    grid: Option[str | Sequence[str] | Mapping[str, object], tuple[str, ...]] = several(
        Text(), (), "Values of a parameter, both ends included, or NAME=VALUE,VALUE; repeatable", default_text=None,
        metavar="NAME=FROM:TO:STEP", as_items=_axes,
    )  # fmt: skip
    weights: Path = path(None, "Weightings of the classes: CSV 'weights,CLASS,CLASS…', a row each")
    coefficient: Coefficient = choice(
        "pearson", "Of the correlation with people", get_args(Coefficient), what="coefficient"
    )

    human: InitVar[People | None] = None
