"""`metaeval compare`: differences, tiers and sentences, of sample data and of real systems; what it refuses."""

import json
from typing import Any

import pytest
from command_line import CommandLine, Write
from scipy import stats
from shared_data import SHARED_DATA, needs_shared_data

from metaeval.analyses.compare.sentences import against_all, duel, leaders

STANCE = ("--config", "configs/stance.yaml")
TWO = ("-m", "cem-ord", "-m", "macro-f1")
FEW = ("--resamples", "499")
ATLAS = ("--system", "atlas_large", "--system", "atlas_base")
COLUMNS = ["measure", "system", "other", "difference", "low", "high", "p", "p_adjusted", "better"]
FNC1 = (
    *("--labels", "disagree<discuss<agree", "--drop-gold", "unrelated", "--on-unknown", "worst"),
    *("--gold", str(SHARED_DATA / "fnc1/gold.csv"), str(SHARED_DATA / "fnc1/systems")),
)
every_test = pytest.mark.parametrize("test", ["bootstrap", "permutation", "tukey"])


def report_of(metaeval: CommandLine, *arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(metaeval.succeeds("compare", *arguments, "-f", "json").out)
    return found


def sentences(found: dict[str, Any]) -> list[str]:
    return [finding["sentence"] for finding in found["findings"]]


# Sentences


@pytest.mark.parametrize(
    ("verdicts", "told"),
    [
        ([1] * 7 + [0, -1], "A beats B on 7 of 9 measures; only m8 says otherwise; not told apart by m7"),
        ([1, 1, 1], "A beats B on 3 of 3 measures"),
        ([1, 1, -1], "A beats B on 2 of 3 measures; only m2 says otherwise"),
        ([-1, 1, -1], "B beats A on 2 of 3 measures; only m1 says otherwise"),
        ([-1, -1, 1, 1, 1], "A beats B on 3 of 5 measures; m0, m1 say otherwise"),
        ([1, -1], "the measures disagree: A beats B on m0, B beats A on m1"),
        ([1, -1, 0], "the measures disagree: A beats B on m0, B beats A on m1; not told apart by m2"),
        ([0, 0, 0], "A and B can't be told apart by any of 3 measures"),
        ([0], "A and B can't be told apart by m0"),
        ([-1], "B beats A by m0"),
        ([0, 0, 1], "A beats B on 1 of 3 measures (m2); the other 2 don't tell them apart"),
    ],
)
def test_who_beats_whom_in_a_sentence(verdicts: list[int], told: str) -> None:
    assert duel("A", "B", {f"m{number}": found for number, found in enumerate(verdicts)}) == told


def test_how_one_fares_against_many_in_a_sentence() -> None:
    others = {
        "B": {"x": 1, "y": 1, "z": -1},
        "C": {"x": -1, "y": -1, "z": -1},
        "D": {"x": 0, "y": 1, "z": 0},
        "E": {"x": 1, "y": 1, "z": 0},
    }
    told = against_all("A", others)
    assert told == "A beats 2 of 4 systems on most of 3 measures (B, E); is beaten by 1 (C); neither holds for 1 (D)"
    assert against_all("A", {"B": {"x": 1}, "C": {"x": 1}}) == "A beats 2 of 2 systems by x (B, C)"


def test_whom_nobody_beats_in_a_sentence() -> None:
    assert leaders({("A", "B"): {"x": 1, "y": 0}, ("A", "C"): {"x": 1, "y": 1}, ("B", "C"): {"x": 1, "y": 0}}) == (
        "4 of 6 differences are significant; no system beats A by any measure"
    )
    assert leaders({("A", "B"): {"x": 1, "y": -1}}) == (
        "2 of 2 differences are significant; every system is beaten by another by some measure"
    )
    assert leaders({("A", "B"): {"x": 0}, ("A", "C"): {"x": 0}}) == "no two of 3 systems can be told apart by x"


# Tables


@pytest.mark.usefixtures("repository")
def test_two_systems_are_compared_by_every_measure(metaeval: CommandLine) -> None:
    found = report_of(metaeval, *STANCE, *ATLAS, *FEW)
    assert list(found["tables"]) == ["comparisons", "wins", "mcnemar"]
    rows = found["tables"]["comparisons"]
    assert list(rows[0]) == COLUMNS
    assert len(rows) == 9
    assert sentences(found) == ["atlas_large beats atlas_base on 9 of 9 measures"]
    assert found["tables"]["wins"] == [
        {"system": "atlas_large", "other": "atlas_base", "wins": 9, "losses": 0, "undecided": 0}
    ]


@every_test
@pytest.mark.usefixtures("repository")
def test_differences_are_those_of_the_scores_in_their_own_direction(metaeval: CommandLine, test: str) -> None:
    scored = json.loads(metaeval.succeeds("score", *STANCE, "-f", "json").out)["tables"]["scores"]
    scores = {row["system"]: row for row in scored}
    found = report_of(metaeval, *STANCE, *FEW, "--test", test)
    for row in found["tables"]["comparisons"]:
        apart = scores[row["system"]][row["measure"]] - scores[row["other"]][row["measure"]]
        assert row["difference"] == pytest.approx(apart, abs=1e-12)
        assert row["low"] < row["difference"] < row["high"]
        lower = row["measure"].startswith("mae")
        winner = row["system"] if (apart > 0) != lower else row["other"]
        assert row["better"] == (winner if row["p_adjusted"] <= 0.05 else "")
        assert row["p_adjusted"] >= row["p"] or test == "tukey"


@pytest.mark.usefixtures("repository")
def test_all_pairs_have_tiers_and_csv_has_the_same_columns_whatever_is_compared(metaeval: CommandLine) -> None:
    found = report_of(metaeval, *STANCE, *TWO, *FEW, "--all-pairs", "--correction", "none")
    assert list(found["tables"]) == ["comparisons", "wins", "tiers_by_measure", "tiers", "mcnemar"]
    tiers = found["tables"]["tiers"]
    assert list(tiers[0]) == ["measure", "system", "score", "rank", "rank_low", "rank_high", "tier", "letters"]
    assert list(found["tables"]["tiers_by_measure"][0]) == ["system", *TWO[1::2]]
    for arguments in (("--first",), ("--all-pairs",), ATLAS):
        rows = metaeval.succeeds("compare", *STANCE, *TWO, *FEW, *arguments, "-f", "csv").rows()
        assert list(rows[0]) == COLUMNS
    assert len(found["tables"]["comparisons"]) == 2 * 91
    side_by_side = {row["system"]: row for row in found["tables"]["tiers_by_measure"]}
    for row in tiers:
        assert side_by_side[row["system"]][row["measure"]] == row["tier"]
        assert row["rank_low"] <= row["rank"] <= row["rank_high"]


@every_test
@pytest.mark.usefixtures("repository")
def test_letters_say_what_the_comparisons_say(metaeval: CommandLine, test: str) -> None:
    found = report_of(metaeval, *STANCE, *TWO, *FEW, "--all-pairs", "--correction", "bh", "--test", test)
    letters = {(row["measure"], row["system"]): set(row["letters"]) for row in found["tables"]["tiers"]}
    for row in found["tables"]["comparisons"]:
        shared = letters[row["measure"], row["system"]] & letters[row["measure"], row["other"]]
        assert bool(shared) == (row["better"] == "")


@pytest.mark.usefixtures("repository")
def test_ranks_are_among_the_systems_compared(metaeval: CommandLine) -> None:
    three = ("--system", "even_recall", "--system", "atlas_base", "--system", "atlas_large")
    rows = report_of(metaeval, *STANCE, "-m", "cem-ord", *three, *FEW, "--all-pairs")["tables"]["tiers"]
    assert [(row["system"], row["rank"]) for row in rows] == [("atlas_large", 1), ("atlas_base", 2), ("even_recall", 3)]


@pytest.mark.usefixtures("repository")
def test_tukey_of_all_systems_is_what_power_tests(metaeval: CommandLine) -> None:
    arguments = (*STANCE, "-m", "cem-ord", *FEW)
    compared = report_of(metaeval, *arguments, "--all-pairs", "--test", "tukey")["tables"]["comparisons"]
    power = json.loads(metaeval.succeeds("power", *arguments, "-f", "json").out)["tables"]["power_differences"]
    tested = {(row["system"], row["other"]): row["p"] for row in power}
    assert {(row["system"], row["other"]): row["p_adjusted"] for row in compared} == tested


@pytest.mark.usefixtures("repository")
def test_mcnemar_counts_items_that_only_one_gets_right(metaeval: CommandLine) -> None:
    found = report_of(metaeval, *STANCE, *ATLAS, "-m", "accuracy", *FEW)
    row = found["tables"]["mcnemar"][0]
    total = row["only_system"] + row["only_other"]
    assert row["p"] == pytest.approx(stats.binomtest(row["only_system"], total, 0.5).pvalue)
    apart = found["tables"]["comparisons"][0]["difference"]
    assert (row["only_system"] - row["only_other"]) / 1413 == pytest.approx(apart)


@every_test
@pytest.mark.usefixtures("repository")
def test_the_bits_are_the_same_for_one_worker_and_two(metaeval: CommandLine, test: str) -> None:
    one, two, other = (
        report_of(metaeval, *STANCE, *TWO, *FEW, *ATLAS, "--test", test, *more)["tables"]
        for more in ((), ("--workers", "2"), ("--seed", "1"))
    )
    assert one == two
    assert one != other


@pytest.mark.usefixtures("repository")
def test_measures_that_are_no_means_over_items_are_named_under_tukey(metaeval: CommandLine) -> None:
    found = report_of(metaeval, *STANCE, *TWO, *ATLAS, *FEW, "--test", "tukey")
    assert any(note.startswith("macro-f1, no means over items") for note in found["notes"])
    assert not any("Holm" in note for note in found["notes"])


@every_test
@pytest.mark.usefixtures("repository")
def test_texts_are_compared_and_have_no_mcnemar(metaeval: CommandLine, test: str) -> None:
    found = report_of(metaeval, "--config", "configs/news.yaml", *FEW, "--test", test)
    assert "mcnemar" not in found["tables"]


def test_a_system_without_a_score_is_compared_with_nobody_and_comes_last(metaeval: CommandLine, write: Write) -> None:
    gold = ["a", "b"] * 30
    runs = {"good": gold, "weak": ["a", "b", "b"] * 20, "mute": ["a"] * 60}
    for name, labels in (("gold", gold), *((f"runs/{name}", labels) for name, labels in runs.items())):
        write(f"{name}.csv", "id,label\n" + "".join(f"{number},{label}\n" for number, label in enumerate(labels)))
    found = report_of(metaeval, "--gold", "gold.csv", "runs", "-m", "mcc", "--all-pairs", *FEW, "--test", "permutation")
    alone = [row for row in found["tables"]["comparisons"] if "mute" in (row["system"], row["other"])]
    assert len(alone) == 2
    for row in alone:
        assert (row["difference"], row["p"], row["p_adjusted"], row["better"]) == (None, None, None, "")
    last = found["tables"]["tiers"][-1]
    assert (last["system"], last["score"], last["tier"], last["letters"]) == ("mute", None, None, "")


# Notes and refusals


@pytest.mark.usefixtures("repository")
def test_more_pairs_than_resamples_can_tell_apart_are_told(metaeval: CommandLine) -> None:
    arguments = ("compare", *STANCE, "-m", "accuracy", "--all-pairs", "--resamples")
    few = metaeval.succeeds(*arguments, "1818").err
    assert "say --resamples 1819 or more" in few
    assert "Finding: 1,818 resamples are too few for 91 pairs: no difference can be significant" in few
    told = metaeval.succeeds(*arguments, "1819")
    assert "no adjusted p" not in told.err
    assert "differences are significant" in told.err


@pytest.mark.parametrize(("arguments", "pairs"), [(ATLAS, "1 pair"), (("--first",), "13 pairs"), ((), "91 pairs")])
@pytest.mark.usefixtures("repository")
def test_that_nothing_could_be_found_is_not_told_as_nothing_there(
    metaeval: CommandLine, arguments: tuple[str, ...], pairs: str
) -> None:
    found = report_of(metaeval, *STANCE, "-m", "accuracy", *arguments, "--resamples", "1")
    assert sentences(found) == [f"1 resample is too few for {pairs}: no difference can be significant"]
    assert any("a paired bootstrap of 1 sample of the items" in note for note in found["notes"])


@pytest.mark.usefixtures("repository")
def test_without_a_name_all_pairs_are_compared_and_named_ones_with_the_first(metaeval: CommandLine) -> None:
    arguments = (*STANCE, "-m", "accuracy", *FEW)
    three = (*ATLAS, "--system", "even_recall")
    for more, pairs in (((), 91), (("--first",), 13), (three, 2), ((*three, "--all-pairs"), 3)):
        found = report_of(metaeval, *arguments, *more)
        assert len(found["tables"]["comparisons"]) == pairs
        assert ("tiers" in found["tables"]) == (pairs in (91, 3))
        adjusted = "; p is not adjusted" in metaeval.succeeds("compare", *arguments, *more, "-f", "json").out
        assert adjusted == (pairs > 1)
    signatures = {report_of(metaeval, *arguments, *more)["signature"] for more in ((), ("--first",))}
    assert len(signatures) == 2


def write_table(write: Write, *, systems: int, items: int) -> None:
    """Systems so far apart that every test finds it."""
    rows = [
        f"bleu,s{system:02},i{item},{10 * system + (7 * item + 3 * system) % 11 / 11}"
        for system in range(systems)
        for item in range(items)
    ]
    write("scores.csv", "\n".join(["measure,system,item,value", *rows, ""]))


@pytest.mark.parametrize(("adjust", "resamples"), [("holm", 11_999), ("none", 5000)])
def test_as_many_resamples_are_taken_as_many_pairs_need(
    metaeval: CommandLine, write: Write, adjust: str, resamples: int
) -> None:
    write_table(write, systems=25, items=40)
    found = report_of(metaeval, "--task", "table", "scores.csv", "--correction", adjust)
    assert sentences(found) == ["300 of 300 differences are significant; no system beats s24 by bleu"]
    assert any(f"a paired bootstrap of {resamples:,} samples" in note for note in found["notes"])
    assert "resamples:auto" in found["signature"]


@pytest.mark.parametrize("command", ["compare", "power"])
def test_one_item_is_refused_and_few_are_warned_of(metaeval: CommandLine, write: Write, command: str) -> None:
    arguments = (command, "--task", "table", "scores.csv", "--test", "bootstrap", *FEW)
    write_table(write, systems=3, items=1)
    assert "1 item; expected at least two" in metaeval.refuses(*arguments)
    for items, told in ((29, True), (30, False)):
        write_table(write, systems=3, items=items)
        assert ("on 29 items a bootstrap finds differences too easily" in metaeval.succeeds(*arguments).err) == told


def test_a_permutation_test_is_not_warned_of_few_items(metaeval: CommandLine, write: Write) -> None:
    write_table(write, systems=3, items=5)
    told = metaeval.succeeds("compare", "--task", "table", "scores.csv", "--test", "permutation", *FEW).err
    assert "too easily" not in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--system", "atlas_base", "--system", "atlas_lage"), "Did you mean 'atlas_large'?"),
        (("--system", "atlas_base"), "one system (atlas_base) to compare"),
        (("--system", "atlas_base", "--system", "atlas_base"), "one system (atlas_base) to compare"),
        (("--correction", "holmes"), "Did you mean 'holm'?"),
        (("--test", "permutations"), "Did you mean 'permutation'?"),
        (("--alpha", "1.5"), "expected a level between 0 and 1"),
    ],
)
@pytest.mark.usefixtures("repository")
def test_what_is_wrong_is_said(metaeval: CommandLine, arguments: tuple[str, ...], told: str) -> None:
    assert told in metaeval.refuses("compare", *STANCE, *arguments)


@every_test
@pytest.mark.usefixtures("repository")
def test_predicted_numbers_can_not_be_compared(metaeval: CommandLine, test: str) -> None:
    told = metaeval.refuses("compare", "--config", "configs/ordinal.yaml", "--test", test)
    assert "systems that predict labels" in told


# As sections of a run

RUN = """
data:
  task: fnc1
  gold: {root}/sample_data/fnc1/gold.csv
  runs: ["{root}/sample_data/fnc1/systems"]
  labels: disagree<discuss<agree
measures: [cem-ord, macro-f1]
power: {{resamples: 199}}
compare: {{systems: [{systems}], all-pairs: true, resamples: 199, test: {test}}}
"""


def test_a_run_has_power_and_compare_as_the_commands_have(
    metaeval: CommandLine, write: Write, pytestconfig: pytest.Config
) -> None:
    content = RUN.format(root=pytestconfig.rootpath, systems="atlas_large, atlas_base, even_recall", test="tukey")
    config = write("run.yaml", content)
    whole = json.loads(metaeval.succeeds("run", config, "-f", "json").out)
    for command in ("power", "compare"):
        alone = json.loads(metaeval.succeeds(command, "--config", config, "-f", "json").out)
        for name, rows in alone["tables"].items():
            assert whole["tables"][name] == rows
        assert alone["findings"][0] in whole["findings"]
    assert "power.resamples:199" in whole["signature"]
    assert "compare.test:tukey" in whole["signature"]


def test_a_run_is_refused_before_any_work_where_a_system_is_unknown(
    metaeval: CommandLine, write: Write, pytestconfig: pytest.Config
) -> None:
    config = write("run.yaml", RUN.format(root=pytestconfig.rootpath, systems="atlas_lage, even_recall", test="tukey"))
    assert "Did you mean 'atlas_large'?" in metaeval.refuses("run", config)


# Real systems


@needs_shared_data
def test_the_leaders_of_the_fake_news_challenge_are_hard_to_tell_apart_and_beat_the_baseline(
    metaeval: CommandLine,
) -> None:
    names = ("talos_ensemble", "athene_official", "fnc_baseline_gb")
    systems = [word for name in names for word in ("--system", name)]
    found = report_of(metaeval, *FNC1, *systems, "--resamples", "999")
    wins = {row["other"]: row for row in found["tables"]["wins"]}
    assert (wins["fnc_baseline_gb"]["wins"], wins["fnc_baseline_gb"]["losses"]) == (9, 0)
    assert wins["athene_official"]["undecided"] >= 6
    assert "talos_ensemble beats fnc_baseline_gb on 9 of 9 measures" in sentences(found)
    # The two official leaders get equally many of these items right.
    accuracy = next(
        row for row in found["tables"]["comparisons"]
        if (row["measure"], row["other"]) == ("accuracy", "athene_official")
    )  # fmt: skip
    assert (accuracy["difference"], accuracy["p"]) == (0, 1)


@needs_shared_data
def test_bootstrap_permutation_and_tukey_agree_on_most_real_pairs(metaeval: CommandLine) -> None:
    better = {
        test: [
            row["better"]
            for row in report_of(
                metaeval,
                *FNC1,
                "-m",
                "cem-ord",
                "--all-pairs",
                "--resamples",
                "499",
                "--correction",
                "bh",
                "--test",
                test,
            )["tables"]["comparisons"]
        ]
        for test in ("bootstrap", "permutation", "tukey")
    }
    for test in ("permutation", "tukey"):
        same = sum(one == other for one, other in zip(better["bootstrap"], better[test], strict=True))
        assert same >= 80
    # None of them says the opposite of another.
    for verdicts in zip(*better.values(), strict=True):
        assert len(set(verdicts) - {""}) <= 1
