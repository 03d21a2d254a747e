"""Measures of distributions: published values, SciPy, plain loops, and what each declares."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance

from metaeval.errors import InputError
from metaeval.measures import REGISTRY, Measure, Trait, measure
from metaeval.measures.distributions import compare
from metaeval.model.runs import DataKind, DistributionRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.distributions import score_distributions

Shares = list[Fraction]

NAMES = [declaration.name for declaration in REGISTRY.values() if declaration.reads is DataKind.DISTRIBUTIONS]
EVERY = [measure(name) for name in (*NAMES, "rnod:over=all", "cross-entropy:epsilon=0.01")]


def scale_of(classes: int) -> ClassScale:
    return ClassScale(tuple("abcdefgh"[:classes]), ordered=True)


def score(
    name: str | Measure, predicted: Sequence[float], gold: Sequence[float], scale: ClassScale | None = None
) -> float:
    metric = measure(name) if isinstance(name, str) else name
    floats = np.array([predicted, gold], dtype=np.float64)
    return float(compare(metric, floats[0], floats[1], scale or scale_of(len(gold))))


@some.composite
def pairs(draw: some.DrawFn) -> tuple[Shares, Shares]:
    """Two distributions over the same 2 to 6 classes, often with zeros."""
    classes = draw(some.integers(2, 6))
    counts = some.lists(some.integers(0, 5), min_size=classes, max_size=classes).filter(any)
    return tuple([Fraction(count, sum(of)) for count in of] for of in (draw(counts), draw(counts)))  # type: ignore[return-value]


def test_the_worked_example_of_two_halves_at_either_end() -> None:
    gold, predicted = [0.5, 0.5, 0, 0, 0], [0, 0, 0, 0.5, 0.5]
    assert score("nmd", predicted, gold) == pytest.approx(0.75)
    assert score("rnod", predicted, gold) == pytest.approx(0.66144, abs=5e-6)
    assert score("rnod:over=all", predicted, gold) == pytest.approx(0.65192, abs=5e-6)
    assert score("rsnod", predicted, gold) == pytest.approx(0.66144, abs=5e-6)
    assert score("nvd", predicted, gold) == score("jsd", predicted, gold) == 1


def order_aware(predicted: Shares, gold: Shares, classes: Sequence[int]) -> float:
    """Sakai's definition, term by term."""
    squares = [(p - g) ** 2 for p, g in zip(predicted, gold, strict=True)]
    divergences = [sum((abs(i - j) * squares[j] for j in range(len(gold))), Fraction(0)) for i in classes]
    return float(sum(divergences, Fraction(0)) / len(classes) / (len(gold) - 1))


def positive(shares: Shares) -> list[int]:
    return [index for index, share in enumerate(shares) if share > 0]


def cross_entropy(predicted: Shares, gold: Shares, epsilon: float) -> float:
    return -sum(float(g) * math.log(max(float(p), epsilon)) for p, g in zip(predicted, gold, strict=True))


def wasserstein(predicted: Shares, gold: Shares) -> float:
    positions = range(len(gold))
    return float(wasserstein_distance(positions, positions, [*map(float, predicted)], [*map(float, gold)]))


BY_HAND: dict[str, Callable[[Shares, Shares], float]] = {
    "nmd": lambda p, g: sum(abs(float(sum(p[:k]) - sum(g[:k]))) for k in range(1, len(g))) / (len(g) - 1),
    "rnod": lambda p, g: math.sqrt(order_aware(p, g, positive(g))),
    "rnod:over=all": lambda p, g: math.sqrt(order_aware(p, g, range(len(g)))),
    "rsnod": lambda p, g: math.sqrt((order_aware(p, g, positive(g)) + order_aware(g, p, positive(p))) / 2),
    "jsd": lambda p, g: float(jensenshannon([*map(float, p)], [*map(float, g)], base=2)) ** 2,
    "nvd": lambda p, g: float(sum(abs(a - b) for a, b in zip(p, g, strict=True)) / 2),
    "wasserstein": wasserstein,
    "cross-entropy": lambda p, g: cross_entropy(p, g, 1e-12),
    "cross-entropy:epsilon=0.01": lambda p, g: cross_entropy(p, g, 0.01),
    "brier": lambda p, g: float(sum((a - b) ** 2 for a, b in zip(p, g, strict=True))),
}  # fmt: skip


def test_every_measure_has_a_computation_by_hand() -> None:
    assert {str(metric) for metric in EVERY} == set(BY_HAND)


@given(pairs())
def test_a_measure_is_its_definition_term_by_term(pair: tuple[Shares, Shares]) -> None:
    predicted, gold = pair
    for metric in EVERY:
        by_hand = BY_HAND[str(metric)](predicted, gold)
        assert score(metric, [*map(float, predicted)], [*map(float, gold)]) == pytest.approx(by_hand, abs=1e-7), metric


@given(pairs())
def test_declared_bounds_and_traits_hold(pair: tuple[Shares, Shares]) -> None:
    predicted, gold = ([*map(float, shares)] for shares in pair)
    for metric in EVERY:
        value = score(metric, predicted, gold)
        low, high = metric.bounds
        assert low - 1e-12 <= value <= high + 1e-12, metric
        assert score(metric, predicted[::-1], gold[::-1]) == pytest.approx(value, abs=1e-9), metric
        assert score(metric, gold, gold) <= value + 1e-9, metric
        if Trait.SYMMETRIC in metric.traits:
            assert score(metric, gold, predicted) == pytest.approx(value, abs=1e-9), metric


def test_the_wasserstein_distance_is_in_class_values() -> None:
    values = (1.0, 2.0, 5.0, 9.0)
    scale = ClassScale(tuple("abcd"), ordered=True, values=values)
    predicted, gold = [0.1, 0.2, 0.3, 0.4], [0.4, 0, 0, 0.6]
    assert score("wasserstein", predicted, gold, scale) == pytest.approx(
        wasserstein_distance(values, values, predicted, gold)
    )
    assert score("nmd", predicted, gold, scale) == score("nmd", predicted, gold)


def runs(
    predicted: np.typing.NDArray[np.float64], gold: np.typing.NDArray[np.float64], *, ordered: bool = True
) -> DistributionRuns:
    systems, items, classes = predicted.shape
    scale = ClassScale(tuple("abcdefgh"[:classes]), ordered=ordered)
    return DistributionRuns(
        tuple(map(str, range(items))), tuple(f"s{index}" for index in range(systems)), predicted, gold, scale
    )


def random_runs(seed: int = 1, *, items: int = 30) -> DistributionRuns:
    random = np.random.default_rng(seed)
    return runs(random.dirichlet(np.ones(4), (3, items)), random.dirichlet(np.full(4, 0.5), items))


@pytest.mark.parametrize("name", [str(metric) for metric in EVERY])
def test_the_score_of_a_run_is_that_of_its_class_shares(name: str) -> None:
    some_runs = random_runs()
    whole = f"{name}{',' if ':' in name else ':'}level=run"
    scores = score_distributions(some_runs, [measure(name), measure(whole)])
    item_scores, run_scores = scores.mean().values
    for system, predicted in enumerate(some_runs.predicted):
        items = [score(name, list(p), list(g)) for p, g in zip(predicted, some_runs.gold, strict=True)]
        assert item_scores[system] == pytest.approx(np.mean(items), abs=1e-9)
        shares = score(name, list(predicted.mean(axis=0)), list(some_runs.gold.mean(axis=0)))
        assert run_scores[system] == pytest.approx(shares, abs=1e-9)
    assert np.array_equal(scores.values[0], scores.values[1])


def test_a_class_that_no_item_is_left_of_is_no_class_of_gold() -> None:
    gold = np.array([[0.9, 0.1, 0.0], [0.7, 0.3, 0.0], [0.1, 0.2, 0.7]])
    predicted = np.array([[[0.2, 0.3, 0.5], [0.3, 0.3, 0.4], [0.1, 0.1, 0.8]]])
    scores = score_distributions(runs(predicted, gold), [measure("rnod:level=run")])
    # Sums of all items less those of the last leave 1e-17 of its class.
    total = scores.statistics.sum(axis=-1)[:, 0]
    left = scores.sums[0].score(total - scores.statistics[:, 0, 2])
    alone = score_distributions(runs(predicted[:, :2], gold[:2]), [measure("rnod:level=run")])
    assert left == pytest.approx(alone.mean().values[0, 0], abs=1e-12)
    assert math.isnan(scores.sums[0].score(total - total))


def test_a_measure_of_order_refuses_classes_without_order() -> None:
    random = random_runs()
    unordered = runs(random.predicted, random.gold, ordered=False)
    with pytest.raises(InputError, match=r"measure 'nmd', which uses the order of the classes, on the nominal scale"):
        score_distributions(unordered, [measure("nmd")])
    with pytest.raises(InputError, match=r"measure 'accuracy', which reads labels, on distributions"):
        score_distributions(random, [measure("accuracy")])
    assert score_distributions(unordered, [measure("jsd")]).values.shape == (1, 3, 30)
