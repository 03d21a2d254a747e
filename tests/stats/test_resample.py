"""Random halves, subsets and bootstrap samples against the laws they should follow.

Seeds are fixed, so a chi-square test that passes goes on passing; the level is what a fair sampler exceeds once in
ten thousand.
"""

import math
from collections import Counter
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray
from scipy import stats

from metaeval.arrays import Integers
from metaeval.stats.resample import (
    TRIALS_A_BLOCK,
    Blocks,
    draw_bootstrap,
    draw_halves,
    draw_subsets,
    generator,
    seed_for,
    trials_per_block,
)

TRIALS = 8000
LEVEL = 1e-4

Law = dict[tuple[int, ...], float]
"""The probability of every possible draw."""


def fresh(seed: int = 20201) -> np.random.Generator:
    return generator(np.random.SeedSequence(seed))


def ones(items: int) -> NDArray[np.intp]:
    return np.ones(items, dtype=np.intp)


def hypergeometric(multiplicities: list[int], size: int) -> Law:
    """The distribution of uniform subsets of `size` items, by the number of items of each row."""
    ways = {
        draw: math.prod(math.comb(*pair) for pair in zip(multiplicities, draw, strict=True))
        for draw in product(*(range(count + 1) for count in multiplicities))
        if sum(draw) == size
    }
    return {draw: count / math.comb(sum(multiplicities), size) for draw, count in ways.items()}


def multinomial(multiplicities: list[int]) -> Law:
    items = sum(multiplicities)
    shares = [count / items for count in multiplicities]
    draws = [draw for draw in product(range(items + 1), repeat=len(shares)) if sum(draw) == items]
    return {draw: float(stats.multinomial.pmf(draw, items, shares)) for draw in draws}


def mean_of(laws: list[Law]) -> Law:
    total: Counter[tuple[int, ...]] = Counter()
    for law in laws:
        total.update({draw: share / len(laws) for draw, share in law.items()})
    return dict(total)


def halves_of(multiplicities: list[int]) -> Law:
    items = sum(multiplicities)
    return mean_of([hypergeometric(multiplicities, size) for size in {items // 2, items - items // 2}])


def follows(draws: Integers, law: Law) -> bool:
    """Whether the draws, (T, U), are such as the law gives, by a chi-square test; none is impossible."""
    counted = Counter(map(tuple, draws.tolist()))
    assert set(counted) <= set(law)
    if len(law) == 1:
        return True
    observed = [counted[draw] for draw in law]
    p: float = stats.chisquare(observed, [share * len(draws) for share in law.values()]).pvalue
    return p > LEVEL


MULTIPLICITIES = [
    [1, 1], [1, 1, 1], [1] * 4, [1] * 5, [1] * 6, [2, 1, 3], [4], [5], [2, 0, 3], [0, 1], [3, 4, 2], [1], [5, 1, 1],
]  # fmt: skip
every_multiplicities = pytest.mark.parametrize("multiplicities", MULTIPLICITIES, ids=str)


@every_multiplicities
def test_all_halves_are_equally_likely(multiplicities: list[int]) -> None:
    draws = draw_halves(fresh(), np.array(multiplicities), trials=TRIALS)
    assert follows(draws, halves_of(multiplicities))


@every_multiplicities
def test_all_subsets_of_a_size_are_equally_likely(multiplicities: list[int]) -> None:
    for size in range(sum(multiplicities) + 1):
        draws = draw_subsets(fresh(size), np.array(multiplicities), trials=TRIALS, size=size)
        assert follows(draws, hypergeometric(multiplicities, size))


def test_a_law_that_is_not_that_of_the_draws_is_found_out() -> None:
    draws = draw_halves(fresh(), np.array([2, 1, 3]), trials=TRIALS)
    uniform = dict.fromkeys(halves_of([2, 1, 3]), 1 / 6)
    assert len(uniform) == 6
    assert not follows(draws, uniform)


@pytest.mark.parametrize("items", [1, 2, 3])
def test_bootstrap_samples_follow_the_multinomial_law(items: int) -> None:
    assert follows(draw_bootstrap(fresh(), items, trials=TRIALS), multinomial([1] * items))


@pytest.mark.parametrize("items", [2, 3, 63, 64, 65, 1000, 1001])
@pytest.mark.parametrize("collapsed", [False, True])
def test_a_half_has_exactly_half_of_the_items(items: int, collapsed: bool) -> None:
    multiplicities = np.array([items // 2, 0, items - items // 2]) if collapsed else ones(items)
    draws = draw_halves(fresh(), multiplicities, trials=2000)
    assert draws.min() >= 0
    assert (draws <= multiplicities).all()
    sizes = draws.sum(axis=1, dtype=np.int64)
    if items % 2 == 0:
        assert (sizes == items // 2).all()
    else:
        assert set(sizes) == {items // 2, items // 2 + 1}
        assert stats.binomtest(int((sizes > items // 2).sum()), 2000).pvalue > LEVEL


@pytest.mark.parametrize("items", [40, 41, 70])
def test_every_item_and_every_pair_of_items_is_chosen_as_often_as_theory_says(items: int) -> None:
    draws = draw_halves(fresh(), ones(items), trials=TRIALS).astype(np.float64)
    together = draws.T @ draws
    small, large = items // 2, items - items // 2
    pair = np.mean([size * (size - 1) / (items * (items - 1)) for size in (small, large)])
    p_items = stats.binom.cdf(np.diagonal(together), TRIALS, 0.5)
    p_pairs = stats.binom.cdf(together[np.triu_indices(items, 1)], TRIALS, pair)
    for p in (p_items, p_pairs):
        assert LEVEL / len(p) < p.min()
        assert p.max() < 1 - LEVEL / len(p)
        # Together they do not vary too little either, as they would after careless balancing.
        assert 0.15 < np.abs(p - 0.5).mean() < 0.35


def follows_hypergeometric(chosen: Integers, items: int, multiplicity: int, size: int) -> bool:
    """By a Kolmogorov-Smirnov test, each discrete p-value spread out evenly within its step."""
    law, number = stats.hypergeom(items, multiplicity, size), chosen.astype(np.int64)
    p = law.cdf(number - 1) + np.random.default_rng(0).random(len(number)) * law.pmf(number)
    return float(stats.kstest(p, "uniform").pvalue) > LEVEL


@pytest.mark.parametrize("multiplicity", [62, 63, 64, 65, 255, 256, 300, 70_000])
def test_rows_of_many_items_are_halved_as_theory_says(multiplicity: int) -> None:
    multiplicities = np.array([multiplicity, 1, multiplicity + 3, 2])
    draws = draw_halves(fresh(), multiplicities, trials=5000)
    assert (draws <= multiplicities).all()
    items = int(multiplicities.sum())
    assert (draws.sum(axis=1, dtype=np.int64) == items // 2).all()
    assert follows_hypergeometric(draws[:, 0], items, multiplicity, items // 2)
    for size in (3, items // 3, items - 5):
        subsets = draw_subsets(fresh(), multiplicities, trials=2000, size=size)
        assert (subsets.sum(axis=1, dtype=np.int64) == size).all()
        assert (subsets <= multiplicities).all()
        assert follows_hypergeometric(subsets[:, 0], items, multiplicity, size)


@pytest.mark.parametrize("multiplicities", [[1] * 5, [2, 1, 3], [3, 0, 2]], ids=str)
def test_halves_of_what_is_available_in_a_trial_are_equally_likely(multiplicities: list[int]) -> None:
    for available, chance in hypergeometric(multiplicities, 4).items():
        assert chance > 0
        within = np.broadcast_to(np.array(available, dtype=np.uint8), (TRIALS, len(multiplicities)))
        draws = draw_halves(fresh(), np.array(multiplicities), trials=TRIALS, within=within)
        assert follows(draws, halves_of(list(available)))


@given(some.lists(some.integers(0, 200), min_size=1, max_size=9), some.integers(0, 2**32 - 1), some.data())
def test_halves_stay_within_what_is_available(multiplicities: list[int], seed: int, data: some.DataObject) -> None:
    size = data.draw(some.integers(0, sum(multiplicities)))
    random = fresh(seed)
    within = draw_subsets(random, np.array(multiplicities), trials=6, size=size)
    assert (within.sum(axis=1, dtype=np.int64) == size).all()
    first = draw_halves(random, np.array(multiplicities), trials=6, within=within)
    assert (first <= within).all()
    assert set(first.sum(axis=1, dtype=np.int64)) <= {size // 2, size - size // 2}


@pytest.mark.parametrize("multiplicities", [[1] * 5, [2, 0, 5]], ids=str)
def test_the_larger_half_goes_where_it_is_told_to(multiplicities: list[int]) -> None:
    larger = np.arange(TRIALS) % 3 == 0
    draws = draw_halves(fresh(), np.array(multiplicities), trials=TRIALS, larger=larger)
    items = sum(multiplicities)
    assert follows(draws[larger], hypergeometric(multiplicities, items - items // 2))
    assert follows(draws[~larger], hypergeometric(multiplicities, items // 2))


@pytest.mark.parametrize("size", [-1, 7])
def test_a_subset_has_no_more_items_than_there_are(size: int) -> None:
    with pytest.raises(ValueError, match="of 6 items"):
        draw_subsets(fresh(), np.array([2, 1, 3]), trials=2, size=size)


@pytest.mark.parametrize("items", [1 << 16, (1 << 16) + 1])
def test_the_last_of_many_items_can_be_drawn(items: int) -> None:
    draws = draw_bootstrap(fresh(), items, trials=20)
    assert (draws.sum(axis=1) == items).all()
    assert draws[:, -1].any()
    assert draws[:, 0].any()


DRAWERS: dict[str, Callable[[np.random.Generator, int], Integers]] = {
    "halves": lambda random, trials: draw_halves(random, ones(101), trials=trials),
    "halves of rows": lambda random, trials: draw_halves(random, np.array([5, 200, 3]), trials=trials),
    "subsets": lambda random, trials: draw_subsets(random, ones(101), trials=trials, size=20),
    "bootstrap": lambda random, trials: draw_bootstrap(random, 101, trials=trials),
}


@pytest.mark.parametrize("name", DRAWERS)
def test_the_same_seed_draws_the_same_and_another_does_not(name: str) -> None:
    draw = DRAWERS[name]
    np.testing.assert_array_equal(draw(fresh(0), 30), draw(fresh(0), 30))
    assert (draw(fresh(0), 30) != draw(fresh(1), 30)).any()
    assert draw(fresh(), 0).shape == (0, *draw(fresh(), 30).shape[1:])


@given(some.integers(1, 300), some.integers(1, 70))
def test_blocks_share_out_all_trials(trials: int, per_block: int) -> None:
    blocks = Blocks(seed_for(3, "halves"), trials=trials, per_block=per_block)
    sizes = [size for _, size in blocks]
    assert sum(sizes) == trials
    assert all(size == per_block for size in sizes[:-1])
    assert 1 <= sizes[-1] <= per_block
    assert len({tuple(seed.generate_state(2)) for seed, _ in blocks}) == len(blocks)
    spawned = seed_for(3, "halves").spawn(len(blocks))
    assert [seed.spawn_key for seed, _ in blocks] == [seed.spawn_key for seed in spawned]
    assert (blocks[-1][0].generate_state(4) == spawned[-1].generate_state(4)).all()
    assert [size for _, size in blocks[1:3]] == sizes[1:3]


def test_blocks_begin_alike_and_fit_the_memory() -> None:
    few, many = (Blocks(seed_for(3, "halves"), trials=trials, per_block=64) for trials in (128, 1000))
    for (one, _), (other, _) in zip(few, many, strict=False):
        assert (one.generate_state(4) == other.generate_state(4)).all()
    assert trials_per_block(1000, memory=10_000) == 10
    assert trials_per_block(1000, memory=10) == 1
    assert trials_per_block(0, memory=1 << 29) == trials_per_block(1, memory=1 << 40) == TRIALS_A_BLOCK
    purposes = ("halves", "bootstrap", "balance", "tukey", "")
    states = {tuple(seed_for(seed, purpose).generate_state(4)) for seed, purpose in product((0, 1, 2**40), purposes)}
    assert len(states) == 15
    assert tuple(seed_for(0, "halves").generate_state(4)) in states
