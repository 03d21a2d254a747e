"""Which systems are compared, and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from metaeval.settings import AnalysisSettings, Text, Texts, alpha, choice, flag, options_of, several, whole

Test: TypeAlias = Literal["bootstrap", "permutation", "tukey"]
Correction: TypeAlias = Literal["holm", "bh", "none"]
"""Of p-values for the number of pairs: Holm, Benjamini and Hochberg, or none."""

DEFAULT_RESAMPLES, MAX_RESAMPLES = 5000, 50_000
"""Resamples where none are given: usually, and at most. The scores of all resamples are in memory at once, which takes
at most 0.4 MB per system and measure; the maximum is enough for 50 systems at 0.05."""


@dataclass(frozen=True, kw_only=True)
class CompareSettings(AnalysisSettings, section="compare"):
    """Which systems are better than which?

    Differences of every two systems, or of the first that is named and each of the others, with intervals and p-values
    under every measure; of all pairs also ranks with intervals, and tiers of systems that can't be told apart.

    >>> import metaeval
    >>> names = ["atlas_large", "atlas_base"]
    >>> result = metaeval.compare("configs/stance.yaml", "accuracy", systems=names, resamples=200)
    >>> [len(result.to_pandas()), result.command]
    [1, 'compare']

    \b
    metaeval compare --config configs/stance.yaml --system atlas_large --system atlas_base
    metaeval compare --config configs/stance.yaml -m cem-ord -m accuracy
    """

    systems: Texts = several(
        Text(), (), "Compare this one", flag="--system", metavar="NAME", default_text="all systems"
    )
    all_pairs: bool | None = flag(
        None, "Each with each, or only the first with the others", off="--first",
        default_text="each with each, unless --system is given",
    )  # fmt: skip
    test: Test = choice(
        "bootstrap", "bootstrap (default, paired), permutation (of answers between two systems) or tukey",
        get_args(Test), metavar="TEST", default_text=None,
    )  # fmt: skip
    correction: Correction = choice(
        "holm", "For several pairs: holm (default), bh or none", get_args(Correction), metavar="HOW",
        what="adjustment", default_text=None,
    )  # fmt: skip
    resamples: int | None = whole(
        None, "Samples or permutations", at_least=1, auto="auto",
        default_text=f"{DEFAULT_RESAMPLES}, or as many as so many pairs take, at most {MAX_RESAMPLES}",
    )  # fmt: skip
    alpha: float = alpha("Level of the tests")

    def signature(self) -> Iterator[tuple[str, str]]:
        """Without a correction for Tukey's test, which has its own; with `all-pairs` where it is False."""
        fields = dict(super().signature())
        if self.test == "tukey":
            fields.pop("correction")
        if self.all_pairs is False:
            fields["all-pairs"] = "no"
        return ((option.key, fields[option.key]) for option in options_of(type(self)).values() if option.key in fields)
