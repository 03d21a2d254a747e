"""Plans of systems and annotators against Fisher's z and simulated annotators."""

import numpy as np
import pytest

from metaeval.analyses.plan.human import plan_annotators, plan_systems
from metaeval.stats.intervals import fisher_interval
from metaeval.stats.resample import seed_for


def by_fisher(correlation: float, width: float) -> int:
    systems = np.arange(5, 2000)
    low, high = fisher_interval(np.full(len(systems), correlation), systems, coefficient="pearson")
    return int(systems[np.flatnonzero(high - low <= width)[0]])


def test_of_many_normal_systems_as_many_are_needed_as_fisher_says() -> None:
    random = np.random.default_rng(1)
    metric = random.normal(size=60)
    human = 0.7 * metric + np.sqrt(1 - 0.7**2) * random.normal(size=60)
    call = {"coefficient": "pearson", "width": 0.3, "resamples": 100}
    (found,) = plan_systems(metric[np.newaxis], human, seed=seed_for(1, "x"), **call)  # type: ignore[arg-type]
    expected = by_fisher(float(np.corrcoef(metric, human)[0, 1]), 0.3)
    assert found.low <= expected <= found.high
    assert found.needed == pytest.approx(expected, rel=0.4)


def test_over_many_pilots_the_interval_of_systems_holds_the_truth() -> None:
    random = np.random.default_rng(2)
    expected, held, errors = by_fisher(0.7, 0.4), [], []
    for place in range(25):
        metric = random.normal(size=15)
        human = 0.7 * metric + np.sqrt(1 - 0.7**2) * random.normal(size=15)
        (found,) = plan_systems(
            metric[np.newaxis], human, coefficient="pearson", width=0.4, resamples=60, seed=seed_for(place, "x")
        )
        held.append(found.low <= expected <= found.high)
        errors.append(np.log2(min(found.needed, 240) / expected))
    assert np.mean(held) >= 0.8
    assert abs(np.mean(errors)) < 0.5


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall-b"])
def test_noisier_annotators_have_to_be_more(coefficient: str) -> None:
    random = np.random.default_rng(3)
    quality = random.normal(size=10)
    metric = (quality + 0.4 * random.normal(size=10))[np.newaxis]
    noise = random.normal(size=(8, 10))
    needed = [
        plan_annotators(
            metric, quality + scale * noise, coefficient=coefficient, width=0.1, resamples=50, seed=seed_for(1, "x")
        )[0].needed
        for scale in (0.3, 1.0)
    ]
    assert needed[0] < needed[1]


def test_annotators_who_agree_are_enough_one_by_one() -> None:
    quality = np.random.default_rng(4).normal(size=8)
    ratings = np.stack([quality, quality + 1e-3 * np.arange(8), quality - 1e-3 * np.arange(8), quality])
    (found,) = plan_annotators(
        (quality**3)[np.newaxis], ratings, coefficient="pearson", width=0.2, resamples=50, seed=seed_for(1, "x")
    )
    assert found.needed == 1


def test_two_annotators_or_four_systems_are_no_pilot() -> None:
    scores = np.random.default_rng(5).normal(size=(3, 4))
    call = {"coefficient": "pearson", "width": 0.2, "resamples": 20, "seed": seed_for(1, "x")}
    plans = [
        *plan_annotators(scores[:1], scores[1:], **call),  # type: ignore[arg-type]
        *plan_systems(scores[:1], scores[1], **call),  # type: ignore[arg-type]
    ]
    assert np.isnan([plan.needed for plan in plans]).all()


def test_scores_that_do_not_differ_have_no_plan() -> None:
    human = np.random.default_rng(6).normal(size=8)
    (found,) = plan_systems(
        np.ones((1, 8)), human, coefficient="pearson", width=0.2, resamples=20, seed=seed_for(1, "x")
    )
    assert np.isnan(found.needed)


def test_no_interval_is_wider_than_all_there_is() -> None:
    random = np.random.default_rng(7)
    (found,) = plan_systems(
        random.normal(size=(1, 6)), random.normal(size=6), coefficient="pearson", width=0.2, resamples=50,
        seed=seed_for(1, "x"),
    )  # fmt: skip
    assert (found.highs <= 2).all()
    assert (found.value <= found.highs).all()
