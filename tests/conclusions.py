"""What tests of pairs of systems conclude."""

import numpy as np

from metaeval.inference.pairs import Evidence, Order, PairTests


def check_consistent(tests: PairTests, evidence: Evidence) -> None:
    """P-values, intervals, rank sets, letters and tiers say the same; undefined differences say nothing."""
    order = Order.of(evidence.scores, tests, evidence.defined)
    defined, varies = ~np.isnan(tests.p), ~np.isnan(tests.low)
    outside = (tests.low > 0) | (tests.high < 0)
    np.testing.assert_array_equal((tests.p <= tests.alpha)[varies], outside[varies])
    assert (tests.low <= tests.difference)[varies].all()
    assert (tests.difference <= tests.high)[varies].all()
    assert (tests.low < tests.high)[varies].all()
    assert (tests.p[defined & ~varies & (tests.difference == 0)] == 1).all()
    assert (tests.p >= tests.raw)[defined].all()
    different = (tests.p <= tests.alpha)[defined]
    one, other = tests.one[defined], tests.other[defined]
    np.testing.assert_array_equal(order.different[one, other], different)
    low, high = order.rank_sets
    rank = 1 + (order.scores[:, np.newaxis] < order.scores).sum(axis=1)
    assert ((low <= rank) & (rank <= high))[evidence.defined].all()
    for first, second, differs in zip(one, other, different, strict=True):
        assert bool(set(order.letters[first]) & set(order.letters[second])) != differs
        if order.better[first, second]:
            assert low[second] > 1
            assert order.scores[first] > order.scores[second]
            assert order.tiers[first] <= order.tiers[second]
        if order.tiers[first] == order.tiers[second] == 1 and order.scores[first] == order.scores.max():
            assert not order.better[first, second]
