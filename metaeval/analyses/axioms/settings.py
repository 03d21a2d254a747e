"""Settings of the check of formal properties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from metaeval.settings import AnalysisSettings, Choice, Option, several, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

Property: TypeAlias = Literal[
    "ordinal-invariance",
    "ordinal-monotonicity",
    "imbalance",
    "nearer",
    "bounded",
    "perfect-best",
    "perfect-only",
    "mended",
    "relabelling",
    "swap",
    "prior",
    "replication",
    "chance",
]

OfDistributions: TypeAlias = Literal[
    "mass-nearer", "point-farther", "toward-gold", "gold-best", "gold-only", "exchange"
]

if TYPE_CHECKING:
    Any_: TypeAlias = Property | OfDistributions
    Properties: TypeAlias = Option[Any_ | Sequence[Any_], tuple[Any_, ...]]


@dataclass(frozen=True, kw_only=True)
class AxiomsSettings(AnalysisSettings, section="axioms", in_signature=False):
    """Which formal properties does a measure have?

    Ordinal invariance, monotonicity and imbalance, invariances, chance correction and the score of a perfect system are
    checked on all small confusion matrices and on random ones; the smallest counter-examples are printed. By default
    every measure of labels is checked; measures of distributions have properties of their own.

    >>> import metaeval
    >>> metaeval.axioms(["cem-ord", "accuracy"], properties="imbalance", cases=10).command
    'axioms'

    \b
    metaeval axioms -m cem-ord -m accuracy
    metaeval axioms --preset stance-nine --property imbalance
    """

    properties: Properties = several(
        Choice((*get_args(Property), *get_args(OfDistributions)), what="property"),
        (),
        "Property to check",
        flag="--property",
        default_text="all",
    )
    cases: int = whole(500, "Number of random systems for each number of classes")
