"""`metaeval recommend`: the verdict, its evidence, and what it says."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write, refusals
from label_studies import label_file, label_files

QUICK = ("--permutations", "499", "--halves", "4")
STANCE = ("recommend", "--config", "configs/stance.yaml", *QUICK)


def rows(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The rows of the table by measure."""
    return {row["measure"]: row for row in report["tables"]["recommend"]}


def text(report: dict[str, Any]) -> str:
    """The paragraph."""
    (finding,) = report["findings"]
    return str(finding["sentence"])


@pytest.fixture
def stance(metaeval: CommandLine, repository: object) -> dict[str, Any]:
    """The verdict on the sample of stance detection."""
    return metaeval.report(*STANCE)


def test_measures_without_order_and_gamed_ones_are_excluded(stance: dict[str, Any]) -> None:
    found = rows(stance)
    assert found["accuracy"]["verdict"] == "excluded"
    assert found["accuracy"]["raised"] == 0
    assert "'majority' beats" in found["mae:average=micro"]["reason"]
    named = [name for name, row in found.items() if row["verdict"] == "named"]
    assert named == ["kappa:weights=linear"]
    assert next(iter(found)) == named[0]
    assert [row["verdict"] for row in found.values()] == sorted(
        (row["verdict"] for row in found.values()),
        key=["named", "first", "similar", "undecided", "different", "excluded"].index,
    )


def test_the_paragraph_says_what_the_table_says(stance: dict[str, Any]) -> None:
    found, said = rows(stance), text(stance)
    named = found["kappa:weights=linear"]
    assert f"expected tau {named['reliability']:.2f} [{named['ci_low']:.2f}, {named['ci_high']:.2f}]" in said
    assert all(name in said for name in found)
    excluded = said.partition("Not used: ")[2]
    assert all((row["verdict"] == "excluded") == (name in excluded) for name, row in found.items())
    shares = [int(share) for share in re.findall(r"(\d+) % of random halves", said)]
    assert len(shares) == 2
    assert all(share % 25 == 0 for share in shares)
    assert "halves of the clusters of headline, and" in said
    assert any("share of 25 such moves" in note for note in stance["notes"])


@pytest.mark.slow
def test_the_outcome_is_a_row_for_gates(metaeval: CommandLine, stance: dict[str, Any]) -> None:
    (row,) = stance["tables"]["verdict"]
    items, both = (int(share) / 100 for share in re.findall(r"(\d+) % of random halves", text(stance)))
    assert row == {
        "outcome": "undecided", "measure": "kappa:weights=linear", "halves_of_items": items,
        "halves_of_items_and_systems": both, "items_needed": None, "items_low": None, "items_high": None,
    }  # fmt: skip
    assert stance["layout"]["recommend"]["title"].endswith("undecided, kappa:weights=linear is named")
    gates = {
        'verdict.outcome == "undecided"': 1, 'verdict.outcome == "clear"': 0, 'verdict.measure != "cem-ord"': 1,
        "verdict.halves_of_items < 0": 0,
    }  # fmt: skip
    assert {gate: metaeval(*STANCE, "-q", "--fail-if", gate).code for gate in gates} == gates
    assert 'did you mean "trade-off"' in metaeval.refuses(*STANCE, "--fail-if", 'verdict.outcome == "tradeoff"')


def test_reliability_is_the_expected_tau_of_stability(metaeval: CommandLine, stance: dict[str, Any]) -> None:
    words = ("stability", "--config", "configs/stance.yaml", "--permutations", "499", "--trials", "2")
    stable = {row["measure"]: row for row in metaeval.report(*words)["tables"]["stability"]}
    for name, row in rows(stance).items():
        assert row["reliability"] == pytest.approx(stable[name]["expected"], abs=1e-12)


@pytest.mark.slow
def test_an_official_measure_is_audited(metaeval: CommandLine, repository: object) -> None:
    said = text(metaeval.report(*STANCE, "--official", "accuracy"))
    assert "accuracy, the measure in use, is excluded: a nearer class scores the same in 100 %" in said
    assert "accuracy (" not in said, "the reason is given once"
    kept = metaeval.report(*STANCE, "--official", "cem-ord")
    assert rows(kept)["cem-ord"]["verdict"] == "named"
    assert "the measure in use" not in text(kept)


@pytest.mark.parametrize("items", [24, 120])
def test_items_needed_stand_in_the_table_where_the_sentence_has_them(
    metaeval: CommandLine, write: Write, items: int
) -> None:
    random = np.random.default_rng(5)
    gold = random.integers(3, size=items)
    systems = {name: np.where(random.random(items) < 0.5, gold, random.integers(3, size=items)) for name in "uvwxyz"}
    files = label_files(write, gold=gold, **systems)
    report = metaeval.report("recommend", "--labels", "0<1<2", "--gold", *files, *QUICK)
    (row,) = report["tables"]["verdict"]
    assert row["outcome"] == "cannot-rank"
    sentence = re.search("(are|are not|may not be) enough for rankings", text(report)) is not None
    assert sentence == (items >= 30)
    assert (row["items_low"] is not None) == (items >= 30)


def test_two_classes_have_no_order(metaeval: CommandLine, write: Write) -> None:
    random = np.random.default_rng(3)
    gold = random.integers(2, size=200)
    shares = {"s0": 0.9, "s1": 0.85, "s2": 0.7, "s3": 0.65, "s4": 0.6}
    systems = {name: np.where(random.random(200) < share, gold, 1 - gold) for name, share in shares.items()}
    files = label_files(write, gold=gold, **systems)
    report = metaeval.report("recommend", "--gold", *files, "--labels", "0<1", *QUICK)
    found = rows(report)
    assert all(row["raised"] is None for row in found.values())
    assert found["mcc"]["verdict"] == "named"
    assert not any(name.startswith("mae") for name in found)


def test_a_table_of_scores_has_no_trivial_systems_and_names_nothing_by_convention(
    metaeval: CommandLine, write: Write
) -> None:
    random = np.random.default_rng(5)
    skill, hard = np.linspace(0, 1, 8), random.normal(0, 0.3, 60)
    lines = ["system,item,x,y"]
    for system, own in enumerate(skill):
        both = own + hard + random.normal(0, 0.2, 60)
        other = both + random.normal(0, 0.05, 60)
        lines += [f"s{system},{i},{both[i]:.6f},{other[i]:.6f}" for i in range(60)]
    table = write("scores.csv", "\n".join(lines) + "\n")
    report = metaeval.report("recommend", "--task", "table", table, *QUICK)
    assert [row["verdict"] for row in report["tables"]["recommend"]] == ["first", "similar"]
    assert "Nothing shows which of the measures that remain to trust" in text(report)
    (row,) = report["tables"]["verdict"]
    assert (row["outcome"], row["measure"], row["halves_of_items"]) == ("similar", "", None)
    official = metaeval.report("recommend", "--task", "table", table, *QUICK, "--official", "y")
    assert rows(official)["y"]["verdict"] == "named"
    assert not any("opposite" in note for note in official["notes"])
    errors = table.replace("scores", "errors")
    write(
        "errors.csv",
        "\n".join([lines[0], *(f"{a},{i},{x},{-float(y)}" for a, i, x, y in (each.split(",") for each in lines[1:]))])
        + "\n",
    )
    turned = metaeval.report("recommend", "--task", "table", errors, *QUICK)
    assert any(
        "y ranks the systems in nearly the opposite order of x" in note and "--lower-is-better" in note
        for note in turned["notes"]
    )


def test_human_scores_exclude_what_agrees_less(metaeval: CommandLine, write: Write) -> None:
    random = np.random.default_rng(1)
    quality, luck = random.normal(size=(2, 24, 1))
    scores = {"human": quality, "follows": quality + 0.1 * luck, "differs": quality + 2 * luck}
    lines = [
        f"{name},s{system},i{item},{value:.4f}"
        for name, of_systems in scores.items()
        for (system, item), value in np.ndenumerate(of_systems + 0.3 * random.normal(size=(24, 20)))
    ]
    path = write("scores.csv", "\n".join(["measure,system,item,value", *lines]) + "\n")
    found = rows(metaeval.report("recommend", "--task", "table", path, "--human", "human", *QUICK))
    assert all(row["human"] is not None for row in found.values())
    assert "correlates less with human scores" in found["differs"]["reason"]
    assert "human scores" not in found["follows"]["reason"]


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
    assert "human scores" not in rows(report)["rouge-l"]["reason"]


def test_informed_texts_do_not_depend_on_the_order_of_the_measures(metaeval: CommandLine, repository: object) -> None:
    names = ("rouge-n:n=1", "rouge-l", "wsk:d=2,lambda=0.5,beta=2")
    found = [
        rows(metaeval.report("recommend", "--config", "configs/news.yaml", *words, *QUICK))
        for words in ([word for name in each for word in ("-m", name)] for each in (names, names[::-1]))
    ]
    for name in names:
        assert found[0][name]["beaten"] == found[1][name]["beaten"]
        assert found[0][name]["informed"] == found[1][name]["informed"]


def test_equal_systems_cannot_be_ranked(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", label_file("xyz" * 20))
    report = metaeval.report("recommend", "--gold", gold, f"one={gold}", f"two={gold}", "--labels", "x<y<z", *QUICK)
    assert {row["verdict"] for row in rows(report).values()} == {"excluded"}
    assert all(row["ci_low"] is None for row in rows(report).values())
    assert "no two of the 2 systems differ" in text(report)
