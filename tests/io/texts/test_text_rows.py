"""Files of texts in an unexpected or incomplete format."""

import csv
import json
from pathlib import Path

import pytest
from command_line import CommandLine, Write

TEXTS = ("--task", "texts", "-f", "csv")
WIDE = "id,gold,bert,svm\n1,A cat.,A dog.,A cat.\n2,It ran.,It sat.,It ran.\n"


def texts(*rows: tuple[str, str], system: str = "") -> str:
    """JSON lines of items and texts."""
    system_member = f'"system": "{system}", ' if system else ""
    return "".join(f'{{{system_member}"item": "{item}", "text": "{text}"}}\n' for item, text in rows)


GOLD = texts(("1", "A cat."), ("2", "It ran."))


def problems_of(message: str) -> list[str]:
    """The problems of a message, without the count over several of them."""
    lines = message.removeprefix("Error: ").splitlines()
    return [line.strip() for line in lines if "What to do" not in line and " problems" not in line and line.strip()]


def test_the_file_of_the_references_is_no_run(metaeval: CommandLine, write: Write) -> None:
    wide = write("wide.csv", WIDE)
    Path("link.csv").symlink_to(wide)
    for run in (wide, f"x={wide}", "./wide.csv", "link.csv"):
        message = metaeval.refuses("score", *TEXTS, "--label-column", "bert", "--gold", wide, run)
        problem = "a run, but its file is that of gold; expected another file"
        assert problems_of(message) == [f"{run.removeprefix('x=')}: {problem}"]
    write("folder/1.txt", "A cat.")
    message = metaeval.refuses("score", *TEXTS, "--gold", "folder", "folder/")
    assert "a run, but its folder is that of gold; expected another folder" in message
    too_long = "x" * 5000
    assert "cannot be read" in metaeval.refuses("score", *TEXTS, "--gold", wide, "--label-column", "gold", too_long)


def test_a_wide_file_asks_for_the_column_of_texts(metaeval: CommandLine, write: Write) -> None:
    gold, wide = write("gold.jsonl", GOLD), write("wide.csv", WIDE)
    message = metaeval.refuses("score", *TEXTS, "--gold", gold, wide)
    assert "wide.csv:1: header 'id,gold,bert,svm'; expected a column 'text'" in message
    assert "--prediction-column" in message
    rows = write("wide.jsonl", '{"item": 1, "bert": "a", "texts": "b"}\n')
    message = metaeval.refuses("score", *TEXTS, "--gold", rows, gold)
    assert "wide.jsonl:1: keys 'item', 'bert', 'texts'; expected the key 'text' or 'sentences'" in message
    assert "--gold-column texts" in message


def test_texts_without_a_word_are_empty(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.jsonl", texts(("1", "A cat."), ("2", "It ran."), ("3", "?!")))
    run = write("run.jsonl", texts(("1", "..."), ("2", "It ran."), ("3", "- . -. !")))
    outcome = metaeval.succeeds("score", *TEXTS, "-m", "rouge-n", "--gold", gold, run)
    assert "2 empty outputs of run score 0" in outcome.err
    assert "1 empty reference" in outcome.err
    empty = metaeval.succeeds("validate", *TEXTS, "--gold", gold, run).column("empty")
    assert list(empty.values()) == [1, 2]


def test_a_folder_around_the_systems_is_not_a_folder_of_systems(metaeval: CommandLine, write: Write) -> None:
    for name in ("references/1.A.txt", "sources/1.txt", "systems/lead/1.txt", "systems/tail/1.txt"):
        write(f"news/{name}", "A cat.")
    message = metaeval.refuses("score", *TEXTS, "--gold", "news/references", "news")
    assert problems_of(message) == [
        "news: a folder that contains folders of systems; expected a folder of systems, or of the texts of one system"
    ]
    assert "did you mean news/systems?" in message
    outcome = metaeval.succeeds("score", *TEXTS, "-m", "rouge-n", "--gold", "news/references", "news/systems")
    assert set(outcome.column("rouge-n")) == {"lead", "tail"}
    # References that lie deeper are no systems.
    write("all/gold/A/1.txt", "A cat.")
    write("all/me/1.txt", "A cat.")
    assert "all: ignored gold" in metaeval.succeeds("score", *TEXTS, "-m", "rouge-n", "--gold", "all/gold/A", "all").err


@pytest.mark.parametrize("order", [1, -1])
def test_a_line_without_system_among_lines_with_it_is_an_error(metaeval: CommandLine, write: Write, order: int) -> None:
    gold = write("gold.jsonl", GOLD)
    parts = [texts(("1", "A."), ("2", "B."), system="s"), texts(("1", "C."), ("2", "D."))]
    message = metaeval.refuses("score", *TEXTS, "--gold", gold, write("s.jsonl", "".join(parts[::order])))
    lines = (3, 4) if order == 1 else (1, 2)
    problem = "no name of 'system'; expected one in every row"
    assert problems_of(message) == [f"s.jsonl:{line}: {problem}" for line in lines]
    assert "name the system on every line, or on none" in message
    one = write("one.jsonl", texts(("1", "A."), system="s") + texts(("2", "D.")))
    assert problems_of(metaeval.refuses("score", *TEXTS, "--gold", gold, f"x={one}")) == [f"one.jsonl:2: {problem}"]


def test_a_name_for_a_file_of_several_systems_is_one_problem(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.jsonl", GOLD)
    systems = [texts(("1", "A."), ("2", "B."), system=name) for name in ("a", "b", "c")]
    several, single = write("o3.jsonl", "".join(systems)), write("o1.jsonl", systems[0])
    message = metaeval.refuses("score", *TEXTS, "--gold", gold, f"x={several}")
    problem = "3 systems for the name 'x'; expected 1"
    assert problems_of(message) == [f"o3.jsonl: {problem}"]
    assert "leave out 'x='" in message
    outcome = metaeval.succeeds("score", *TEXTS, "-m", "rouge-n", "--gold", gold, f"x={single}", several)
    assert set(outcome.column("rouge-n")) == {"x", "a", "b", "c"}
    message = metaeval.refuses("score", *TEXTS, "--gold", gold, several, f"b={single}")
    twice = "system 'b' again; expected every system once"
    assert problems_of(message) == [f"o3.jsonl: {twice}", f"o1.jsonl: {twice}"]
    assert "give them different names, as in other-b=o" in message


def test_commas_in_tsv_and_files_of_blanks(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.tsv", "item,text\n1,A cat.\n2,It ran.\n")
    run = write("run.tsv", "item\ttext, as written\ttext\n1\tx\tA cat.\n2\ty\tIt ran.\n")
    assert metaeval.succeeds("score", *TEXTS, "-m", "rouge-n", "--gold", gold, run).column("rouge-n") == {"run": 1.0}
    gold, blanks = write("gold.jsonl", GOLD), write("blank.jsonl", "\u00a0\n")
    for files in ((gold, blanks), (blanks, gold)):
        assert "blank.jsonl: the file is empty; expected data" in metaeval.refuses("score", *TEXTS, "--gold", *files)


REFERENCES = ["the cat sat", "dogs bark"]
OUTPUTS = {"a": ["a cat sat", "dogs bark loudly"], "b": ["the dog", "dogs"]}
ROWS = list(enumerate(zip(REFERENCES, *OUTPUTS.values(), strict=True), start=1))
IN_ONE_FILE = {
    "a row for each output": (
        "id,system,highlights,prediction",
        [
            f"{item},{name},{reference},{text}"
            for item, (reference, *texts) in ROWS
            for name, text in zip("ab", texts, strict=True)
        ],
    ),
    "a column for each system": ("id,reference,output_a,output_b", [f"{item},{','.join(row)}" for item, row in ROWS]),
    "no ids": ("output_a,output_b,reference", [f"{row[1]},{row[2]},{row[0]}" for _, row in ROWS]),
    "one system": ("prompt_id,target,response,comment", [f"{item},{row[0]},{row[1]},good" for item, row in ROWS]),
}


@pytest.mark.parametrize("form", IN_ONE_FILE)
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_references_and_outputs_in_one_file_are_those_of_files_of_their_own(
    metaeval: CommandLine, write: Write, form: str, suffix: str
) -> None:
    gold = write("refs.csv", "".join(["id,reference\n", *(f"{item},{row[0]}\n" for item, row in ROWS)]))
    runs = [
        write(f"{name}.csv", "".join(["id,output\n", *(f"{item},{row[index]}\n" for item, row in ROWS)]))
        for index, name in enumerate(OUTPUTS, start=1)
    ]
    header, rows = IN_ONE_FILE[form]
    text = "\n".join([header, *rows, ""])
    if suffix == "jsonl":
        text = "".join(f"{json.dumps(row)}\n" for row in csv.DictReader(text.splitlines()))
    both = write(f"both.{suffix}", text)
    call = ("score", "--task", "texts", "-m", "rouge-n:n=1")
    expected = metaeval.report(*call, "--gold", gold, *runs)["tables"]["scores"]
    report = metaeval.report(*call, both)
    scores = [row["rouge-n:n=1"] for row in report["tables"]["scores"]]
    assert scores == [row["rouge-n:n=1"] for row in expected][: len(scores)]
    assert len(scores) == (1 if form == "one system" else 2)
    assert metaeval.report(*call, "--gold", both)["tables"]["scores"] == report["tables"]["scores"]
    notes = [note for note in report["notes"] if "not read" in note]
    assert notes == (["read as: item prompt_id; not read: comment"] if form == "one system" else [])


def test_the_system_of_one_file_may_have_a_name_and_any_columns(metaeval: CommandLine, write: Write) -> None:
    both = write("both.csv", "id,summary,mine,other\n1,a cat,a cat,a dog\n")
    call = ("score", "--task", "texts", "-m", "rouge-n:n=1", "--gold-column", "mine", "--prediction-column", "summary")
    (row,) = metaeval.report(*call, f"me={both}")["tables"]["scores"]
    assert row == {"system": "me", "rouge-n:n=1": 1.0}


def test_one_file_without_doubt_only(metaeval: CommandLine, write: Write) -> None:
    texts = write("both.csv", "id,reference,output\n1,a cat,a cat\n")
    remedies = ("--task texts for texts in one file", "--gold-column reference for labels")
    metaeval.refuses_with(remedies, "score", texts)
    columns = ("--gold-column", "reference", "--prediction-column", "output")
    metaeval.refuses_with(["name it with --gold, or set", remedies[0]], "score", *columns, texts, texts)
    path = write("named.csv", "id,reference,text\n1,A,a cat\n")
    metaeval.refuses_with(["no references"], "score", "--task", "texts", path)
    wide = write("wide.csv", "id,reference,bert\n1,a cat,a cat\n")
    metaeval.refuses_with(["outputs in this file with --prediction-column"], "score", "--task", "texts", "--gold", wide)
    other = write("other.csv", "id,system,reference,output\n1,A,a cat,a cat\n1,B,a dog,a cat\n")
    metaeval.refuses_with(["other.csv:3: another reference of item '1'"], "score", "--task", "texts", other)
