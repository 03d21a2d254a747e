"""Similarity and groups of measures made by hand."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from score_cubes import cube

from metaeval.analyses.similarity.compute import group_measures, ranking_similarity
from metaeval.stats.rank_correlation import COEFFICIENTS

NAN = np.nan

every_coefficient = pytest.mark.parametrize("coefficient", COEFFICIENTS)


@every_coefficient
def test_similarity_is_symmetric_and_a_measure_is_alike_itself(coefficient: str) -> None:
    scores = np.random.default_rng(0).random((4, 5, 9))
    similarity = ranking_similarity(cube(scores, ("replicate",)), coefficient=coefficient)
    assert similarity.shape == (4, 5, 5)
    np.testing.assert_array_equal(similarity, similarity.swapaxes(1, 2))
    np.testing.assert_array_equal(np.diagonal(similarity, axis1=1, axis2=2), 1)


@every_coefficient
@pytest.mark.parametrize("axes", [(), ("replicate",), ("replicate", "half")])
def test_every_axis_is_kept(coefficient: str, axes: tuple[str, ...]) -> None:
    scores = np.random.default_rng(0).random((*range(2, 2 + len(axes)), 3, 6))
    similarity = ranking_similarity(cube(scores, axes), coefficient=coefficient)
    for place in np.ndindex(scores.shape[:-2]):
        expected = COEFFICIENTS[coefficient](scores[place][0], scores[place][2])
        np.testing.assert_allclose(similarity[place][0, 2], expected, rtol=1e-13)


def test_similarity_is_kendalls_tau_unless_asked() -> None:
    scores = np.random.default_rng(0).integers(5, size=(2, 9)).astype(float)
    expected = stats.kendalltau(*scores).statistic
    assert ranking_similarity(cube(scores))[0, 1] == pytest.approx(expected, abs=1e-12)


def test_measures_of_error_and_of_success_are_alike_when_they_rank_alike() -> None:
    scores = np.array([[0.1, 0.5, 0.9], [9.0, 5.0, 1.0]])
    assert ranking_similarity(cube(scores, lower_is_better=(1,)))[0, 1] == 1
    assert ranking_similarity(cube(scores))[0, 1] == -1


@every_coefficient
def test_a_measure_that_ranks_all_systems_alike_is_alike_nothing_not_even_itself(coefficient: str) -> None:
    scores = np.array([[0.1, 0.5, 0.9], [0.2, 0.2, 0.2], [NAN, NAN, NAN]])
    similarity = ranking_similarity(cube(scores), coefficient=coefficient)
    np.testing.assert_array_equal(np.isnan(similarity), [[False, True, True], [True] * 3, [True] * 3])


@every_coefficient
def test_one_system_and_one_measure_are_no_error(coefficient: str) -> None:
    assert np.isnan(ranking_similarity(cube([[0.4], [0.5]]), coefficient=coefficient)).all()
    assert ranking_similarity(cube([[0.4, 0.5]]), coefficient=coefficient).tolist() == [[1.0]]


def similarities(pairs: dict[tuple[int, int], float], measures: int, other: float = 0.0) -> NDArray[np.float64]:
    matrix = np.full((measures, measures), other)
    np.fill_diagonal(matrix, 1)
    for (one, two), value in pairs.items():
        matrix[one, two] = matrix[two, one] = value
    return matrix


def test_measures_alike_share_a_group_and_stand_together() -> None:
    groups = group_measures(similarities({(0, 2): 0.9, (1, 3): 0.8}, 4))
    assert groups.letters[0] == groups.letters[2] != groups.letters[1] == groups.letters[3]
    assert abs(groups.order.index(0) - groups.order.index(2)) == 1
    assert sorted(groups.order) == [0, 1, 2, 3]
    assert groups.letters[groups.order[0]] == "A"
    assert set(groups.letters) == {"A", "B"}
    assert len(groups.tree) == 3


def test_groups_are_joined_by_the_average_of_their_distances() -> None:
    similarity = similarities({(0, 1): 0.9, (0, 2): 0.8, (1, 2): 0.1}, 3)
    # 2 is 1 − (0.8 + 0.1) / 2 = 0.55 from the other two.
    assert len(set(group_measures(similarity, cut=0.54).letters)) == 2
    assert len(set(group_measures(similarity, cut=0.56).letters)) == 1


@pytest.mark.parametrize(("cut", "groups"), [(0.0, 5), (2.0, 1)])
def test_the_cut_goes_from_every_measure_alone_to_all_together(cut: float, groups: int) -> None:
    matrix = np.clip(np.random.default_rng(0).normal(0, 0.5, size=(5, 5)), -1, 0.99)
    matrix = np.tril(matrix, -1) + np.tril(matrix, -1).T + np.eye(5)
    found = group_measures(matrix, cut=cut)
    assert len(set(found.letters)) == groups
    assert [found.letters[measure] for measure in found.order] == (list("ABCDE") if groups == 5 else ["A"] * 5)


def test_identical_measures_are_one_group_at_any_cut() -> None:
    assert group_measures(np.ones((3, 3)), cut=0.0).letters == ("A", "A", "A")


def test_a_measure_that_is_undefined_everywhere_is_in_no_group_and_comes_last() -> None:
    similarity = similarities({(0, 2): 0.9}, 3)
    similarity[1], similarity[:, 1] = NAN, NAN
    groups = group_measures(similarity)
    assert groups.letters == ("A", "—", "A")
    assert groups.order[2] == 1
    assert len(groups.tree) == 1


def test_two_measures_that_cannot_be_compared_with_each_other_count_as_unrelated() -> None:
    groups = group_measures(similarities({(0, 1): NAN, (0, 2): 0.9, (1, 2): 0.2}, 3))
    assert groups.letters[0] == groups.letters[2] != groups.letters[1]


@pytest.mark.parametrize("similarity", [np.ones((1, 1)), np.full((1, 1), NAN), np.full((3, 3), NAN), np.empty((0, 0))])
def test_without_two_measures_to_compare_there_are_no_groups(similarity: NDArray[np.float64]) -> None:
    groups = group_measures(similarity)
    assert groups.order == tuple(range(len(similarity)))
    assert set(groups.letters) <= {"—"}
    assert groups.tree.shape == (0, 4)


def test_two_measures_are_one_group_or_two() -> None:
    assert group_measures(similarities({(0, 1): 0.6}, 2)).letters == ("A", "A")
    assert sorted(group_measures(similarities({(0, 1): 0.4}, 2)).letters) == ["A", "B"]


def test_after_z_groups_are_numbered() -> None:
    groups = group_measures(np.eye(28))
    assert len(set(groups.letters)) == 28
    assert [groups.letters[measure] for measure in groups.order][25:] == ["Z", "A1", "B1"]


def test_the_matrix_is_left_as_it_was() -> None:
    similarity = similarities({(0, 1): NAN}, 3)
    similarity.setflags(write=False)
    group_measures(similarity)
