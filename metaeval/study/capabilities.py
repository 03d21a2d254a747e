"""Capabilities of studies: an analysis asks for what it needs, and never what kind of study it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from metaeval.arrays import Indices
from metaeval.errors import InputError, conflict, refuse, setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from metaeval.inference.parts import Parts
    from metaeval.measures import Measure
    from metaeval.model.runs import ClassRuns, DerivationRuns, DistributionRuns, LabelledRuns, NumericRuns, TextRuns
    from metaeval.model.scale import ClassScale
    from metaeval.model.scores import ItemScores, ScoreCube
    from metaeval.scoring.evaluation import Plan
    from metaeval.scoring.labels import MergedScores
    from metaeval.scoring.resamples import Draw

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Capability(Generic[T]):
    """Something that a study may have.

    attribute: of the study, a value or a method. reason: why a study may lack it; empty where the task says it.
    expected, hint: of the error where an analysis needs it; both are computed when the error is raised, because
    settings are spelled as its reader writes them.
    """

    attribute: str
    expected: Callable[[], str]
    reason: str = ""
    hint: Callable[[], str] = str

    def missing(self, what: str, task: str) -> InputError:
        """The error of a study of this task that lacks it; what: the analysis that needs it."""
        other = setting("task", task) + (f", {self.reason}" if self.reason else "")
        return refuse(None, conflict(what, other, self.expected(), self.hint()))


@dataclass(frozen=True)
class Merges:
    """The systems on scales with merged classes, results of `ClassScale.merge`.

    scale: that of the study. check: raises an `InputError` where a measure cannot be computed on a scale.
    score: scores on each scale. parts: from the group of each item, None for random groups of a new generator, to a
    function from a scale to the parts under each measure. cell_parts: the same for small groups; see `GroupParts`.
    balanced: scores of so many samples in which gold classes are equally frequent; None where gold is no class.
    """

    scale: ClassScale
    check: Callable[[Measure, ClassScale], None]
    score: Callable[[Sequence[ClassScale]], MergedScores]
    parts: Callable[[Indices | None, Callable[[], np.random.Generator]], Callable[[ClassScale], list[Parts]]]
    cell_parts: Callable[[ClassScale, Indices], list[Parts]]
    balanced: Callable[[Sequence[ClassScale], int], Plan[Draw, MergedScores]] | None = None


Rescore: TypeAlias = "Callable[[Sequence[Measure], str], tuple[ScoreCube, ItemScores | None]]"
"""From other measures, and a text for a progress bar, to scores, and those of single items where these exist."""


MEAN_RECALL = "weighted-accuracy:weights=inverse"
"""The mean of the recalls of the gold classes, under which every constant system scores the same."""


@dataclass(frozen=True)
class GamingSystems:
    """Trivial systems that a good measure scores low.

    score: from a random seed to their scores under the measures of the study, (M, K), and the parts of all systems,
    the trivial ones last; None where items are not stored one by one. notes: about these systems.
    by_recall: the same under the mean of the recalls of the gold classes, for labels.
    """

    score: Callable[[int], tuple[ScoreCube, GroupParts | None]]
    notes: tuple[str, ...] = ()
    by_recall: Callable[[int], tuple[ScoreCube, GroupParts | None]] | None = None


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

    indices: of these measures among those of the study. worths: from such an index to what each item adds to
    each system, (S, N), higher is better; NaN where it is undefined.
    """

    indices: tuple[int, ...]
    worths: Callable[[int], NDArray[np.float64]]


@dataclass(frozen=True)
class Replicates:
    """Repeated runs of systems. additive: the measures that are means over items. system_of_run: the system of each."""

    additive: AdditiveMeasures
    system_of_run: Indices


@dataclass(frozen=True)
class GroupParts:
    """What groups of items add to the scores.

    by_group: from the group of each item, (N,), and a source of random groups, to the parts under each measure of the
    study; None for the groups in which the study was counted, or random ones. by_cell: the same for small groups, such
    as the cells of two crossed columns. with_gold: `by_group` where gold varies, too; None where it does not matter.
    """

    by_group: Callable[[Indices | None, np.random.Generator], list[Parts]]
    by_cell: Callable[[Indices], list[Parts]]
    with_gold: Callable[[Indices | None, np.random.Generator], list[Parts]] | None = None


PARTS: Capability[GroupParts] = Capability(
    "group_parts",
    lambda: "labels, texts, derivations or scores of single items",
    hint=lambda: "compare measures of predicted numbers by similarity",
)
LABELS: Capability[ClassRuns] = Capability("runs", lambda: "data with labels")
MERGES: Capability[Merges] = Capability("merges", lambda: "data with labels or distributions")
DISTRIBUTIONS: Capability[DistributionRuns] = Capability("runs", lambda: setting("task", "distributions"))
ITEM_SCORES: Capability[ItemScores] = Capability(
    "item_scores",
    lambda: "texts, derivations, distributions or a table of scores",
)
PREDICTIONS: Capability[LabelledRuns | NumericRuns] = Capability(
    "runs",
    lambda: "data that were read into memory",
    "whose item ids were not stored",
    hint=lambda: f"if memory is large enough for the data, choose {setting('engine', 'memory')}",
)
GAMING: Capability[GamingSystems] = Capability(
    "gaming",
    lambda: "labels, texts or derivations",
    "where only scores are known",
    hint=lambda: "score such systems with the tool that made the table",
)
RESCORE: Capability[Rescore] = Capability(
    "rescore", lambda: "labels, texts or derivations", "where only scores are known"
)
REWEIGHTED: Capability[ClassRuns | NumericRuns] = Capability("runs", lambda: "data with labels")
"""Systems whose measures may weight classes."""
REFERENCES: Capability[ReferencedRuns] = Capability(
    "references", lambda: f"{setting('task', 'texts')} or {setting('task', 'r4c')}"
)
ADDITIVE: Capability[AdditiveMeasures] = Capability(
    "additive", lambda: "items in memory", "where items are not stored one by one"
)
REPLICATES: Capability[Replicates] = Capability("replicates", lambda: "several runs of a system")
