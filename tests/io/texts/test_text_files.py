"""Files of texts as other tools write them: names of columns, one text on each line, and the HTML of ROUGE."""

import json
from dataclasses import replace
from functools import partial
from typing import Any

import pandas
import pytest
from command_line import CommandLine, Write, refusal
from text_reading import WORST, content_of
from text_reading import read as read_as

from metaeval.errors import InputError
from metaeval.io.files.roles import OUTPUT, REFERENCE_TEXT, Role
from metaeval.io.labels.columns import Columns
from metaeval.io.labels.join import Policies, Policy

GOLD, RUN = ["The cat sat. It ran.", "A dog barked."], ["The cat was.", "A dog barked."]
HTML = "<html>\n<head><title>x</title></head>\n<body>\n{}\n</body>\n</html>\n"


def table(write: Write, stem: str, form: str, column: str, texts: list[object], **more: list[Any]) -> str:
    """A file with ids and texts."""
    columns = {"id": ["1", "2"][: len(texts)], column: texts, **more}
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    path = write(f"{stem}.{form}", "".join(json.dumps(row) + "\n" for row in rows))
    if form == "csv":
        pandas.DataFrame(rows).map(lambda cell: json.dumps(cell) if isinstance(cell, list) else cell).to_csv(
            path, index=False
        )
    elif form == "parquet":
        pandas.DataFrame(rows).to_parquet(path)
    return path


def read(*files: str, columns: Columns | None = None) -> dict[str, object]:
    """The content of files, without their names."""
    content = content_of(read_as(*files, columns=columns))
    return {name: content[name] for name in ("numbers", "items", "counts", "systems")}


refused = partial(refusal, read)


@pytest.mark.parametrize("role", [REFERENCE_TEXT, OUTPUT])
def test_two_texts_of_a_row_are_asked_for(write: Write, role: Role) -> None:
    files = [table(write, stem, "csv", "text", [*GOLD]) for stem in ("ref", "sys")]
    expected = read(*files)
    files[role is OUTPUT] = table(write, files[role is OUTPUT][:3], "csv", "text", [*GOLD], summary=[*RUN])
    message = refused(*files)
    assert "both 'text' and 'summary'" in message
    assert f"{role.option}='text'" in message
    columns = Columns(gold="text") if role is REFERENCE_TEXT else Columns(prediction="text")
    assert read(*files, columns=columns) == expected


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_list_of_references_is_several_and_a_reference_beside_a_text_is_its_name(write: Write, form: str) -> None:
    run = table(write, "sys", "jsonl", "text", [*RUN])
    rows = [("1", "A", "Cats. Dogs."), ("1", "B", "Pets."), ("2", "A", "It ran.")]
    lines = [json.dumps(dict(zip(("id", "reference", "text"), row, strict=True))) + "\n" for row in rows]
    with_names = write("named.jsonl", "".join(lines))
    lists = table(write, "lists", form, "references", [["Cats. Dogs.", "Pets."], ["It ran."]])
    assert read(lists, run) == read(with_names, run)
    assert read(lists, run)["counts"] == [2, 1]
    message = refused(table(write, "none", form, "references", [[], ["a"]]), run)
    assert "no text under 'references'; expected at least one" in message
    if form == "csv":
        assert "JSON cannot be read" in refused(write("python.csv", "id,references\n1,\"['a', 'b']\"\n"), run)


@pytest.mark.parametrize("name", ["{}.txt", "test.{}", "{}", "{}.hypo.gz"])
def test_each_line_is_a_text(write: Write, name: str) -> None:
    expected = read(
        table(write, "ref", "jsonl", "text", ["", *GOLD[1:]]),
        table(write, "sys", "jsonl", "text", ["<unk> a, b", "[c] d"]),
    )
    gold, run = write(name.format("ref"), f"\n{GOLD[1]}\n"), write(name.format("sys"), "<unk> a, b\n[c] d")
    assert read(gold, f"sys={run}") == expected


def test_files_of_other_numbers_of_lines_are_refused_and_tables_remain_tables(write: Write) -> None:
    gold, run = write("ref.txt", "a\nb\n"), write("sys.txt", "a\nb\nc\n")
    assert refused(gold, run).startswith("sys.txt: 3 lines; expected 2, as in the references\nWhat to do: write a text")
    rows = write("rows.txt", "id\ttext\n1\ta\n2\tb\n")
    assert read(gold, rows) == read(gold, table(write, "rows", "jsonl", "text", ["a", "b"]))
    assert "rows.txt:1: header 'text'" in refused(write("rows.txt", "text\na\n"), gold)
    with_ids = write("named.jsonl", '{"id": "x", "text": "a"}\n')
    with pytest.raises(InputError, match=r"item '1'.*\n(?s:.*)an item is the number of a line"):
        read_as(with_ids, run, policies=replace(WORST, drop_extra=False))


def test_the_column_of_outputs_is_not_that_of_sources(write: Write) -> None:
    files = [
        table(write, stem, "csv", column, [*GOLD]) for stem, column in (("ref", "a"), ("sys", "b"), ("src", "text"))
    ]
    systems = replace(WORST.systems, always=("sources",))
    columns, policies = Columns(gold="a", prediction="b"), replace(WORST, systems=systems)
    dataset = read_as(*files[:2], f"sources={files[2]}", columns=columns, policies=policies)
    assert dataset.runs.systems == ("sys", "sources")


def see(text: str, mark: str = "") -> str:
    """A text in the HTML of ROUGE."""
    lines = [
        f'<a name="{n}">[{n}]</a> <a href="#{n}" id={mark}{n}{mark}>{line}</a>'
        for n, line in enumerate(text.split("\n"), 1)
    ]
    return HTML.format("\n".join(lines))


@pytest.mark.parametrize("form", ["alone", "folder", "SPL", "SEE"])
@pytest.mark.parametrize("mark", ["", '"'])
def test_the_html_of_rouge_is_read_as_its_sentences(write: Write, form: str, mark: str) -> None:
    texts = {"ref": "The cat sat.\nIt ran.", "sys": "The cat ran."}

    def files(of: dict[str, str]) -> tuple[str, ...]:
        if form == "alone":
            return tuple(write(f"{name}.html", text) for name, text in of.items())
        paths = [write(f"{name}/1.txt", text) for name, text in of.items()]
        if form == "folder":
            return tuple(of)
        body = f"<PEERS><P ID='sys'>{paths[1]}</P></PEERS><MODELS><M ID='1'>{paths[0]}</M></MODELS>"
        return (write("s.xml", f"<ROUGE-EVAL><EVAL ID='1'><INPUT-FORMAT TYPE='{form}'/>{body}</EVAL></ROUGE-EVAL>"),)

    plain = read(*(write(f"plain.{name}", text.replace("\n", " ")) for name, text in texts.items()))
    content = read(*files({name: see(text, mark) for name, text in texts.items()}))
    assert {**content, "systems": ()} == {**plain, "systems": ()}


def test_tags_in_texts_are_noted(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("ref.txt", "A cat sat.\n"), write("sys.txt", "<p>A cat</p> sat<br/>\n")
    outcome = metaeval.succeeds("score", "--task", "texts", "-m", "rouge-n", "--gold", gold, run)
    assert "texts of system 'sys' have tags, such as '</p>', which are read as text" in outcome.err


def test_sentences_on_one_line_of_a_folder_are_noted(write: Write) -> None:
    text = "the cat sat . it ran . it slept ."
    for folder, content in (("gold", text.replace(" . ", " .\n")), ("run", text)):
        write(f"{folder}/1.txt", content)
    told_of_run = "most texts of system 'run' with several ' . ' are one sentence: write each sentence on its own line"
    assert read_as("gold", "run").notes == (told_of_run,)
    rows = table(write, "rows", "jsonl", "text", [text])
    assert read_as("gold", rows).notes == ()
    assert read_as("gold", rows).runs.outputs[0].sizes.tolist() == [3]


@pytest.mark.parametrize(
    ("references", "outputs", "items"),
    [
        (["doc.1", "doc.2"], ["doc.1", "doc.2"], {"doc.1": 1, "doc.2": 1}),
        (["doc.1.A", "doc.1.B", "t"], ["doc.1", "t"], {"doc.1": 2, "t": 1}),
        (["doc.1", "doc.2"], ["doc"], {"doc": 2}),
        (["doc.1", "doc.2", "t.3"], ["doc.1", "t.3"], {"doc.1": 1, "doc.2": 1, "t.3": 1}),
        (["D1.M.100.T.A", "D1.M.100.T.B"], ["D1.M.100.T"], {"D1.M.100.T": 2}),
        (["ref.A.001", "ref.B.001", "ref.A.002"], ["cand.001", "cand.002"], {"001": 2, "002": 1}),
        (["ref.0", "ref.1"], ["cand.0", "cand.1"], {"0": 1, "1": 1}),
        (["000000_reference", "000001_reference"], ["000000_decoded", "000001_decoded"], {"000000": 1, "000001": 1}),
        (["ref.0", "ref.1"], ["cand.0"], None),
        (["a", "b"], ["c", "d"], None),
    ],
)
@pytest.mark.parametrize("suffix", [".txt", ".html"])
def test_the_items_of_folders_are_those_that_both_name(
    write: Write, references: list[str], outputs: list[str], items: dict[str, int] | None, suffix: str
) -> None:
    for folder, names in (("gold", references), ("runs/a", outputs), ("runs/b", outputs)):
        for name in names:
            write(f"{folder}/{name}{suffix}", see(name))
    if items is None:
        with pytest.raises(InputError, match=r"references are named ITEM.txt or ITEM.NAME.txt, or have the number"):
            read_as("gold", "runs", policies=Policies())
        return
    dataset = read_as("gold", "runs", policies=Policies(Policy("worst")))
    assert dict(zip(dataset.runs.items, dataset.runs.reference_counts.tolist(), strict=True)) == items
    assert any("items are the last numbers" in note for note in dataset.notes) == (min(items) not in outputs)
