"""`metaeval recommend`: the verdict, its evidence, and what it says."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write, refusals, sentences
from label_studies import label_file, label_study
from score_cubes import score_table

QUICK = ("--permutations", "499", "--halves", "4")
STANCE = ("recommend", "--config", "configs/stance.yaml", *QUICK)


def rows(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The rows of the table by measure."""
    return {row["measure"]: row for row in report["tables"]["recommend"]}


@pytest.fixture
def stance(metaeval: CommandLine, repository: object) -> dict[str, Any]:
    """The verdict on the sample of stance detection."""
    return metaeval.report(*STANCE)


def test_measures_without_order_and_gamed_ones_should_not_be_used(stance: dict[str, Any]) -> None:
    evidence = rows(stance)
    assert (evidence["accuracy"]["verdict"], evidence["accuracy"]["reason"]) == ("do not use", "ignores class order")
    assert "'majority' beats" in evidence["mae:average=micro"]["reason"]
    assert next(iter(evidence)) == "kappa:weights=linear"
    verdicts = [row["verdict"] for row in evidence.values()]
    assert verdicts == sorted(verdicts, key=["keep", "use", "report", "passes", "do not use"].index)
    assert all((row["verdict"] == "do not use") == bool(row["reason"]) for row in evidence.values())


def test_the_sentences_say_what_the_tables_say(stance: dict[str, Any]) -> None:
    evidence, (outcome,) = rows(stance), stance["tables"]["verdict"]
    choice, exclusions, advice = sentences(stance)
    assert f"matters for {outcome['contested']} of 91 pairs of systems" in choice
    assert all((row["verdict"] == "do not use") == (name in exclusions) for name, row in evidence.items())
    assert f"{outcome['outcome']} {outcome['measure']} by {outcome['basis']}" in advice
    assert (outcome["halves"] < 0.8) == advice.startswith("undecided")
    share = f"the same answer on {100 * outcome['halves']:.0f} % of random halves of the clusters"
    assert stance["layout"]["recommend"]["title"].endswith(share)


def test_contested_pairs_are_those_that_two_measures_order_otherwise(stance: dict[str, Any]) -> None:
    tables = stance["tables"]
    pairs: dict[tuple[str, str], dict[str, str]] = {}
    for row in tables["contested"]:
        assert row["low"] > 0 or row["high"] < 0
        assert row["better"] == (row["system"] if row["difference"] > 0 else row["other"])
        pairs.setdefault((row["system"], row["other"]), {})[row["measure"]] = row["better"]
    assert len(pairs) == tables["verdict"][0]["contested"]
    assert all(len(set(better.values())) == 2 for better in pairs.values())
    for row in tables["conflicts"]:
        for name, number in row.items():
            if name != "measure":
                both = [better for better in pairs.values() if {name, row["measure"]} <= set(better)]
                assert number == sum(better[name] != better[row["measure"]] for better in both)
    head = next(row for row in tables["conflicts"] if row["measure"] == "kappa:weights=linear")
    for name, row in rows(stance).items():
        assert row["contested"] == head[name]


@pytest.mark.slow
def test_the_outcome_is_a_row_for_gates(metaeval: CommandLine, stance: dict[str, Any]) -> None:
    (row,) = stance["tables"]["verdict"]
    assert (row["outcome"], row["measure"], row["second"]) == ("use", "kappa:weights=linear", "")
    assert (row["basis"], row["pairs"], row["items_needed"]) == ("convention", 91, None)
    gates = {
        'verdict.outcome == "use"': 1, 'verdict.outcome == "report"': 0, 'verdict.measure != "cem-ord"': 1,
        "verdict.contested > 0": 1, "verdict.halves < 0": 0, 'recommend.accuracy.verdict == "do not use"': 1,
    }  # fmt: skip
    assert {gate: metaeval(*STANCE, "-q", "--fail-if", gate).code for gate in gates} == gates
    assert 'did you mean "report"' in metaeval.refuses(*STANCE, "--fail-if", 'verdict.outcome == "reprot"')


def test_reliability_is_the_expected_tau_of_stability(metaeval: CommandLine, stance: dict[str, Any]) -> None:
    words = ("stability", "--config", "configs/stance.yaml", "--permutations", "499", "--trials", "2")
    stable = {row["measure"]: row for row in metaeval.tables(*words)["stability"]}
    for name, row in rows(stance).items():
        assert row["reliability"] == pytest.approx(stable[name]["expected"], abs=1e-12)


@pytest.mark.slow
def test_an_official_measure_is_judged_first_and_by_name(metaeval: CommandLine, repository: object) -> None:
    bad = metaeval.report(*STANCE, "--official", "accuracy")
    assert sentences(bad)[1] == "do not use accuracy, the measure in use: blind to the order of classes"
    assert sum("accuracy" in sentence for sentence in sentences(bad)[1:]) == 1, "the reason is given once"
    assert rows(bad)["accuracy"]["role"] == "official"
    official = metaeval.report(*STANCE, "--official", "cem-ord")
    assert rows(official)["cem-ord"]["verdict"] == "keep"
    assert "keep cem-ord: no other measure that passes orders a pair the other way round" in sentences(official)[-1]


@pytest.mark.slow
def test_names_of_classes_and_their_order_change_nothing_about_nominal_measures(
    metaeval: CommandLine, repository: object
) -> None:
    names = ["accuracy", "macro-f1", "mcc", "kappa:weights=none"]
    measures = [word for name in names for word in ("-m", name)]
    for is_ordered in (False, True):
        sign = "<" if is_ordered else ","
        by_order = [
            rows(metaeval.report(*STANCE, *measures, "--labels", sign.join(scale)))
            for scale in (("disagree", "discuss", "agree"), ("agree", "disagree", "discuss"))
        ]
        for name in names:
            assert by_order[0][name]["reason"] == by_order[1][name]["reason"]
            assert by_order[0][name]["verdict"] == by_order[1][name]["verdict"]
            assert by_order[0][name]["separates"] == by_order[1][name]["separates"]
        assert (by_order[0]["accuracy"]["reason"] == "ignores class order") == is_ordered
    rows_by_measure = rows(metaeval.report(*STANCE, *measures, "--ignore-order"))
    assert "order" not in "".join(row["reason"] for row in rows_by_measure.values())


@pytest.mark.parametrize("items", [24, 120])
def test_items_needed_stand_in_the_table_where_the_sentence_has_them(
    metaeval: CommandLine, write: Write, items: int
) -> None:
    files = label_study(write, dict.fromkeys("uvwxyz", 0.5), items, classes="012", seed=2)
    report = metaeval.report("recommend", "--labels", "0<1<2", "--gold", *files, *QUICK)
    (row,) = report["tables"]["verdict"]
    assert row["outcome"] == "collect"
    assert (row["items_low"] is not None) == (items >= 30)
    match = re.search(r"collect about ([\d,]+) items", sentences(report)[-1])
    assert (match is not None) == (row["items_needed"] is not None)
    assert match is None or int(match[1].replace(",", "")) == row["items_needed"]
    assert ("more than 16 times as many items" in sentences(report)[-1]) == (items >= 30)


def test_two_classes_have_no_order(metaeval: CommandLine, write: Write) -> None:
    files = label_study(write, {"s0": 0.8, "s1": 0.7, "s2": 0.4, "s3": 0.3, "s4": 0.2}, 200, classes="01", seed=3)
    report = metaeval.report("recommend", "--gold", *files, "--labels", "0<1", *QUICK)
    evidence = rows(report)
    assert all(row["lowered"] is None for row in evidence.values())
    assert evidence["mcc"]["verdict"] == "use"
    assert not any(name.startswith("mae") for name in evidence)


def test_a_table_of_scores_has_no_trivial_systems_and_names_nothing_by_convention(
    metaeval: CommandLine, write: Write
) -> None:
    random = np.random.default_rng(5)
    x = np.linspace(0, 1, 8)[:, np.newaxis] + random.normal(0, 0.3, 60) + random.normal(0, 0.2, (8, 60))
    y = x + random.normal(0, 0.05, (8, 60))
    table = write("scores.csv", score_table({"x": x, "y": y}))
    report = metaeval.report("recommend", "--task", "table", table, *QUICK)
    assert [row["verdict"] for row in report["tables"]["recommend"]] == ["passes", "passes"]
    assert "the data do not decide between the 2 measures that pass: name the one in use" in sentences(report)[-1]
    (row,) = report["tables"]["verdict"]
    assert (row["outcome"], row["measure"], row["contested"]) == ("any", "", 0)
    assert sentences(report)[0].startswith("the choice matters for no pair of systems")
    official = metaeval.report("recommend", "--task", "table", table, *QUICK, "--official", "y")
    assert rows(official)["y"]["verdict"] == "keep"
    assert set(rows(official)) == {"x", "y"}, "all measures of the table are judged"
    assert not any("otherwise than" in note for note in official["notes"])
    errors = write("errors.csv", score_table({"x": x, "y": -y}))
    turned = metaeval.report("recommend", "--task", "table", errors, *QUICK)
    assert any(
        "y orders most systems otherwise than x" in note and "--lower-is-better" in note for note in turned["notes"]
    )


def test_human_scores_exclude_what_agrees_less(metaeval: CommandLine, write: Write) -> None:
    random = np.random.default_rng(1)
    quality, luck = random.normal(size=(2, 24, 1))
    scores = {"human": quality, "follows": quality + 0.1 * luck, "differs": quality + 2 * luck}
    noisy = {name: worths + 0.3 * random.normal(size=(24, 20)) for name, worths in scores.items()}
    path = write("scores.csv", score_table(noisy))
    evidence = rows(metaeval.report("recommend", "--task", "table", path, "--human", "human", *QUICK))
    assert all(row["human"] is not None for row in evidence.values())
    assert "agrees less with people" in evidence["differs"]["reason"]
    assert "people" not in evidence["follows"]["reason"]


@refusals(
    """
--official f2 => unknown measure 'f2'
--require nothing => 'nothing' | chance-corrected
--halves -1 => a whole number
--permutations 19 --alpha 0.01 => --permutations 19 with --alpha 0.01 | at least 99
"""
)
def test_what_can_not_be_is_refused(
    metaeval: CommandLine, repository: object, words: tuple[str, ...], parts: list[str]
) -> None:
    outcome = metaeval(*STANCE, *words)
    assert outcome.code == 2
    assert all(part in outcome.err for part in parts)
    assert not outcome.out


def test_one_measure_agrees_with_human_scores_as_well_as_any(metaeval: CommandLine, repository: object) -> None:
    report = metaeval.report("recommend", "--config", "configs/people.yaml", "-m", "rouge-l", *QUICK)
    assert "people" not in rows(report)["rouge-l"]["reason"]


def test_texts_better_than_chance_do_not_depend_on_the_order_of_the_measures(
    metaeval: CommandLine, repository: object
) -> None:
    names = ("rouge-n:n=1", "rouge-l", "wsk:d=2,lambda=0.5,beta=2")
    by_order = [
        rows(metaeval.report("recommend", "--config", "configs/news.yaml", *words, *QUICK))
        for words in ([word for name in order for word in ("-m", name)] for order in (names, names[::-1]))
    ]
    for name in names:
        assert by_order[0][name]["beaten"] == by_order[1][name]["beaten"]
        assert by_order[0][name]["better_than_chance"] == by_order[1][name]["better_than_chance"]


def test_equal_systems_cannot_be_ranked(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", label_file("xyz" * 20))
    report = metaeval.report("recommend", "--gold", gold, f"one={gold}", f"two={gold}", "--labels", "x<y<z", *QUICK)
    assert {row["verdict"] for row in rows(report).values()} == {"do not use"}
    assert all(row["ci_low"] is None for row in rows(report).values())
    assert "no two of the 2 differ under any measure" in sentences(report)[-1]
