"""Systems that know nothing: a measure that likes them can be gamed."""

from __future__ import annotations

from typing import TypeVar, cast

import numpy as np

from metaeval.errors import InputError
from metaeval.model.labels import Codes, LabelledRuns, NumericRuns, smallest_code_type
from metaeval.model.scale import ClassScale

Runs = TypeVar("Runs", bound=LabelledRuns | NumericRuns)


def trivial_systems(gold: Codes, scale: ClassScale, *, seed: int) -> tuple[tuple[str, ...], Codes]:
    """The majority class, every constant class, and random ones: all classes alike, or as often as in gold.

    gold: codes (N,). Returns K names and predicted codes (K, N). On a tie the first declared class is the majority.

    >>> trivial_systems(np.array([0, 1, 1]), ClassScale(("yes", "no")), seed=1)[0]
    ('majority', 'all yes', 'all no', 'uniform random', 'prior random')
    """
    classes, items = len(scale), len(gold)
    frequency = np.bincount(gold, minlength=classes)
    uniform, prior = (np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2))
    rows = [
        np.full(items, frequency.argmax()),
        *(np.full(items, code) for code in range(classes)),
        uniform.integers(classes, size=items),
        prior.choice(classes, size=items, p=frequency / items),
    ]
    names = ("majority", *(f"all {label}" for label in scale.labels), "uniform random", "prior random")
    return names, np.stack(rows).astype(smallest_code_type(classes))


def with_trivial_systems(runs: Runs, *, seed: int) -> Runs:
    """The runs and the trivial systems after them; a real system that bears the name of one is an `InputError`."""
    names, predicted = trivial_systems(runs.gold, runs.scale, seed=seed)
    taken = [name for name in names if name in runs.systems]
    if taken:
        raise InputError.at(
            found=f"a run called '{taken[0]}' beside the trivial system of that name",
            expected="names of their own",
            hint=f"rename it, as in 'my-{taken[0]}=FILE'",
        )
    return cast(Runs, runs.with_trivial(names, predicted))
