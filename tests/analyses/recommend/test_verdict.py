"""Verdicts from evidence: which checks exclude a measure, which measure is named, what is said about the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from metaeval.analyses.recommend.evidence import Examined, Outcome, Place, judge
from metaeval.analyses.recommend.settings import RecommendSettings
from metaeval.analyses.similarity.compute import CorrectedSimilarity
from metaeval.inference.statistics import Comparison

NONE = np.full((3, 3), np.nan)


def similar(tau: np.ndarray, error: float = 0.02) -> CorrectedSimilarity:
    """Corrected taus with intervals."""
    return CorrectedSimilarity(tau, tau - error, tau + error)


def evidence(**changes: Any) -> Examined:
    """Three measures without a fault, all alike, of ten informed systems."""
    fine = Examined(
        measures=("a", "b", "c"),
        convention=(0, 1, 2),
        undefined=np.zeros(3),
        informed=np.ones(10, dtype=np.bool_),
        reference=None,
        testable=True,
        beaten=np.zeros(3, dtype=np.intp),
        by=("majority",) * 3,
        moves=40,
        order=np.array([[1.0, 0.0, 0.0]] * 3),
        reliability=np.array([0.9, 0.92, 0.91]),
        comparison=Comparison(NONE, NONE, np.full(3, 0.8), np.full(3, 1.0), np.empty((0, 3))),
        less_reliable=np.zeros((3, 3), dtype=np.bool_),
        similarity=similar(np.full((3, 3), 0.95)),
        properties=(frozenset({"chance"}), frozenset(), frozenset({"chance"})),
        human=None,
    )
    return replace(fine, **changes)


FINE = RecommendSettings()


def places(found: Examined, settings: RecommendSettings = FINE) -> tuple[str, str]:
    """The verdict, and the first letter of what it says about each measure."""
    verdict = judge(found, settings)
    return verdict.outcome.value, "".join(place.value[0] for place in verdict.places)


def test_the_first_by_convention_is_named_where_all_are_alike() -> None:
    assert places(evidence()) == ("similar", "nss")
    assert places(evidence(convention=(2, 1, 0))) == ("similar", "ssn")
    assert places(evidence(), RecommendSettings(official="b")) == ("similar", "sns")


def test_a_ranking_that_is_hardly_reliable_is_not_named_but_if_in_use() -> None:
    low = evidence(reliability=np.array([0.49, 0.5, 0.6]))
    assert places(low) == ("similar", "sns")
    assert places(low, RecommendSettings(official="a")) == ("similar", "nss")


def test_what_ranks_differently_is_a_trade_off() -> None:
    similarity = np.array([[1, 0.5, 0.95], [0.5, 1, 0.5], [0.95, 0.5, 1]])
    assert places(evidence(similarity=similar(similarity))) == ("trade-off", "nds")


def test_what_the_data_do_not_decide_is_neither_similar_nor_different() -> None:
    assert places(evidence(similarity=similar(np.full((3, 3), 0.95), 0.06))) == ("undecided", "nuu")
    assert places(evidence(similarity=similar(np.full((3, 3), 0.85), 0.06))) == ("undecided", "nuu")
    assert places(evidence(similarity=similar(NONE))) == ("undecided", "nuu")
    assert places(evidence(similarity=None)) == ("undecided", "nuu")


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({"undefined": np.array([0.02, 0, 0])}, "undefined"),
        ({"undefined": np.array([1.0, 0, 0])}, "undefined"),
        ({"order": np.array([[0.4, 0.6, 0], [1, 0, 0], [1, 0, 0]])}, "blind"),
        ({"order": np.array([[0.9, 0, 0.1], [1, 0, 0], [1, 0, 0]])}, "perverse"),
        ({"beaten": np.array([2, 1, 0])}, "gamed"),
        ({"human": (np.array([False, True, True]), np.array([0.1, 0.8, 0.9]))}, "human"),
        ({"less_reliable": np.array([[False, True, False], [False] * 3, [False] * 3])}, "reliability"),
    ],
)
def test_a_check_excludes_a_measure_even_if_it_is_in_use(changes: dict[str, Any], check: str) -> None:
    found = judge(evidence(**changes), RecommendSettings(official="a"))
    assert found.reasons[0] is not None
    assert found.reasons[0].check == check
    assert found.reasons[1:] == (None, None)
    assert found.places == (Place.EXCLUDED, Place.NAMED, Place.SIMILAR)


def test_a_reason_is_not_rounded_to_what_is_tolerated() -> None:
    found = judge(
        evidence(order=np.array([[0.949, 0, 0.051], [0.499, 0.501, 0], [1, 0, 0]]), undefined=np.zeros(3)), FINE
    )
    texts = [reason and reason.text for reason in found.reasons]
    assert texts == ["a nearer class scores lower in 5.1 %", "a nearer class scores the same in 50.1 %", None]


def test_what_is_tolerated_excludes_nothing() -> None:
    order = np.array([[0.45, 0.5, 0.05]] * 3)
    assert places(evidence(undefined=np.full(3, 0.01), order=order, beaten=np.ones(3))) == ("similar", "nss")


def test_few_informed_systems_tolerate_no_trivial_one_that_beats_any() -> None:
    informed = np.arange(10) < 4
    assert places(evidence(informed=informed, beaten=np.array([1, 0, 0]))) == ("similar", "ens")


def test_a_required_property_excludes_those_without_it() -> None:
    found = judge(evidence(), RecommendSettings(require="chance"))
    assert [None if each is None else each.text for each in found.reasons] == [
        None, "lacks chance", None,
    ]  # fmt: skip


def test_nothing_that_remains_and_nothing_that_ranks_are_told() -> None:
    assert places(evidence(beaten=np.full(3, 9))) == ("none", "eee")
    assert places(evidence(reliability=np.array([0.3, 0.49, 0.2])))[0] == Outcome.CANNOT_RANK.value
    assert places(evidence(informed=np.zeros(10, dtype=np.bool_)))[0] == Outcome.CANNOT_RANK.value


def test_without_trivial_systems_convention_names_no_measure() -> None:
    unknown = {"informed": None, "order": None}
    assert places(evidence(**unknown)) == ("similar", "fss")
    assert places(evidence(**unknown, convention=(2, 1, 0))) == ("similar", "ssf")
    assert places(evidence(testable=False))[1] == "fss"
    assert places(evidence(**unknown), RecommendSettings(official="c")) == ("similar", "ssn")
    human = (np.array([True, True, False]), np.array([0.7, 0.9, 0.1]))
    assert places(evidence(**unknown, human=human)) == ("similar", "sne")
    alone = np.array([[False] * 3, [True, False, False], [True, False, False]])
    assert places(evidence(**unknown, reliability=np.array([0.9, 0.5, 0.5]), less_reliable=alone)) == ("clear", "nee")


def test_where_no_two_systems_differ_nothing_is_named() -> None:
    tied = judge(evidence(reliability=np.full(3, np.nan)), FINE)
    assert tied.outcome is Outcome.CANNOT_RANK
    assert {reason.check for reason in tied.reasons if reason is not None} == {"tied"}
    assert places(evidence(reliability=np.array([np.nan, 0.9, 0.9]))) == ("similar", "ens")


def test_data_that_cannot_rank_name_no_measure() -> None:
    assert places(evidence(reliability=np.array([0.3, 0.49, 0.2]))) == ("cannot-rank", "fss")
    assert places(evidence(informed=np.zeros(10, dtype=np.bool_)), RecommendSettings(official="b"))[1] == "fss"
