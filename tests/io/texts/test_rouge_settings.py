"""The settings file of ROUGE-1.5.5."""

from functools import partial

import pytest
from command_line import Write, refusal
from text_reading import read

from metaeval.io.files.source import open_source
from metaeval.io.labels.join import Policies
from metaeval.io.texts.outputs import Evaluation, TextFile, read_settings

EVAL = """<EVAL ID="1">
<PEER-ROOT>systems</PEER-ROOT>
<MODEL-ROOT>models</MODEL-ROOT>
<INPUT-FORMAT TYPE="SPL">
</INPUT-FORMAT>
<PEERS>
<P ID="A">1.A.txt</P>
<P ID="B">/abs/1.B.txt</P>
</PEERS>
<MODELS>
<M ID="1">1.1.txt</M>
</MODELS>
</EVAL>
"""


def wrapped(evaluations: str) -> str:
    return f'<ROUGE-EVAL version="1.5.5">\n{evaluations}</ROUGE-EVAL>\n'


def test_an_evaluation_is_an_item_with_its_files(write: Write) -> None:
    path = write(
        "deep/settings.xml", wrapped(EVAL + EVAL.replace("ID", "id").replace('"1"', '"2"').replace("1.1", "2.1"))
    )
    evaluations = read_settings(open_source(path, "gold"))
    assert evaluations[0] == Evaluation(
        "1",
        (TextFile("A", "deep/systems/1.A.txt", 8), TextFile("B", "/abs/1.B.txt", 9)),
        (TextFile("1", "deep/models/1.1.txt", 12),),
    )
    assert (evaluations[1].item, evaluations[1].models[0].path) == ("2", "deep/models/2.1.txt")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"SPL"', '"ISI"', "s.xml:5: input format 'ISI' in EVAL '1'"),
        ('<INPUT-FORMAT TYPE="SPL">\n</INPUT-FORMAT>', "", "s.xml:2: no input format in EVAL '1'"),
        ('<EVAL ID="1">', "<EVAL>", 's.xml:2: no ID in <EVAL>; expected ID="…"'),
        ('<P ID="A">', "<P>", "s.xml:8: no ID in <P>"),
        ("1.A.txt", " ", 's.xml:8: no file in <P ID="A">; expected a path'),
        ('ID="B"', 'ID="A"', "s.xml:9: ID 'A' again in <P> of one EVAL, first on line 8"),
        ('<M ID="1">1.1.txt</M>', "", "s.xml:2: no <M> in EVAL '1'; expected at least one reference"),
        ("</MODELS>", "", "s.xml:14: XML cannot be read (mismatched tag at column 3)"),
        (EVAL, "", "s.xml:1: no <EVAL>; expected one for each item"),
        (EVAL, EVAL + EVAL, "s.xml:15: EVAL '1' again, first on line 2; expected every EVAL once"),
        ("ROUGE-EVAL", "ROUGE", "s.xml:1: element 'ROUGE'; expected <ROUGE-EVAL"),
        ("1.A.txt", "&nothing;", "s.xml:8: XML cannot be read (undefined entity at column 11)"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(write: Write, old: str, new: str, message: str) -> None:
    path = write("s.xml", wrapped(EVAL).replace(old, new))
    assert message in refusal(read_settings, open_source(path, "gold"))


def test_all_that_is_wrong_is_told_at_once(write: Write) -> None:
    write("models/1.1.txt", "a")
    message = refused(write("s.xml", wrapped(EVAL + EVAL.replace('"SPL"', '"ISI"').replace('"1"', '"2"'))))
    assert "input format 'ISI' in EVAL '2'" in message
    message = refused(write("s.xml", wrapped(EVAL)))
    assert "systems/1.A.txt: no such file" in message
    assert "/abs/1.B.txt: no such file" in message


refused = partial(refusal, read, policies=Policies())


def test_runs_beside_settings_are_refused(write: Write) -> None:
    path = write("s.xml", wrapped(EVAL))
    message = refused(path, write("r.csv", "id,text\n1,a\n"))
    assert "s.xml: runs r.csv, but the settings file names its systems" in message
    assert "leave out the runs" in message


def test_a_system_that_an_evaluation_does_not_name_lacks_its_item(write: Write) -> None:
    for name in ("models/1.1.txt", "systems/1.A.txt", "systems/1.B.txt"):
        write(name, "a\n\nbb\n")
    local = EVAL.replace("/abs/", "")
    path = write("s.xml", wrapped(local + local.replace('ID="1"', 'ID="2"').replace('<P ID="B">1.B.txt</P>', "")))
    assert "s.xml: no output of 'B' for item '2'; expected one for every item" in refused(path)
    dataset = read(path)
    assert (dataset.runs.items, dataset.runs.systems, dataset.paths) == (("1", "2"), ("A", "B"), (path, path))
    assert [texts.codes.tolist() for texts in dataset.runs.outputs] == [[0, 1, 0, 1], [0, 1]]
    # A file of two items is reported once.
    assert [file.path for file in dataset.files] == ["s.xml", "models/1.1.txt", "systems/1.A.txt", "systems/1.B.txt"]
