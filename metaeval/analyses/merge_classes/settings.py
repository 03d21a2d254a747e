"""Settings of `merge-classes`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from metaeval.settings import AnalysisSettings, Text, Texts, flag, numbers_by_name, several, whole


@dataclass(frozen=True, kw_only=True)
class MergeSettings(AnalysisSettings, section="merge-classes"):
    """Does a measure notice the distinction between classes?

    Merges classes of the scale, ranks the systems again, and compares the new ranking with the original one by
    Kendall's tau-b. A lower tau means that the measure makes more use of the distinction. By default, every pair of
    classes is merged; of more than ten classes, each and the next one, or, where they have no order, all but one.
    Errors of the rankings make tau lower, too; measures are therefore compared by the tau that is corrected for their
    unreliability.

    >>> import metaeval
    >>> result = metaeval.merge_classes("configs/stance.yaml", "accuracy", adjacent=True, permutations=0)
    >>> result.to_pandas().columns.tolist()
    ['measure', 'disagree+discuss', 'discuss+agree', 'mean']

    \b
    metaeval merge-classes --config configs/stance.yaml
    metaeval merge-classes --config configs/stance.yaml --merge disagree+discuss
    """

    merges: Texts = several(
        Text(),
        (),
        "Classes to merge, or a:rest for all but a",
        flag="--merge",
        metavar="a+b",
        default_text="every pair",
    )
    adjacent: bool = flag(False, "Merge only adjacent classes of an ordered scale")
    balance: bool = flag(False, "Draw samples in which every gold class is as frequent as the rarest one")
    trials: int = whole(1000, "Number of balanced samples", at_least=1)
    permutations: int = whole(
        4999, "Number of random sign changes of the groups of items; 0 for no intervals and tests"
    )
    merged_values: Mapping[str, float] | None = numbers_by_name(
        "Values of merged classes, if the classes have declared values", metavar="a+b=1.5"
    )

    def overlaid(self, **values: Any) -> Self:
        """Replace settings; named merges and adjacent ones exclude each other, so that either resets the other."""
        base = self
        if values.get("merges"):
            values["adjacent"] = bool(values.get("adjacent"))
        elif values.get("adjacent"):
            base = replace(self, merges=())
        return super(MergeSettings, base).overlaid(**values)

    def signature(self) -> Iterator[tuple[str, str]]:
        """Leaves out the number of trials or of permutations, whichever is not used."""
        unused = "permutations" if self.balance else "trials"
        return ((key, value) for key, value in super().signature() if key != unused)
