"""Who is a person and who is a judge in `preferences`: by options, by a column, by the form of a file, or unknown."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Write, sentences

ROOT = Path(__file__).resolve().parents[3]
VERDICTS = str(ROOT / "sample_data/preferences/verdicts.csv")
HEADER = "item,left,right,winner,judge"


def rows_by(report: dict[str, Any], name: str, judge: str) -> list[dict[str, Any]]:
    return [row for row in report["tables"].get(name, ()) if row["judge"] == judge]


def judged(*names: str, winners: str = "left right left right") -> str:
    """Verdicts on two systems by several, all with the same winners."""
    rows = [f"{item},A,B,{winner}" for item, winner in enumerate(winners.split())]
    return "".join(f"{row},{name}\n" for name in names for row in rows)


def test_workers_are_two_people_who_agree_or_not_and_no_one_who_flips(metaeval: CommandLine, write: Write) -> None:
    rows = "1,A,B,left,w1\n1,A,B,right,w2\n2,A,B,left,w1\n2,B,A,left,w2\n"
    report = metaeval.report("preferences", write("v.csv", f"item,left,right,winner,worker\n{rows}"))
    agreement, *_ = rows_by(report, "judge_preferences", "w1 and w2")
    assert (agreement["statistic"], agreement["share"], agreement["verdicts"]) == ("agreement", 0.0, 2)
    assert not any(row["statistic"] == "flips" for row in report["tables"]["judge_preferences"])
    assert sentences(report)[0].startswith("w1 and w2 agree with each other in 0% of pairs of verdicts")
    titles = [layout["title"] for layout in report["layout"].values()]
    assert not any("people" in text for text in [*titles, *sentences(report)])
    assert any("w1 and w2" in title for title in titles)


@pytest.mark.parametrize(
    ("kinds", "options"),
    [({"ann": "human", "gpt": "llm"}, ()), ({"ann": "Person", "gpt": ""}, ()), ({}, ("--human", "a*"))],
)
def test_a_column_of_kinds_or_an_option_says_who_is_human(
    metaeval: CommandLine, write: Write, kinds: dict[str, str], options: tuple[str, ...]
) -> None:
    rows = judged("ann", "gpt").splitlines()
    text = "\n".join(f"{row},{kinds.get(row.rpartition(',')[2], '')}" for row in rows)
    report = metaeval.report("preferences", write("v.csv", f"{HEADER},kind\n{text}\n"), *options)
    assert sentences(report)[0].startswith("gpt agrees with people in 100% of pairs of verdicts")
    assert "people: ann" in report["notes"]


def test_a_column_kind_about_something_else_is_not_read(metaeval: CommandLine, write: Write) -> None:
    text = "".join(f"{row},maths\n" for row in judged("ann", "gpt").splitlines())
    notes = metaeval.report("preferences", write("v.csv", f"{HEADER},kind\n{text}"))["notes"]
    assert "not read: kind" in notes
    assert any(note.startswith("nothing says whether ann and gpt are people or judges") for note in notes)


def test_forms_that_know_it_say_who_judged(metaeval: CommandLine, write: Write) -> None:
    game = {"question_id": 0, "model_1": "A", "model_2": "B", "g1_winner": "model_1", "g2_winner": "tie"}
    write("gpt.jsonl", json.dumps(game | {"judge": ["gpt-4", "pair-v2"]}) + "\n")
    write("arena.csv", "question_id,model_a,model_b,winner,judge\n0,A,B,model_a,arena_user_7\n1,A,B,model_b,claude\n")
    report = metaeval.report("preferences", "gpt.jsonl", "arena.csv")
    assert "people: arena_user_7" in report["notes"]
    assert {row["judge"] for row in report["tables"]["judge_strengths"]} == {"gpt-4", "claude"}


@pytest.mark.parametrize("human", [("--human", "ann", "--human", "bob"), ("--judge", "juno", "--judge", "kite")])
def test_a_judge_that_is_added_changes_no_number_of_another(
    metaeval: CommandLine, write: Write, human: tuple[str, ...]
) -> None:
    lines = Path(VERDICTS).read_text(encoding="utf-8").splitlines(keepends=True)
    alone = write("alone.csv", "".join(line for line in lines if ",kite," not in line))
    options = human if human[0] == "--human" else human[:2]
    one, both = metaeval.report("preferences", alone, *options), metaeval.report("preferences", VERDICTS, *human)
    for name in ("judge_preferences", "judge_biases", "judge_strengths", "leaderboards"):
        rows = rows_by(both, name, "juno")
        assert rows, name
        assert rows == rows_by(one, name, "juno"), name
    assert one["tables"]["strengths"] == both["tables"]["strengths"]


def test_where_it_is_open_findings_name_those_who_count_as_people(metaeval: CommandLine, write: Write) -> None:
    path = write("v.csv", f"{HEADER}\n" + judged("author_0", "author_4", "gpt") + "9,A,C,right,author_0\n")
    report = metaeval.report("preferences", path, "--judge", "gpt")
    assert sentences(report)[0].startswith("gpt agrees with author_0 and author_4 in 100% of pairs of verdicts")
    strengths = report["layout"]["strengths"]["title"]
    assert strengths == "Strengths of the systems by the verdicts of author_0 and author_4 (Davidson)"


def test_a_name_that_is_a_person_in_one_file_and_a_judge_in_another_is_refused(
    metaeval: CommandLine, write: Write
) -> None:
    for name, kind in (("one.csv", "human"), ("two.csv", "llm")):
        write(name, f"{HEADER},kind\n" + "".join(f"{item},A,B,left,x,{kind}\n" for item in range(2)))
    message = metaeval.refuses("preferences", "one.csv", "two.csv")
    assert "'x' as a person and as a judge" in message
    assert metaeval.succeeds("preferences", "one.csv", "two.csv", "--human", "x").code == 0


def test_an_undefined_tau_is_called_so(metaeval: CommandLine, write: Write) -> None:
    rows = "".join(f"{item},A,B,{winner},{name}\n" for item, winner in enumerate(("left", "right")) for name in "xy")
    report = metaeval.report("preferences", write("v.csv", f"{HEADER}\n{rows}"), "--judge", "y")
    assert any("(tau undefined, no interval)" in sentence for sentence in sentences(report))
    note = "if a judge reverses nearly equal systems, tau may be -1.00 to 1.00"
    assert f"the interval of tau in leaderboards takes true strengths to be normal; {note}" in report["notes"]


def test_verdicts_without_judges_are_those_of_raters(metaeval: CommandLine, write: Write) -> None:
    rows = "".join(f"{item},A,B,{'left' if item % 3 else 'right'}\n" for item in range(12))
    path = write("verdicts.csv", f"item,left,right,winner\n{rows}")
    report = metaeval.report("preferences", path)
    assert sentences(report)[0].startswith("A is the strongest system by the verdicts of the raters (")
    open_note = (
        "nothing says whether the raters of verdicts are people or judges; set --human verdicts or --judge verdicts"
    )
    assert open_note in report["notes"]
    named_report = metaeval.report("preferences", f"ann={path}")
    assert sentences(named_report)[0].startswith("A is the strongest system by the verdicts of ann (")
    for options in (["--human", "verdicts"], ["--judge", "verdicts"]):
        assert not any("nothing says" in note for note in metaeval.report("preferences", path, *options)["notes"])


@pytest.mark.parametrize("systems", ["AB", "ABC"])
def test_a_system_that_always_wins_is_the_strongest(metaeval: CommandLine, write: Write, systems: str) -> None:
    pairs = [(one, other) for one in systems for other in systems if one < other]
    rows = "".join(f"{item},{one},{other},left,x\n" for item in range(12) for one, other in pairs)
    (claim,) = (
        text
        for text in sentences(metaeval.report("preferences", write("v.csv", f"{HEADER}\n{rows}")))
        if "strongest" in text
    )
    assert claim.startswith("A is the strongest system by the verdicts of x (it won every verdict against the others)")
    assert "significantly stronger than" in claim


@pytest.mark.parametrize(
    ("who", "metric", "options", "tables"),
    [
        ("xy", True, ["--judge", "y"], ["metric_preferences", "judge_preferences"]),
        ("xyz", True, ["--human", "x"], ["metric_preferences", "judge_preferences"]),
        ("xy", False, ["--judge", "y"], ["judge_preferences", "judge_biases"]),
        ("y", True, ["--judge", "y"], ["judge_biases", "strengths"]),
        ("x", True, ["--human", "x"], ["metric_preferences", "strengths"]),
        ("x", True, ["--human", "x", "--baseline", "A"], ["metric_preferences", "win_rates"]),
    ],
)
def test_the_first_screen_has_two_tables_and_names_the_others(
    metaeval: CommandLine, write: Write, who: str, metric: bool, options: list[str], tables: list[str]
) -> None:
    pairs = [(one, other) for one in "ABC" for other in "ABC" if one != other]
    rows = [f"{HEADER}{',bleu-left,bleu-right' if metric else ''}"]
    for number, judge in enumerate(who):
        for item in range(30):
            for index, (one, other) in enumerate(pairs[item % 6 :][:2]):
                winner = ("left", "right", "tie")[(item * 7 + index + number * (item % 3)) % 3]
                rows.append(f"{item},{one},{other},{winner},{judge}{f',{item % 5},2' if metric else ''}")
    path = write("v.csv", "\n".join([*rows, ""]))
    layout = metaeval.report("preferences", path, *options)["layout"]
    details = {name: table["detail"] for name, table in layout.items()}
    assert sorted(name for name, detail in details.items() if not detail) == sorted(tables)
    others = metaeval("preferences", path, *options).out.partition("Not shown")[2]
    assert all(name in others for name, detail in details.items() if detail)
