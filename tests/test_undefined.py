"""The setting `undefined`: how systems with undefined scores are ranked, by brute force, and what it leaves alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from command_line import CommandLine, Write
from numpy.typing import NDArray
from score_cubes import cube

import metaeval as package
from metaeval.analyses.similarity.compute import ranking_similarity
from metaeval.analyses.stability.compute import SplitHalfAgreement, split_half_consistency
from metaeval.config import ExperimentConfig
from metaeval.config.experiment import Undefined
from metaeval.settings import AnalysisSettings

WAYS: tuple[Undefined, ...] = ("skip", "last", "zero")
every_way = pytest.mark.parametrize("undefined", WAYS)

GOLD = "b" + "a" * 11
SYSTEMS = {
    "always_a": "a" * 12,
    "nearly": "ba" + "a" * 9 + "b",
    "half": "ab" * 6,
    "good": "baaaaabaaaaa",
    "bad": "abbbabababba",
}
"""Without its only b, gold is constant; so is always_a, whose kappa is then undefined."""
MEASURES = ("accuracy", "alpha:level=nominal", "mae")


def ordered(one: float, other: float, *, lower: bool, undefined: Undefined) -> int | None:
    """1 where the first score is the better one, −1 where the other is, 0 for a tie, None without a comparison."""
    if undefined == "zero":
        one, other = (0.0 if math.isnan(score) else score for score in (one, other))
    if undefined == "skip" and (math.isnan(one) or math.isnan(other)):
        return None
    if math.isnan(one) or math.isnan(other):
        return int(math.isnan(other)) - int(math.isnan(one))
    return (one > other) - (one < other) if not lower else (one < other) - (one > other)


def tau(x: Sequence[float], y: Sequence[float], *, lower: tuple[bool, bool], undefined: Undefined) -> float:
    """Kendall's tau-b, pair by pair."""
    both = []
    for i, j in combinations(range(len(x)), 2):
        first = ordered(x[i], x[j], lower=lower[0], undefined=undefined)
        second = ordered(y[i], y[j], lower=lower[1], undefined=undefined)
        if first is not None and second is not None:
            both.append((first, second))
    untied = [sum(pair[side] != 0 for pair in both) for side in (0, 1)]
    return sum(a * b for a, b in both) / math.sqrt(untied[0] * untied[1]) if all(untied) else math.nan


def random_scores(seed: int, *shape: int) -> NDArray[np.float64]:
    """Scores with ties, below and above 0, of which a quarter are undefined."""
    random = np.random.default_rng(seed)
    return np.where(random.random(shape) < 0.25, np.nan, random.integers(-3, 4, size=shape) / 4)


def ranked_as(undefined: Undefined) -> float:
    return ExperimentConfig(undefined=undefined).ranked_as


@every_way
@pytest.mark.parametrize("seed", range(20))
def test_taus_of_two_measures_are_those_pair_by_pair(seed: int, undefined: Undefined) -> None:
    scores = random_scores(seed, 4, 9)
    taus = ranking_similarity(cube(scores, lower_is_better=(1, 3)).filled(ranked_as(undefined)))
    for one, other in combinations(range(4), 2):
        lower = (one in (1, 3), other in (1, 3))
        expected = tau(scores[one].tolist(), scores[other].tolist(), lower=lower, undefined=undefined)
        assert taus[one, other] == pytest.approx(expected, abs=1e-12, nan_ok=True)


@every_way
@pytest.mark.parametrize("coefficient", ["kendall-a", "kendall-c", "tau-ap", "weighted", "spearman"])
def test_every_coefficient_ranks_last_what_is_below_all_others(coefficient: str, undefined: Undefined) -> None:
    scores = random_scores(5, 3, 12)
    scores[:, :2] = [[0.25, 0.5]] * 3
    similarity = ranking_similarity(cube(scores).filled(ranked_as(undefined)), coefficient=coefficient)
    by_hand = {"skip": scores, "last": np.nan_to_num(scores, nan=-9.0), "zero": np.nan_to_num(scores, nan=0.0)}
    assert not np.isnan(similarity).any()
    assert similarity == pytest.approx(ranking_similarity(cube(by_hand[undefined]), coefficient=coefficient))


@every_way
def test_taus_of_halves_are_those_pair_by_pair(undefined: Undefined) -> None:
    halves = random_scores(1, 30, 2, 2, 8)
    agreement = split_half_consistency(
        cube(halves, ("trial", "half"), lower_is_better=(1,)), ranked_as=ranked_as(undefined)
    )
    for trial, measure in np.ndindex(30, 2):
        first, second = halves[trial, :, measure]
        lower = (measure == 1, measure == 1)
        expected = tau(first.tolist(), second.tolist(), lower=lower, undefined=undefined)
        assert agreement.tau[trial, measure] == pytest.approx(expected, abs=1e-12, nan_ok=True)
        assert agreement.undefined[trial, measure] == np.isnan(halves[trial, :, measure]).sum()
    both = SplitHalfAgreement.mean_of([agreement, agreement])
    assert np.array_equal(both.undefined, 2 * agreement.undefined)
    assert np.array_equal(both.tau, agreement.tau, equal_nan=True)


# A measure that is undefined for one of the systems: gold is constant, and so is a system


def with_gold(write: Write, gold: str) -> tuple[str, ...]:
    rows = zip(gold, *SYSTEMS.values(), strict=True)
    lines = [f"{number},{','.join(row)}" for number, row in enumerate(rows)]
    return ("--gold", write("table.csv", "\n".join(["id,gold," + ",".join(SYSTEMS), *lines]) + "\n"))


@pytest.fixture
def files(write: Write) -> tuple[str, ...]:
    return with_gold(write, "a" * 12)


def words(*more: str) -> tuple[str, ...]:
    return ("--labels", "a<b", *(word for name in MEASURES for word in ("-m", name)), *more)


ON = {
    "score": (),
    "similarity": ("--permutations", "99"),
    "stability": ("--trials", "30", "--permutations", "99"),
    "robustness": ("--permutations", "99"),
}


@pytest.mark.parametrize("command", ON)
def test_the_setting_is_signed_and_told(metaeval: CommandLine, files: tuple[str, ...], command: str) -> None:
    tables = []
    for undefined in WAYS:
        report = metaeval.report(command, *files, *words(*ON[command], "--undefined", undefined))
        signed = [field for field in report["signature"].split("|") if field.startswith("undefined:")]
        assert signed == ([] if undefined == "skip" else [f"undefined:{undefined}"])
        fate = {"skip": "left out of rankings", "last": "ranked last", "zero": "ranked as scores of 0"}[undefined]
        assert any(fate in note and note.startswith("alpha:level=nominal") for note in report["notes"])
        tables.append(report["tables"])
    if command != "robustness":
        assert tables[1] not in (tables[0], tables[2])


def test_ranks_of_undefined_scores(metaeval: CommandLine, files: tuple[str, ...]) -> None:
    ranks = {}
    for undefined in WAYS:
        report = metaeval.report("score", *files, *words("--undefined", undefined))
        ranks[undefined] = {row["system"]: row["alpha:level=nominal"] for row in report["tables"]["ranks"]}
        (scores,) = (row for row in report["tables"]["scores"] if row["system"] == "always_a")
        assert scores["alpha:level=nominal"] is None
    others = {"nearly": 1, "good": 1, "half": 3, "bad": 4}
    assert ranks["skip"] == {"always_a": None, **others}
    assert ranks["last"] == {"always_a": 5, **others}
    # The alpha of all others is below 0.
    assert ranks["zero"] == {"always_a": 1, "nearly": 2, "good": 2, "half": 4, "bad": 5}


def test_the_finding_of_scores_follows_the_ranks(metaeval: CommandLine, files: tuple[str, ...]) -> None:
    call = (*files, "--labels", "a<b", "-m", "alpha:level=nominal")
    for undefined, first in (("skip", "nearly"), ("last", "nearly"), ("zero", "always_a")):
        (finding,) = metaeval.report("score", *call, "--undefined", undefined)["findings"]
        assert finding["sentence"].startswith(first)


def test_a_measure_that_is_undefined_for_all_systems_has_no_best_system(metaeval: CommandLine, write: Write) -> None:
    table = write("same.csv", "id,gold,one,two\n" + "".join(f"{number},a,a,a\n" for number in range(4)))
    for undefined in WAYS:
        report = metaeval.report("score", "--gold", table, "--labels", "a<b", "-m", "mcc", "--undefined", undefined)
        assert report["findings"] == []


def test_pearson_has_no_value_for_a_system_that_is_only_last(metaeval: CommandLine, files: tuple[str, ...]) -> None:
    message = metaeval.refuses("similarity", *files, *words("--coefficient", "pearson", "--undefined", "last"))
    assert "--undefined last with --coefficient pearson; expected a coefficient of ranks" in message
    assert "--undefined skip" in message
    metaeval.succeeds("similarity", *files, *words("--coefficient", "pearson", "--undefined", "zero"))


def test_settings_of_an_analysis_do_not_take_it() -> None:
    with pytest.raises(package.InputError, match="undefined, seed, workers or data with other settings"):
        AnalysisSettings(undefined="last")


def test_results_that_are_computed_are_not_ranked_again(metaeval: CommandLine, files: tuple[str, ...]) -> None:
    metaeval.succeeds("score", *files, *words("-f", "json", "-o", "results.json"))
    message = metaeval.refuses("check", "results.json", "--undefined", "last", "--fail-if", "scores.good.accuracy < 0")
    assert "--undefined with results that are computed already" in message


# A score that is undefined without some of the items


@pytest.fixture
def fragile(write: Write) -> tuple[str, ...]:
    return with_gold(write, GOLD)


@every_way
def test_an_undefined_part_makes_the_comparisons_of_its_system_undefined(
    metaeval: CommandLine, fragile: tuple[str, ...], undefined: Undefined
) -> None:
    call = (*fragile, "--labels", "a<b", "-m", "kappa:weights=none", "--permutations", "99", "--undefined", undefined)
    report = metaeval.report("compare", *call)
    rows = report["tables"]["comparisons"]
    assert len(rows) == 10
    for row in rows:
        values = [row[name] for name in ("difference", "low", "high", "p", "p_adjusted")]
        if "always_a" in (row["system"], row["other"]):
            assert values == [None] * 5
            assert row["better"] in (None, "")
        else:
            assert None not in values
    (row,) = (row for row in report["tables"]["tiers"] if row["system"] == "always_a")
    # Its score is defined; its place among the others is not.
    assert row["score"] == 0
    assert [row[name] for name in ("difference", "rank", "rank_low", "rank_high", "tier")] == [None] * 5
    note = "kappa:weights=none: 1 system left out of tests, because without some items the score is undefined"
    assert note in report["notes"]
    assert not any("all 4 other systems" in finding["sentence"] for finding in report["findings"])
    assert note in metaeval.report("power", *call)["notes"]


def test_a_pair_that_cannot_be_tested_has_no_verdict(metaeval: CommandLine, fragile: tuple[str, ...]) -> None:
    pair = ("--system", "always_a", "--system", "good", "--permutations", "99")
    report = metaeval.report("compare", *fragile, "--labels", "a<b", "-m", "kappa:weights=none", *pair)
    untested = "not tested: kappa:weights=none (a score is undefined, or would be without some items)"
    assert [finding["sentence"] for finding in report["findings"]] == [untested]
    report = metaeval.report("compare", *fragile, *words(*pair))
    verdict, other = report["findings"]
    assert "kappa" not in verdict["sentence"]
    assert other["sentence"].startswith("not tested: ")
