"""Exports of annotation tools are read as the tables that they stand for, by every reader of labels."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Write

AGREEMENT = ("agreement", "--labels", "against<none<favor")
TABLE = "id,annotator,label\n1,7,favor\n1,8,favor\n2,7,none\n2,8,against\n3,7,favor\n"
CHOICES: list[Any] = [(7, 8), ("favor", "favor"), ("none", "against"), ("favor", None)]


def annotation(by: object, *results: tuple[str, str, Any], **members: object) -> dict[str, Any]:
    """An annotation of Label Studio: its annotator, and the field, the kind and the value of each result."""
    members = {"completed_by": by, **members}
    return {**members, "result": [{"from_name": n, "type": k, "value": {k: v}} for n, k, v in results]}


def tasks(*more: tuple[str, str, Any], **members: object) -> list[dict[str, Any]]:
    """Tasks with a choice of two annotators each, of whom one skipped the last."""
    annotators, *rows = CHOICES
    return [
        {"id": task, "data": {"text": "x"}, "predictions": [], "annotations": [
            annotation({"id": by, "email": str(by)} if by == 8 else by, ("stance", "choices", [choice or "none"]),
                       *more, was_cancelled=choice is None, **members)
            for by, choice in zip(annotators, row, strict=True)]}
        for task, row in enumerate(rows, start=1)
    ]  # fmt: skip


def lines(objects: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in objects)


MIN = [
    {"id": task, "annotator": by, "stance": row[index], "text": "x", "annotation_id": 10 * task + by}
    for task, row in enumerate(CHOICES[1:], start=1)
    for index, by in enumerate(CHOICES[0])
    if row[index]
]
SAME = {
    "Label Studio": (json.dumps(tasks()), ()),
    "Label Studio, indented": (json.dumps(tasks(), indent=2), ()),
    "Label Studio, lines": (lines(tasks()), ()),
    "the field by its name": (json.dumps(tasks()), ("--label-column", "stance")),
    "one of two fields": (json.dumps(tasks(("sure", "rating", 3))), ("--label-column", "stance")),
    "beside spans": (json.dumps(tasks(("span", "labels", ["x"]))), ()),
    "JSON-MIN": (json.dumps(MIN), ("--label-column", "stance")),
    "lists of one": (lines([{**row, "stance": [row["stance"]]} for row in MIN]), ("--label-column", "stance")),
    "doccano": (
        lines([
            {"id": task, "annotations": [{"user": row["annotator"], "label": row["stance"]}
                                         for row in MIN if row["id"] == task]} for task in (1, 2, 3)
        ]),
        (),
    ),
    "columns": (
        json.dumps({key: [row[key] for row in MIN] for key in MIN[0]}, indent=1),
        ("--label-column", "stance"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_an_export_gives_the_agreement_of_its_table(metaeval: CommandLine, write: Write, case: str) -> None:
    text, options = SAME[case]
    export = metaeval.report(*AGREEMENT, write("export.json", text), *options)
    plain = metaeval.report(*AGREEMENT, write("plain.csv", TABLE))
    assert export["tables"] == plain["tables"]
    assert any("1 skipped annotation left out" in note for note in export["notes"]) == (
        "annotations" in text[:200] and "doccano" not in case
    )
    assert any("span (labels)" in note for note in export["notes"]) == (case == "beside spans")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (json.dumps(tasks()).replace('["against"]', '["against", "none"]'),
         ('x.json:1: the list ["against", "none"] for 8/2; expected one text or number', "several labels are not one")),
        (json.dumps([{"id": 1, "annotations": [annotation(7, ("kind", "taxonomy", [["a", "b"]]))]}]),
         ("x.json: annotations of kind (taxonomy) only; expected fields of choices, rating, number", "whole items")),
        ('{"id": 1, "annotations": [{"label": 2, "start_offset": 0, "end_offset": 3, "user": 1}]}\n',
         ("annotations of label (spans) only",)),
        ('[{"id": 1, "annotations": []}]', ("x.json: tasks without annotations",)),
        (json.dumps(tasks(("sure", "rating", 3))), ("header 'id,annotator,stance,sure'", "--label-column")),
        ('[\n{"id": 1, "id": 2}\n]', ("x.json:2: key 'id' again",)),
        ('{"id": 1, "label": ["a", "b"]}\n', ('x.json:1: the list ["a", "b"]',)),
        ('{"id": 1, "label": [[0, 3, "x"]]}\n', ("x.json:1: a list or an object",)),
    ],
)  # fmt: skip
def test_what_is_no_single_label_is_refused(
    metaeval: CommandLine, write: Write, text: str, parts: tuple[str, ...]
) -> None:
    metaeval.refuses_with(parts, *AGREEMENT, write("x.json", text))


@pytest.mark.parametrize(
    "gold",
    [
        '{"id": 1, "text": "x", "label": ["yes"]}\n{"id": 2, "label": ["no"]}\n{"id": 3, "label": ["no"]}\n',
        '{"id": 1, "labels": ["yes"], "meta": {}}\n{"id": 2, "labels": ["no"]}\n{"id": 3, "labels": ["no"]}\n',
        json.dumps([{"id": n, "annotations": [annotation(7, ("stance", "choices", [c]))]}
                    for n, c in enumerate(("yes", "no", "no"), start=1)]),
        '{\n"1": {"label": "yes"},\n"2": {"label": "no"},\n"3": {"label": "no"}\n}',
    ],
)  # fmt: skip
def test_an_export_is_gold_and_human_scores(metaeval: CommandLine, write: Write, gold: str) -> None:
    run = write("run.csv", "id,label\n1,yes\n2,yes\n3,no\n")
    options = ("-m", "accuracy", "-f", "csv", "-q")
    path = write("gold.json", gold)
    assert metaeval.succeeds("score", *options, "--gold", path, run).column("accuracy") == {"run": pytest.approx(2 / 3)}


def test_correct_reads_the_labels_of_an_export(metaeval: CommandLine, write: Write) -> None:
    judged = "id,judge\n" + "".join(f"{row},{'yes' if row % 3 else 'no'}\n" for row in range(12))
    human = lines([{"id": row, "label": ["yes" if row % 4 else "no"]} for row in range(8)])
    files = (f"s={write('j.csv', judged)}", f"s={write('h.jsonl', human)}")
    report = metaeval.report("correct", *files, "--labels", "no<yes", "--human-column", "label")
    assert "|files:2|systems:1|items:12|human:8|" in report["signature"]


def test_lists_of_parquet_are_read_as_those_of_json(
    metaeval: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pytest.importorskip("pandas").DataFrame({"id": [1, 1, 2, 2], "annotator": [7, 8, 7, 8]})
    monkeypatch.chdir(tmp_path)
    frame.assign(label=[["favor"], ["favor"], ["none"], []], chat=[[{"role": "user"}]] * 4).to_parquet("x.parquet")
    assert "|annotators:2|units:2|" in metaeval.report(*AGREEMENT, "x.parquet")["signature"]
    frame.assign(label=[["favor"], ["favor", "none"], ["none"], []]).to_parquet("y.parquet")
    metaeval.refuses_with(('the list ["favor", "none"] for 8/1',), *AGREEMENT, "y.parquet")
