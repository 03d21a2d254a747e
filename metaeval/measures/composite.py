"""The mean of several measures of labels, as shared tasks that have two official measures announce it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

import numpy as np

from metaeval.arrays import Counts, Scores
from metaeval.errors import invalid, refuse
from metaeval.measures.declare import label_measure
from metaeval.measures.parameters import ByParameter, ScaleType
from metaeval.measures.spec import Measure, Trait, measure
from metaeval.model.runs import DataKind
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction

MEAN = "mean"
DEFAULT = "accuracy+macro-f1"

Value = TypeVar("Value")


@lru_cache(maxsize=64)
def parts_of(text: str) -> tuple[Measure, ...]:
    """The measures of a mean: joined by +, or by / where one of them has a +; their parameters follow a colon each.

    >>> [str(part) for part in parts_of("accuracy/macro-f1:average=weighted:classes=a+b")]
    ['accuracy', 'macro-f1:average=weighted,classes=a+b']
    """
    parts = []
    for part in text.split("/" if "/" in text else "+"):
        name, colon, parameters = part.partition(":")
        candidate = measure(name + colon + parameters.replace(":", ","))
        candidate.check_reads(DataKind.LABELS)
        if candidate.declaration.name == MEAN or candidate.better is not Direction.HIGHER:
            where, hint = f" in {MEAN}:of={text}", "name other measures, such as those between 0 and 1"
            raise refuse(None, invalid("part", part, "a measure of which higher scores are better", where, hint))
        parts.append(candidate)
    if len(set(parts)) < 2:
        raise refuse(None, invalid("mean", f"of={text}", "two or more different measures", hint=f"use of={DEFAULT}"))
    return tuple(parts)


class _OfParts(dict[str, Value]):
    """What a mean declares, from what its measures declare."""

    def __init__(self, derive: Callable[[tuple[Measure, ...]], Value]) -> None:
        super().__init__()
        self.derive = derive

    def __missing__(self, text: str) -> Value:
        return self.derive(parts_of(text))


def _scale(parts: tuple[Measure, ...]) -> ScaleType:
    scale_types = {part.scale_type for part in parts}
    return next(scale for scale in (ScaleType.INTERVAL, ScaleType.ORDINAL, ScaleType.NOMINAL) if scale in scale_types)


def _bounds(parts: tuple[Measure, ...]) -> tuple[float, float]:
    low, high = np.mean([part.bounds for part in parts], axis=0).tolist()
    return low, high


def _traits(parts: tuple[Measure, ...]) -> frozenset[Trait]:
    return frozenset.intersection(*(part.traits for part in parts))


@label_measure(
    MEAN,
    title="Mean of measures",
    question="how high are several measures together",
    bounds=ByParameter("of", _OfParts(_bounds)),
    scale=ByParameter("of", _OfParts(_scale)),
    source="caruana2004",
    formula="(m_1 + … + m_k) / k of k measures",
    undefined="one of the measures is undefined",
    traits=ByParameter("of", _OfParts(_traits)),
    parameters={
        "of": "measures, joined by +, or by / if one of them has a +, with : before each of their parameters, as in "
        "accuracy/macro-f1:average=weighted:classes=a+b"
    },
    examples={"of": "accuracy+f1-of-averages"},
)
def mean_of_measures(counts: Counts, *, scale: ClassScale, of: str = DEFAULT) -> Scores:
    """Mean of the scores under several measures of which higher scores are better."""
    return np.asarray(np.mean([part(counts, scale) for part in parts_of(of)], axis=0))
