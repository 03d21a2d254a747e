"""All that is wrong with a file is told in one message, and once."""

from pathlib import Path

import pytest
from command_line import CommandLine, Write

GOLD = "id,label\na,yes\nb,no\nc,yes\nd,no\n"


def test_ids_and_labels_of_a_run_are_told_together_from_top_to_bottom(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", GOLD)
    run = write("run.csv", "id,label\na,YES\na,no\nx,no\n,no\nb,\n")
    message = metaeval.refuses("score", "--gold", gold, run)
    told = [line.strip() for line in message.splitlines() if "run.csv" in line]
    assert told == [
        "run.csv:3: id 'a' again, first on line 2; expected every id once",
        "run.csv:4: id 'x', which is not in gold; expected ids of gold",
        "run.csv:5: an empty id; expected an id in every row",
        "run.csv:6: no prediction for id 'b'; expected one for every item",
        "run.csv: no prediction for id 'c'; expected one for every item",
        "run.csv: no prediction for id 'd'; expected one for every item",
    ]
    unknown = write("run.csv", "id,label\na,YES\nx,no\nb,no\nc,yes\nd,no\n")
    message = metaeval.refuses("score", "--gold", gold, unknown)
    assert "run.csv:2: 'YES'; expected one of no, yes" in message
    assert "run.csv:3: id 'x'" in message
    assert "did you mean 'yes'?" in message


def test_all_that_is_wrong_with_gold_is_told_together(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", "id,label\na,yes\na,no\nb,maybe\nc,\n")
    message = metaeval.refuses(
        "score", "--labels", "yes,no", "--drop-gold", "none", "--gold", gold, write("r.csv", GOLD)
    )
    for part in (
        "gold.csv:3: id 'a' again, first on line 2",
        "gold.csv:4: gold label 'maybe'",
        "gold.csv:5: no gold label",
        "gold.csv: no item of gold class 'none' to drop",
    ):
        assert part in message


def test_classes_in_another_case_and_commas_in_a_scale_are_explained(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("gold.csv", "id,label\na,x\nb,y\n"), write("run.csv", "id,label\na,X\nb,Y\n")
    assert "did you mean 'x'?" in metaeval.refuses("score", "--gold", gold, run)
    assert "did you mean 'X'?" in metaeval.refuses("score", "--labels", "X,Y", "--gold", gold, run)
    gold = write("gold.csv", GOLD)
    message = metaeval.refuses("score", "--labels", "no, never<yes", "--gold", gold, gold)
    assert "a label that holds a comma can't be ordered" in message
    gold = write("gold.csv", "tweet,label\na,yes\na,no\n")
    message = metaeval.refuses("score", "--id-column", "tweet", "--gold", gold, gold)
    assert "remove the duplicates" in message
    assert "--id-column" not in message
    assert "--id-column" in metaeval.refuses("score", "--gold", write("ids.csv", "id,label\na,yes\na,no\n"), "ids.csv")


@pytest.mark.parametrize("text", ["", "id,label\na,b,c\n", "id,label\na,yes\na,no\n"])
def test_a_broken_file_that_is_gold_and_run_is_told_once(metaeval: CommandLine, write: Write, text: str) -> None:
    path = write("both.csv", text)
    message = metaeval.refuses("score", "--gold", path, f"me={path}", f"again={path}")
    assert message.count("both.csv") == 1


def test_keys_that_stand_twice_and_labels_outside_the_scale_are_told_together(
    metaeval: CommandLine, write: Write
) -> None:
    gold = write("gold.json", '{"1": "deny", "2": "query"}')
    run = write("run.json", '{"1": "deny",\n"1": "deny",\n"2": "dny"}')
    message = metaeval.refuses("score", "--task", "rumoureval2017", "--gold", gold, run)
    assert "run.json:2: id '1' again, first on line 1" in message
    assert "run.json:3: 'dny'; expected one of support" in message


def test_a_bad_cell_of_a_wide_file_names_its_column(metaeval: CommandLine, write: Write) -> None:
    wide = write("wide.csv", "id,gold,bert,note\na,yes,yes,checked\nb,no,no,\n")
    message = metaeval.refuses("score", "--gold", wide)
    assert "wide.csv:2: 'checked' in column 'note'; expected one of no, yes" in message
    assert "wide.csv:3: no prediction for id 'b' in column 'note'" in message
    assert "bert" not in message
    assert "every column but id and gold is a system" in message


def test_one_is_singular(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("gold.csv", GOLD + "e,none\n"), write("run.csv", GOLD.replace("a,yes", "a,") + "x,no\n")
    options = (
        "-m",
        "accuracy",
        "--labels",
        "yes,no",
        "--drop-gold",
        "none",
        "--on-extra",
        "drop",
        "--on-missing",
        "drop",
    )
    notes = metaeval.succeeds("score", *options, "--gold", gold, run).err
    assert "1 item of gold class none left out" in notes
    assert "1 prediction for ids that are not in gold dropped" in notes
    assert "1 missing prediction:" in notes
    assert "1 item dropped for every system" in notes
    bare = metaeval.refuses("score", "--gold", write("g.txt", "yes\nno\n"), write("r.txt", "no\n"))
    assert "1 label, without ids; expected 2, one for" in bare


def test_a_run_that_is_named_twice_is_told_as_that(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", GOLD)
    run = write("runs/run.csv", GOLD)
    for again in ("runs", run, "runs/*.csv", f"./{run}"):
        message = metaeval.refuses("score", "--gold", gold, "runs", again)
        assert "runs/run.csv: a run that is named twice; expected every run once" in message
    other = write("other/run.csv", GOLD)
    assert "system name 'run'" in metaeval.refuses("score", "--gold", gold, run, other)
    assert Path(gold).is_file()


def test_an_object_of_ids_on_one_line_hints_at_its_task(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.json", '{"t1": "deny", "t2": "query"}')
    message = metaeval.refuses("score", "--gold", gold, gold)
    assert "gold.json:1: a single object without the key 'id'" in message
    assert "for an object {id: label} say --task rumoureval2017" in message
