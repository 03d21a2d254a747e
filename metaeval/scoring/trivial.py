"""Trivial systems, which ignore the items: a measure that scores them high can be gamed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, cast

import numpy as np

from metaeval.arrays import Integers, Ints
from metaeval.errors import InputError
from metaeval.model.labels import Codes, LabelledRuns, NumericRuns, smallest_code_type
from metaeval.model.scale import ClassScale

Runs = TypeVar("Runs", bound=LabelledRuns | NumericRuns)


def trivial_systems(gold: Codes, scale: ClassScale, *, seed: int) -> tuple[tuple[str, ...], Codes]:
    """The majority class, every constant class, and random ones: all classes equally often, or as often as in gold.

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
    return _names(scale), np.stack(rows).astype(smallest_code_type(classes))


def trivial_counts(frequencies: Integers, scale: ClassScale, *, seed: int) -> tuple[tuple[str, ...], Ints]:
    """The same systems where only class frequencies are known: K names and confusion counts (K, C, C).

    frequencies: items of each gold class, (C,). Predictions of a random system are a multinomial draw per class, other
    draws than in `trivial_systems`.
    """
    classes = len(scale)
    uniform, prior = (np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2))
    constant = np.zeros((classes, classes, classes), dtype=np.int64)
    every = np.arange(classes)
    constant[every, :, every] = frequencies
    majority = constant[[int(frequencies.argmax())]]
    shares = frequencies / frequencies.sum()
    drawn = [uniform.multinomial(frequencies, np.full(classes, 1 / classes)), prior.multinomial(frequencies, shares)]
    counts = np.concatenate([majority, constant, np.array(drawn, dtype=np.int64)])
    return _names(scale), np.pad(counts, ((0, 0), (0, scale.codes - classes), (0, scale.codes - classes)))


def _names(scale: ClassScale) -> tuple[str, ...]:
    return ("majority", *(f"all {label}" for label in scale.labels), "uniform random", "prior random")


def with_trivial_systems(runs: Runs, *, seed: int) -> Runs:
    """The runs followed by the trivial systems; a real system with the name of a trivial one is an `InputError`."""
    names, predicted = trivial_systems(runs.gold, runs.scale, seed=seed)
    check_free(names, runs.systems)
    return cast(Runs, runs.with_trivial(names, predicted))


def check_free(names: Sequence[str], systems: Sequence[str]) -> None:
    """Raise an `InputError` where a real system has the name of a trivial one."""
    both = [name for name in names if name in systems]
    if both:
        raise InputError.at(
            found=f"a run named '{both[0]}', as is a trivial system",
            expected="a name that no trivial system has",
            hint=f"rename it, as in 'my-{both[0]}=FILE'",
        )
