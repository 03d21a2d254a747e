"""Declarations of measures that compare a predicted distribution over classes with that of gold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from metaeval.arrays import Scores
from metaeval.measures.declare import register
from metaeval.measures.parameters import ByParameter, Parameter, ScaleType, Trait, read_parameters
from metaeval.measures.spec import Declaration, Measure
from metaeval.model.data_kind import DataKind
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

LEVEL = Parameter(
    name="level",
    argument="level",
    type=str,
    default="item",
    choices=("item", "run"),
    meaning="mean of the scores of the items (item), or the score of the class shares of a whole run against those of "
    "gold, as in quantification (run)",
    common=True,
)

BOTH_WAYS = frozenset({Trait.SYMMETRIC, Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT})
ONE_WAY = BOTH_WAYS - {Trait.SYMMETRIC}


def distribution_measure(
    name: str,
    *,
    title: str,
    question: str,
    source: str,
    formula: str,
    bounds: tuple[float, float] = (0.0, 1.0),
    scale: ScaleType = ScaleType.NOMINAL,
    traits: frozenset[Trait] | ByParameter[frozenset[Trait]] = BOTH_WAYS,
    parameters: Mapping[str, str] | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
) -> Callable[[FunctionT], FunctionT]:
    """Declare a function of distributions as a measure; lower is better.

    The function takes predicted and gold probabilities, (..., C) each, and returns scores (...); the keyword `scale` is
    as in `label_measure`.
    """

    def declare(function: FunctionT) -> FunctionT:
        read = read_parameters(function, dict(parameters or {}), limits=limits or {})
        register(
            Declaration(
                name=name,
                title=title,
                question=question,
                function=function,
                better=Direction.LOWER,
                bounds=bounds,
                scale=scale,
                source=source,
                formula=formula,
                undefined="never",
                traits=traits,
                parameters=(*read, LEVEL),
                reads=DataKind.DISTRIBUTIONS,
            )
        )
        return function

    return declare


def of_whole_runs(measure: Measure) -> bool:
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
