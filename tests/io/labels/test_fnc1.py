"""FNC-1 files in their native form."""

from itertools import permutations

import pytest
from command_line import CommandLine, Write

from metaeval.io.files.source import open_source
from metaeval.io.labels.columns import Columns, RawLabels
from metaeval.io.labels.shared_tasks import read_fnc1

HEADER = "Headline,Body ID,Stance\n"
GOLD = HEADER + 'Plain,1,agree\n"Commas, and ""quotes""",2,disagree\n"Two\nlines",3,discuss\nCafé,1,unrelated\n'
OPTIONS = ("score", "-m", "accuracy", "-f", "csv", "--task", "fnc1", "--gold")


def read(path: str) -> RawLabels:
    gold = read_fnc1(open_source(path, "gold"), Columns()).gold
    assert gold is not None
    return gold


def test_quoted_headlines_keep_commas_quotes_and_line_breaks(write: Write) -> None:
    answers = read(write("gold.csv", GOLD))
    assert answers.ids == ["1: Plain", '2: Commas, and "quotes"', "3: Two\nlines", "1: Café"]
    assert answers.labels == ["agree", "disagree", "discuss", "unrelated"]
    assert answers.lines() == [2, 3, 4, 6]
    moved = read(write("moved.csv", "Stance,note,Headline,Body ID\nagree,x,Plain,1\n"))
    assert (moved.ids, moved.labels) == (["1: Plain"], ["agree"])


def test_a_run_that_mixes_utf8_and_cp1252_from_line_to_line_is_read_by_line(
    metaeval: CommandLine, write: Write
) -> None:
    rows = ["He said \u201cno\u201d,1,agree\n", "\u2018So\u2019 he said,2,discuss\n", "Plain,3,agree\n"]
    gold = write("gold.csv", HEADER + "".join(rows))
    # The closing quote has the byte 0x9d in UTF-8, which is no byte of cp1252; 0x91 is one.
    mixed = (HEADER + rows[0]).encode() + rows[1].encode("cp1252") + rows[2].encode()
    assert b"\x9d" in mixed
    assert b"\x91" in mixed
    outcome = metaeval.succeeds(*OPTIONS, gold, write("run.csv", mixed))
    assert outcome.column("accuracy") == {"run": 1.0}
    assert "Note: run.csv is not UTF-8: its lines that are not were read as cp1252" in outcome.err
    # A line in neither names the byte that neither has.
    message = metaeval.refuses(*OPTIONS, gold, write("run.csv", mixed + b"\x91So\x81,4,agree\n"))
    assert "run.csv:5: text in UTF-8 or cp1252 cannot be read (byte 0x81)" in message
    assert "save the file as UTF-8, or name its --encoding" in message


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8"])
def test_a_named_encoding_is_that_of_all_files(metaeval: CommandLine, write: Write, encoding: str) -> None:
    files = [write(name, GOLD.replace("\u2013", "-").encode(encoding, "replace")) for name in ("gold.csv", "run.csv")]
    outcome = metaeval.succeeds(*OPTIONS, *files, "--encoding", encoding)
    assert outcome.column("accuracy") == {"run": 1.0}
    assert "cp1252" not in outcome.err
    message = metaeval.refuses(
        *OPTIONS,
        write("gold.csv", HEADER + "a,1,agree\n"),
        write("r.csv", HEADER.encode() + b"\xe9,1,agree\n"),
        "--encoding",
        "utf-8",
    )
    assert "r.csv:2: text in utf-8 cannot be read (byte 0xe9)" in message


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_kth_row_of_a_pair_answers_the_kth_in_gold_wherever_it_stands(
    metaeval: CommandLine, write: Write, order: tuple[int, ...]
) -> None:
    gold = write("gold.csv", HEADER + "Twice,1,agree\nOnce,2,discuss\nTwice,1,disagree\n")
    rows = ["Twice,1,agree\n", "Once,2,discuss\n", "Twice,1,disagree\n"]
    run = write("run.csv", HEADER + "".join(rows[row] for row in order))
    expected = 1.0 if order.index(0) < order.index(2) else 1 / 3
    assert metaeval.succeeds(*OPTIONS, gold, run).column("accuracy")["run"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "header", ["id,label", "headline,body id,stance", "Headline,Body ID", "Headline Body ID Stance"]
)
def test_a_header_without_the_official_names_is_refused(metaeval: CommandLine, write: Write, header: str) -> None:
    cells = ",".join("x" for _ in header.split(","))
    message = metaeval.refuses(*OPTIONS, write("gold.csv", f"{header}\n{cells}\n"), write("run.csv", GOLD))
    assert f"gold.csv:1: header '{header}'; expected a column 'Stance'" in message
    assert "What to do: for a file with an id and a label in each row, use --task labels." in message


def test_a_body_id_that_is_no_number_is_named_with_its_line(metaeval: CommandLine, write: Write) -> None:
    run = write("run.csv", HEADER + '"Two\nlines",3,agree\nPlain,x1,agree\n')
    message = metaeval.refuses(*OPTIONS, write("gold.csv", GOLD), run)
    assert "run.csv:4: body id 'x1'; expected a whole number" in message


def test_a_missing_pair_and_an_extra_one_are_told_by_name(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", GOLD)
    missing = metaeval.refuses(*OPTIONS, gold, write("run.csv", GOLD.replace("Plain,1,agree\n", "")))
    assert "run.csv: no prediction for id '1: Plain'; expected one for every item" in missing
    broken = metaeval.refuses(*OPTIONS, gold, write("run.csv", GOLD.replace('"Two\nlines",3,discuss\n', "")))
    assert r"run.csv: no prediction for id '3: Two\nlines'; expected" in broken
    parts = ("run.csv:7: id '1: Plain (2)'", "--on-extra drop")
    metaeval.refuses_with(parts, *OPTIONS, gold, write("run.csv", GOLD + "Plain,1,agree\n"))
