"""Every confusion matrix of all cases once, so that a measure scores it once however many cases it is in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.axioms.properties.search_space import Search
from metaeval.analyses.axioms.properties.spec import FormalProperty, Matrices
from metaeval.measures.spec import Measure, Scores
from metaeval.model.scale import ClassScale

Places = NDArray[np.intp]

BLOCK = 8192
"""Matrices that are scored together: as many as a cache holds."""

NAMING = ("class", "classes", "unrelated")
"""Parameters of measures that name classes."""

_NAMES = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Trial:
    """Cases of one property, as places among candidates.

    before, after: (K,). exchanged: as in `Cases`. exhaustive: whether they are all that have so few items.
    """

    before: Places
    after: Places
    exchanged: tuple[int, int] | None
    exhaustive: bool


@dataclass(frozen=True)
class Candidates:
    """Cases of one number of classes.

    matrices: (P, C, C), each once, in rising lexicographic order. trials: by the name of their property.
    """

    matrices: Matrices
    trials: dict[str, list[Trial]]

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(self.matrices.shape[-1])

    @cached_property
    def items(self) -> Places:
        """Items of each matrix, (P,)."""
        items: Places = self.matrices.sum(axis=(1, 2))
        return items


def candidates_of(properties: Sequence[FormalProperty], search: Search) -> Candidates:
    """The cases of properties in a part of the search."""
    space = search.space()
    made = [
        (declared.name, cases) for declared in properties for cases in declared.make_cases(space) if len(cases.before)
    ]
    if not made:
        return Candidates(space.systems[:0], {})
    stacked = [matrices for _, cases in made for matrices in (cases.before, cases.after)]
    matrices, places = _each_once(np.concatenate(stacked))
    ends = np.cumsum([0, *map(len, stacked)])
    parts = [places[begin:end] for begin, end in pairwise(ends.tolist())]
    trials: dict[str, list[Trial]] = {}
    for number, (name, cases) in enumerate(made):
        trial = Trial(parts[2 * number], parts[2 * number + 1], cases.exchanged, search.is_exhaustive)
        trials.setdefault(name, []).append(trial)
    return Candidates(matrices, trials)


def _each_once(matrices: Matrices) -> tuple[Matrices, Places]:
    """The distinct matrices in rising lexicographic order, and where each is among them."""
    # As bytes, the high ones first, counts compare like numbers, and a matrix is one thing to sort.
    bytewise = np.ascontiguousarray(matrices.reshape(len(matrices), -1).astype(">u4"))
    whole = bytewise.view(np.dtype((np.void, bytewise.shape[1] * bytewise.itemsize))).ravel()
    _, first, places = np.unique(whole, return_index=True, return_inverse=True)
    return matrices[first], places


def scale_of(measure: Measure, classes: int) -> ClassScale | None:
    """Ordered classes for a measure, in equal steps: those it names, then a, b, c …; None where it names more.

    Weights rise 1 : 2 : 3 … and sum to 1.

    >>> from metaeval.measures.spec import measure
    >>> str(scale_of(measure("fnc1-score"), 3))
    'unrelated<a<b'
    """
    given = {name: value for name, value in measure.parameters.items() if name in NAMING and value is not None}
    named = [label for value in given.values() for label in str(value).split("+")]
    if len(named) > classes:
        return None
    labels = [*named, *(name for name in _NAMES if name not in named)][:classes]
    weights = [place / (classes * (classes + 1) / 2) for place in range(1, classes + 1)]
    return ClassScale(tuple(labels), ordered=True, weights=tuple(weights))


def exchanged(scale: ClassScale, classes: tuple[int, int] | None) -> ClassScale:
    """The scale with two classes in each other's place, names, weights and all."""
    if classes is None:
        return scale
    one, other = classes
    order = list(range(len(scale)))
    order[one], order[other] = other, one
    weights = scale.class_weights()[order].tolist()
    return ClassScale(tuple(scale.labels[place] for place in order), scale.ordered, weights=tuple(weights))


class CandidateScores:
    """What a measure gives the matrices of candidates: each at most once for a scale."""

    def __init__(self, measure: Measure, candidates: Candidates, scale: ClassScale) -> None:
        self.measure = measure
        self.candidates = candidates
        self.scale = scale
        self._by_scale: dict[tuple[int, int] | None, Scores] = {}

    def at(self, places: Places, exchange: tuple[int, int] | None) -> Scores:
        """Scores (K,) of the matrices at `places`, on the scale with two classes exchanged."""
        # Who does not see the scale can't see that it changes.
        seen = exchange if self.measure.declaration.takes_scale else None
        if seen not in self._by_scale:
            self._by_scale[seen] = self._all(exchanged(self.scale, seen), self._wanted(seen))
        return self._by_scale[seen][places]

    def _wanted(self, exchange: tuple[int, int] | None) -> NDArray[np.bool_]:
        """Which matrices are ever asked for on a scale, (P,)."""
        wanted = np.full(len(self.candidates.matrices), exchange is None)
        for trials in self.candidates.trials.values() if exchange is not None else ():
            for trial in trials:
                if trial.exchanged == exchange:
                    wanted[trial.after] = True
        return wanted

    def _all(self, scale: ClassScale, wanted: NDArray[np.bool_]) -> Scores:
        scores = np.full(len(wanted), np.nan)
        places = np.flatnonzero(wanted)
        for begin in range(0, len(places), BLOCK):
            block = places[begin : begin + BLOCK]
            scores[block] = self.measure(self.candidates.matrices[block], scale)
        return scores
