"""Every measure of labels at every setting that matters, on a scale and on counts where all of them are defined."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from metaeval.measures import REGISTRY, Measure
from metaeval.model.data_kind import DataKind
from metaeval.model.scale import ClassScale

Matrices = NDArray[np.int64]

SCALE = ClassScale(
    ("unrelated", "low", "mid", "high"), ordered=True, values=(0.5, 1.0, 2.5, 3.0), weights=(0.1, 0.2, 0.3, 0.4)
)

VARIANTS: tuple[Measure, ...] = tuple(
    variant
    for declaration in REGISTRY.values()
    if declaration.reads is DataKind.LABELS
    for variant in declaration.variants()
)
"""Each measure at each choice of its one-of-a-few parameters."""

OTHER_VALUES = {
    "beta": "0.5",
    "base": "0.3",
    "cutoff": "1",
    "min-gap": "2",
    "class": "mid",
    "classes": "low+high",
    "unrelated": "mid",
}
"""A value other than the default for each free parameter."""


def settings(variant: Measure) -> tuple[Measure, ...]:
    """The variant, and the variant with one free parameter at another value: what it declares holds for all."""
    found = [variant]
    for place, parameter in enumerate(variant.declaration.parameters):
        if not parameter.choices:
            values = list(variant.values)
            values[place] = parameter.parse(OTHER_VALUES[parameter.name], measure=str(variant))
            found.append(replace(variant, values=tuple(values), explicit=(*variant.explicit, parameter.name)))
    return tuple(found)


EVERY_SETTING: tuple[Measure, ...] = tuple(setting for variant in VARIANTS for setting in settings(variant))


def dense_counts(matrices: int = 40, *, seed: int = 20201) -> Matrices:
    """Confusion counts of systems better than chance, every cell filled; (matrices, 4, 4)."""
    rng = np.random.default_rng(seed)
    return np.asarray(rng.integers(1, 20, size=(matrices, 4, 4)) + 15 * np.eye(4, dtype=np.int64))


def sparse_counts(matrices: int = 60, *, seed: int = 20201) -> Matrices:
    """A few items each, so that classes are absent in gold or in the predictions; (matrices, 4, 4)."""
    rng = np.random.default_rng(seed)
    items: Matrices = rng.poisson(0.4, size=(matrices, 4, 4))
    return np.asarray(items[items.sum(axis=(1, 2)) > 0])


def all_counts() -> Matrices:
    """Dense and sparse ones."""
    return np.concatenate([dense_counts(), sparse_counts()])
