"""Randomised Tukey HSD against permuting row by row, and against its level; letters against what they mean."""

import string
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray
from scipy import stats

from metaeval.inference.pairs import share_reaching
from metaeval.stats.tests import (
    MOST_GROUPS,
    ROWS_TOGETHER,
    SUMS,
    compact_letters,
    letter,
    ranges_by_chance,
)

TOGETHER = ROWS_TOGETHER * SUMS[0]
"""Rows from which on as many are summed up together as may be before there are enough sums."""

every_height = pytest.mark.parametrize("rows", [1, 2, 7, SUMS[0], 100, TOGETHER, TOGETHER + 13, 50 * SUMS[1] + 3])


def fresh(seed: int = 20201) -> np.random.Generator:
    return np.random.default_rng(seed)


def randomised_tukey(
    scores: NDArray[np.float64], *, replicates: int, random: np.random.Generator
) -> NDArray[np.float64]:
    """p-values of all pairs of columns, as `power --test tukey` computes them, (M, M)."""
    means = scores.mean(axis=0)
    ranges = ranges_by_chance(scores.T, resamples=replicates, random=random)
    p = share_reaching(np.abs(means[:, np.newaxis] - means), np.sort(ranges))
    np.fill_diagonal(p, 1.0)
    return p


def test_p_is_the_share_of_all_arrangements_that_reach_the_difference() -> None:
    scores = np.array([[0.1, 0.5, 0.9], [0.3, 0.4, 0.8], [0.2, 0.1, 0.6], [0.5, 0.6, 0.5]])
    arrangements = np.array(list(product(*map(permutations, scores.tolist()))))
    assert arrangements.shape == (6**4, 4, 3)
    ranges = np.ptp(arrangements.mean(axis=1), axis=1)
    observed = np.abs(np.subtract.outer(scores.mean(axis=0), scores.mean(axis=0)))
    exact = (ranges[:, np.newaxis, np.newaxis] >= observed - 1e-12).mean(axis=0)
    estimate = randomised_tukey(scores, replicates=40_000, random=fresh())
    np.testing.assert_allclose(estimate, exact, atol=0.01)


@every_height
def test_ranges_are_distributed_as_when_every_row_is_permuted_by_itself(rows: int) -> None:
    scores = fresh().gamma(1, size=(rows, 4)) + np.array([0, 0, 0.2, 0.5])
    random = fresh(1)
    one_by_one = [np.ptp(random.permuted(scores, axis=1).mean(axis=0)) for _ in range(3000)]
    # Every hundredth, as those in between share something.
    together = ranges_by_chance(scores.T, resamples=20_000, random=fresh(2))
    assert stats.ks_2samp(together[::100], one_by_one).pvalue > 1e-3
    # All of them have the same quantiles, up to what is shared.
    shares = [0.5, 0.9, 0.95]
    np.testing.assert_allclose(np.quantile(together, shares), np.quantile(one_by_one, shares), rtol=0.05)


@pytest.mark.parametrize("rows", [3, 24, 40, 93, 260])
def test_equal_columns_are_told_apart_no_more_often_than_the_level_allows(rows: int) -> None:
    random = fresh(rows)
    data_sets = 400 if rows < 200 else 200
    rejected = 0
    for _ in range(data_sets):
        # Rows differ much and columns not at all; the noise is skewed, and columns of a row belong together.
        scores = random.normal(size=(rows, 1)) * 3 + random.gamma(0.5, size=(rows, 4))
        rejected += bool((randomised_tukey(scores, replicates=200, random=random) <= 0.05).any())
    assert stats.binomtest(rejected, data_sets, 0.05).pvalue > 1e-3


def test_one_column_or_no_replicates_show_no_difference_and_an_undefined_score_is_an_error() -> None:
    assert randomised_tukey(fresh().random((30, 1)), replicates=50, random=fresh()).tolist() == [[1.0]]
    assert (randomised_tukey(fresh().random((30, 3)), replicates=0, random=fresh()) == 1).all()


@some.composite
def relations(draw: some.DrawFn) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Means, some tied, and which columns differ."""
    columns = draw(some.integers(1, 8))
    means = draw(some.lists(some.integers(0, 4), min_size=columns, max_size=columns))
    upper = draw(some.lists(some.booleans(), min_size=columns * columns, max_size=columns * columns))
    different = np.triu(np.array(upper).reshape(columns, columns), 1)
    return np.array(means, dtype=np.float64), different | different.T


@given(relations())
def test_columns_share_a_letter_exactly_where_they_do_not_differ_and_letters_are_few(
    relation: tuple[NDArray[np.float64], NDArray[np.bool_]],
) -> None:
    means, different = relation
    letters = compact_letters(means, different)
    for one, other in product(range(len(means)), repeat=2):
        assert bool(set(letters[one]) & set(letters[other])) == (not different[one, other])
    # No letter is redundant, and letters are in order, from the best column on.
    used = sorted(set("".join(letters)))
    groups = [{column for column, text in enumerate(letters) if name in text} for name in used]
    assert not any(one <= other for one, other in permutations(groups, 2))
    assert letters[int(np.argsort(-means)[0])][0] == "a"
    assert used == list(string.ascii_lowercase[: len(used)])


@pytest.mark.parametrize(
    ("means", "letters"),
    [([0.9, np.nan, 0.8], ["a", "", "a"]), ([np.nan, np.nan], ["", ""]), ([], []), ([0.4], ["a"])],
)
def test_an_undefined_mean_has_no_letter(means: list[float], letters: list[str]) -> None:
    columns = len(means)
    assert compact_letters(np.array(means), np.zeros((columns, columns), dtype=np.bool_)) == letters


@pytest.mark.parametrize("differing", [9, 200])
def test_too_many_groups_have_no_letters(differing: int) -> None:
    # Of each pair of columns that differ, a group has one: there are two to the power of the pairs.
    different = np.kron(np.eye(differing, dtype=np.bool_), ~np.eye(2, dtype=np.bool_))
    letters = compact_letters(-np.arange(2.0 * differing), different)
    assert any(letters) == (2**differing <= MOST_GROUPS)


def test_after_z_letters_are_numbered() -> None:
    means = -np.arange(54.0)
    letters = compact_letters(means, ~np.eye(54, dtype=np.bool_))
    assert letters == [letter(number) for number in range(54)]
    assert [letters[column] for column in (0, 25, 26, 51, 52)] == ["a", "z", "a1", "z1", "a2"]
