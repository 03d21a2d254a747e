"""What groups of items are worth, against the bootstrap and plain means."""

import numpy as np
import pytest

from metaeval.measures import measure
from metaeval.model.labels import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction, ItemScores
from metaeval.scoring.jackknife import groups_of, influences, jackknife
from metaeval.scoring.labels import LabelSamples
from metaeval.scoring.resamples import Samples, bootstrap
from metaeval.scoring.table import ItemSamples

NAMES = ("cem-ord", "macro-f1", "accuracy", "kappa:weights=linear", "mae:average=macro")


def labels(items: int, systems: int = 3) -> LabelSamples:
    random = np.random.default_rng(1)
    gold = random.choice(3, size=items, p=[0.6, 0.3, 0.1])
    noisy = random.random((systems, items)) < np.linspace(0.2, 0.5, systems)[:, np.newaxis]
    predicted = np.where(noisy, random.integers(3, size=(systems, items)), gold)
    scale = ClassScale(("low", "mid", "high"), ordered=True)
    ids = tuple(map(str, range(items)))
    runs = LabelledRuns(ids, gold, predicted, tuple("abc"[:systems]), scale)
    return LabelSamples(runs, tuple(map(measure, NAMES)))


def influence(samples: Samples, *, groups: int = 512) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    plan_of = groups_of(samples, seed=1, groups=groups)
    plan = jackknife(samples, plan_of)
    without = np.concatenate([plan.score(block).values for block in plan.blocks])
    whole = samples.score_samples(samples.multiplicities[np.newaxis]).values[0]
    return influences(whole, without, plan_of)


@pytest.mark.parametrize(("items", "groups"), [(300, 512), (2000, 400)])
def test_groups_are_a_partition_into_nearly_equal_parts(items: int, groups: int) -> None:
    samples = labels(items)
    found = groups_of(samples, seed=1, groups=groups)
    np.testing.assert_array_equal(found.sum(axis=0), samples.multiplicities)
    assert len(found) == min(items, groups)
    assert np.ptp(found.sum(axis=1, dtype=np.int64)) <= 1


def test_of_a_mean_a_group_is_worth_what_its_items_add() -> None:
    values = np.random.default_rng(2).normal(size=(1, 2, 40))
    samples = ItemSamples(ItemScores(values, ("m",), ("a", "b"), tuple(map(str, range(40))), (Direction.HIGHER,)))
    expected = (values - values.mean(axis=-1, keepdims=True))[0].T
    np.testing.assert_allclose(influence(samples)[:, 0], expected, atol=1e-9)


@pytest.mark.parametrize(("items", "groups"), [(400, 512), (3000, 512)])
def test_standard_errors_of_every_measure_are_those_of_the_bootstrap(items: int, groups: int) -> None:
    samples = labels(items)
    found = influence(samples, groups=groups)
    by_jackknife = np.sqrt((found**2).sum(axis=0)) / items
    plan = bootstrap(samples, replicates=2000, seed=1)
    drawn = np.concatenate([plan.score(block).values for block in plan.blocks])
    np.testing.assert_allclose(by_jackknife, drawn.std(axis=0), rtol=0.12)


def test_blocks_are_cut_by_memory_and_say_the_same() -> None:
    samples = labels(200)
    groups = groups_of(samples, seed=1)
    small, large = (jackknife(samples, groups, memory=memory) for memory in (samples.bytes_a_trial * 7, 512 << 20))
    assert len(small.blocks) > len(large.blocks)
    both = [np.concatenate([plan.score(block).values for block in plan.blocks]) for plan in (small, large)]
    np.testing.assert_array_equal(both[0], both[1])
