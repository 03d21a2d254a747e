"""Texts in every layout, what is wrong with them, and what the policies do about it."""

import gzip
import io
import json
import sys
from functools import partial
from pathlib import Path

import pytest
import text_reading
from command_line import Write, refusal
from text_reading import in_letters

from metaeval.io.labels.columns import Columns
from metaeval.io.labels.join import Policies

REFERENCES = {("t1", "A"): ["A cat sat.", "It ran."], ("t1", "B"): ["Cats sit."], ("t2", "A"): ["The dog barked."]}
OUTPUTS = {("s1", "t1"): ["The cat sat.", "Yes."], ("s1", "t2"): ["Dogs bark."]}
OUTPUTS |= {("s2", "t1"): ["Nothing."], ("s2", "t2"): ["A dog."]}


read = partial(text_reading.read, policies=Policies())
refused = partial(refusal, read)


EXPECTED = {
    "items": ("t1", "t2"),
    "references": list(REFERENCES.values()),
    "counts": [2, 1],
    "s1": [OUTPUTS["s1", "t1"], OUTPUTS["s1", "t2"]],
    "s2": [OUTPUTS["s2", "t1"], OUTPUTS["s2", "t2"]],
}


def folders(write: Write, suffix: str = ".txt") -> tuple[str, ...]:
    for (item, annotator), text in REFERENCES.items():
        write(f"reference/{item}.{annotator}{suffix}", packed("\n".join(text), suffix))
    for (system, item), text in OUTPUTS.items():
        write(f"systems/{system}/{item}{suffix}", packed("\n\n".join(text) + "\n", suffix))
    return "reference", "systems"


def packed(text: str, suffix: str) -> bytes:
    return gzip.compress(text.encode()) if suffix.endswith(".gz") else text.encode()


def zipped_folders(write: Write) -> tuple[str, ...]:
    return folders(write, ".txt.gz")


def a_folder_each(write: Write) -> tuple[str, ...]:
    folders(write)
    return "reference", "s1=systems/s1", "systems/s2/"


def matched_folders(write: Write) -> tuple[str, ...]:
    folders(write)
    return "reference", "systems/s*"


def json_lines(write: Write) -> tuple[str, ...]:
    gold = [{"item": i, "reference": r, "text": " ".join(t), "more": [1]} for (i, r), t in REFERENCES.items()]
    pool = [{"system": s, "id": i, "sentences": t} for (s, i), t in reversed(list(OUTPUTS.items()))]
    return (
        write("gold.jsonl", "".join(json.dumps(row) + "\n" for row in gold)),
        write("pool.jsonl", "\n".join(json.dumps(row) for row in pool)),
    )


def json_lines_a_system(write: Write) -> tuple[str, ...]:
    gold, _ = json_lines(write)
    for system in ("s1", "s2"):
        rows = [{"item": i, "text": "\n".join(t)} for (s, i), t in OUTPUTS.items() if s == system]
        write(f"runs/{system}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return gold, "runs"


def json_lines_in_parts(write: Write) -> tuple[str, ...]:
    gold, pool = json_lines(write)
    lines = Path(pool).read_text().splitlines()
    return gold, write("part1.jsonl", "\n".join(lines[:3])), write("part2.jsonl", lines[3])


def tables(write: Write) -> tuple[str, ...]:
    gold = [f'{item},{name},"' + "\n".join(text) + '"\n' for (item, name), text in REFERENCES.items()]
    pool = ["\t".join([" ".join(text), system, item]) + "\n" for (system, item), text in OUTPUTS.items()]
    return (
        write("gold.csv", "item,reference,text\n" + "".join(gold)),
        write("pool.tsv", "text\tsystem\titem\n" + "".join(pool)),
    )


def rouge_settings(write: Write) -> tuple[str, ...]:
    folders(write)
    evaluations = ""
    for item in ("t1", "t2"):
        peers = "".join(f'<P ID="{s}">{s}/{i}.txt</P>' for s, i in OUTPUTS if i == item)
        models = "".join(f'<M ID="{a}">{i}.{a}.txt</M>\n' for i, a in REFERENCES if i == item)
        evaluations += f"""<EVAL ID="{item}"><PEER-ROOT>../systems</PEER-ROOT>
            <MODEL-ROOT> {Path("reference").absolute()} </MODEL-ROOT><INPUT-FORMAT TYPE="SPL"/>
            <PEERS>{peers}</PEERS><MODELS>{models}</MODELS></EVAL>\n"""
    return (
        write("rouge/settings.xml", f'<?xml version="1.0"?><ROUGE-EVAL version="1.5.5">{evaluations}</ROUGE-EVAL>'),
    )


LAYOUTS = [
    folders,
    zipped_folders,
    a_folder_each,
    matched_folders,
    json_lines,
    json_lines_a_system,
    json_lines_in_parts,
    tables,
    rouge_settings,
]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_says_the_same(write: Write, layout: object) -> None:
    assert callable(layout)
    dataset = read(*layout(write))
    assert in_letters(dataset.runs) == EXPECTED
    assert set(dataset.notes) <= {"not read: more"}
    assert set(dataset.repairs.values()) == {0}
    assert len(dataset.paths) == 2
    roles = [file.role for file in dataset.files]
    assert roles == sorted(roles)


def test_references_alone_will_do_where_no_run_is_needed(write: Write) -> None:
    gold, _ = json_lines(write)
    assert read(gold, needs_runs=False).runs.systems == ()
    assert "gold.jsonl: no run beside gold; expected at least one system" in refused(gold)


def test_standard_input_is_gold_or_a_run(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, pool = json_lines(write)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(pool).read_bytes())))
    assert in_letters(read(gold, "-").runs) == EXPECTED
    assert "file 'standard input' again" in refused("-", "-")


def test_columns_and_keys_can_have_other_names(write: Write) -> None:
    gold = write("g.csv", "doc,summary\n1,A b.\n2,C.\n")
    run = write("r.jsonl", '{"doc": 2, "summary": ["D."]}\n{"doc": 1, "summary": "Aa. Bb."}\n')
    dataset = read(gold, f"me={run}", columns=Columns("doc", "summary"))
    assert in_letters(dataset.runs)["me"] == [["Aa.", "Bb."], ["D."]]
    assert "g.csv:1: header 'doc,summary'; expected a column 'item'" in refused(gold, run)
    assert "r.jsonl:1: keys 'doc', 'summary'; expected the key 'item' or 'id'" in refused(gold, run)


def test_an_item_is_what_stands_before_the_last_dot_and_hidden_files_are_passed_over(write: Write) -> None:
    for name in ("doc.1.A.txt", "doc.1.B.TXT", "t.txt", ".hidden.txt", "notes.md", "deep/x.txt"):
        write(f"gold/{name}", "a b")
    for name in ("doc.1.txt", "t.txt", ".DS_Store"):
        write(f"me/{name}", "a b")
    dataset = read("gold", "me")
    assert (dataset.runs.items, dataset.runs.reference_counts.tolist()) == (("doc.1", "t"), [2, 1])
    assert dataset.notes == ("gold: ignored .hidden.txt, deep, notes.md", "me: ignored .DS_Store")


def test_a_folder_of_references_beside_those_of_systems_is_no_system(write: Write) -> None:
    for folder in ("all/gold", "all/s1", "all/.s2", "all/empty/.deeper"):
        write(f"{folder}/t.txt", "a")
    dataset = read("all/gold", "all")
    assert (dataset.runs.systems, dataset.notes) == (("s1",), ("all: ignored .s2, empty",))
    assert "2 files for the name 'me'" in refused("all/gold/t.txt", "me=all")
    assert "all/empty: no run in this folder" in refused("all/gold", "all/empty")
    assert "all: no reference in this folder" in refused("all", "all/s1")


def test_a_link_to_nothing_is_told_or_passed_over(write: Write) -> None:
    for name in ("gold/t.txt", "s/t.txt", "runs/s/t.txt"):
        write(name, "a")
    for link in ("s/u.txt", "runs/nowhere"):
        Path(link).symlink_to("nothing")
    assert "s/u.txt: no such file" in refused("gold", "s")
    assert read("gold", "runs").notes == ("runs: ignored nowhere",)
    assert read("gold", "runs/*").runs.systems == ("s",)


def test_empty_texts_are_allowed_and_told(write: Write) -> None:
    for name, text in {"g/1.txt": "a", "g/2.txt": "", "s/1.txt": "\n \n", "s/2.txt": "\ufeff", "r/1.txt": ""}.items():
        write(name, text)
    write("r/2.txt", "b")
    dataset = read("g", "s", "r")
    assert dataset.notes == ("3 empty outputs of s 2, r 1 score 0", "1 empty reference")
    assert {name: count for name, count in dataset.repairs.items() if count} == {
        "empty_outputs": 3,
        "empty_references": 1,
    }
    assert dataset.runs.outputs[0].sizes.tolist() == [0, 0]
    assert read("g", "s").notes == ("2 empty outputs of s score 0", "1 empty reference")
    rows = write("rows.jsonl", '{"item": 1, "text": " "}\n{"item": 2, "sentences": ["", "a"]}\n')
    assert read("g", rows).notes == ("1 empty output of rows scores 0", "1 empty reference")


def test_what_stands_twice_is_told_with_both_places(write: Write) -> None:
    gold = write("gold.jsonl", '{"item": 1, "text": "a"}\n{"item": 1, "text": "b"}\n')
    pool = '{"system": "s", "item": 1, "text": "a"}\n'
    message = refused(gold, write("a.jsonl", pool), write("b.jsonl", "\n" + pool + pool))
    assert "gold.jsonl:2: item '1' again, first on line 1; expected every item once" in message
    assert "b.jsonl:2: item '1' again for 's', first in a.jsonl, line 1; expected every item once" in message
    assert "b.jsonl:3: item '1' again for 's', first in a.jsonl, line 1" in message
    write("g/t.A.txt", "a")
    write("g/t.A.txt.gz", "a")
    message = refused("g", "b.jsonl")
    assert "g/t.A.txt.gz: item 't' again for reference 'A', first in g/t.A.txt" in message


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r.jsonl", '{"item": 1}', "r.jsonl:1: keys 'item'; expected the key 'text' or 'sentences'"),
        ("r.jsonl", '{"item": 1, "text": null}', "r.jsonl:1: null under 'text'; expected a text, or a list"),
        (
            "r.jsonl",
            '{"item": 1, "sentences": [1]}',
            "r.jsonl:1: values other than texts under 'sentences'",
        ),
        ("r.jsonl", '{"item": [1], "text": ""}', "r.jsonl:1: a list under 'item'; expected a text or a whole number"),
        ("r.jsonl", '{"item": "", "text": ""}', "r.jsonl:1: no name of 'item'"),
        ("r.jsonl", '{"item": 1, "text": "a"}\n[1]\n{"item', "r.jsonl:2: a line that is not a JSON object"),
        ("r.csv", "id,text\n,a\n", "r.csv:2: no name of 'id'"),
        ("r.csv", "", "r.csv: the file is empty; expected data"),
        ("r.csv", "A cat sat.\nIt ran.\n", "r.csv:1: header 'A cat sat.'"),
        ("r.xml", "<ROUGE-EVAL/>", "r.xml:1: XML or HTML; expected texts, JSON lines"),
        ("r.html", "<html><p>a</p></html>", "r.html:1: XML or HTML; expected texts, JSON lines"),
        ("r.parquet", "PAR1", "r.parquet: Parquet cannot be read"),
        ("r/1.txt", b"a\x00", "r/1.txt: text cannot be read"),
        ("r/x.txt", "a", "r/x.txt: item 'x'; expected an item with a reference"),
    ],
)
def test_what_cannot_be_used_is_told(write: Write, name: str, content: str | bytes, message: str) -> None:
    gold = write("gold.csv", "id,text\n1,a\n")
    write(name, content)
    refusal = refused(gold, name.split("/")[0])
    assert message in refusal
    assert "What to do" in refusal or "expected" in refusal


def test_rows_that_cannot_be_read_are_not_told_as_missing_too(write: Write) -> None:
    gold = write("gold.csv", "id,text\n1,a\n2,b\n")
    message = refused(gold, write("r.jsonl", '{"item": 1, "text": "a"}\n{"item": 2}\n'), "nothing.jsonl")
    assert "r.jsonl:2: keys 'item'" in message
    assert "nothing.jsonl: no such file" in message
    assert "no output" not in message


@pytest.mark.parametrize(("number", "files_text"), [(2, "me/1.txt and me/2.txt"), (6, "me/1.txt and 5 more files")])
def test_text_that_is_no_utf8_is_read_and_told(write: Write, number: int, files_text: str) -> None:
    items = range(1, number + 1)
    gold = write("gold.csv", "id,text\n" + "".join(f"{item},a\n" for item in items))
    for item in items:
        write(f"me/{item}.txt", "déjà".encode("cp1252"))
    dataset = read(gold, "me")
    assert in_letters(dataset.runs)["me"] == [["déjà"]] * number
    assert dataset.notes == (f"{files_text} are not UTF-8: their lines that are not were read as cp1252",)
