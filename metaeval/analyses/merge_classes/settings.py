"""Which classes are merged, and how samples are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from metaeval.settings import AnalysisSettings, Text, Texts, flag, numbers_by_name, several, whole


@dataclass(frozen=True, kw_only=True)
class MergeSettings(AnalysisSettings, section="merge-classes"):
    """Does a measure notice the distinction between classes?

    Merges classes of the scale, ranks the systems again, and compares with the original ranking by Kendall's tau. The
    lower, the more a measure uses the distinction. All pairs of classes are merged unless --merge or --adjacent says
    otherwise.

    >>> import metaeval
    >>> result = metaeval.merge_classes("configs/stance.yaml", "accuracy", adjacent=True, resamples=0)
    >>> result.to_pandas().columns.tolist()
    ['measure', 'disagree+discuss', 'discuss+agree', 'mean']

    \b
    metaeval merge-classes --config configs/stance.yaml
    """

    merges: Texts = several(
        Text(), (), "Merge these classes; repeatable", flag="--merge", metavar="a+b", default_text=None
    )
    adjacent: bool = flag(False, "Merge neighbours of an ordered scale only")
    balance: bool = flag(False, "Draw gold classes down to the rarest, --trials times")
    trials: int = whole(1000, "Balanced samples", at_least=1)
    resamples: int = whole(1000, "Replicates for intervals", default_text="1000; 0: none")
    merged_values: Mapping[str, float] | None = numbers_by_name(
        "Values of merged classes, where classes have declared values", metavar="a+b=1.5"
    )

    def overlaid(self, **given: Any) -> Self:
        """Merges by name and those of neighbours exclude each other: what is said last counts."""
        if given.get("merges"):
            given["adjacent"] = bool(given.get("adjacent"))
        base = self if not given.get("adjacent") or given.get("merges") else super().overlaid()._without_merges()
        return super(MergeSettings, base).overlaid(**given)

    def _without_merges(self) -> Self:
        from dataclasses import replace

        return replace(self, merges=())

    def signature(self) -> Iterator[tuple[str, str]]:
        """Samples are either balanced or bootstrapped."""
        unused = "resamples" if self.balance else "trials"
        return ((key, value) for key, value in super().signature() if key != unused)
