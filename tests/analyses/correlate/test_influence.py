"""What single systems do to correlations with human scores, and what is said of it."""

from dataclasses import replace

import numpy as np
import pytest
from command_line import CommandLine, Write
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from score_cubes import score_table

from metaeval.analyses.correlate.compute import (
    Correlations,
    Influence,
    best_of,
    conclusions,
    outliers_of,
    rank_clusters,
)
from metaeval.analyses.correlate.report import also_highest, on_highest, on_influence
from metaeval.stats.correlation_tests import DifferenceTest

BARE = ("--interval", "none", "--test", "none", "--level", "system")


def part(values: list[float], *, p: float | None = None, without: list[list[float]] | None = None) -> Correlations:
    """Correlations of measures x, y, … with the scores of ann; p: of every difference."""
    of, count = np.array(values), len(values)
    units = np.full(count, 9)
    test = None
    if p is not None:
        difference = np.subtract.outer(of, of)
        same = np.where(np.eye(count, dtype=bool), 1.0, p)
        test = DifferenceTest(difference, same, same, 999)
    better = np.zeros((count, count), dtype=bool) if test is None else (test.difference > 0) & (test.p <= 0.05)
    zeros = np.zeros(count, dtype=np.int64)
    influence = None
    if without is not None:
        influence = Influence(np.array(without), np.zeros(len(without), dtype=bool), np.full(count, np.nan))
    return Correlations(
        tuple("xyz"[:count]), "ann", "system", "kendall-b", of, of - 0.1, of + 0.1, units, zeros, test,
        np.zeros((count, count), dtype=np.int64), best_of(of, better), rank_clusters(of, better), influence,
        np.empty(0),
    )  # fmt: skip


def test_the_leader_is_named_with_those_no_worse() -> None:
    head = "y has the highest correlation with human scores (ann, system level, kendall-b 0.70, 95 % interval 0.60 to"
    (untested,) = on_highest(part([0.5, 0.7]), 0.05)
    assert untested == f"{head} 0.80)"
    assert list(on_highest(part([0.5, 0.7], p=0.2), 0.05)) == [
        untested,
        "The other measure is not significantly lower (adjusted p > 0.05)",
    ]
    assert list(on_highest(part([0.5, 0.7], p=0.01), 0.05)) == [
        untested,
        "The other measure is significantly lower (adjusted p ≤ 0.05)",
    ]
    (_, few) = on_highest(part([0.5, 0.7], p=0.2), 0.05, few="3 clusters")
    assert few == "3 clusters are too few to distinguish x from it (adjusted p > 0.05)"
    (_, here) = on_highest(part([0.5, 0.7, 0.6], p=0.01), 0.05, fixed_systems=True)
    assert here == "Both other measures are significantly lower for these systems (adjusted p ≤ 0.05)"
    (_, alike) = on_highest(part([0.5, 0.7, 0.6], p=0.2), 0.05, fixed_systems=True)
    assert alike == "No other measure is significantly lower for these systems (adjusted p > 0.05)"
    mixed = part([0.5, 0.7, 0.6], p=0.2)
    (_, some) = on_highest(replace(mixed, best=np.array([False, True, True])), 0.05)
    assert some == "Not significantly lower: z (adjusted p > 0.05)"
    (_, unknown) = on_highest(part([0.5, 0.7], p=np.nan), 0.05)
    assert unknown == "Not tested: x"
    assert list(on_highest(part([np.nan, np.nan]), 0.05)) == []
    (few_systems,) = on_highest(replace(part([0.5, 0.7]), units=np.array([5, 5])), 0.05)
    assert few_systems == f"{head} 0.80, only 5 systems)"


def test_measures_share_the_highest_correlation_and_no_system_has_influence_on_it() -> None:
    shared = part([0.7, 0.7, 0.5], p=0.2, without=[[0.7, 0.7, 0.5], [0.1, 0.7, 0.5]])
    assert list(on_highest(shared, 0.05)) == [
        "x and y share the highest correlation with human scores (ann, system level, kendall-b 0.70)",
        "The other measure is not significantly lower (adjusted p > 0.05)",
    ]
    assert list(on_influence(shared, ("a", "b"))) == []


def test_a_lead_that_one_system_makes_is_told_and_no_other() -> None:
    systems = ("a", "b", "c")
    leads = part([0.9, 0.7], without=[[0.88, 0.7], [0.4, 0.65], [0.9, 0.7]])
    (sentence,) = on_influence(leads, systems)
    assert sentence == "x leads only because of b: kendall-b 0.90, without it 0.40, and y 0.65 (ann, system level)"
    rests = part([0.9, 0.3], without=[[0.88, 0.3], [0.4, 0.2], [0.9, 0.3]])
    (sentence,) = on_influence(rests, systems)
    assert sentence == "the correlation of x rests on b: kendall-b 0.90, without it 0.40 (ann, system level)"
    # A lead by a hair is lost easily; this says nothing.
    assert list(on_influence(part([0.9, 0.89], without=[[0.88, 0.89]] * 3), systems)) == []
    assert list(on_influence(replace(leads, influence=None), systems)) == []


def test_who_leads_elsewhere_is_told_in_a_sentence() -> None:
    assert also_highest(["x"], {}) == also_highest(["x"], {"for ann": []}) == []
    assert also_highest(["x"], {"for ann": ["x"], "for bob": ["x", "y"]}) == [
        "It is also the highest for ann and for bob"
    ]
    assert also_highest(["x"], {"at item level": ["y", "z"]}) == ["y and z are the highest at item level"]
    assert also_highest(["x", "y"], {"for ann": ["y"]}) == ["One of them is also the highest for ann"]
    assert also_highest(["x"], {"for ann": ["x"], "for bob": ["y"]}) == [
        "It is also the highest for ann, but not for bob"
    ]
    assert also_highest(["x"], {"for ann": ["z"], "for bob": ["y"]}) == [
        "Other measures are the highest for ann and for bob"
    ]


@given(arrays(float, st.integers(1, 12), elements=st.integers(0, 9).map(float)))
def test_outliers_are_those_of_a_plain_count(scores: NDArray[np.float64]) -> None:
    middle = float(np.median(scores))
    deviation = 1.483 * float(np.median([abs(score - middle) for score in scores]))
    assert outliers_of(scores).tolist() == [abs(score - middle) > 2.5 * deviation for score in scores]


@given(st.data(), st.integers(1, 6))
def test_no_measure_loses_its_dot_without_a_significant_difference(data: st.DataObject, count: int) -> None:
    """Best, ranks and differences derive from the same p-values."""
    values = data.draw(arrays(float, count, elements=st.one_of(st.just(np.nan), st.integers(0, 4).map(float))))
    significant = data.draw(arrays(bool, (count, count)))
    difference, p_adjusted = np.subtract.outer(values, values), np.where(significant | significant.T, 0.05, 0.051)
    better = (p_adjusted <= 0.05) & (difference > 0)
    # Raw p-values, here all small, decide nothing.
    best, ranks = conclusions(values, DifferenceTest(difference, np.full_like(difference, 0.001), p_adjusted, 99), 0.05)
    if np.isnan(values).all():
        assert not best.any()
        assert not ranks.any()
        return
    top = int(np.nanargmax(values))
    assert best.tolist() == [not np.isnan(value) and not better[top, index] for index, value in enumerate(values)]
    assert ranks[top] == 1
    assert (ranks == 0).tolist() == np.isnan(values).tolist()
    for index in np.flatnonzero(ranks).tolist():
        # Within a rank nobody is better; each rank begins at somebody who is worse than one of the rank before.
        members = np.flatnonzero(ranks == ranks[index])
        assert not better[members, index].any()
        if ranks[index] > 1:
            before = np.flatnonzero(ranks == ranks[index] - 1)
            first = members[np.argsort(-values[members], kind="stable")[0]]
            assert better[before, first].any()


def table(write: Write, *, outlier: bool) -> str:
    """Scores of 12 systems on 30 items: `good` follows ann; `lucky` only where the last system is far below all."""
    random = np.random.default_rng(5)
    quality = np.append(random.normal(size=11), -9.0 if outlier else -0.5)
    good = quality + random.normal(scale=0.7, size=12)
    lucky = np.append(random.normal(scale=0.4, size=11), -12.0 if outlier else 0.1)
    good[-1] = 1.0 if outlier else good[-1]
    means = {"good": good, "lucky": lucky, "ann": quality}
    noise = random.normal(scale=0.3, size=(3, 12, 30))
    scores = {name: mean[:, np.newaxis] + errors for (name, mean), errors in zip(means.items(), noise, strict=True)}
    return write("scores.csv", score_table(scores))


@pytest.mark.parametrize("outlier", [True, False])
def test_the_finding_names_the_system_that_carries_the_lead(metaeval: CommandLine, write: Write, outlier: bool) -> None:
    path = table(write, outlier=outlier)
    call = ("--task", "table", path, "--human", "ann", *BARE, "--coefficient", "pearson")
    report = metaeval.report("correlate", *call)
    findings = " ".join(finding["sentence"] for finding in report["findings"])
    notes = " ".join(report["notes"])
    assert ("lucky leads only because of s11" in findings) == outlier
    assert ("outliers by ann: s11" in notes) == outlier
    rows = {row["measure"]: row for row in report["tables"]["correlation_influence"]}
    for row in rows.values():
        for end in ("lowest", "highest"):
            left = metaeval.report("correlate", *call, "--exclude-system", row[f"{end}_without"])
            (value,) = (
                entry["value"] for entry in left["tables"]["correlations"] if entry["measure"] == row["measure"]
            )
            assert row[end] == pytest.approx(value, abs=1e-12)
        assert row["lowest"] <= row["value"] <= row["highest"]
    if outlier:
        assert rows["lucky"]["outliers"] == "s11"
        assert rows["lucky"]["without_outliers"] == rows["lucky"]["lowest"]


def test_few_systems_are_warned_of_with_the_width_of_the_interval(metaeval: CommandLine, write: Write) -> None:
    call = ("--task", "table", table(write, outlier=False), "--human", "ann", "--level", "system", "-m", "good")
    more = metaeval.report("correlate", *call, "--resamples", "50")
    assert not [note for note in more["notes"] if "says little" in note]
    few = metaeval.report("correlate", *call, "--resamples", "50", "--only-system", "s[0-4]")
    (row, *_) = few["tables"]["correlations"]
    warning = "warning: a correlation of 5 systems says little: the 95 % interval of good (pearson) is "
    assert f"{warning}{row['high'] - row['low']:.2f} wide" in few["notes"]
