"""Verdicts from evidence: which checks exclude a measure, which measure is advised, and when two are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from metaeval.analyses.recommend.evidence import Examined
from metaeval.analyses.recommend.settings import RecommendSettings
from metaeval.analyses.recommend.verdict import Advice, Basis, Status, judge
from metaeval.inference.conflicts import Conflicts
from metaeval.inference.pairs import PairTests
from metaeval.inference.statistics import Comparison

NONE = np.full((3, 3), np.nan)


def conflicts(*directions: str) -> Conflicts:
    """What measures say of pairs: + and - for significant differences, and a dot for no significant one."""
    nan = np.full(len(directions[0]), np.nan)
    one, other = np.triu_indices(5, k=1)
    tests = []
    for signs in directions:
        difference = np.array([{"+": 1.0, "-": -1.0, ".": 0.1}[sign] for sign in signs])
        p = np.where(np.abs(difference) == 1, 0.01, 0.5)
        tests.append(
            PairTests(
                one=one,
                other=other,
                difference=difference,
                z=difference * 4,
                raw=p,
                p=p,
                low=nan,
                high=nan,
                threshold=nan,
                alpha=0.05,
                criticals=nan,
            )
        )
    return Conflicts(tests)


def comparison(p: np.ndarray = NONE) -> Comparison:
    return Comparison(p, p, np.full(3, 0.8), np.full(3, 1.0), np.empty((0, 3)))


def evidence(**changes: Any) -> Examined:
    """Three measures without a fault, all alike, of ten systems that are better than chance."""
    fine = Examined(
        measures=("a", "b", "c"),
        convention=(0, 1, 2),
        undefined=np.zeros(3),
        better_than_chance=np.ones(10, dtype=np.bool_),
        reference=None,
        testable=True,
        beaten=np.zeros(3, dtype=np.intp),
        by=("majority",) * 3,
        uses_order=np.ones(3, dtype=np.bool_),
        lowered=np.zeros(3),
        reliability=np.array([0.9, 0.92, 0.91]),
        comparison=comparison(),
        less_reliable=np.zeros((3, 3), dtype=np.bool_),
        conflicts=conflicts("++++++....", "+++++.....", "++++++++.."),
        power=np.array([0.6, 0.5, 0.8]),
        power_comparison=comparison(),
        properties=(frozenset({"chance"}), frozenset(), frozenset({"chance"})),
        human=None,
    )
    return replace(fine, **changes)


FINE = RecommendSettings()


def advice(examined: Examined, settings: RecommendSettings = FINE) -> str:
    """What to do, with which measures, and why."""
    verdict = judge(examined, settings)
    names = "".join(examined.measures[index] for index in verdict.choice)
    return f"{verdict.advice.value} {names} {verdict.basis.value if verdict.basis else ''}".strip()


def test_the_first_by_convention_is_used_where_no_pair_is_contested() -> None:
    assert advice(evidence()) == "use a convention"
    assert advice(evidence(convention=(2, 1, 0))) == "use c convention"
    assert advice(evidence(), RecommendSettings(official="b")) == "keep b official"


def test_a_measure_that_separates_significantly_more_pairs_goes_before_convention() -> None:
    p = np.ones((3, 3))
    p[0, 2] = p[2, 0] = 0.02
    assert advice(evidence(power_comparison=comparison(p))) == "use c power"
    assert advice(evidence(power_comparison=comparison(p)), RecommendSettings(official="a")) == "keep a official"
    # Neither a larger number alone nor a significant difference alone is enough.
    fewer = conflicts("++++++....", "+++++.....", "++++++....")
    assert advice(evidence(power_comparison=comparison(p), conflicts=fewer)) == "use a convention"
    assert advice(evidence(power_comparison=comparison(p), testable=False)) == "collect"


def test_a_measure_that_contests_pairs_is_reported_too() -> None:
    opposed = conflicts("++++++....", "+-+++.....", "+--+++....")
    assert advice(evidence(conflicts=opposed)) == "report ac convention"
    assert advice(evidence(conflicts=opposed), RecommendSettings(official="c")) == "report ca official"
    # What is excluded contests nothing.
    gamed = {"beaten": np.array([0, 0, 9])}
    assert advice(evidence(conflicts=opposed, **gamed)) == "report ab convention"
    # Others that contest each other do not speak against the first.
    beside = conflicts("+...++....", "++++++....", "+-++++....")
    assert advice(evidence(conflicts=beside)) == "use a convention"


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({"undefined": np.array([0.02, 0, 0])}, "undefined"),
        ({"undefined": np.array([1.0, 0, 0])}, "undefined"),
        ({"uses_order": np.array([False, True, True])}, "nominal"),
        ({"beaten": np.array([2, 1, 0])}, "gamed"),
        ({"human": (np.array([False, True, True]), np.array([0.1, 0.8, 0.9]))}, "human"),
        ({"less_reliable": np.array([[False, True, False], [False] * 3, [False] * 3])}, "reliability"),
    ],
)
def test_a_check_excludes_a_measure_even_if_it_is_in_use(changes: dict[str, Any], check: str) -> None:
    verdict = judge(evidence(**changes), RecommendSettings(official="a"))
    assert verdict.reasons[0] is not None
    assert verdict.reasons[0].check == check
    assert verdict.reasons[1:] == (None, None)
    assert verdict.statuses == (Status.EXCLUDED, Status.USE, Status.PASSES)


def test_the_order_may_not_matter_and_is_not_asked_of_nominal_classes() -> None:
    nominal = evidence(uses_order=np.zeros(3, dtype=np.bool_))
    assert advice(nominal) == "none"
    assert advice(nominal, RecommendSettings(ignore_order=True)) == "use a convention"
    assert advice(evidence(uses_order=None)) == "use a convention"


def test_moves_toward_gold_exclude_nothing() -> None:
    assert advice(evidence(lowered=np.array([0.5, 0.0, np.nan]))) == "use a convention"


def test_what_is_tolerated_excludes_nothing() -> None:
    assert advice(evidence(undefined=np.full(3, 0.01), beaten=np.ones(3))) == "use a convention"


def test_few_systems_better_than_chance_tolerate_no_trivial_one_that_beats_any() -> None:
    better = np.arange(10) < 4
    verdict = judge(evidence(better_than_chance=better, beaten=np.array([1, 0, 0])), FINE)
    assert [reason and reason.text for reason in verdict.reasons] == ["'majority' beats 1 of 4", None, None]


def test_a_required_property_excludes_those_without_it() -> None:
    verdict = judge(evidence(), RecommendSettings(require="chance"))
    assert [reason and reason.text for reason in verdict.reasons] == [None, "lacks chance", None]


def test_a_reason_is_not_rounded_to_what_is_tolerated() -> None:
    verdict = judge(evidence(undefined=np.array([0.0104, 0.2, 0.0])), FINE)
    assert [reason and reason.text for reason in verdict.reasons] == [
        "undefined in 1.04 % of random halves",
        "undefined in 20 % of random halves",
        None,
    ]


def test_systems_that_no_measure_separates_are_not_ranked() -> None:
    few = conflicts("+.........", "+.........", "..........")
    assert advice(evidence(conflicts=few)) == "collect"
    assert judge(evidence(conflicts=few), FINE).head == 0
    verdict = judge(evidence(conflicts=few), RecommendSettings(official="b"))
    assert (verdict.advice, verdict.basis, verdict.choice, verdict.collect) == (Advice.KEEP, Basis.OFFICIAL, (1,), True)
    assert advice(evidence(conflicts=conflicts("++........", "+.........", ".........."))) == "use a convention"
    assert advice(evidence(better_than_chance=np.zeros(10, dtype=np.bool_))) == "collect"
    assert advice(evidence(reliability=np.full(3, np.nan), conflicts=few)) == "collect"


def test_nothing_that_passes_and_the_only_one_that_does() -> None:
    assert advice(evidence(beaten=np.full(3, 9))) == "none"
    assert advice(evidence(beaten=np.array([9, 9, 0]))) == "use c alone"


def test_without_convention_the_data_or_people_decide() -> None:
    table = {"convention": None, "better_than_chance": None, "uses_order": None}
    assert advice(evidence(**table)) == "any"
    assert advice(evidence(**table), RecommendSettings(official="c")) == "keep c official"
    human = (np.array([True, True, False]), np.array([0.7, 0.9, 0.1]))
    assert advice(evidence(**table, human=human)) == "use b human"
    # Systems are too few to show that a measure agrees less, but not that it does not agree.
    opposed = (np.ones(3, dtype=np.bool_), np.array([0.7, -0.9, 0.0]))
    assert advice(evidence(**table, human=opposed)) == "use a alone"
    p = np.full((3, 3), 0.01)
    assert advice(evidence(**table, power_comparison=comparison(p))) == "use c power"
    p[1, 2] = p[2, 1] = 0.5
    assert advice(evidence(**table, power_comparison=comparison(p))) == "any"


@pytest.mark.parametrize("copied", [0, 1, 2])
def test_a_copy_of_a_measure_changes_nothing_about_others(copied: int) -> None:
    signs = ["++++++....", "+-+++.....", "+--+++...."]
    base = evidence(conflicts=conflicts(*signs))
    more = [0, 1, 2, copied]
    again = replace(
        base,
        measures=("a", "b", "c", "copy"),
        convention=(0, 1, 2, 3),
        conflicts=conflicts(*(signs[index] for index in more)),
        power_comparison=Comparison(np.ones((4, 4)), np.ones((4, 4)), np.zeros(4), np.ones(4), np.empty((0, 4))),
        properties=tuple(base.properties[index] for index in more),
        less_reliable=base.less_reliable[np.ix_(more, more)],
        **{name: getattr(base, name)[more] for name in ("undefined", "beaten", "uses_order", "reliability", "power")},
        by=("majority",) * 4,
    )
    assert advice(again) == advice(base)
    assert judge(again, FINE).statuses[:3] == judge(base, FINE).statuses
