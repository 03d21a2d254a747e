"""What some studies can give and others can't: an analysis asks for it, and never what kind of study it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from metaeval.measures import Measure
    from metaeval.model.labels import ClassRuns, LabelledRuns, NumericRuns
    from metaeval.model.scale import ClassScale
    from metaeval.model.scores import ItemScores, ScoreCube
    from metaeval.model.texts import DerivationRuns, TextRuns
    from metaeval.scoring.labels import LabelSamples
    from metaeval.scoring.resamples import Samples

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Capability(Generic[T]):
    """Something that a study may have. found, expected, hint: of the error where it is needed and missing."""

    name: str
    found: str
    expected: str
    hint: str


@dataclass(frozen=True)
class LabelData:
    """Systems that predict classes. samples: the items, for samples of them, made when they are asked for."""

    runs: ClassRuns
    measures: tuple[Measure, ...]
    samples: Callable[[], LabelSamples]


@dataclass(frozen=True)
class CorrectLabels:
    """Which items systems get right.

    correct: 1 where a system predicts the gold class, else 0, (S, N). multiplicities: how many items each one stands
    for, (N,).
    """

    correct: NDArray[np.float64]
    multiplicities: NDArray[np.int64]


@dataclass(frozen=True)
class Predictions:
    """Labels or numbers that systems predicted for items with ids.

    numeric: whether they are numbers. score: systems by their names and what each predicted, (S, N), as samples of the
    items and under the measures of the study.
    """

    runs: LabelledRuns | NumericRuns
    numeric: bool
    score: Callable[[Sequence[str], NDArray[Any]], tuple[Samples, ScoreCube]]


SwappedDifferences: TypeAlias = "Callable[[tuple[int, int], int, np.random.SeedSequence], NDArray[np.float64]]"
"""By places of two systems, number of resamples and seed: their oriented differences after swaps, (M, B)."""


@dataclass(frozen=True)
class Rescoring:
    """The systems under other measures than those of the study.

    measures: those of the study. score: scores under measures, and those of single items where there are such; the
    text describes the work in a progress bar.
    """

    measures: tuple[Measure, ...]
    score: Callable[[Sequence[Measure], str], tuple[ScoreCube, ItemScores | None]]


@dataclass(frozen=True)
class Reweighting:
    """The systems under measures whose classes have other weights.

    scale: the classes with their weights in the study. score: scores by a scale with other weights.
    """

    scale: ClassScale
    score: Callable[[ClassScale, Sequence[Measure]], ScoreCube]


TrivialScores: TypeAlias = "Callable[[int], tuple[ScoreCube, tuple[str, ...]]]"
"""By seed the scores of the systems and of trivial ones after them, and the names of these."""


@dataclass(frozen=True)
class GamingSystems:
    """Trivial systems that a good measure scores low.

    scores: their scores under the measures of the study by a random seed, (M, K). notes: about these systems.
    """

    scores: Callable[[int], ScoreCube]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReferencedRuns:
    """Systems that are scored against references of items.

    score: the scores of the items of runs against their references, under the measures of the study, (M, S, N); its
    last argument describes the work, for a progress bar.
    """

    runs: TextRuns | DerivationRuns
    score: Callable[[TextRuns | DerivationRuns, str], ItemScores]


@dataclass(frozen=True)
class AdditiveMeasures:
    """The measures that are means over items, given gold.

    places: of these measures among those of the study. worths: by place what each item is worth to each system, (S, N),
    higher better; NaN where it is undefined.
    """

    places: tuple[int, ...]
    worths: Callable[[int], NDArray[np.float64]]


LABELS: Capability[LabelData] = Capability(
    "labels",
    found="{what} with --task {task}, where there are none",
    expected="data with labels",
    hint="similarity and stability do without classes",
)
ITEM_SCORES: Capability[ItemScores] = Capability(
    "item scores",
    found="{what} with --task {task}",
    expected="--task texts, r4c or table",
    hint="measures of labels are computed from counts over all items: leave --per-item out",
)
TRIVIAL: Capability[TrivialScores] = Capability(
    "trivial systems",
    found="{what} with --task {task}",
    expected="data with labels",
    hint="leave --trivial out",
)
SWAPS: Capability[SwappedDifferences] = Capability(
    "swaps of answers",
    found="{what}, and items that are not held one by one",
    expected="items whose answers can be swapped",
    hint="say --test bootstrap",
)
CORRECT: Capability[CorrectLabels] = Capability(
    "correct labels",
    found="{what} with --task {task}",
    expected="labels that are held one by one",
    hint="leave it out",
)
PREDICTIONS: Capability[Predictions] = Capability(
    "predictions",
    found="{what}, and items whose ids were not kept",
    expected="data that were read in memory",
    hint="say --engine memory, if the memory holds them",
)
GAMING: Capability[GamingSystems] = Capability(
    "trivial systems beside the real ones",
    found="{what} with --task {task}, where nobody can score them",
    expected="labels, texts or derivations",
    hint="score such systems with the tool that made the table",
)
RESCORE: Capability[Rescoring] = Capability(
    "scores under other measures",
    found="{what} with --task {task}, whose scores are given",
    expected="labels, texts or derivations",
    hint="",
)
REWEIGHTED: Capability[Reweighting] = Capability(
    "scores with other class weights",
    found="{what} with --task {task}",
    expected="data with labels",
    hint="",
)
REFERENCES: Capability[ReferencedRuns] = Capability(
    "references",
    found="{what} with --task {task}",
    expected="--task texts or r4c",
    hint="",
)
ADDITIVE: Capability[AdditiveMeasures] = Capability(
    "scores of single items whose mean is the score",
    found="{what}, and items that are not held one by one",
    expected="items whose answers can be swapped",
    hint="say --test bootstrap",
)
