"""One message lists all problems of a file, each once."""

import pytest
from command_line import CommandLine, Write

GOLD = "id,label\na,yes\nb,no\nc,yes\nd,no\n"


def test_ids_and_labels_of_a_run_are_told_together_from_top_to_bottom(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", GOLD)
    run = write("run.csv", "id,label\na,YES\na,no\nx,no\n,no\nb,\n")
    message = metaeval.refuses("score", "--gold", gold, run)
    problems = [line.strip() for line in message.splitlines() if "run.csv" in line]
    assert problems == [
        "run.csv:2: prediction 'YES'; expected one of no, yes",
        "run.csv:3: id 'a' again, first on line 2; expected every id once",
        "run.csv:4: id 'x'; expected ids of gold",
        "run.csv:5: no id; expected one in every row",
        "run.csv:6: no prediction for id 'b'; expected one for every item",
        "run.csv: no prediction for id 'c'; expected one for every item",
        "run.csv: no prediction for id 'd'; expected one for every item",
    ]
    unknown = write("run.csv", "id,label\na,YES\nx,no\nb,no\nc,yes\nd,no\n")
    parts = ("run.csv:2: prediction 'YES'; expected one of no, yes", "run.csv:3: id 'x'", "--map-labels YES=yes,")
    metaeval.refuses_with(parts, "score", "--gold", gold, unknown)


RUN = "id,label\na,yse\nb,no\nb,on\n,yess\nx,noo\nc,yes\nd,no\n"


def _problems_of(message: str, name: str) -> list[str]:
    """The lines of a file in a message, with what was found in each."""
    parts = [line.strip().partition(f"{name}:") for line in message.splitlines()]
    return [rest.partition(";")[0] for _, here, rest in parts if here]


@pytest.mark.parametrize(
    "gold",
    [
        GOLD,
        GOLD.replace("c,yes", "c,yea"),
        GOLD.replace("c,yes", "b,yes"),
        GOLD.replace("c,yes", "c,"),
        f'{GOLD}e,"yes\n',
        "",
        "id,note\na,yes\n",
    ],
    ids=["whole", "unknown label", "repeated id", "missing label", "open quote", "empty", "no labels"],
)
def test_labels_outside_the_scale_are_told_whatever_is_wrong_with_ids_or_gold(
    gold: str, metaeval: CommandLine, write: Write
) -> None:
    words = ("score", "--labels", "no<yes", "--gold", write("gold.csv", gold), write("run.csv", RUN))
    message = metaeval.refuses(*words)
    problems = _problems_of(message, "run.csv")
    assert {
        "2: prediction 'yse'",
        "4: id 'b' again, first on line 3",
        "4: prediction 'on'",
        "5: no id",
        "5: prediction 'yess'",
    } <= set(problems)
    assert "6: prediction 'noo'" in problems
    assert bool(_problems_of(message, "gold.csv")) == (gold != GOLD)
    # A policy for labels outside the scale holds for these rows, too.
    assert "'yse'" not in metaeval.refuses(*words, "--on-unknown", "miss")


def test_labels_of_rows_that_a_policy_leaves_out_may_be_anything(metaeval: CommandLine, write: Write) -> None:
    run = write("run.csv", "id,label\na,yes\nb,no\nb,on\nc,yse\nd,no\nx,noo\n")
    words = ("score", "--labels", "no<yes", run, "--on-extra", "drop", "--drop-gold", "none")
    gold = write("gold.csv", GOLD.replace("c,yes", "c,none"))
    assert _problems_of(metaeval.refuses(*words, "--gold", gold), "run.csv") == [
        "4: id 'b' again, first on line 3",
        "4: prediction 'on'",
    ]
    # Without gold it is unknown which rows these are.
    broken = write("broken.csv", "")
    assert _problems_of(metaeval.refuses(*words, "--gold", broken), "run.csv") == ["4: id 'b' again, first on line 3"]


def test_numbers_and_bare_labels_are_checked_beside_broken_gold(metaeval: CommandLine, write: Write) -> None:
    broken = write("gold.csv", "id,label\n")
    numbers = write("n.csv", "id,score\na,1\na,one\nb,2\n")
    message = metaeval.refuses("score", "--task", "scores", "--labels", "no<yes", "--gold", broken, numbers)
    assert _problems_of(message, "n.csv") == ["3: id 'a' again, first on line 2", "3: prediction 'one'"]
    bare, short = write("gold.txt", "yes\nno\nyes\n"), write("short.txt", "yes\non\n")
    message = metaeval.refuses("score", "--labels", "no<yes", "--gold", bare, short)
    assert _problems_of(message, "short.txt") == ["2: 2 labels", "2: prediction 'on'"]


def test_all_that_is_wrong_with_gold_is_told_together(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", "id,label\na,yes\na,no\nb,maybe\nc,\n")
    message = metaeval.refuses(
        "score", "--labels", "yes,no", "--drop-gold", "none", "--gold", gold, write("r.csv", GOLD)
    )
    for part in (
        "gold.csv:3: id 'a' again, first on line 2",
        "gold.csv:4: gold label 'maybe'",
        "gold.csv:5: no gold label",
        "gold.csv: gold class to drop 'none'",
    ):
        assert part in message


def test_classes_in_another_case_and_commas_in_a_scale_are_explained(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("gold.csv", "id,label\na,x\nb,y\n"), write("run.csv", "id,label\na,X\nb,Y\n")
    assert "--map-labels X=x,Y=y, with which 2 of 2" in metaeval.refuses("score", "--gold", gold, run)
    assert "--map-labels x=X,y=Y, with which 2 of 2" in metaeval.refuses(
        "score", "--labels", "X,Y", "--gold", gold, run
    )
    gold = write("gold.csv", GOLD)
    message = metaeval.refuses("score", "--labels", "no, never<yes", "--gold", gold, gold)
    assert "write labels that contain commas in double quotes" in message
    gold = write("gold.csv", "tweet,label\na,yes\na,no\n")
    message = metaeval.refuses("score", "--id-column", "tweet", "--gold", gold, gold)
    assert "remove the duplicates" in message
    assert "--id-column" not in message
    assert "--id-column" in metaeval.refuses("score", "--gold", write("ids.csv", "id,label\na,yes\na,no\n"), "ids.csv")


def test_keys_that_stand_twice_and_labels_outside_the_scale_are_told_together(
    metaeval: CommandLine, write: Write
) -> None:
    gold = write("gold.json", '{"1": "deny", "2": "query"}')
    run = write("run.json", '{"1": "deny",\n"1": "deny",\n"2": "dny"}')
    parts = ("run.json:2: id '1' again, first on line 1", "run.json:3: prediction 'dny'; expected one of support")
    metaeval.refuses_with(parts, "score", "--task", "rumoureval2017", "--gold", gold, run)


def test_a_bad_cell_of_a_wide_file_names_its_column(metaeval: CommandLine, write: Write) -> None:
    wide = write("wide.csv", "id,gold,bert,note\na,yes,yes,checked\nb,no,no,\n")
    message = metaeval.refuses("score", "--gold", wide)
    assert "wide.csv:2: prediction 'checked' in column 'note'; expected one of no, yes" in message
    assert "wide.csv:3: no prediction for id 'b' in column 'note'" in message
    assert "bert" not in message
    assert "every column except id and gold is read as a system" in message


def test_a_run_that_is_named_twice_or_is_gold_is_told_once(metaeval: CommandLine, write: Write) -> None:
    gold, run, other = write("gold.csv", GOLD), write("runs/run.csv", GOLD), write("other/run.csv", GOLD)
    for again in ("runs", run, "runs/*.csv", f"./{run}"):
        message = metaeval.refuses("score", "--gold", gold, "runs", again)
        assert "runs/run.csv: file 'runs/run.csv' again" in message
    assert "system 'run' again" in metaeval.refuses("score", "--gold", gold, run, other)
    for broken in ("", "id,label\na,b,c\n", "id,label\na,yes\na,no\n"):
        path = write("both.csv", broken)
        message = metaeval.refuses("score", "--gold", path, f"me={path}", f"again={path}")
        assert message.count("both.csv") == 1
