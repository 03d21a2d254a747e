"""Measures of distributions over classes, such as soft labels and class shares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

import numpy as np

from metaeval.arrays import Bools, Scores
from metaeval.measures import text as text  # these precede the measures of distributions in the documentation
from metaeval.measures.declare import register
from metaeval.measures.margins import distances
from metaeval.measures.parameters import ByParameter, ScaleType, Trait, common_parameter, read_parameters
from metaeval.measures.spec import Declaration, Measure
from metaeval.model.runs import DataKind
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

LEVEL = common_parameter(
    "level",
    "mean of the scores of the items (item), or the score of the class shares of a whole run against those of gold, as "
    "in quantification (run)",
    *("item", "run"),
)

BOTH_WAYS = frozenset({Trait.SYMMETRIC, Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT})
ONE_WAY = BOTH_WAYS - {Trait.SYMMETRIC}


def distribution_measure(
    name: str,
    *,
    traits: frozenset[Trait] | ByParameter[frozenset[Trait]] = BOTH_WAYS,
    parameters: Mapping[str, str] | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
    **declared: Any,
) -> Callable[[FunctionT], FunctionT]:
    """Declare a function of distributions as a measure; lower is better. declared: fields of `Declaration`.

    The function takes predicted and gold probabilities, (..., C) each, and returns scores (...); the keyword `scale` is
    as in `label_measure`.
    """

    def declare(function: FunctionT) -> FunctionT:
        declaration = Declaration(
            name=name,
            function=function,
            better=Direction.LOWER,
            undefined="never",
            traits=traits,
            parameters=(*read_parameters(function, dict(parameters or {}), limits=limits), LEVEL),
            reads=DataKind.DISTRIBUTIONS,
            **{"scale": ScaleType.NOMINAL, **declared},
        )
        register(declaration)
        return function

    return declare


def is_run_level(measure: Measure) -> bool:
    """Whether a score is of the class shares of a whole run."""
    return measure.parameters[LEVEL.name] == "run"


def compare(measure: Measure, predicted: Scores, gold: Scores, scale: ClassScale) -> Scores:
    """Scores (...) of predicted distributions (..., C) against gold (..., C)."""
    arguments = measure.arguments
    del arguments[LEVEL.argument]
    if measure.declaration.takes_scale:
        arguments["scale"] = scale
    scores: Scores = measure.declaration.function(predicted, gold, **arguments)
    return scores


@distribution_measure(
    "nmd",
    title="Normalised match distance",
    question="how far probability has to move to reach gold, in steps of the classes",
    source="sakai2021",
    formula="Σ_j |P_j − G_j| / (C − 1), P and G cumulative",
    scale=ScaleType.ORDINAL,
)
def nmd(predicted: Scores, gold: Scores) -> Scores:
    """Difference of the cumulative distributions (earth mover's distance), as a share of the largest possible."""
    return np.asarray(_cumulative(predicted, gold).sum(axis=-1) / max(gold.shape[-1] - 1, 1))


@distribution_measure(
    "rnod",
    title="Root normalised order-aware divergence",
    question="how far the distribution is from gold, with errors in distant classes counted more",
    source="sakai2021",
    formula="√(mean over i of Σ_j |i − j| (p_j − g_j)² / (C − 1)), i with g_i > 0, or all i",
    scale=ScaleType.ORDINAL,
    traits=ByParameter("over", {"gold": ONE_WAY, "all": BOTH_WAYS}),
    parameters={"over": "classes i of the mean: those with some probability in gold, or all"},
)
def rnod(predicted: Scores, gold: Scores, *, over: Literal["gold", "all"] = "gold") -> Scores:
    """Squared differences weighted by their distance from each class of gold, as a root of their normalised mean."""
    return np.sqrt(_order_aware(predicted, gold, np.ones_like(gold, dtype=np.bool_) if over == "all" else gold > 0))


@distribution_measure(
    "rsnod",
    title="Root symmetric normalised order-aware divergence",
    question="how far the distribution and gold are from each other, with errors in distant classes counted more",
    source="sakai2021",
    formula="√((RNOD(p, g)² + RNOD(g, p)²) / 2)",
    scale=ScaleType.ORDINAL,
)
def rsnod(predicted: Scores, gold: Scores) -> Scores:
    """Quadratic mean of the root normalised order-aware divergences in both directions."""
    both = _order_aware(predicted, gold, gold > 0) + _order_aware(gold, predicted, predicted > 0)
    return np.sqrt(both / 2)


@distribution_measure(
    "jsd",
    title="Jensen–Shannon divergence",
    question="how much the distribution and gold differ from their mean, in bits",
    source="lin1991",
    formula="H((p + g) / 2) − (H(p) + H(g)) / 2, H the entropy in bits",
)
def jsd(predicted: Scores, gold: Scores) -> Scores:
    """Divergence of both distributions from their mean, with logarithms to base 2."""
    mean = _entropy((predicted + gold) / 2)
    return np.clip(mean - (_entropy(predicted) + _entropy(gold)) / 2, 0.0, 1.0)


@distribution_measure(
    "nvd",
    title="Normalised variational distance",
    question="how much probability is in other classes than in gold",
    source="sakai2021",
    formula="Σ_j |p_j − g_j| / 2",
)
def nvd(predicted: Scores, gold: Scores) -> Scores:
    """Half the sum of absolute differences (total variation): half the Manhattan distance of LeWiDi."""
    return np.asarray(np.abs(predicted - gold).sum(axis=-1) / 2)


@distribution_measure(
    "wasserstein",
    title="Wasserstein distance",
    question="how far probability has to move to reach gold, in class values",
    source="leonardelli2025",
    formula="Σ_j |P_j − G_j| (v_j+1 − v_j), P and G cumulative, v the class values",
    bounds=(0.0, np.inf),
    scale=ScaleType.INTERVAL,
)
def wasserstein(predicted: Scores, gold: Scores, *, scale: ClassScale) -> Scores:
    """Earth mover's distance between the distributions over the class values (equally spaced unless declared)."""
    return np.asarray(_cumulative(predicted, gold) @ np.diff(scale.class_values()))


@distribution_measure(
    "cross-entropy",
    title="Cross-entropy",
    question="how surprising gold is for the predicted distribution",
    source="leonardelli2023",
    formula="−Σ_j g_j ln max(p_j, ε)",
    bounds=(0.0, np.inf),
    traits=ONE_WAY,
    parameters={"epsilon": "lowest probability: predictions below it are replaced by it"},
    limits={"epsilon": (1e-300, 1.0)},
)
def cross_entropy(predicted: Scores, gold: Scores, *, epsilon: float = 1e-12) -> Scores:
    """Mean negative logarithm of the predicted probabilities under gold; of equal distributions it is their entropy."""
    return np.asarray(-(gold * np.log(np.clip(predicted, epsilon, 1.0))).sum(axis=-1) + 0.0)


@distribution_measure(
    "brier",
    title="Brier score",
    question="how far the probabilities are from gold, squared",
    source="brier1950",
    formula="Σ_j (p_j − g_j)²",
    bounds=(0.0, 2.0),
)
def brier(predicted: Scores, gold: Scores) -> Scores:
    """Sum of squared differences of the probabilities."""
    return np.asarray(np.square(predicted - gold).sum(axis=-1))


def _cumulative(predicted: Scores, gold: Scores) -> Scores:
    """Absolute differences of the cumulative distributions after each class but the last, (..., C − 1)."""
    return np.asarray(np.abs(np.cumsum(predicted - gold, axis=-1)[..., :-1]))


def _order_aware(predicted: Scores, gold: Scores, classes: Bools) -> Scores:
    """Mean over classes (..., C) of the squared differences weighted by distance, divided by the largest distance."""
    number = gold.shape[-1]
    weighted = np.square(predicted - gold) @ distances(number)
    normaliser = classes.sum(axis=-1) * max(number - 1, 1)
    return np.asarray((weighted * classes).sum(axis=-1) / normaliser)


def _entropy(shares: Scores) -> Scores:
    """Entropy in bits."""
    logarithms = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(-(shares * logarithms).sum(axis=-1))
