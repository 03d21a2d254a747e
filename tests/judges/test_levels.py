"""Columns of groups and of repeated runs in `preferences`, `correct` and `contrast`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write, csv_text, refusals, sentences

from metaeval.io.report_file import read_report
from metaeval.render import render

Row = dict[str, object]


def contrasts(levels: int, seed: int = 1, *, pairs: int = 30) -> Iterator[Row]:
    """Scores of pairs of two phenomena and two severities; documents and items are in several levels."""
    random = np.random.default_rng(seed)
    for number in range(pairs * levels):
        level = number % levels
        scores = random.integers(0, 5, 4).tolist()
        yield {
            "item": f"i{number // levels}",
            "document": f"d{number // levels // 2}",
            "lang": f"l{level}",
            "phenomenon": ("x", "y")[int(random.integers(2))],
            "severity": int(random.integers(1, 3)),
            **dict(zip(("m-good", "m-bad", "n-good", "n-bad"), scores, strict=True)),
        }


def scores(levels: int, seed: int = 1, *, items: int = 40) -> Iterator[Row]:
    """Labels of two systems by a judge and, of some items, by people; topics are in several levels."""
    random = np.random.default_rng(seed)
    for number in range(items * levels):
        labelled, topic = number // levels % 2 == 0, f"t{random.integers(9)}"
        for system in ("A", "B"):
            human = random.random() < 0.6
            judge = human if random.random() < 0.8 else not human
            yield {
                "item": f"i{number}",
                "system": system,
                "lang": f"l{number % levels}",
                "topic": topic,
                "judge": ("no", "yes")[judge],
                "human": ("no", "yes")[human] if labelled else "",
            }


def verdicts(levels: int, seed: int = 1, *, items: int = 25) -> Iterator[Row]:
    """Verdicts of two people and a judge on two of four systems, with a metric; items are in several levels."""
    random = np.random.default_rng(seed)
    for number in range(items * levels):
        one, other = random.choice(4, 2, replace=False).tolist()
        lexi = random.normal(size=2).round(3).tolist()
        for name, kind in (("ann", "human"), ("bob", "human"), ("kite", "judge")):
            lead = (one - other) / 2 + random.normal() + 0.5 * (name == "kite")
            yield {
                "item": f"i{number // levels}",
                "lang": f"l{number % levels}",
                "left": "ABCD"[one],
                "right": "ABCD"[other],
                "winner": "left" if lead > 0.1 else "right" if lead < -0.1 else "tie",
                "judge": name,
                "kind": kind,
                "length-left": int(random.integers(20, 60)),
                "length-right": int(random.integers(20, 60)),
                "lexi-left": lexi[0],
                "lexi-right": lexi[1],
            }


COMMANDS: dict[str, tuple[Callable[..., Iterator[Row]], tuple[str, ...]]] = {
    "contrast": (contrasts, ("--lower-is-better", "n")),
    "contrast of items": (contrasts, ("--cluster", "item")),
    "correct": (scores, ("--labels", "no<yes", "--interval-width", "0.2")),
    "correct of topics": (scores, ("--labels", "no<yes", "--cluster", "topic")),
    "preferences": (verdicts, ("--baseline", "A")),
    "preferences of merged orders": (verdicts, ("--merge-orders", "tie", "--covariate", "lexi")),
}
by_command = pytest.mark.parametrize("command", COMMANDS)


def by_level(tables: dict[str, list[dict[str, Any]]], level: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of a level in the tables that each level has, without its name and without undefined cells."""
    rows = {name: [row for row in table if row["group"] == level] for name, table in tables.items()}
    cells = {name: [{key: row[key] for key in row if key != "group"} for row in table] for name, table in rows.items()}
    return {name: filled(table) for name, table in cells.items() if table and not name.endswith("_by_group")}


def filled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows without undefined and empty cells."""
    return [{key: cell for key, cell in row.items() if cell not in (None, "")} for row in rows]


def near(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose numbers are compared but for rounding: sums of clusters may be added up in another order."""
    return {
        key: pytest.approx(cell, rel=1e-6, abs=1e-9) if isinstance(cell, float) else cell for key, cell in row.items()
    }


@by_command
def test_a_level_has_the_numbers_of_its_rows_as_a_file_of_their_own(
    metaeval: CommandLine, write: Write, command: str
) -> None:
    made, options = COMMANDS[command]
    name, rows = command.partition(" ")[0], list(made(3))
    grouped = metaeval.tables(name, write("all.csv", csv_text(rows)), "--group", "lang", *options)
    assert {row["group"] for row in next(iter(grouped.values()))} == {"l0", "l1", "l2"}
    for level in ("l0", "l1", "l2"):
        path = write(f"{level}.csv", csv_text(row for row in rows if row["lang"] == level))
        alone = {key: filled(table) for key, table in metaeval.tables(name, path, *options).items() if table}
        level_tables = by_level(grouped, level)
        assert [*level_tables] == [*alone]
        for key, table in level_tables.items():
            assert table == [*map(near, alone[key])]


@by_command
def test_a_difference_is_from_the_mean_of_all_others_by_their_sizes(
    metaeval: CommandLine, write: Write, command: str
) -> None:
    made, options = COMMANDS[command]
    name = command.partition(" ")[0]
    report = metaeval.report(name, write("all.csv", csv_text(made(3))), "--group", "lang", *options)
    rows = report["tables"][f"{'corrected' if name == 'correct' else name}_by_group"]
    keys = [key for key in rows[0] if key in ("measure", "phenomenon", "system", "rater", "statistic")]
    for row in rows:
        assert row["low"] <= row["difference"] <= row["high"]
        assert (row["p"] <= 0.05) == (not row["low"] <= 0 <= row["high"])
        assert row["p_adjusted"] >= row["p"]
    if name == "contrast":
        pairs = {(cell["group"], cell["measure"], cell["phenomenon"]): cell for cell in report["tables"]["contrast"]}
        for row in rows:
            others = [
                cell
                for key, cell in pairs.items()
                if key[0] != row["group"] and key[1:] == (row["measure"], row["phenomenon"])
            ]
            pooled = sum(cell["accuracy"] * cell["pairs"] for cell in others) / sum(cell["pairs"] for cell in others)
            assert row["difference"] == pytest.approx(row["value"] - pooled)
    assert len({(row["group"], *(row[key] for key in keys)) for row in rows}) == len(rows)


@pytest.mark.parametrize("command", ["contrast", "correct", "preferences"])
def test_forty_levels_fit_the_first_screen_with_the_most_different(
    metaeval: CommandLine, write: Write, command: str
) -> None:
    made, options = COMMANDS[command]
    name = command.partition(" ")[0]
    path = write("all.csv", csv_text(made(40)))
    metaeval.succeeds(name, path, "--group", "lang", *options, "-q", "-f", "json", "-o", "r.json")
    report = read_report("r.json")
    lines = [line for line in render(report, "table", width=100).splitlines() if not line.startswith("metaeval:")]
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 100
    shown = f"{'corrected' if name == 'correct' else name}_by_group"
    rows = report.table(shown).records()
    p = [float(str(row["p"])) for row in rows]
    assert len(rows) > 12
    assert p == sorted(p)
    assert sum(line.startswith("l") and line.split()[0] in report.groups for line in lines) == 12
    assert f"{len(rows) - 12} rows of {shown}" in " ".join(lines)


_ROWS = {"contrast": "measure", "correct": "system", "preferences": "judge"}


@pytest.mark.parametrize(("command", "rows"), _ROWS.items())
def test_the_plot_has_a_panel_for_each_level_and_all_rows(
    metaeval: CommandLine, write: Write, command: str, rows: str
) -> None:
    made, options = COMMANDS[command]
    path = write("all.csv", csv_text(made(3)))
    page = metaeval.succeeds(command, path, "--group", "lang", *options, "-f", "html").out
    (alt,) = re.findall(r"<desc[^>]*>(Dots of [^<]*)</desc>", page)
    assert f"a panel for each group and a row for each {rows}. Highest in l0" in alt
    assert command == "correct" or "l0 · " in alt, "a panel for each phenomenon or statistic, too"


def test_all_differences_are_shown_on_request(metaeval: CommandLine, write: Write) -> None:
    path = write("all.csv", csv_text(contrasts(10)))
    arguments = ("contrast", path, "--group", "lang", "--table", "contrast_by_group")
    number = len(metaeval.succeeds(*arguments, "-f", "csv").rows())
    assert number == 40
    assert sum(line.startswith("l") for line in metaeval.succeeds(*arguments).out.splitlines()) == number


@pytest.mark.parametrize("levels", [2, 3])
def test_two_levels_have_one_test_of_a_statistic(metaeval: CommandLine, write: Write, levels: int) -> None:
    rows = metaeval.tables("contrast", write("c.csv", csv_text(contrasts(levels))), "--group", "lang")[
        "contrast_by_group"
    ]
    tests = len(rows) if levels > 2 else len(rows) // 2
    smallest = min(rows, key=lambda row: row["p"])
    assert smallest["p_adjusted"] == pytest.approx(min(1, smallest["p"] * tests))


def test_a_level_that_cannot_be_analysed_is_left_out_and_said(metaeval: CommandLine, write: Write) -> None:
    rows = [{**row, "human": "" if row["lang"] == "l1" else row["human"]} for row in scores(3)]
    path = write("s.csv", csv_text(rows))
    report = metaeval.report("correct", path, "--labels", "no<yes", "--group", "lang")
    assert {row["group"] for row in report["tables"]["corrected"]} == {"l0", "l2"}
    assert any("left out: group 'l1': 0 human scores of system 'A'" in note for note in report["notes"])
    only = write("o.csv", csv_text(row for row in rows if row["lang"] == "l1"))
    metaeval.refuses_with(("group 'l1': 0 human scores",), "correct", only, "--labels", "no<yes", "--group", "lang")


def test_the_finding_names_the_level_that_differs(metaeval: CommandLine, write: Write) -> None:
    rows = [
        {"item": number, "lang": lang, "phenomenon": "x", "m-good": int(lang != "fr" or number % 2), "m-bad": 0}
        for number, lang in product(range(40), ("de", "fr", "it"))
    ]
    path = write("c.csv", csv_text(rows))
    sentence, *_ = metaeval.report("contrast", path, "--group", "lang")["findings"]
    assert sentence["sentence"].startswith("On fr, the accuracy of m on x is significantly lower than elsewhere (0.50")
    same = write("s.csv", csv_text({**row, "m-good": row["item"] % 2} for row in rows))  # type: ignore[operator]
    sentence, *_ = metaeval.report("contrast", same, "--group", "lang")["findings"]
    assert sentence["sentence"].startswith("No group of lang differs significantly from the others (3 groups")


# Repeated runs


def repeated(rows: Iterable[Row], runs: int, change: Callable[[Row, int], Row] = lambda row, run: row) -> list[Row]:
    """The rows in several runs, which `change` makes different."""
    return [{**change(row, run), "run": f"r{run}"} for row in rows for run in range(runs)]


@pytest.mark.parametrize("command", ["contrast", "correct", "preferences"])
def test_equal_runs_are_as_one(metaeval: CommandLine, write: Write, command: str) -> None:
    made, options = COMMANDS[command]
    rows = list(made(1))
    one = metaeval.tables(command, write("one.csv", csv_text(rows)), *options)
    several = metaeval.tables(command, write("r.csv", csv_text(repeated(rows, 3))), "--replicate", "run", *options)
    (runs,) = (several.pop(name) for name in [*several] if name.endswith("_runs"))
    assert all(row["runs"] == 3 and row["consistency"] == 1 for row in runs)
    for name, table in one.items():
        # The reduction of bias is smaller for more verdicts.
        if name not in ("judge_biases", "controlled_strengths"):
            assert several[name] == [*map(near, table)]


def test_scores_of_runs_of_a_metric_are_averaged(metaeval: CommandLine, write: Write) -> None:
    def noisy(row: Row, run: int) -> Row:
        return {**row, "m-good": float(str(row["m-good"])) + (run - 1) * (int(str(row["item"])[1:]) % 3)}

    rows = list(contrasts(1, pairs=80))
    runs = repeated(rows, 3, noisy)
    # Some runs lack some pairs.
    runs = [row for row in runs if (str(row["item"]), row["run"]) != ("i4", "r2")]
    several = metaeval.tables("contrast", write("r.csv", csv_text(runs)), "--replicate", "run")
    means = [
        {
            **row,
            "m-good": np.mean([float(str(repeat["m-good"])) for repeat in runs if repeat["item"] == row["item"]]),
        }
        for row in rows
    ]
    expected = metaeval.tables("contrast", write("m.csv", csv_text(means)))
    consistencies = several.pop("contrast_runs")
    assert several == {name: [*map(near, rows)] for name, rows in expected.items()}
    equal = total = 0
    for item in {row["item"] for row in rows}:
        outcomes = [
            np.sign(float(str(row["m-good"])) - float(str(row["m-bad"]))) for row in runs if row["item"] == item
        ]
        for one, other in combinations(outcomes, 2):
            equal, total = equal + (one == other), total + 1
    assert consistencies[0]["consistency"] == pytest.approx(equal / total)
    assert consistencies[1]["consistency"] == 1


def test_scores_of_runs_of_a_judge_are_averaged(metaeval: CommandLine, write: Write) -> None:
    random = np.random.default_rng(3)
    rows = [
        {**row, "judge": random.integers(1, 6), "human": row["human"] and random.integers(1, 6)} for row in scores(1)
    ]

    def noisy(row: Row, run: int) -> Row:
        # People are in one run alone.
        human = row["human"] if run == 1 else ""
        return {**row, "judge": int(str(row["judge"])) + run * (len(str(row["topic"])) % 2), "human": human}

    runs = repeated(rows, 2, noisy)
    several = metaeval.tables("correct", write("r.csv", csv_text(runs)), "--replicate", "run")
    mean = [{**row, "judge": float(str(row["judge"])) + 0.5 * (len(str(row["topic"])) % 2)} for row in rows]
    expected = metaeval.tables("correct", write("m.csv", csv_text(mean)))
    (judge_runs,) = several.pop("corrected_runs")
    assert several == {name: [*map(near, rows)] for name, rows in expected.items()}
    assert judge_runs["consistency"] == np.mean([len(str(row["topic"])) % 2 == 0 for row in rows])
    without = metaeval.tables("correct", "r.csv", "--replicate", "run", "--exclude-system", "B")
    assert [row["system"] for row in without["corrected"]] == ["A"]


def test_runs_of_a_judge_are_one_verdict_each_and_as_consistent_as_counted(metaeval: CommandLine, write: Write) -> None:
    random = np.random.default_rng(5)
    rows: list[Row] = []
    for row in verdicts(1, items=60):
        several = int(random.integers(1, 4)) if row["judge"] == "kite" else 1
        for run in range(several):
            winner = row["winner"] if run == 0 or random.random() < 0.6 else "tie"
            rows.append({**row, "winner": winner, "run": f"r{run}" if row["judge"] == "kite" else ""})
    tables = metaeval.tables("preferences", write("v.csv", csv_text(rows)), "--replicate", "run")
    people: dict[object, list[object]] = {}
    judge: dict[object, list[object]] = {}
    for row in rows:
        side = judge if row["judge"] == "kite" else people
        side.setdefault(row["item"], []).append(row["winner"])
    agreement = next(
        row for row in tables["judge_preferences"] if (row["judge"], row["statistic"]) == ("kite", "agreement")
    )
    shares = [np.mean([one == other for one in judge[item] for other in people[item]]) for item in judge]
    assert agreement["share"] == pytest.approx(np.mean(shares))
    assert agreement["verdicts"] == 2 * len(judge)
    pairs = [one == other for item in judge for one, other in combinations(judge[item], 2)]
    (runs,) = tables["preferences_runs"]
    assert runs["consistency"] == pytest.approx(np.mean(pairs))
    with_people = [
        one == other for item in judge if len(judge[item]) > 1 for one in judge[item] for other in people[item]
    ]
    assert runs["excess"] == pytest.approx(np.mean(pairs) - np.mean(with_people))


def test_runs_of_a_judge_without_people_have_a_consistency_alone(metaeval: CommandLine, write: Write) -> None:
    rows = repeated((row for row in verdicts(1) if row["judge"] == "kite"), 2)
    (runs,) = metaeval.tables("preferences", write("v.csv", csv_text(rows)), "--replicate", "run")["preferences_runs"]
    assert (runs["consistency"], runs["excess"], runs["p"]) == (1, None, None)


@refusals("""
contrast c.csv --group topic => c.csv:1: header | a column 'topic' | --group
contrast c.csv --replicate run => a column 'run' | --replicate
contrast empty.csv --group lang => empty.csv:3: no value of 'lang'
contrast twice.csv --replicate run => twice.csv:3: pair 'i0' again in run 'r0'
contrast items.csv --replicate run => items.csv:1: header | a column 'item' | pairs of different runs
contrast --labels a<b --replicate run => --replicate run | a file of pairs
correct s.csv --group topic => s.csv:1: header | a column 'topic'
correct s.csv --group lang => s.csv:3: group 'fr' for item 'i0'; expected 'de', as before
correct people.csv --replicate run => human scores 1 and 2 of item 'i0' in two runs of the judge; expected the same in
    all runs
preferences v.csv --group topic => v.csv:1: header | a column 'topic'
preferences v.csv --covariate lexi --exclude-measure foo => --exclude-measure 'foo'; expected one of sema
""")
def test_invalid_groups_and_runs_are_refused(
    metaeval: CommandLine, write: Write, words: tuple[str, ...], parts: list[str]
) -> None:
    pairs = "item,phenomenon,lang,run,m-good,m-bad\n"
    write("c.csv", "item,phenomenon,m-good,m-bad\ni0,x,1,2\n")
    write("empty.csv", f"{pairs}i0,x,de,r0,1,2\ni1,x,,r0,1,2\n")
    write("twice.csv", f"{pairs}i0,x,de,r0,1,2\ni0,x,de,r0,1,3\n")
    write("items.csv", "phenomenon,run,m-good,m-bad\nx,r0,1,2\n")
    write("s.csv", "item,system,lang,judge,human\ni0,A,de,1,1\ni0,B,fr,1,1\n")
    write("people.csv", "item,run,judge,human\ni0,a,1,1\ni0,b,1,2\n")
    header = "item,left,right,winner,lexi-left,lexi-right,sema-left,sema-right\n"
    write("v.csv", f"{header}i0,A,B,left,1,2,1,2\n")
    metaeval.refuses_with(parts, *words)


def test_a_level_without_a_verdict_is_left_out_with_a_note(metaeval: CommandLine, write: Write) -> None:
    rows: list[Row] = [
        {"item": f"{lang}{item}", "lang": lang, "left": one, "right": other, "winner": winner, "judge": "ann"}
        for lang, item in product(("de", "en", "fr"), range(20))
        # On either order the left one wins in French.
        for one, other, winner in (("A", "B", "left"), ("B", "A", "left" if lang == "fr" or item % 4 == 0 else "right"))
    ]
    write("verdicts.csv", csv_text(rows))
    words = ("preferences", "verdicts.csv", "--human", "ann", "--group", "lang", "--merge-orders", "drop")
    report = metaeval.report(*words)
    assert {row["group"] for row in report["tables"]["strengths"]} == {"de", "en"}
    assert [note for note in report["notes"] if note.startswith("left out: group 'fr'")]


@by_command
def test_a_single_level_is_compared_with_none(metaeval: CommandLine, write: Write, command: str) -> None:
    rows, options = COMMANDS[command]
    write("rows.csv", csv_text(rows(1)))
    report = metaeval.report(command.partition(" ")[0], "rows.csv", *options, "--group", "lang")
    assert sentences(report) == ["Only l0 of lang can be analysed: no groups are compared"]
