"""`metaeval compare`: one relation decides on all tables and findings, on sample data and real systems."""

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write, refusals, sentences
from label_studies import label_files
from score_cubes import score_table
from shared_data import FNC1, needs_shared_data

from metaeval.analyses.compare.findings import on_baseline, on_pair, on_winners
from metaeval.inference.standings import Comparison

STANCE = ("--config", "configs/stance.yaml")
TWO = ("-m", "cem-ord", "-m", "macro-f1")
FEW = ("--permutations", "499")
NAN = float("nan")
ATLAS = ("--system", "atlas_large", "--system", "atlas_base")
COLUMNS = ["measure", "system", "other", "difference", "low", "high", "p", "p_adjusted", "better"]


# Sentences


ON_PAIR = {
    "A is significantly better than B under 7 of 9 measures, significantly worse under m8 and not significantly "
    "different under m7": [1] * 7 + [0, -1],
    "A is significantly better than B under all 3 measures": [1, 1, 1],
    "B is significantly better than A under 2 of 3 measures and significantly worse under m1": [-1, 1, -1],
    "A is significantly better than B under 1 of 2 measures and significantly worse under m1": [1, -1],
    "A and B are not significantly different under any of 3 measures": [0, 0, 0],
    "A and B are not significantly different under m0": [0],
    "B is significantly better than A under m0": [-1],
    "A is significantly better than B under 1 of 4 measures and not significantly different under 3": [0, 0, 0, 1],
}


@pytest.mark.parametrize("sentence", ON_PAIR)
def test_the_verdicts_on_a_pair_in_a_sentence(sentence: str) -> None:
    assert on_pair("A", "B", {f"m{number}": verdict for number, verdict in enumerate(ON_PAIR[sentence])}) == sentence


def test_the_verdicts_on_many_systems_beside_a_baseline_in_a_sentence() -> None:
    systems = {
        "B": {"x": 1, "y": 1, "z": -1},
        "C": {"x": -1, "y": -1, "z": -1},
        "D": {"x": 0, "y": 1, "z": 0},
        "E": {"x": 1, "y": 1, "z": 0},
    }
    assert on_baseline("A", systems) == (
        "2 of 4 systems (B and E) are significantly better than A under most of 3 measures, "
        "and 1 (C) significantly worse"
    )
    three = {name: {"x": 1} for name in "BCD"}
    sentence = "3 of 3 systems are significantly better than A under x, and none significantly worse"
    assert on_baseline("A", three) == sentence
    # Of two measures, most are both; a system that one of them does not test says nothing of both.
    two = {"B": {"x": 1, "y": 1}, "C": {"x": 1, "y": 0}}
    sentence = "1 of 2 systems (B) is significantly better than A under both measures, and none significantly worse"
    assert on_baseline("A", two) == sentence
    assert "under most of 2 measures" in on_baseline("A", {**two, "D": {"x": 1}})


def comparison(scores: list[float], *significant: tuple[int, int]) -> Comparison:
    """A comparison of systems; significant: pairs in which the first is significantly better."""
    better = np.zeros((len(scores), len(scores)), dtype=bool)
    for pair in significant:
        better[pair] = True
    # Tests and letters are not used.
    order: Any = SimpleNamespace(
        scores=np.array(scores),
        defined=~np.isnan(scores),
        better=better,
        best=lambda names: [name for name, score in zip(names, scores, strict=True) if score == np.nanmax(scores)],
    )
    nothing: Any = None
    return Comparison(nothing, order, np.array(scores))


def test_the_systems_with_the_best_scores_take_at_most_two_sentences() -> None:
    wins_all, ahead, behind = (
        comparison([3, 2, 1], (0, 1), (0, 2)),
        comparison([3, 2, 1], (0, 2)),
        comparison([1, 2, 3]),
    )
    last, partly = comparison([1, 3, 2], (1, 0), (1, 2)), comparison([3, 2, NAN], (0, 1))

    def claims(**comparisons: Comparison) -> list[str]:
        return on_winners(list("abc"), comparisons)[0]

    assert claims(x=wins_all, y=wins_all) == ["a is significantly better than both other systems under both measures"]
    assert claims(x=ahead, y=comparison([3, 1, 2], (0, 2))) == [
        "a has the best score under both measures, not significantly different from b"
    ]
    assert claims(x=wins_all, y=ahead, z=behind) == [
        "a has the best score under 2 of 3 measures, significantly better than all others under 1",
        "c has the best score under z, not significantly better than all others",
    ]
    assert claims(x=wins_all, y=partly) == [
        "a is significantly better than all others that can be tested under both measures"
    ]
    assert claims(w=behind, x=wins_all, y=last, z=behind) == [
        "c has the best score under 2 of 4 measures, not significantly better than all others under any",
        "a and b have the best score under the other 2, significantly under 2",
    ]
    assert claims(x=comparison([NAN, NAN, 1])) == []


# Tables


@pytest.mark.usefixtures("repository")
def test_two_systems_are_compared_under_every_measure(metaeval: CommandLine) -> None:
    report = metaeval.report("compare", *STANCE, *ATLAS, *FEW)
    assert list(report["tables"]) == ["comparisons", "wins"]
    rows = report["tables"]["comparisons"]
    assert list(rows[0]) == COLUMNS
    assert len(rows) == 9
    (sentence,) = sentences(report)
    assert sentence.startswith("atlas_large is significantly better than atlas_base under all 9 measures")
    assert sentence.endswith(" (adjusted p ≤ 0.05)")
    assert report["tables"]["wins"] == [
        {"system": "atlas_large", "other": "atlas_base", "wins": 9, "losses": 0, "undecided": 0, "untested": 0}
    ]


@pytest.mark.parametrize("config", ["stance", "news", "ordinal_table"])
def test_no_table_contradicts_another(
    metaeval: CommandLine, write: Write, pytestconfig: pytest.Config, config: str
) -> None:
    """Labels in crossed clusters, texts, and a table with clusters."""
    if config == "ordinal_table":
        write_table(write, systems=6, items=60, step=0.1)
        call: tuple[object, ...] = ("--task", "table", "scores.csv", "--cluster", "thread")
    else:
        call = ("--config", pytestconfig.rootpath / "configs" / f"{config}.yaml")
    report = metaeval.report("compare", *call, *FEW)
    scored = metaeval.tables("score", *call)["scores"]
    scores = {row["system"]: row for row in scored}
    order = {(row["measure"], row["system"]): row for row in report["tables"]["tiers"]}
    best = {row["measure"]: row["system"] for row in reversed(report["tables"]["tiers"])}
    for row in report["tables"]["comparisons"]:
        measure, one, other = row["measure"], row["system"], row["other"]
        apart = scores[one][measure] - scores[other][measure]
        assert row["difference"] == pytest.approx(apart, abs=1e-9)
        assert row["p"] <= row["p_adjusted"]
        significant = row["p_adjusted"] <= 0.05
        assert significant == (row["low"] > 0 or row["high"] < 0)
        assert (row["better"] != "") == significant
        assert bool(set(order[measure, one]["letters"]) & set(order[measure, other]["letters"])) != significant
        if significant:
            winner, loser = (one, other) if row["better"] == one else (other, one)
            assert order[measure, winner]["rank"] < order[measure, loser]["rank"]
            assert order[measure, loser]["rank_low"] > 1
            assert order[measure, winner]["tier"] <= order[measure, loser]["tier"]
        if best[measure] in (one, other):
            behind = order[measure, other if best[measure] == one else one]
            assert abs(behind["difference"]) == pytest.approx(abs(row["difference"]))
            assert (behind["low"] > 0 or behind["high"] < 0) == significant
    for row in order.values():
        assert row["rank_low"] <= row["rank"] <= row["rank_high"]
        side_by_side = next(one for one in report["tables"]["tiers_by_measure"] if one["system"] == row["system"])
        assert side_by_side[row["measure"]] == row["tier"]


@pytest.mark.usefixtures("repository")
def test_ranks_are_among_the_systems_compared(metaeval: CommandLine) -> None:
    three = ("--system", "even_recall", "--system", "atlas_base", "--system", "atlas_large")
    rows = metaeval.tables("compare", *STANCE, "-m", "cem-ord", *three, *FEW)["tiers"]
    assert [(row["system"], row["rank"]) for row in rows] == [("atlas_large", 1), ("atlas_base", 2), ("even_recall", 3)]


def test_a_system_without_a_score_is_not_compared_and_comes_last(metaeval: CommandLine, write: Write) -> None:
    files = label_files(write, gold="ab" * 30, good="ab" * 30, weak="abb" * 20, mute="a" * 60)
    report = metaeval.report("compare", "--gold", *files, "-m", "mcc", *FEW)
    alone = [row for row in report["tables"]["comparisons"] if "mute" in (row["system"], row["other"])]
    assert len(alone) == 2
    for row in alone:
        assert (row["difference"], row["p"], row["p_adjusted"], row["better"]) == (None, None, None, "")
    last = report["tables"]["tiers"][-1]
    assert (last["system"], last["score"], last["tier"], last["letters"]) == ("mute", None, None, "")
    assert (last["rank_low"], last["best"]) == (None, None)


def test_equal_systems_tie_and_share_the_lowest_rank(metaeval: CommandLine, write: Write) -> None:
    scores = np.arange(40) % 3 - [[0], [0], [1]]
    write("scores.csv", score_table({"bleu": scores}, systems="abc"))
    report = metaeval.report("compare", "--task", "table", "scores.csv", *FEW)
    assert [(row["system"], row["rank"], row["letters"]) for row in report["tables"]["tiers"]] == [
        ("a", 1, "a"),
        ("b", 1, "a"),
        ("c", 3, "b"),
    ]
    tie = report["tables"]["comparisons"][0]
    assert (tie["difference"], tie["low"], tie["high"], tie["p_adjusted"]) == (0, None, None, 1)
    shared = "a and b share the best score under bleu and are both significantly better than the other system"
    assert sentences(report)[0].startswith(shared)
    first = "differences are from the best system, or the first of several with the best score (a under bleu)"
    assert first in report["notes"]
    printed = metaeval.succeeds("compare", "--task", "table", "scores.csv", *FEW, "--notes").out
    assert "simultaneous for all differences of 3 pairs under a measure" in printed
    assert first in printed


def test_systems_with_the_best_score_are_not_all_better_than_another(metaeval: CommandLine, write: Write) -> None:
    scores = [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0]]
    write("scores.csv", score_table({"x": scores}, systems="abcd"))
    call = ("--task", "table", "scores.csv", *FEW)
    shared = "a and b share the best score under x, but are not both significantly better than c and d"
    assert sentences(metaeval.report("compare", *call))[0].startswith(shared)


def test_an_interval_without_a_bound_is_undefined_in_every_format(metaeval: CommandLine, write: Write) -> None:
    write_table(write, systems=3, items=4)
    call = ("compare", "--task", "table", "scores.csv", "--permutations", "18")
    assert [(row["low"], row["high"]) for row in metaeval.tables(*call)["tiers"][1:]] == [(None, None)] * 2
    for form, cells in {"table": "—       —", "csv": ",,", "tsv": "\t\t", "markdown": "| — | — |"}.items():
        lines = metaeval.succeeds(*call, "-f", form, "--columns", "all").out.splitlines()
        row = next(line for line in lines if "s01" in line and "significantly" not in line)
        assert cells in row
        assert "inf" not in row
    plain = metaeval.succeeds(*call).out
    assert "give no interval" in plain
    assert not any("[" in line for line in plain.splitlines() if "s01" in line)


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("arguments", "table"),
    [
        (TWO, "tiers_by_measure"),
        (TWO[:2], "tiers"),
        ((*TWO, "--baseline", "atlas_base"), "verdicts_by_measure"),
        ((*TWO[:2], "--baseline", "atlas_base"), "beside_baseline"),
        ((*TWO, *ATLAS), "comparisons"),
    ],
)
def test_readers_are_shown_one_table(metaeval: CommandLine, arguments: tuple[str, ...], table: str) -> None:
    layout = metaeval.report("compare", *STANCE, *arguments, *FEW)["layout"]
    assert [name for name, entry in layout.items() if not entry["detail"]] == [table]


# Clusters


def test_clusters_widen_intervals_and_singletons_change_nothing(metaeval: CommandLine, write: Write) -> None:
    write_table(write, systems=3, items=60, step=0.05, luck=0.5)
    call = ("--task", "table", "scores.csv", *FEW)
    width = {}
    for clusters in ((), ("--cluster", "thread"), ("--cluster", "item")):
        report = metaeval.report("compare", *call, *clusters)
        width[clusters] = [row["high"] - row["low"] for row in report["tables"]["comparisons"]]
        assert ("12 clusters of thread, effective number 12" in report["notes"]) == (
            clusters == ("--cluster", "thread")
        )
    assert min(width["--cluster", "thread"]) > 1.5 * max(width[()])
    assert width["--cluster", "item"] == pytest.approx(width[()])


@pytest.mark.usefixtures("repository")
def test_the_clusters_of_a_task_are_used_unless_they_are_switched_off(metaeval: CommandLine) -> None:
    call = (*STANCE, "-m", "accuracy", *FEW)
    declared, both, off = (
        metaeval.report("compare", *call, *more)
        for more in ((), ("--cluster", "headline", "--cluster", "body"), ("--cluster", "none"))
    )
    assert declared["tables"] == both["tables"]
    assert any("clusters of headline and of body" in note for note in declared["notes"])
    assert any("differences of items at random" in note for note in off["notes"])
    assert "clusters:none" in off["signature"]


@refusals("""
--cluster thraed => name a column of the header with --cluster, as in --cluster thread
--cluster thread --cluster none => --cluster thread, none
--cluster thread --cluster item --cluster system => two columns that cross each other
--cluster system => scores.csv:62: cluster 's01' for item 'i0'; expected 's00'
""")
def test_wrong_clusters_are_refused(
    metaeval: CommandLine, write: Write, words: tuple[str, ...], parts: list[str]
) -> None:
    write_table(write, systems=3, items=60)
    metaeval.refuses_with(parts, "compare", "--task", "table", "scores.csv", *words)


# Notes and refusals


@pytest.mark.usefixtures("repository")
def test_too_few_permutations_are_told(metaeval: CommandLine) -> None:
    arguments = ("compare", *STANCE, "-m", "accuracy", *ATLAS, "--permutations")
    assert "18 permutations cannot show a difference at 0.05, and give no interval: use --permutations 19 or more" in (
        metaeval.succeeds(*arguments, "18").out
    )
    assert "cannot show" not in metaeval.succeeds(*arguments, "19").out


@pytest.mark.usefixtures("repository")
def test_all_pairs_are_compared_or_all_systems_with_a_baseline(metaeval: CommandLine) -> None:
    arguments = (*STANCE, "-m", "accuracy", *FEW)
    three, baseline = (*ATLAS, "--system", "even_recall"), ("--baseline", "neighbour_net")
    for more, pairs in (((), 91), (baseline, 13), (three, 3), ((*three, *baseline), 3)):
        report = metaeval.report("compare", *arguments, *more)
        assert len(report["tables"]["comparisons"]) == pairs
        assert ("tiers" in report["tables"]) == ("--baseline" not in more)
        assert ("baseline:neighbour_net" in report["signature"]) == ("--baseline" in more)


@pytest.mark.usefixtures("repository")
def test_differences_from_a_baseline_are_those_of_all_pairs_in_a_smaller_family(metaeval: CommandLine) -> None:
    arguments = ("compare", *STANCE, "-m", "mae:average=macro", "-m", "accuracy", *FEW)
    every = metaeval.tables(*arguments)["comparisons"]
    tables = metaeval.tables(*arguments, "--baseline", "neighbour_net")
    by_pair = {(row["measure"], row["system"], row["other"]): row for row in every}
    verdicts = {row["system"]: row for row in tables["verdicts_by_measure"]}
    scores = metaeval.tables("score", *STANCE, "-m", "mae:average=macro", "-m", "accuracy")["scores"]
    for row in tables["beside_baseline"]:
        measure, system = row["measure"], row["system"]
        assert row["score"] == pytest.approx(next(entry[measure] for entry in scores if entry["system"] == system))
        if system == "neighbour_net":
            assert (row["verdict"], row["difference"], row["p_adjusted"]) == ("baseline", 0, None)
            continue
        forward = (measure, system, "neighbour_net") in by_pair
        pair = by_pair[(measure, system, "neighbour_net") if forward else (measure, "neighbour_net", system)]
        assert row["difference"] == pytest.approx(pair["difference"] * (1 if forward else -1))
        assert row["p"] == pair["p"] <= row["p_adjusted"] <= pair["p_adjusted"]
        better = row["difference"] < 0 if measure.startswith("mae") else row["difference"] > 0
        significant = row["p_adjusted"] <= 0.05
        assert significant == (not row["low"] <= 0 <= row["high"])
        assert row["verdict"] == verdicts[system][measure] == (("better" if better else "worse") if significant else "")


@pytest.mark.usefixtures("repository")
def test_a_measure_that_is_not_tested_has_no_empty_verdict(metaeval: CommandLine) -> None:
    call = ("compare", *STANCE, "-m", "accuracy", "-m", "mcc", "--baseline", "always_discuss", *FEW)
    rows = metaeval.tables(*call)["verdicts_by_measure"]
    assert {row["mcc"] for row in rows} == {"not tested"}
    assert "not tested" not in {row["accuracy"] for row in rows}


def write_table(write: Write, *, systems: int, items: int, step: float = 10, luck: float = 0) -> None:
    """Systems that differ by a step, on items in threads of five; luck: of systems with threads."""
    random, threads = np.random.default_rng(1), np.arange(items) // 5
    thread_effects = luck * random.standard_normal((systems, items // 5 + 1))[:, threads]
    scores = step * np.arange(systems)[:, np.newaxis] + random.random((systems, items)) + thread_effects
    names = [f"s{system:02}" for system in range(systems)]
    write("scores.csv", score_table({"bleu": scores}, systems=names, thread=threads))


@pytest.mark.parametrize("command", ["compare", "compare --baseline s30", "leaderboard", "score", "score --interval"])
def test_of_many_systems_the_first_screen_has_the_best(metaeval: CommandLine, write: Write, command: str) -> None:
    write_table(write, systems=60, items=30, step=0.1)
    few = () if command.startswith("score") else FEW
    call = (*command.split(), "--task", "table", "scores.csv", "-q", *few)
    lines = metaeval.succeeds(*call).out.splitlines()
    assert len(lines) <= 45
    # Prose is not wrapped in a pipe.
    assert max(len(line) for line in lines if not re.match("metaeval:|Not shown:|.*[.)]$", line)) <= 100
    (more,) = (line for line in lines if "36 rows of " in line)
    assert more.endswith(": --table")
    name = more.partition("36 rows of ")[2].partition(",")[0].partition(":")[0]
    for complete in (("--table", name), ("-f", "markdown"), ("-f", "latex"), ("-f", "csv", "--table", name)):
        text = metaeval.succeeds(*call, *complete).out
        assert all(f"s{number:02}" in text for number in range(60))
        assert "36 rows" not in text


@pytest.mark.parametrize("command", ["compare", "plan", "power"])
def test_one_item_is_refused(metaeval: CommandLine, write: Write, command: str) -> None:
    write_table(write, systems=3, items=1)
    assert "1 item; expected at least two" in metaeval.refuses(command, "--task", "table", "scores.csv")


@refusals("""
--system atlas_base --system atlas_lage => Did you mean 'atlas_large'?
--system atlas_base --baseline atlas_base => one system (atlas_base)
--baseline neighbor_net => unknown system 'neighbor_net'. Did you mean 'neighbour_net'
""")
@pytest.mark.usefixtures("repository")
def test_what_is_wrong_is_said(metaeval: CommandLine, words: tuple[str, ...], parts: list[str]) -> None:
    metaeval.refuses_with(parts, "compare", *STANCE, *words)


def test_pairs_that_cannot_be_tested_are_not_undecided(metaeval: CommandLine, write: Write) -> None:
    files = label_files(write, gold="ab" * 20, good="ab" * 20, constant="a" * 40)
    report = metaeval.report("compare", "--gold", *files, "-m", "accuracy", "-m", "mcc")
    assert report["tables"]["wins"] == [
        {"system": "good", "other": "constant", "wins": 1, "losses": 0, "undecided": 0, "untested": 1}
    ]
    assert sentences(report)[1] == "not tested: mcc (a score is undefined, or would be without some items)"


# Real systems


@needs_shared_data
def test_the_leaders_of_the_fake_news_challenge_are_hard_to_tell_apart_and_beat_the_baseline(
    metaeval: CommandLine,
) -> None:
    leaders, baseline = ("talos_ensemble", "athene_official"), "fnc_baseline_gb"
    call = ["compare", *FNC1, "--permutations", "999", *(word for name in leaders for word in ("--system", name))]
    report = metaeval.report(*call, "--baseline", baseline)
    wins = {row["system"]: row for row in report["tables"]["wins"]}
    assert (wins["talos_ensemble"]["wins"], wins["talos_ensemble"]["losses"]) == (9, 0)
    assert {row["system"]: row["accuracy"] for row in report["tables"]["verdicts_by_measure"]} == dict.fromkeys(
        leaders, "better"
    )
    (sentence,) = sentences(report)
    claim = "2 of 2 systems (talos_ensemble and athene_official) are significantly better"
    assert sentence.startswith(f"{claim} than {baseline} under all 9 measures, and none significantly worse (")
    between = metaeval.tables(*call)
    assert between["wins"][0]["undecided"] >= 6
    # The two official leaders get equally many of these items right.
    accuracy = next(row for row in between["comparisons"] if row["measure"] == "accuracy")
    assert (accuracy["difference"], accuracy["p"]) == (0, 1)


@pytest.mark.parametrize("command", ["compare", "power", "recommend", "similarity", "stability"])
def test_permutations_that_need_too_much_memory_are_refused_with_a_number_that_does_not(
    metaeval: CommandLine, command: str
) -> None:
    complaint = metaeval.refuses(command, *STANCE, *TWO, "--permutations", 100_000_000)
    match = re.search(r"100,000,000 permutations of 1,522 groups of items for \d+ scores: about \d+ GB", complaint)
    assert match, complaint
    fewer = re.search(r"use fewer, as in --permutations (\d+)\b", complaint)
    assert fewer, complaint
    assert 1_000_000 <= int(fewer[1]) < 100_000_000


def test_more_pairs_than_half_a_minute_suffices_for_are_refused(metaeval: CommandLine, write: Write) -> None:
    rows = [f"s{system},i{item},{system % 7 + item}\n" for system in range(1500) for item in range(2)]
    path = write("many.csv", "system,item,m\n" + "".join(rows))
    parts = ["1,500 systems (1,124,250 pairs) and 1 measure: about 1 min of work", "or set --baseline"]
    metaeval.refuses_with(parts, "compare", path)
    assert len(metaeval.tables("compare", path, "--baseline", "s3")["comparisons"]) == 1499
