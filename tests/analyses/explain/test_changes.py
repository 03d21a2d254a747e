"""What a change of measure changes: contested pairs by brute force and as in `recommend`, ranks, and sentences."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from analysis_runs import rows, run_named
from command_line import Write
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from label_studies import label_files
from score_cubes import cube

from metaeval import DataConfig, ExperimentConfig, read_config
from metaeval.analyses.compare.settings import CompareSettings
from metaeval.analyses.explain.changes import RankChanges
from metaeval.analyses.explain.compute import Explanations, PairExplanation, pair_differences
from metaeval.analyses.explain.report import on_explanations
from metaeval.analyses.explain.settings import ExplainSettings
from metaeval.analyses.recommend.settings import RecommendSettings
from metaeval.inference.conflicts import Conflicts, count_opposed
from metaeval.model.report import Report
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction, ScoreCube
from metaeval.study.evidence import gather_evidence_of_runs
from metaeval.study.read import read_study

REPOSITORY = Path(__file__).resolve().parents[3]
STANCE = read_config(str(REPOSITORY / "configs/stance.yaml"))
PERMUTATIONS = 199


def stance(*measures: str, **options: Any) -> ExperimentConfig:
    """The sample of stances, with few permutations."""
    every = (
        ExplainSettings(**{"permutations": PERMUTATIONS} | options),
        RecommendSettings(permutations=PERMUTATIONS, halves=0),
        CompareSettings(permutations=PERMUTATIONS),
    )
    return replace(STANCE, measures=measures, preset=None, analyses=every)


def contested_rows(report: Report) -> set[frozenset[str]]:
    """The pairs of systems that a report marks as contested."""
    pairs = rows(report, "disagreements")
    return {frozenset((str(row["system"]), str(row["other"]))) for row in pairs if row["contested"]}


@pytest.mark.parametrize("measures", [("mcc", "gmr"), ("accuracy", "gmr")])
def test_contested_pairs_are_those_of_the_tests_of_compare_and_of_recommend(measures: tuple[str, str]) -> None:
    config = stance(*measures, max_pairs=91)
    report = run_named("explain", config)
    study = read_study(config)
    conflicts = Conflicts.of(gather_evidence_of_runs(study, "a test", permutations=PERMUTATIONS), alpha=0.05)
    expected = {
        frozenset((study.systems[one], study.systems[other]))
        for pair, (one, other) in enumerate(combinations(range(len(study.systems)), 2))
        if all(tests.p[pair] <= 0.05 for tests in conflicts.tests)
        and conflicts.tests[0].difference[pair] * conflicts.tests[1].difference[pair] < 0
    }
    pairs = contested_rows(report)
    assert pairs == expected
    assert pairs
    recommendation = run_named("recommend", config)
    assert rows(recommendation, "conflicts")[0][measures[1]] == len(pairs)
    conflict_rows = rows(recommendation, "contested")
    assert {frozenset((str(row["system"]), str(row["other"]))) for row in conflict_rows} == pairs
    # What is significant among all pairs under both measures is significant among those under one of them.
    by_measure = rows(run_named("compare", config), "comparisons")
    for pair in pairs:
        tests = [row for row in by_measure if {row["system"], row["other"]} == pair]
        assert [row["p_adjusted"] <= 0.05 for row in tests] == [True, True]
    assert f", {len(pairs)} of them significantly under both. " in report.findings[0].sentence


def test_counts_of_contested_pairs_are_of_one_family_of_all_measures() -> None:
    measures = ("cem-ord", "accuracy", "gmr", "mcc")
    config = stance(*measures)
    causes = rows(run_named("explain", config), "disagreement_causes")
    conflicts = {row["measure"]: row for row in rows(run_named("recommend", config), "conflicts")}
    assert [row["contested"] for row in causes] == [conflicts[row["measure"]][str(row["other"])] for row in causes]
    assert any(row["contested"] for row in causes)
    assert all(row["contested"] <= row["pairs"] for row in causes)
    most = causes[0]
    assert (
        f", {most['contested']} of them significantly under both. " in run_named("explain", config).findings[0].sentence
    )


def test_contested_pairs_come_first_though_others_disagree_more() -> None:
    report = run_named("explain", stance("cem-ord", "accuracy", max_pairs=2, permutations=4999))
    first, second = rows(report, "disagreements")
    assert (first["contested"], second["contested"]) == (True, False)
    assert first["strength"] < second["strength"]
    assert report.table("disagreements").title.endswith("2 of 14 disagreements, contested ones first")
    reason = report.findings[0].sentence.split(". ")[2]
    assert {str(first["system"]), str(first["other"])} == {reason.split()[0], reason.split(" than ")[1].split()[0]}


def test_where_no_difference_can_be_significant_no_pair_is_marked_and_a_note_says_why(write: Write) -> None:
    def reason_for(config: ExperimentConfig) -> str:
        report = run_named("explain", config)
        assert "contested" not in [column.name for column in report.table("disagreements").columns]
        assert "significant" not in report.findings[0].sentence
        reason: str
        (reason,) = (note for note in map(str, report.notes) if note.startswith("no pair can be contested: "))
        return reason.partition(": ")[2]

    few = replace(stance("cem-ord", "accuracy"), analyses=(ExplainSettings(permutations=9),))
    assert reason_for(few) == "permutations=9 cannot show a difference; use 19 or more"
    gold, *runs = label_files(write, gold="abab", one="abbb", other="bbbb")
    data = DataConfig(gold=gold, runs=tuple(runs), labels=ClassScale.parse("a,b"))
    assert reason_for(ExperimentConfig(data, measures=("accuracy", "macro-f1"))).startswith(
        "too few items for any difference"
    )


NUMBERS = st.sampled_from([0.0, 1.0, 2.0, 3.0, np.nan])


@settings(max_examples=200, deadline=None)
@given(st.integers(2, 6).flatmap(lambda n: st.lists(st.lists(NUMBERS, min_size=n, max_size=n), min_size=2, max_size=2)))
def test_ranks_are_counts_of_better_systems_among_those_that_both_measures_score(scores: list[list[float]]) -> None:
    names = tuple(f"s{number}" for number in range(len(scores[0])))
    directions = (Direction.HIGHER, Direction.LOWER)
    changes = RankChanges.of(ScoreCube(np.array(scores), (), ("m", "n"), names, directions))
    values = {name: (one, -other) for name, one, other in zip(names, *scores, strict=True)}
    complete = {name: value for name, value in values.items() if not np.isnan(value).any()}
    ranks = {
        name: tuple(1 + sum(other[side] > pair[side] for other in complete.values()) for side in range(2))
        for name, pair in complete.items()
    }
    expected = {name: pair for name, pair in ranks.items() if pair[0] != pair[1]}
    assert dict(zip(changes.systems, zip(*changes.ranks.tolist(), strict=True), strict=True)) == expected
    assert changes.gains.tolist() == sorted((one - other for one, other in expected.values()), reverse=True)
    few = changes.largest(2)
    assert len(few.systems) == min(2, len(expected))
    others = [abs(gain) for name, gain in zip(changes.systems, changes.gains, strict=True) if name not in few.systems]
    assert all(abs(gain) >= max(others, default=0) for gain in few.gains)
    assert few.gains.tolist() == sorted(few.gains.tolist(), reverse=True)


def rank_changes(ranks: dict[str, tuple[int, int]]) -> RankChanges:
    """Changes of these ranks, in their order."""
    return RankChanges(tuple(ranks), np.array(list(ranks.values())).reshape(-1, 2).T)


SENTENCES = {
    "With n, a gains most (rank 8 to 4) and d loses most (rank 5 to 9)": {
        "a": (8, 4), "b": (3, 2), "c": (4, 5), "d": (5, 9)
    },
    "With n, a gains (rank 2 to 1) and b loses (rank 1 to 2)": {"a": (2, 1), "b": (1, 2)},
    "With n, a and b gain (1 rank each) and c loses (rank 1 to 3)": {"a": (3, 2), "b": (2, 1), "c": (1, 3)},
    "With n, b loses (rank 1 to 3)": {"b": (1, 3)},
    "With n, 3 systems gain most (2 ranks each)": {"a": (3, 1), "b": (4, 2), "c": (5, 3), "d": (6, 5)},
}  # fmt: skip


@pytest.mark.parametrize("contested", [None, 0, 1, 2, 3])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_finding_says_who_gains_and_loses_in_short_sentences(sentence: str, contested: int | None) -> None:
    pair = PairExplanation("a", "b", (1.0, -1.0), (1.0, -1.0), 1.0, bool(contested))
    explanations = Explanations(
        ("m", "n"), (pair,), is_requested=False, systems=9, opposed=3, tied=2, undefined=0, contested=contested,
        ranks=rank_changes(SENTENCES[sentence]),
    )  # fmt: skip
    clause = {None: "", 0: ", none of them significantly under both", 3: ", each of them significantly under both"}
    significantly = clause.get(contested, f", {contested} of them significantly under both")
    (finding,) = on_explanations(explanations)
    assert finding.sentence == f"m and n order 3 of 36 pairs of systems in opposite ways{significantly}. {sentence}"
    assert all(len(clause_text.split()) <= 25 for clause_text in finding.sentence.split(". "))


def test_systems_without_a_score_change_no_rank(write: Write) -> None:
    gold, *runs = label_files(write, gold="lllmmmhhh", constant="m" * 9, near="lllmmmmmm", far="lllmmmhll")
    data = DataConfig(gold=gold, runs=tuple(runs), labels=ClassScale.parse("l<m<h"))
    report = run_named("explain", ExperimentConfig(data, measures=("mcc", "mae:average=micro")))
    ranks = {str(row["system"]): row for row in rows(report, "rank_changes")}
    assert "constant" not in ranks
    assert {name: (row["mcc"], row["mae:average=micro"]) for name, row in ranks.items()} == {
        "near": (2, 1), "far": (1, 2)
    }  # fmt: skip


# Which pairs of systems two measures order differently

SCORE = st.sampled_from([0.0, 1.0, 1.0 + 1e-12, 2.0, float("nan")])


@given(arrays(np.float64, (3, 5), elements=SCORE))
def test_differences_and_opposition_are_those_pair_by_pair(scores: np.ndarray) -> None:
    differences, pairs = pair_differences(cube(scores.tolist())), list(combinations(range(5), 2))
    expected = np.array([[row[one] - row[other] for one, other in pairs] for row in scores])
    np.testing.assert_array_equal(differences.values, expected)
    for row, unit in zip(expected, differences.units, strict=True):
        # A measure that ties all systems has no unit.
        values = row[~np.isnan(row)]
        np.testing.assert_allclose(unit, np.sqrt(np.mean(values**2)) if len(values) else 0, rtol=1e-12)
    units = np.where(differences.units > 0, differences.units, 1)[:, np.newaxis]
    np.testing.assert_array_equal(differences.standardised, expected / units)
    opposed = [[sum(a * b < 0 for a, b in zip(one, other, strict=True)) for other in expected] for one in expected]
    assert count_opposed(differences.values).tolist() == opposed
