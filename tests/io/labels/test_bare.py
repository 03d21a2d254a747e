"""Files of a label a line, and files that only look like it."""

import pytest
from command_line import CommandLine, Write

OPTIONS = ("score", "-m", "accuracy", "-f", "csv", "-q")
GOLD = "yes\nno\nyes\nno\n"


def test_blanks_between_cells_and_commas_in_tsv_are_refused(metaeval: CommandLine, write: Write) -> None:
    blank = write("gold.txt", "ID label\na yes\nb no\n")
    assert "gold.txt:1: header 'ID label', where ' ' seems to be" in metaeval.refuses(
        *OPTIONS, "--gold", blank, f"me={blank}"
    )
    commas = write("gold.tsv", "id,label\na,yes\nb,no\n")
    message = metaeval.refuses(*OPTIONS, "--gold", commas, f"me={commas}")
    assert "gold.tsv:1: header 'id,label', where ',' seems to be the delimiter; expected tabs" in message


def test_a_word_for_labels_that_comes_again_is_a_label(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("gold.txt", "answer\nquestion\nanswer\n"), write("run.txt", "answer\nanswer\nanswer\n")
    assert metaeval.succeeds(*OPTIONS, "--gold", gold, run).column("accuracy") == pytest.approx(
        {"run": 2 / 3}, abs=1e-12
    )


def test_a_first_line_that_looks_like_a_header_is_asked_about(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("gold.txt", "sentiment\n" + GOLD), write("run.txt", "sentiment\nyes\nno\nno\nno\n")
    message = metaeval.refuses(*OPTIONS, "--gold", gold, run)
    assert "run.txt:1: 'sentiment', but it may be a header" in message
    assert "What to do: if it is a header, use --label-column sentiment;" in message
    assert "if it is a label, declare the classes with --labels." in message
    outcome = metaeval.succeeds(*OPTIONS, "--label-column", "Sentiment", "--gold", gold, run)
    assert outcome.column("accuracy") == {"run": 0.75}
    declared = metaeval.succeeds(*OPTIONS, "--labels", "sentiment,yes,no", "--gold", gold, run)
    assert declared.column("accuracy") == {"run": 0.8}


@pytest.mark.parametrize("run", ["verdict\nmaybe\nyes\nyes\n", "label\nmaybe\nyes\nyes\n", '"maybe"\n"yes"\n"yes"\n'])
def test_a_header_in_one_file_and_quotes_on_every_line_are_no_labels(
    metaeval: CommandLine, write: Write, run: str
) -> None:
    gold = write("gold.txt", "maybe\nyes\nyes\n")
    declared = ("--labels", "maybe,yes") if '"' in run else ()
    outcome = metaeval.succeeds(*OPTIONS, *declared, "--gold", gold, write("run.txt", run))
    assert outcome.column("accuracy") == {"run": 1.0}


@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_ids_and_labels_without_a_header_are_recognised(metaeval: CommandLine, write: Write, separator: str) -> None:
    rows = "".join(f"{row}{separator}{label}\n" for row, label in enumerate(GOLD.split()))
    gold, run = write("gold.txt", rows), write("run.csv", "id,label\n" + rows.replace(separator, ","))
    assert metaeval.succeeds(*OPTIONS, "--gold", gold, run).column("accuracy") == {"run": 1.0}
    first, _, others = rows.partition("yes")
    message = metaeval.refuses(*OPTIONS, "--gold", write("odd.txt", f"{first}odd{others}"), run)
    assert "to a file without a header add the line id,label" in message


def test_numbers_that_pandas_wrote_as_floats_are_told(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", "id,label\n1,1\n2,1\n3,2\n")
    remedies = {
        "id,label\n1.0,1\n2.0,1\n3.0,2\n": "as in a column of floats ('1.0' and '1')",
        "id,label\n1,1.0\n2,1.0\n3,2.0\n": "--map-labels 1.0=1,2.0=2",
    }
    for run, remedy in remedies.items():
        assert remedy in metaeval.refuses(*OPTIONS, "--gold", gold, write("run.csv", run))
    mixed = write("mixed.csv", "id,label\n1,1\n2,1.0\n3,01\n4,2\n")
    assert "'01' and '1' and '1.0' differ only in case" in metaeval.succeeds("validate", "--gold", mixed).err
