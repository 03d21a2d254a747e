"""similarity, stability, merge-classes, summary and their sections of `run`: results and errors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write, refusals
from label_studies import label_file, label_study

LABELS = ("lo", "mid", "hi")
SCALE = ("--labels", "lo<mid<hi")
THREE = ("-m", "accuracy", "-m", "mae", "-m", "kappa:weights=linear")
FEW = {
    "similarity": ("--permutations", "20"),
    "stability": ("--trials", "20", "--permutations", "50"),
    "merge-classes": ("--permutations", "20"),
    "summary": ("--trials", "20"),
}
every_analysis = pytest.mark.parametrize("command", FEW)


@pytest.fixture(autouse=True)
def files(write: Write) -> tuple[str, ...]:
    """Gold and seven systems, from good to bad."""
    gold, *_ = label_study(write, {f"runs/s{number}": 0.9 - number / 10 for number in range(7)}, 90, classes=LABELS)
    return (*SCALE, "--gold", gold, "runs")


def columns(report: dict[str, Any], table: str) -> list[str]:
    return list(report["tables"][table][0])


# Tables, columns, notes, signature


def test_summary_puts_the_criteria_side_by_side(metaeval: CommandLine, files: tuple[str, ...]) -> None:
    report = metaeval.report("summary", *FEW["summary"], *THREE, *files)
    rows = report["tables"]["summary"]
    ends = ("", "_low", "_high", "_rank", "_letters")
    criteria = [f"{name}{end}" for name in ("consistency", "power", "discrimination", "gamed") for end in ends]
    assert list(rows[0]) == ["measure", "group", *criteria, "pareto", "pareto_share"]
    for row in rows:
        better = [
            (other["consistency"] - row["consistency"], row["discrimination"] - other["discrimination"])
            for other in rows
        ]
        assert row["consistency_rank"] == 1 + sum(gain > 1e-12 for gain, _ in better)
        assert row["discrimination_rank"] == 1 + sum(gain > 1e-12 for _, gain in better)
    layout = report["layout"]["summary"]["columns"]
    within = {column.get("letters") for column in layout}
    shown = [column["name"] for column in layout if not column.get("detail") and column["name"] not in within]
    assert shown == ["measure", "group", "consistency", "power", "discrimination", "gamed", "pareto"]
    # The numbers of the analyses themselves.
    alone = metaeval.tables("stability", "--trials", "20", *THREE, *files)["stability"]
    assert {row["measure"]: row["expected"] for row in alone} == {row["measure"]: row["consistency"] for row in rows}
    merged = {row["measure"]: row for row in metaeval.tables("merge-classes", *THREE, *files)["merge_classes"]}
    for row in rows:
        for end in ("", "_low", "_high"):
            assert row[f"discrimination{end}"] == merged[row["measure"]][f"corrected{end}"]


@every_analysis
def test_a_seed_gives_the_same_bytes_and_another_does_not(
    metaeval: CommandLine, files: tuple[str, ...], command: str
) -> None:
    one, again, other = (metaeval.tables(command, *FEW[command], *THREE, *files, "--seed", seed) for seed in "334")
    assert one == again != other


def test_the_signature_and_the_provenance_hold_the_settings(metaeval: CommandLine, files: tuple[str, ...]) -> None:
    head = "|n:90|systems:7|scale:lo<mid<hi|"
    report = metaeval.report("similarity", "--coefficient", "spearman", "--margin", "0.8", *FEW["similarity"], *files)
    assert report["signature"].endswith(f"{head}seed:20201|coefficient:spearman|margin:0.8|permutations:20")
    options = ("--stratified", "--sizes", "0.2", "--alpha", "0.1", "--seed", "0")
    report = metaeval.report("stability", *options, *FEW["stability"], *files)
    settings = "stratified:yes|sizes:0.2|permutations:50|alpha:0.1"
    assert report["signature"].endswith(f"{head}seed:0|trials:20|{settings}")
    assert report["provenance"]["settings"]["sizes"] == "0.2"
    assert [file["role"] for file in report["provenance"]["files"]] == ["gold", *["run"] * 7]
    report = metaeval.report("merge-classes", "--balance", "--trials", "9", "--merge", "hi+mid", *files)
    assert report["signature"].endswith(f"{head}seed:20201|merges:hi+mid|balance:yes|trials:9")
    assert len(report["tables"]["merge_classes_intervals"]) == 2 * len(report["tables"]["merge_classes"])


# Options


def test_a_merge_is_named_in_declared_order_and_counted_once(metaeval: CommandLine, files: tuple[str, ...]) -> None:
    report = metaeval.report("merge-classes", "--merge", "hi+mid", "--merge", "mid+hi", "--permutations", "0", *files)
    assert columns(report, "merge_classes") == ["measure", "mid+hi", "mean"]


@pytest.mark.parametrize("merge", ["c+++c", "c+c++"])
def test_classes_with_a_plus_in_their_names_can_be_merged(metaeval: CommandLine, write: Write, merge: str) -> None:
    gold = write("gold.csv", label_file(["c++", "c", "java"] * 5))
    run = write("run.csv", label_file(["c++", "java", "java"] * 5))
    options = ("--merge", merge, "--permutations", "0", "-m", "accuracy", "--labels", "c++,c,java")
    best = write("best.csv", label_file(["c++", "c", "java"] * 5))
    report = metaeval.report("merge-classes", *options, "--gold", gold, best, run)
    assert columns(report, "merge_classes") == ["measure", "c+++c", "mean"]


def test_merged_values_are_used_whatever_the_order_of_their_names(
    metaeval: CommandLine, files: tuple[str, ...]
) -> None:
    values = ("--class-values", "lo=1,mid=2,hi=5", "-m", "mae", "--permutations", "0")
    one, other, third = (
        metaeval.tables("merge-classes", "--merge", "lo+mid", *values, "--merged-values", merged, *files)
        for merged in ("lo+mid=1.5", "mid+lo=1.5", "lo+mid=4.9")
    )
    assert one == other
    assert set(one) == set(third)


# `run`, the output folder, and the configuration


CONFIG = """
data: {gold: gold.csv, runs: [runs], labels: lo<mid<hi}
measures: [accuracy, mae, "kappa:weights=linear"]
seed: 5
score: {}
similarity: {permutations: 15, margin: 0.8}
stability: {trials: 15, permutations: 20, sizes: 0.2}
merge-classes: {permutations: 15, adjacent: true}
summary: {}
"""


def test_a_run_equals_the_single_commands(metaeval: CommandLine, write: Write) -> None:
    config = write("all.yaml", CONFIG)
    whole = metaeval.report("run", config)
    single: dict[str, Any] = {}
    for command in ("score", *FEW):
        report = metaeval.report(command, "--config", config)
        assert set(report["notes"]) <= set(whole["notes"])
        single.update(report["tables"])
    assert whole["tables"] == single
    assert len(set(whole["notes"])) == len(whole["notes"])
    assert metaeval.tables("run", config, "--workers", "3") == single


def test_what_is_typed_takes_the_place_of_what_it_excludes(metaeval: CommandLine, write: Write) -> None:
    config = write("all.yaml", CONFIG)
    report = metaeval.report("merge-classes", "--config", config, "--merge", "lo+hi")
    assert columns(report, "merge_classes")[:3] == ["measure", "lo+hi", "mean"]
    explicit = write("named.yaml", CONFIG.replace("adjacent: true", "merges: lo+hi"))
    report = metaeval.report("merge-classes", "--config", explicit, "--adjacent")
    assert columns(report, "merge_classes")[:4] == ["measure", "lo+mid", "mid+hi", "mean"]


def test_trivial_systems_are_scored_and_not_analysed(metaeval: CommandLine, write: Write) -> None:
    plain, trivial = write("a.yaml", CONFIG), write("b.yaml", CONFIG.replace("score: {}", "score: {trivial: true}"))
    for command in FEW:
        one, other = (metaeval.report(command, "--config", config) for config in (plain, trivial))
        assert (one["tables"], one["signature"]) == (other["tables"], other["signature"])
    run = metaeval.report("run", trivial)
    assert "|trivial:yes|" in run["signature"]
    assert len(run["tables"]["scores"]) > 7


def test_a_summary_without_permutations_has_no_intervals_of_discrimination(metaeval: CommandLine, write: Write) -> None:
    config = write("all.yaml", CONFIG.replace("permutations: 15", "permutations: 0"))
    for row in metaeval.tables("summary", "--config", config)["summary"]:
        assert row["discrimination"] is not None
        assert row["discrimination_low"] is row["discrimination_high"] is None
        assert (row["group"], row["discrimination_letters"], row["pareto"]) == ("—", "", False)


# Errors


@pytest.mark.parametrize("command", [*FEW, "leaderboard", "power", "explain mae accuracy", "recommend"])
def test_one_system_is_too_few(metaeval: CommandLine, files: tuple[str, ...], command: str) -> None:
    message = metaeval.refuses(*command.split(), *files[:-1], "runs/s0.csv")
    assert "one system (s0); expected at least two" in message


@refusals("""
stability --sizes 0.7 => a size of 0.7 | at most 0.5
stability --sizes nan => a size of nan
stability --sizes 0.001 => 0 items in each half
similarity --margin nan => a margin of nan
merge-classes --merge lo+huh => unknown class 'huh'. Known: lo, mid, hi
merge-classes --merge lo+mid+hi => merge 'lo+mid+hi' | but not all, of lo, mid, hi
merge-classes --merge lo => merge 'lo'; expected two or more different classes
merge-classes --merge lo+mid --adjacent => --merge with --adjacent
merge-classes --merge huh:rest => unknown class 'huh'. Known: lo, mid, hi
merge-classes --merge loo:rest => unknown class 'loo'. Did you mean 'lo'?
merge-classes --labels lo,mid,hi --adjacent => --adjacent of classes without an order | lo<mid<hi
merge-classes -m mae --class-values lo=1,mid=2,hi=5 =>
    no value for the merged classes lo+mid, lo+hi, mid+hi | --merged-values 'lo+mid=…,lo+hi=…,mid+hi=…'
merge-classes -m mae --class-values lo=1,mid=2,hi=5 --merged-values lo+hi=4 =>
    the value 4 for the merged class 'lo+hi', at the position of lo | values that increase
merge-classes --merged-values lo+hi=4 =>
    values of merged classes without values of the classes themselves | --class-values 'lo=…,mid=…,hi=…'
""")
def test_what_does_not_go_together_is_told(
    metaeval: CommandLine, files: tuple[str, ...], words: tuple[str, ...], parts: list[str]
) -> None:
    metaeval.refuses_with(parts, *words, *(files[2:] if "--labels" in words else files))


@pytest.mark.parametrize(
    ("name", "defined_merges"),
    [
        ("macro-f1:classes=hi+lo", ["lo+hi"]),
        ("macro-f1:average=weighted,classes=lo+hi", ["lo+hi"]),
        ("precision:class=lo", ["mid+hi"]),
        ("fnc1-score:unrelated=lo", ["mid+hi"]),
    ],
)
def test_a_measure_is_undefined_after_merges_that_remove_its_class(
    metaeval: CommandLine, files: tuple[str, ...], name: str, defined_merges: list[str]
) -> None:
    report = metaeval.report("merge-classes", "-m", name, "-m", "accuracy", "--permutations", "19", *files)
    (row,) = (row for row in report["tables"]["merge_classes"] if row["measure"] == name)
    merges = ("lo+mid", "lo+hi", "mid+hi")
    assert [merge for merge in merges if row[merge] is not None] == defined_merges
    assert any("the merge removes a class that the measure names" in note for note in report["notes"])


def test_two_classes_leave_nothing_to_merge(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", "id,label\na,x\nb,y\nc,x\nd,y\n")
    data, reason = (
        ("--gold", gold, f"one={gold}", f"two={gold}"),
        "a merge of classes of 'x,y'; expected at least three",
    )
    assert reason in metaeval.refuses("merge-classes", *data)
    report = metaeval.report("summary", *data)
    assert any(note.startswith(f"discrimination is left out: {reason}") for note in report["notes"])
    assert not {"discrimination", "pareto"} & set(report["tables"]["summary"][0])
    config = write("own.yaml", f"data: {{gold: {gold}}}\nmerge-classes: {{}}\n")
    assert reason in metaeval.refuses("summary", "--config", config, *data[2:])


def test_a_summary_has_the_discrimination_of_measures_that_name_no_class(
    metaeval: CommandLine, files: tuple[str, ...]
) -> None:
    report = metaeval.report("summary", "-m", "recall:class=mid", "-m", "accuracy", *FEW["summary"], *files)
    assert any("recall:class=mid: a criterion is undefined" in note for note in report["notes"])
    rows = {row["measure"]: row for row in report["tables"]["summary"]}
    assert rows["recall:class=mid"]["discrimination"] is None
    assert rows["accuracy"]["discrimination"] is not None


def test_numbers_are_compared_without_groups(metaeval: CommandLine, files: tuple[str, ...], write: Write) -> None:
    random = np.random.default_rng(0)
    for number in range(4):
        rows = "".join(f"i{item},{value}\n" for item, value in enumerate(random.random(90)))
        write(f"numbers/n{number}.csv", "id,score\n" + rows)
    call = ("--task", "scores", *files[:-1], "numbers")
    report = metaeval.report("similarity", *call)
    assert list(report["tables"]) == ["similarity", "similarity_tree"]
    summary = metaeval.report("summary", *call)
    assert {"measure", "group"} <= set(summary["tables"]["summary"][0])
    assert any(note.startswith("consistency is left out") for note in summary["notes"])
    for command in ("stability", "merge-classes", "compare", "plan", "power"):
        parts = ("with predicted numbers; expected systems that predict labels", "numbers by similarity")
        metaeval.refuses_with(parts, command, *call)


# What is undefined


@pytest.fixture
def tied(files: tuple[str, ...], write: Write) -> tuple[str, ...]:
    """Three systems that predict the same."""
    for name in "abc":
        write(f"tied/{name}.csv", Path("runs/s1.csv").read_text())
    return (*files[:-1], "tied")


def test_systems_that_are_all_tied_have_no_ranking(metaeval: CommandLine, tied: tuple[str, ...]) -> None:
    report = metaeval.report("similarity", *FEW["similarity"], *THREE, *tied)
    assert {row[measure] for row in report["tables"]["similarity"] for measure in THREE[1::2]} == {None}
    assert {row["corrected"] for row in report["tables"]["similarity_intervals"]} == {None}
    assert {row["group"] for row in report["tables"]["similarity"]} == {"—"}
    assert any("all systems are tied" in note for note in report["notes"])
    report = metaeval.report("stability", *FEW["stability"], *THREE, *tied)
    for row in report["tables"]["stability"]:
        assert (row["mean"], row["swap_rate"], row["undefined"], row["letters"]) == (None, None, 20, "")
    assert any("tau is undefined in every trial" in note for note in report["notes"])
    report = metaeval.report("merge-classes", *FEW["merge-classes"], *THREE, *tied)
    assert {row["mean"] for row in report["tables"]["merge_classes"]} == {None}
    assert any("no tau, because a ranking ties all systems" in note for note in report["notes"])
    report = metaeval.report("summary", *FEW["summary"], *THREE, *tied)
    for row in report["tables"]["summary"]:
        assert (row["consistency_rank"], row["discrimination_rank"], row["pareto"]) == (None, None, False)
    assert any("a criterion is undefined" in note for note in report["notes"])


def test_a_measure_that_is_undefined_for_every_system_spoils_no_other(
    metaeval: CommandLine, files: tuple[str, ...], write: Write
) -> None:
    runs = [write(f"all-{label}.csv", label_file([label] * 90)) for label in LABELS]
    measures = ("-m", "mcc", "-m", "accuracy", "-m", "macro-f1")
    call = (*measures, *files[:-1], *runs)
    rows = metaeval.tables("stability", *FEW["stability"], *call)["stability"]
    assert [row["measure"] for row in rows][-1] == "mcc"
    assert rows[-1]["undefined"] == 20
    assert rows[0]["mean"] > 0.5
    assert rows[0]["letters"] == "a"
    report = metaeval.report("similarity", *FEW["similarity"], *call)
    assert report["tables"]["similarity"][0]["accuracy"] == 1
    assert {row["measure"]: row["group"] for row in report["tables"]["similarity"]}["mcc"] == "—"
    assert "mcc is undefined (—) for 3 of 3 systems, left out of rankings" in report["notes"]
    summary = metaeval.report("summary", *FEW["summary"], *call)
    assert any(note.startswith("mcc: a criterion is undefined") for note in summary["notes"])


def test_a_merge_that_ties_all_systems_is_left_out_of_the_mean_and_told(metaeval: CommandLine, write: Write) -> None:
    # Without lo and with mid and hi merged, every prediction is right.
    gold = write("two.csv", label_file(["mid", "hi"] * 20))
    runs = [write(f"r{n}.csv", label_file(["mid", "hi"] * (20 - n) + ["mid", "mid"] * n)) for n in (0, 3, 6)]
    options = ("--permutations", "50", "-m", "accuracy", *SCALE)
    report = metaeval.report("merge-classes", *options, "--gold", gold, *runs)
    row = report["tables"]["merge_classes"][0]
    assert (row["lo+mid"], row["mid+hi"], row["mean"], row["corrected"]) == (1.0, None, 1.0, None)
    assert any(note.startswith("accuracy: no tau for mid+hi") for note in report["notes"])


def test_one_measure_and_one_trial_are_no_error(metaeval: CommandLine, files: tuple[str, ...]) -> None:
    one = ("-m", "mae", *files)
    assert list(metaeval.tables("similarity", "--permutations", "3", *one)) == ["similarity"]
    row = metaeval.tables("stability", "--trials", "1", *one)["stability"][0]
    assert row["low"] == row["high"] == pytest.approx(row["mean"], abs=1e-12)
    assert row["sd"] is None
    assert metaeval.succeeds("summary", "--trials", "1", *one).out.startswith("Criteria for 1 measure on 7 systems")
