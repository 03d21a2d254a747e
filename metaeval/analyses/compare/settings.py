"""Settings of the comparison of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from metaeval.settings import AnalysisSettings, Path, Text, Texts, alpha, choice, path, several, text, whole

Over: TypeAlias = Literal["items", "runs", "both"]


@dataclass(frozen=True, kw_only=True)
class CompareSettings(AnalysisSettings, section="compare"):
    """Which systems are significantly better than others?

    Differences of all pairs of systems, or of each system from a baseline, under each measure: p-values adjusted for
    all of them, and simultaneous intervals. For all pairs also the ranks that each system may have, letters, tiers, the
    systems that may be the best, and how probably each is. Of a single system, its score with an interval.

    >>> import metaeval
    >>> names = ["atlas_large", "atlas_base"]
    >>> result = metaeval.compare("configs/stance.yaml", "accuracy", systems=names, permutations=199)
    >>> [len(result.to_pandas()), result.command]
    [1, 'compare']

    \b
    metaeval compare --config configs/stance.yaml --system atlas_large --system atlas_base
    metaeval compare --config configs/stance.yaml -m cem-ord -m accuracy
    metaeval compare --config configs/stance.yaml -m accuracy --baseline neighbour_net
    metaeval compare --task table sample_data/seeds/scores.csv --replicate seed --over runs -m exact-match
    """

    systems: Texts = several(
        Text(), (), "System to compare", flag="--system", metavar="NAME", default_text="all systems"
    )
    baseline: str | None = text(
        None, "System with which each of the others is compared", metavar="NAME", default_text="none: all pairs"
    )
    revised: Path = path(None, "File of revised gold, in the layout of gold: what it changes, and whether by chance")
    over: Over | None = choice(
        None,
        "What differences are tested for: other items of these runs, other runs on these items, or both",
        get_args(Over),
        metavar="OVER",
        default_text="both with at least three runs of each system and without revised gold, else items",
    )
    permutations: int = whole(4999, "Number of random sign changes of the groups of items", at_least=1)
    alpha: float = alpha()
