"""Files of a label a line, and files that only look like it."""

import pytest
from command_line import CommandLine, Write

OPTIONS = ("score", "-m", "accuracy", "-f", "csv", "-q")
GOLD = "yes\nno\nyes\nno\n"


@pytest.mark.parametrize("name", ["gold.csv", "gold.txt", "gold"])
@pytest.mark.parametrize("separator", [";", "|"])
def test_cells_separated_by_something_else_are_refused(
    metaeval: CommandLine, write: Write, name: str, separator: str
) -> None:
    gold = write(name, f"\nid{separator}label\na{separator}yes\nb{separator}no\n")
    message = metaeval.refuses(*OPTIONS, "--gold", gold, f"me={gold}")
    assert f"{gold}:2: 'id{separator}label', where '{separator}' seems to separate cells" in message
    assert message.count("seems to separate") == 1
    assert "What to do: save it as CSV with commas, or as TSV." in message


def test_blanks_between_cells_and_commas_in_tsv_are_refused(metaeval: CommandLine, write: Write) -> None:
    blank = write("gold.txt", "ID label\na yes\nb no\n")
    assert "gold.txt:1: 'ID label', where ' ' seems" in metaeval.refuses(*OPTIONS, "--gold", blank, f"me={blank}")
    commas = write("gold.tsv", "id,label\na,yes\nb,no\n")
    message = metaeval.refuses(*OPTIONS, "--gold", commas, f"me={commas}")
    assert "gold.tsv:1: 'id,label', where ',' seems to separate cells; expected tabs in a file called .tsv" in message


@pytest.mark.parametrize("header", ["Label", "STANCE", "class", "Answer", "Predicted"])
def test_a_word_for_labels_heads_a_file_in_any_case(metaeval: CommandLine, write: Write, header: str) -> None:
    gold, run = write("gold.txt", GOLD), write("run.txt", f"{header}\nyes\nno\nno\nno\n")
    assert metaeval.succeeds(*OPTIONS, "--gold", gold, run).column("accuracy") == {"run": 0.75}


def test_a_word_for_labels_that_comes_again_is_a_label(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("gold.txt", "answer\nquestion\nanswer\n"), write("run.txt", "answer\nanswer\nanswer\n")
    assert metaeval.succeeds(*OPTIONS, "--gold", gold, run).column("accuracy") == {"run": 2 / 3}


def test_a_first_line_that_looks_like_a_header_is_asked_about(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("gold.txt", "sentiment\n" + GOLD), write("run.txt", "sentiment\nyes\nno\nno\nno\n")
    message = metaeval.refuses(*OPTIONS, "--gold", gold, run)
    assert "run.txt:1: 'sentiment', which looks like a header" in message
    assert "What to do: if it is a header, say --label-column sentiment." in message
    assert "What to do: if it is a label, declare the classes with --labels." in message
    named = metaeval.succeeds(*OPTIONS, "--label-column", "Sentiment", "--gold", gold, run)
    assert named.column("accuracy") == {"run": 0.75}
    declared = metaeval.succeeds(*OPTIONS, "--labels", "sentiment,yes,no", "--gold", gold, run)
    assert declared.column("accuracy") == {"run": 0.8}


def test_the_same_first_label_is_no_header_where_it_comes_again(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("gold.txt", GOLD), write("run.txt", "yes\nno\nno\nno\n")
    assert metaeval.succeeds(*OPTIONS, "--gold", gold, run).column("accuracy") == {"run": 0.75}
