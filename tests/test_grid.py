"""Scores that are equal on paper are equal numbers, and different ones stay different."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import prod
from operator import add, mul, sub

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from score_cubes import item_scores

from metaeval.grid import round_to_grid
from metaeval.measures import measure
from metaeval.model.scale import ClassScale
from metaeval.scoring.labels import score_counts
from metaeval.scoring.table import ItemSamples

CLASSES = 4
WEIGHTS = (Fraction(2, 5), Fraction(2, 5), Fraction(3, 20), Fraction(1, 20))
SCALE = ClassScale(tuple("abcd"), ordered=True, weights=tuple(map(float, WEIGHTS)))
TIES, MOVED = 10_000, 500
"""Ties by exact arithmetic that are checked, and how many of them at least differ in the last bits as computed."""

Counts = Sequence[Sequence[int]]


def total(numbers: Iterable[Fraction]) -> Fraction:
    return sum(numbers, Fraction())


def gold_of(counts: Counts) -> list[int]:
    return [sum(row) for row in counts]


def predicted_of(counts: Counts) -> list[int]:
    return [sum(column) for column in zip(*counts, strict=True)]


def correct(counts: Counts) -> list[int]:
    return [counts[code][code] for code in range(CLASSES)]


def shares(numerators: Iterable[int], denominators: Iterable[int]) -> list[Fraction]:
    return [Fraction(one, other or 1) for one, other in zip(numerators, denominators, strict=True)]


def f_scores(counts: Counts) -> list[Fraction]:
    return [2 * share for share in shares(correct(counts), map(add, gold_of(counts), predicted_of(counts)))]


def weighted_sum(counts: Counts, weight: Callable[[int, int], int]) -> int:
    return sum(weight(g, p) * counts[g][p] for g in range(CLASSES) for p in range(CLASSES))


def distance(g: int, p: int) -> int:
    return abs(g - p)


def squared(g: int, p: int) -> int:
    return (g - p) * (g - p)


def kappa(counts: Counts, weight: Callable[[int, int], int]) -> Fraction:
    gold, predicted = gold_of(counts), predicted_of(counts)
    by_chance = weighted_sum([[one * other for other in predicted] for one in gold], weight)
    return 1 - Fraction(weighted_sum(counts, weight) * sum(gold), by_chance)


def auc(counts: Counts) -> Fraction:
    gold, right = gold_of(counts), correct(counts)
    false = shares(map(sub, predicted_of(counts), right), (sum(gold) - one for one in gold))
    return total((one + 1 - other) / 2 for one, other in zip(shares(right, gold), false, strict=True)) / CLASSES


def mcc_squared(counts: Counts) -> Fraction:
    """The square with the sign of MCC, which orders systems as MCC does."""
    gold, predicted = gold_of(counts), predicted_of(counts)
    items = sum(gold)
    above = sum(correct(counts)) * items - sum(map(mul, gold, predicted))
    below = (items * items - sum(map(mul, gold, gold))) * (items * items - sum(map(mul, predicted, predicted)))
    return Fraction(above * abs(above), below)


def alpha_interval(counts: Counts) -> Fraction:
    both = list(map(add, gold_of(counts), predicted_of(counts)))
    by_chance = weighted_sum([[one * other for other in both] for one in both], squared)
    return 1 - Fraction(2 * weighted_sum(counts, squared) * (sum(both) - 1), by_chance)


def macro_mae(counts: Counts) -> Fraction:
    errors = (sum(distance(g, p) * cell for p, cell in enumerate(row)) for g, row in enumerate(counts))
    return total(shares(errors, gold_of(counts))) / CLASSES


@cache
def information(share: Fraction) -> Decimal:
    with localcontext(prec=60):
        return -(Decimal(share.numerator) / share.denominator).ln()


def cem_ord(counts: Counts) -> Fraction:
    """To 40 digits, because it is a ratio of logarithms."""
    gold = gold_of(counts)

    def proximity(g: int, p: int) -> Decimal:
        between = gold[p + 1 : g + 1] if g > p else gold[g:p]
        return information(Fraction(gold[p] + 2 * sum(between), 2 * sum(gold)))

    with localcontext(prec=60):
        cells = [counts[g][p] * proximity(g, p) for g in range(CLASSES) for p in range(CLASSES)]
        best = [gold[code] * proximity(code, code) for code in range(CLASSES)]
        return Fraction((sum(cells, Decimal()) / sum(best, Decimal())).quantize(Decimal(10) ** -40))


EXACT: dict[str, Callable[[Counts], Fraction]] = {
    "accuracy": lambda counts: Fraction(sum(correct(counts)), sum(gold_of(counts))),
    "weighted-accuracy": lambda counts: total(shares(correct(counts), gold_of(counts))) / CLASSES,
    "precision": lambda counts: total(shares(correct(counts), predicted_of(counts))) / CLASSES,
    "macro-f1": lambda counts: total(f_scores(counts)) / CLASSES,
    "weighted-f": lambda counts: total(map(mul, WEIGHTS, f_scores(counts))),
    "gmr": lambda counts: prod(shares(correct(counts), gold_of(counts)), start=Fraction(1)),
    "auc": auc,
    "kappa:weights=none": lambda counts: kappa(counts, lambda g, p: int(g != p)),
    "kappa:weights=linear": lambda counts: kappa(counts, distance),
    "mcc": mcc_squared,
    "alpha:level=interval": alpha_interval,
    "cem-ord": cem_ord,
    "mae:average=macro": macro_mae,
    "mae:average=micro": lambda counts: Fraction(weighted_sum(counts, distance), sum(gold_of(counts))),
}


def counts_of_systems(random: np.random.Generator) -> NDArray[np.int64]:
    """Systems of which some are others with three classes of equal size renamed, or with every item three times."""
    size = int(random.integers(6, 300))
    gold = np.repeat(range(CLASSES), [size, size, size, 3 * size])
    counts = []
    for _ in range(30):
        predicted = np.where(
            random.random(len(gold)) < random.uniform(0.4, 0.8), gold, random.integers(4, size=len(gold))
        )
        counts.append(np.bincount(gold * CLASSES + predicted, minlength=CLASSES**2).reshape(CLASSES, CLASSES))
    for one in counts[:15]:
        order = [*random.permutation(3), 3]
        counts.append(one[np.ix_(order, order)])
    return np.array([*counts, *(3 * one for one in counts[:15])])


def test_ten_thousand_ties_are_equal_and_neighbours_stay_different() -> None:
    random = np.random.default_rng(17)
    measures = [measure(name) for name in EXACT]
    ties = moved = different = 0
    while ties < TIES:
        counts = counts_of_systems(random)
        scores = score_counts(counts, measures, scale=SCALE, systems=tuple(map(str, range(len(counts))))).values
        for one, system_scores in zip(measures, scores, strict=True):
            exact = [EXACT[str(one)](table) for table in counts.tolist()]
            computed = one(counts, SCALE)
            order = sorted(range(len(exact)), key=exact.__getitem__)
            for lower, higher in pairwise(order):
                if exact[lower] == exact[higher]:
                    ties += 1
                    moved += computed[lower] != computed[higher]
                    assert system_scores[lower] == system_scores[higher], (str(one), counts[[lower, higher]])
                else:
                    different += 1
                    assert system_scores[lower] != system_scores[higher], (str(one), counts[[lower, higher]])
    assert moved > MOVED
    assert different > TIES


@given(st.integers(1, 500), st.data())
def test_a_fraction_computed_in_other_ways_is_one_number(items: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, items))
    exact = right / items
    others = (1 - (items - right) / items, right * (1 / items), (3 * exact + 7 * exact) / 10)
    assert set(round_to_grid(np.array(others)).tolist()) == {float(round_to_grid(exact))}


@given(st.integers(0, 10**12), st.integers(-33, 36))
def test_decimals_stay_as_they_are_written(number: int, power: int) -> None:
    unit = 2.0**power
    decimals = int(np.floor((40 - power) * np.log10(2)))
    value = number % int(unit * 10**decimals + 1) / 10**decimals
    assert float(round_to_grid(value, unit)) == value


@given(st.floats(-1, 1), st.sampled_from([5e-324, 1e-300, 1e-9, 0.3, 1.0, 3.0, 1e6, 1e15, 1e308]))
def test_a_score_moves_by_little_of_its_unit(share: float, unit: float) -> None:
    value = share * unit
    once = float(round_to_grid(value, unit))
    assert abs(once - value) <= 1e-11 * unit + np.finfo(np.float64).tiny
    assert float(round_to_grid(once, unit)) == once
    assert float(round_to_grid(-value, unit)) == -once
    assert not np.signbit(round_to_grid(-1e-14 * unit, unit))


def test_no_score_has_no_place_on_the_grid() -> None:
    np.testing.assert_array_equal(round_to_grid([np.nan, 0.0], 0.0), [np.nan, 0.0])
    np.testing.assert_array_equal(
        round_to_grid([[np.nan, 0.1 + 0.2], [3.0, 1e-13]], [[1.0], [4.0]]), [[np.nan, 0.3], [3.0, 0]]
    )


def test_means_of_items_are_on_one_grid_in_every_sample() -> None:
    random = np.random.default_rng(3)
    tenths = random.integers(11, size=(1, 4, 3000)) / 10
    tenths[:, 1] = random.permutation(tenths[:, 0], axis=-1)
    scores = item_scores(tenths)
    assert scores.mean().values[0, 0] == scores.mean().values[0, 1]
    assert scores.mean().values[0, 0] == round(float(tenths[0, 0].mean()), 12)
    draws = random.multinomial(3000, np.full(3000, 1 / 3000), size=50)
    sampled = ItemSamples(scores).score_samples(draws).values
    whole = np.rint(draws @ (10 * tenths[0]).T)
    np.testing.assert_array_equal(sampled[:, 0], round_to_grid(whole / 30_000))
    every = ItemSamples(scores).score_samples(np.ones((1, 3000), dtype=np.int64)).values[0]
    np.testing.assert_array_equal(every, scores.mean().values)


def test_single_scores_that_were_read_stay_as_they_are() -> None:
    values = np.array([[[0.1234567890123456], [1e-15]]])
    np.testing.assert_array_equal(item_scores(values).mean().values, values[..., 0])


@pytest.mark.parametrize(
    ("name", "scale", "unit"),
    [
        ("accuracy", SCALE, 1.0),
        ("mcc", SCALE, 1.0),
        ("mae", SCALE, 3.0),
        ("mae", ClassScale(tuple("ab"), ordered=True, values=(-20.0, 30.0)), 50.0),
        ("weighted-f", ClassScale(tuple("ab"), weights=(3.0, 5.0)), 8.0),
        ("fnc1-score:scale=points", SCALE, 1.0),
        ("rouge-l", None, 1.0),
    ],
)
def test_the_unit_of_a_measure_is_its_largest_score_on_the_scale(
    name: str, scale: ClassScale | None, unit: float
) -> None:
    assert measure(name).unit(scale) == pytest.approx(unit)
