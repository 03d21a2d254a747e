"""The systems that cases are made from: all small ones, then random ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metaeval.analyses.axioms.properties.spec import GoldBlindSystems, SearchSpace
from metaeval.scoring.small_systems import all_systems, compositions
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

    def __getitem__(self, place: Any) -> Any:
        place = range(len(self))[place]
        if place < len(SYSTEMS_UP_TO):
            return Search(list(SYSTEMS_UP_TO)[place])
        way, block = divmod(place - len(SYSTEMS_UP_TO), len(self.blocks[0]))
        seed, systems = self.blocks[way][block]
        return Search(RANDOM_CLASSES[way], systems, seed)


def searches(cases: int, *, seed: np.random.SeedSequence) -> Sequence[Search]:
    """The parts of a search: all small systems, then `cases` random ones for each of `RANDOM_CLASSES`, in blocks."""
    seeds = seed.spawn(len(RANDOM_CLASSES))
    return _Searches(tuple(Blocks(each, cases, SYSTEMS_A_BLOCK) for each in seeds))


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
