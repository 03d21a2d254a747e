"""The systems that cases are made from: all small ones, then random ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from metaeval.analyses.axioms.properties.spec import FormalProperty, GoldBlindSystems, SearchSpace
from metaeval.arrays import Bools, Indices, Scores
from metaeval.measures.distributions import compare
from metaeval.measures.spec import Measure
from metaeval.model.runs import DataKind
from metaeval.model.scale import ClassScale
from metaeval.scoring.parts import Matrices, all_systems, as_bytes, compositions
from metaeval.stats.resample import Blocks, generator

SYSTEMS_UP_TO = {2: 10, 3: 6, 4: 3}
"""Maximum number of items of the exhaustive confusion matrices, by the number of classes."""

GOLDS_UP_TO = {2: 24, 3: 12, 4: 9}
"""The same for gold totals, in cases that depend on gold alone."""

MIXES_UP_TO = 3
"""Maximum number of parts of the mix that a system predicts if it ignores gold, in the exhaustive search."""

PARTS = 6
"""Number of parts of a random mix."""

RANDOM_CLASSES = (2, 3, 4, 5)
"""Numbers of classes of random systems."""

SYSTEMS_A_BLOCK = 500
"""Number of random systems whose cases are made together."""

MIN_MEAN, MAX_MEAN = 0.2, 8.0
"""Range of the mean number of items in a cell of a random system."""


@dataclass(frozen=True)
class Search:
    """A part of the search, with one number of classes; systems: the number of random ones, 0 for all small ones."""

    classes: int
    systems: int = 0
    seed: np.random.SeedSequence | None = None

    @property
    def is_exhaustive(self) -> bool:
        """Whether the part consists of all small systems."""
        return self.systems == 0

    def space(self) -> SearchSpace:
        """The space that its cases are made from."""
        if self.seed is None:
            return exhaustive_space(self.classes)
        return random_space(self.classes, self.systems, generator(self.seed))


@dataclass(frozen=True)
class _Searches(Sequence[Search]):
    """All small systems, then random ones, each part made when it is read; blocks: for each of `RANDOM_CLASSES`."""

    blocks: tuple[Blocks, ...]

    def __len__(self) -> int:
        return len(SYSTEMS_UP_TO) + sum(map(len, self.blocks))

    def __getitem__(self, index: Any) -> Any:
        index = range(len(self))[index]
        if index < len(SYSTEMS_UP_TO):
            return Search(list(SYSTEMS_UP_TO)[index])
        group, block = divmod(index - len(SYSTEMS_UP_TO), len(self.blocks[0]))
        seed, systems = self.blocks[group][block]
        return Search(RANDOM_CLASSES[group], systems, seed)


def searches(cases: int, *, seed: np.random.SeedSequence) -> Sequence[Search]:
    """The parts of a search: all small systems, then `cases` random ones for each of `RANDOM_CLASSES`, in blocks."""
    seeds = seed.spawn(len(RANDOM_CLASSES))
    return _Searches(tuple(Blocks(class_seed, cases, SYSTEMS_A_BLOCK) for class_seed in seeds))


def exhaustive_space(classes: int) -> SearchSpace:
    """All systems with few items; classes: a key of `SYSTEMS_UP_TO`."""
    most = GOLDS_UP_TO[classes]
    # One item in each class, and the others wherever they fall.
    golds = np.concatenate([compositions(rest, classes) for rest in range(most - classes + 1)]) + 1
    mixes = np.concatenate([compositions(parts, classes) for parts in range(1, MIXES_UP_TO + 1)])
    every_gold, every_mix = np.divmod(np.arange(len(golds) * len(mixes)), len(mixes))
    return SearchSpace(
        all_systems(classes, range(1, SYSTEMS_UP_TO[classes] + 1)),
        golds,
        GoldBlindSystems(golds[every_gold], mixes[every_mix]),
    )


def random_space(classes: int, systems: int, random: np.random.Generator) -> SearchSpace:
    """Random systems of various sizes, most of them better than chance, some with unused classes."""
    shape = (systems, classes, classes)
    mean = np.exp(random.uniform(np.log(MIN_MEAN), np.log(MAX_MEAN), (systems, 1, 1)))
    skill = random.uniform(0, 4, (systems, 1, 1))
    frequency = random.dirichlet(np.ones(classes), systems)[:, :, np.newaxis] * classes
    matrices = random.poisson(mean * frequency * (1 + skill * np.eye(classes)), shape)
    unused = random.random((systems, classes)) < 0.3 / classes
    matrices[unused] = 0
    matrices.swapaxes(1, 2)[unused] = 0
    matrices[:, 0, 0] += matrices.sum(axis=(1, 2)) == 0
    golds = matrices.sum(axis=2) + 1
    return SearchSpace(
        matrices, golds, GoldBlindSystems(golds, random.multinomial(PARTS, np.ones(classes) / classes, systems))
    )


BLOCK = 8192
"""Number of matrices that are scored together, so that they fit into the cache of the processor."""

NAMING = ("class", "classes", "unrelated")
"""Parameters of measures whose values are names of classes."""

_NAMES = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Trial:
    """Cases of one property as places among the candidates, (K,); exhaustive: whether they are all of their size."""

    before: Indices
    after: Indices
    exchanged: tuple[int, int] | None
    exhaustive: bool


@dataclass(frozen=True)
class Candidates:
    """The distinct matrices, sorted, and the trials by property; (P, C, C), or (P, 2, C) of distributions."""

    matrices: Matrices
    trials: dict[str, list[Trial]]

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(self.matrices.shape[-1])

    @cached_property
    def items(self) -> Indices:
        """The number of items of each matrix, (P,)."""
        items: Indices = self.matrices.sum(axis=(1, 2))
        return items


def candidates_of(properties: Sequence[FormalProperty], search: Search, space: object = None) -> Candidates:
    """The cases of the properties in a part of the search; space: what they are made from, by default systems."""
    space = search.space() if space is None else space
    property_cases = [
        (declared.name, cases) for declared in properties for cases in declared.make_cases(space) if len(cases.before)
    ]
    if not property_cases:
        return Candidates(np.empty((0, search.classes, search.classes), dtype=np.int64), {})
    arrays = [matrices for _, cases in property_cases for matrices in (cases.before, cases.after)]
    matrices, indices = _distinct(np.concatenate(arrays))
    ends = np.cumsum([0, *map(len, arrays)])
    parts = [indices[begin:end] for begin, end in pairwise(ends.tolist())]
    trials: dict[str, list[Trial]] = {}
    for number, (name, cases) in enumerate(property_cases):
        trial = Trial(parts[2 * number], parts[2 * number + 1], cases.exchanged, search.is_exhaustive)
        trials.setdefault(name, []).append(trial)
    return Candidates(matrices, trials)


def _distinct(matrices: Matrices) -> tuple[Matrices, Indices]:
    """The distinct matrices in lexicographic order, and the index of each matrix among them."""
    _, first, indices = np.unique(as_bytes(matrices), return_index=True, return_inverse=True)
    return matrices[first], indices


def scale_of(measure: Measure, classes: int) -> ClassScale | None:
    """Ordered classes for a measure: those that it names, then a, b, c …; None if it names more.

    Weights rise 1 : 2 : 3 … and sum to 1.

    >>> from metaeval.measures.spec import measure
    >>> str(scale_of(measure("fnc1-score"), 3))
    'unrelated<a<b'
    """
    values = [value for name, value in measure.parameters.items() if name in NAMING and value is not None]
    names = [label for value in values for label in str(value).split("+")]
    if len(names) > classes:
        return None
    labels = [*names, *(name for name in _NAMES if name not in names)][:classes]
    weights = [weight / (classes * (classes + 1) / 2) for weight in range(1, classes + 1)]
    return ClassScale(tuple(labels), ordered=True, weights=tuple(weights))


def exchanged(scale: ClassScale, classes: tuple[int, int] | None) -> ClassScale:
    """The scale with two classes exchanged, with their names and weights."""
    if classes is None:
        return scale
    one, other = classes
    order = list(range(len(scale)))
    order[one], order[other] = other, one
    weights = scale.class_weights()[order].tolist()
    return ClassScale(tuple(scale.labels[index] for index in order), scale.ordered, weights=tuple(weights))


class CandidateScores:
    """The scores of the candidates under a measure, each computed at most once per scale."""

    def __init__(self, measure: Measure, candidates: Candidates, scale: ClassScale) -> None:
        self.measure = measure
        self.candidates = candidates
        self.scale = scale
        self._by_scale: dict[tuple[int, int] | None, Scores] = {}

    def at(self, indices: Indices, exchange: tuple[int, int] | None) -> Scores:
        """Scores (K,) of the matrices at `indices`, on the scale with two classes exchanged."""
        # A measure that does not use the scale does not depend on the exchange.
        key = exchange if self.measure.declaration.takes_scale else None
        if key not in self._by_scale:
            self._by_scale[key] = self._scores(exchanged(self.scale, key), self._is_needed(key))
        return self._by_scale[key][indices]

    def _is_needed(self, exchange: tuple[int, int] | None) -> Bools:
        """Whether each matrix is needed on a scale, (P,)."""
        needed = np.full(len(self.candidates.matrices), exchange is None)
        for trials in self.candidates.trials.values() if exchange is not None else ():
            for trial in trials:
                if trial.exchanged == exchange:
                    needed[trial.after] = True
        return needed

    def _scores(self, scale: ClassScale, needed: Bools) -> Scores:
        scores = np.full(len(needed), np.nan)
        indices = np.flatnonzero(needed)
        for begin in range(0, len(indices), BLOCK):
            block = indices[begin : begin + BLOCK]
            scores[block] = _score(self.measure, self.candidates.matrices[block], scale)
        return scores


def _score(measure: Measure, matrices: Matrices, scale: ClassScale) -> Scores:
    """Scores (P,) of confusion matrices, or of pairs of gold and predicted distributions in parts."""
    if measure.declaration.reads is DataKind.LABELS:
        return measure(matrices, scale)
    shares = matrices / matrices.sum(axis=-1, keepdims=True)
    return compare(measure, shares[:, 1], shares[:, 0], scale)
