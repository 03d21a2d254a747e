"""The audit names every planted fault of a shared task and nothing else."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write, refusals, sentences
from made_runs import labelled_runs
from planted_faults import ITEMS, LABELS, gold_and_runs, table, write_task

import metaeval as api
from metaeval.analyses.audit.pairs import compare_predictions, equal_predictions
from metaeval.analyses.audit.shifts import find_shifts
from metaeval.io.files.source import Source
from metaeval.model.runs import LabelledRuns, PatternRuns
from metaeval.model.scale import ClassScale
from metaeval.study.submissions import read_metadata

AUDIT = ("audit", "--gold", "gold.csv", "teams", "-m", "accuracy", "--baseline", "team11")


def remarks_of(tables: dict[str, Any]) -> dict[str, str]:
    return {row["submission"]: row["remarks"] for row in tables["audit"] if row["remarks"]}


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 21))])
def test_every_planted_fault_is_named_and_nothing_else(metaeval: CommandLine, write: Write, seed: int) -> None:
    faults = write_task(Path(), seed)
    report = metaeval.report(*AUDIT)
    remarks = remarks_of(report["tables"])
    assert set(remarks) == {*faults, "team11"}
    assert remarks.pop("team11") == "identical to team10"
    assert {name: words for name, words in faults.items() if not all(word in remarks[name] for word in words)} == {}
    assert all(text.count(";") == text.count("; expected") for text in remarks.values())
    rejected = [row["submission"] for row in report["tables"]["audit"] if row["status"] == "rejected"]
    assert sorted(rejected) == ["team12", *(f"team{number}" for number in range(14, 21)), "team40"]
    statuses, kinds = sentences(report)
    assert statuses == "33 of 42 submissions are accepted; 7 are invalid, 1 is late and 1 has no file"
    assert kinds == (
        "2 pairs are nearly identical; 3 submissions are identical to another, 1 is equal to a baseline, 1 is equal to "
        "gold, 2 are shifted, 1 is constant and 1 never predicts some class"
    )


def test_each_team_gets_a_file_with_all_its_reasons(metaeval: CommandLine, write: Write) -> None:
    write_task(Path(), 1)
    wrong = Path("teams/team16/main.csv")
    wrong.write_text(wrong.read_text() + "doc-9999,odd\n")
    metaeval.succeeds(*AUDIT, "--reports", "reports")
    assert len(list(Path("reports").iterdir())) == 41
    text = Path("reports/team16.txt").read_text()
    assert text.startswith("Submissions of team16\n\nteam16: rejected\n")
    assert "prediction 'disagre'" in text
    assert "id 'doc-9999'" in text
    assert all("teams/team16/main.csv:" in line for line in text.splitlines()[3:])
    assert "team22/second: accepted, accuracy 0." in Path("reports/team22.txt").read_text()
    assert Path("reports/team40.txt").read_text() == "Submissions of team40\n\nteam40: rejected\n  no file\n"
    before = {path: path.read_text() for path in Path("reports").iterdir()}
    Path("reports/notes.md").write_text("ours")
    assert "--overwrite" in metaeval.refuses(*AUDIT, "--reports", "reports")
    assert {path: path.read_text() for path in before} == before
    metaeval.succeeds(*AUDIT, "--reports", "reports", "--overwrite")
    assert Path("reports/notes.md").read_text() == "ours"


def test_each_team_beside_metadata_has_a_report_in_the_folder_of_reports(metaeval: CommandLine, write: Write) -> None:
    write("gold.csv", table(["agree", "discuss"] * 10))
    write("flat/a.csv", table(["agree", "discuss"] * 10))
    write("flat/Été 日本/b.csv", table(["agree", "discuss"] * 10))
    write("flat/metadata.yaml", "- {team: ../up, run: a}\n")
    metaeval.succeeds("audit", "--gold", "gold.csv", "flat", "-m", "accuracy", "--reports", "out")
    assert {path.name for path in Path("out").iterdir()} == {"..%2Fup.txt", "Été 日本.txt"}
    alone = metaeval.report("audit", "--gold", "gold.csv", "flat/a.csv", "-m", "accuracy")
    assert sentences(alone)[0] == "The only submission is accepted"


def runs_of(gold: Any, predicted: Any, classes: int = 3) -> LabelledRuns:
    return labelled_runs(gold, predicted.astype(np.uint8), ClassScale(tuple("abcdefgh"[:classes])))


def test_expected_differences_are_those_of_systems_that_are_independent_given_gold() -> None:
    random = np.random.default_rng(3)
    gold, predicted = gold_and_runs(random, 5, items=300)
    pairs = compare_predictions(runs_of(gold, predicted), list("abcde"))
    for one in range(5):
        for other in range(5):
            assert pairs.different[one, other] == (predicted[one] != predicted[other]).sum()
            equal = 0.0
            for label in range(3):
                rows = gold == label
                shares = [(predicted[one, rows] == k).mean() * (predicted[other, rows] == k).mean() for k in range(3)]
                equal += float(rows.sum() * sum(shares))
            assert pairs.independent[one, other] == pytest.approx(300 - equal, abs=1e-5)


def test_rows_that_stand_for_several_items_count_as_often() -> None:
    random = np.random.default_rng(4)
    gold, predicted = gold_and_runs(random, 4, items=500, classes=2)
    items = runs_of(gold, predicted, 2)
    patterns, times = np.unique(np.vstack([gold, predicted]).T, axis=0, return_counts=True)
    rows = PatternRuns(patterns[:, 0], patterns[:, 1:].T.astype(np.uint8), times, items.systems, items.scale)
    assert np.array_equal(equal_predictions(rows), equal_predictions(items))
    item_pairs, row_pairs = (compare_predictions(runs, items.systems) for runs in (items, rows))
    assert np.allclose(item_pairs.p, row_pairs.p, equal_nan=True)


def test_similar_runs_of_one_team_are_no_finding() -> None:
    gold, predicted = gold_and_runs(np.random.default_rng(5), 6)
    predicted[1] = predicted[0]
    predicted[1, :3] = (predicted[1, :3] + 1) % 3
    runs = runs_of(gold, predicted)
    assert compare_predictions(runs, list("abcdef")).nearly_identical[0, 1]
    assert not compare_predictions(runs, list("aacdef")).nearly_identical.any()


@pytest.mark.parametrize(("items", "systems"), [(30, 3), (30, 40), (200, 10), (200, 40), (2000, 40)])
def test_independent_submissions_are_rarely_similar_or_shifted(items: int, systems: int) -> None:
    random = np.random.default_rng(items + systems)
    similar = shifted = 0
    tasks = 200 if items < 2000 else 40
    for _ in range(tasks):
        gold, predicted = gold_and_runs(random, systems, items=items, classes=int(random.integers(2, 5)))
        order = np.argsort(gold) if random.random() < 0.2 else np.arange(items)
        runs = runs_of(gold[order], predicted[:, order], 4)
        similar += int(compare_predictions(runs, runs.systems).nearly_identical.any())
        shifted += int(find_shifts(runs).significant.any())
    assert similar <= 0.05 * tasks
    assert shifted <= 0.01 * tasks


def test_a_shift_is_found_in_both_directions_and_not_where_gold_is_in_blocks() -> None:
    gold, predicted = gold_and_runs(np.random.default_rng(6), 7)
    rolls = np.array([np.roll(row, rows) for row, rows in zip(predicted, range(-3, 4), strict=True)])
    shifts = find_shifts(runs_of(gold, rolls))
    assert shifts.significant.tolist() == [True] * 3 + [False] + [True] * 3
    assert shifts.rows[shifts.significant].tolist() == [-3, -2, -1, 1, 2, 3]
    order = np.argsort(gold, kind="stable")
    in_blocks = find_shifts(runs_of(gold[order], np.roll(predicted[:, order], 1, axis=1)))
    assert not in_blocks.significant.any()


METADATA = {
    ".csv": "Team;Run;Primary;Late;Track\na;one.csv;yes;;x\nb;;no;1;y\n",
    ".json": json.dumps([
        {"team": "a", "run": "one", "primary": True, "late": False, "track": "x"},
        {"team": "b", "run": "", "primary": False, "late": True, "track": "y"},
    ]),
    ".yaml": "- {team: a, run: one, primary: yes, track: x}\n- team: b\n  late: true\n  track: y\n",
}  # fmt: skip


@pytest.mark.parametrize("suffix", METADATA)
def test_metadata_are_read_from_tables_and_yaml(suffix: str) -> None:
    entries = read_metadata(Source(f"metadata{suffix}", "metadata", METADATA[suffix].encode(), "")).entries
    fields = [(entry.team, entry.run, entry.track, entry.primary, entry.late) for entry in entries]
    assert fields == [("a", "one", "x", True, False), ("b", "", "y", False, True)]


@refusals("""
--metadata absent.csv => absent.csv: no such file
--metadata two.csv => two.csv:3: submission 'a/x' again, first on line 2
--metadata odd.csv => odd.csv:2: value of 'late' 'perhaps'; expected yes or no
--metadata first.csv => first.csv:3: primary submission of team 'a', but line 2 has another | mark one of them
--metadata bare.yaml => bare.yaml:1 | a list of submissions with keys such as team and run
--metadata run.csv => header 'run' | 'team'
--baseline nobody => baseline 'nobody'
--group topic => --group topic with audit | leave out --group topic
""")
def test_what_cannot_be_audited_is_an_error(
    metaeval: CommandLine, write: Write, words: tuple[str, ...], parts: list[str]
) -> None:
    for name in ("gold.csv", "teams/a/x.csv", "teams/a/y.csv"):
        write(name, table(["agree", "discuss"] * 10).replace("\n", ",one\n").replace("label,one", "label,topic"))
    write("two.csv", "team,run\na,x\na,x\n")
    write("odd.csv", "team,late\na,perhaps\n")
    write("first.csv", "team,run,primary\na,x,yes\na,y,yes\n")
    write("bare.yaml", "a\n")
    write("run.csv", "run\nx\n")
    metaeval.refuses_with(parts, "audit", "--gold", "gold.csv", "teams", "-m", "accuracy", *words)


def test_texts_have_a_status_and_identical_ones_are_named(metaeval: CommandLine, write: Write) -> None:
    rows = "".join(f"{item},the cat sat {item}\n" for item in range(12))
    write("ref.csv", "item,text\n" + rows)
    for team, text in {"a": rows, "b": rows.replace("cat", "dog"), "c": rows.replace("cat", "dog")}.items():
        write(f"teams/{team}.csv", "item,text\n" + text)
    write("teams/d.csv", "item,text\n0,a\n")
    call = ("audit", "--task", "texts", "--gold", "ref.csv", "teams", "-m", "rouge-l")
    remarks = remarks_of(metaeval.tables(*call))
    assert (remarks["b"], remarks["c"]) == ("identical to c", "identical to b")
    assert remarks["d"].startswith("no output of 'd' for item '1'")
    assert "a" not in remarks


def test_missing_predictions_are_counted(metaeval: CommandLine, write: Write) -> None:
    gold = ["agree", "discuss"] * 15
    write("gold.csv", table(gold))
    for team, wrong in {"a": 0, "b": 3, "c": 6}.items():
        write(f"teams/{team}.csv", table(["agree"] * wrong + gold[wrong:]))
    short = table(gold).splitlines(keepends=True)
    write("teams/d.csv", "".join(short[:-2]))
    tables = metaeval.tables("audit", "--gold", "gold.csv", "teams", "-m", "accuracy", "--on-missing", "miss")
    assert "2 predictions missing" in remarks_of(tables)["d"]


def test_the_python_function_takes_runs_in_memory() -> None:
    gold, predicted = gold_and_runs(np.random.default_rng(8), 3)
    labels = np.array(LABELS)
    systems = {name: labels[row].tolist() for name, row in zip("abc", [*predicted[:2], predicted[0]], strict=True)}
    result = api.audit(api.from_labels(systems, gold=labels[gold].tolist()), "accuracy")
    rows = {row["submission"]: row["remarks"] for row in result.table("audit").records()}
    assert rows == {"a": "identical to c", "b": "", "c": "identical to a"}
    assert len(gold) == ITEMS


def test_metadata_of_some_submissions_say_nothing_of_the_others(metaeval: CommandLine, write: Write) -> None:
    for name in ("gold.csv", *(f"teams/{team}.csv" for team in "abcde")):
        write(name, table(["agree", "discuss"] * 10).replace("agree", "agree" if name == "gold.csv" else "discuss", 3))
    write("teams/metadata.csv", "team,late\na,yes\n")
    outcome = metaeval.succeeds(
        "audit", "--gold", "gold.csv", "teams", "-m", "accuracy", "--table", "audit", "-f", "csv"
    )
    assert "ignored" not in outcome.err
    remarks = {row["submission"]: row["remarks"] for row in outcome.rows()}
    assert remarks["a"].startswith("late; ")
    assert not [text for text in remarks.values() if "metadata" in text]
    write("teams/metadata.csv", "team,late\na,yes\nb,no\nc,no\n")
    tables = metaeval.tables("audit", "--gold", "gold.csv", "teams", "-m", "accuracy")
    assert [name for name, text in remarks_of(tables).items() if "not in the metadata" in text] == ["d", "e"]
