"""Intervals of corrected shares cover, for judges from useless to perfect and each way to choose items."""

import numpy as np
import pytest
from judges.correct.studies import Numbers, study_of

from metaeval.errors import InputError
from metaeval.judges.correct.compute import WIDER, means_of
from metaeval.judges.correct.estimates import Sums
from metaeval.judges.correct.settings import Sample

SYSTEMS, ITEMS = 400, 600

JUDGES = [(0.5, 0.5), (0.7, 0.8), (0.9, 0.8), (0.6, 0.95), (1.0, 1.0)]

SHARES = [(0.02, 20), (0.02, 100), (0.1, 50), (0.5, 20), (0.5, 100), (0.98, 50)]

ERROR = 3.5 * np.sqrt(0.05 * 0.95 / SYSTEMS)
"""What chance adds to a share of systems, in one of all kinds of data."""


def draw(
    random: np.random.Generator, share: float, skill: tuple[float, float], labels: int, by: Sample
) -> tuple[Numbers, Numbers]:
    right = random.random((SYSTEMS, ITEMS)) < share
    says = random.random(right.shape) < np.where(right, skill[0], 1 - skill[1])
    order = random.random(right.shape)
    if by == "random":
        scored = order.argsort(axis=1).argsort(axis=1) < labels
    else:
        kind = right if by == "class" else says
        ranks = [np.where(mask, order, 2.0).argsort(axis=1).argsort(axis=1) for mask in (kind, ~kind)]
        scored = np.where(kind, *ranks) < labels // 2
    return says.astype(np.float64), np.where(scored, right, np.nan).astype(np.float64)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["random", "verdict", "class"])
@pytest.mark.parametrize("skill", JUDGES)
def test_corrected_shares_are_covered_and_no_wider_than_those_of_people(by: Sample, skill: tuple[float, float]) -> None:
    random = np.random.default_rng(11)
    for share, labels in SHARES:
        judge, human = draw(random, share, skill, labels, by)
        is_defined = np.ones(SYSTEMS, dtype=np.bool_)
        study = study_of(judge, human)
        sums = Sums.of(judge, human, judge.astype(np.intp), np.arange(ITEMS))
        if by == "class":
            method = means_of(study, sums, "random").methods["rogan-gladen"]
            (low, high), is_defined = method.limits[:2], np.isfinite(method.estimate.value)
        else:
            means = means_of(study, sums, by)
            low, high = means.limits[:2]
        covers = (low <= share) & (share <= high)
        # Systems that are refused have no wrong answer.
        assert (covers | ~is_defined).mean() >= 0.93 - ERROR, (share, labels)
        if by == "random":
            assert (means.limits.width <= WIDER * means.people.limits.width + 1e-9).all()
            assert (means.people.limits.low <= share).mean() >= 0.93


@pytest.mark.slow
def test_a_useless_judge_is_refused_as_often_as_the_level_says() -> None:
    random = np.random.default_rng(12)
    judge, human = draw(random, 0.4, (0.5, 0.5), 60, "class")
    sums = Sums.of(judge, human, judge.astype(np.intp), np.arange(ITEMS))
    method = means_of(study_of(judge, human), sums, "random").methods["rogan-gladen"]
    assert np.isnan(method.estimate.value).mean() >= 0.95
    with pytest.raises(InputError, match="significantly above 0"):
        means_of(study_of(judge, human), sums, "class")
