"""Files as people have them, by kinds: the same result in every format and command, or a refusal that helps."""

import json
from collections.abc import Callable

import pytest
from command_line import CommandLine, Write

Rows = list[dict[str, str]]

GOLD = "id,text,label\n" + "".join(f"{row},t,{'abc'[row % 3]}\n" for row in range(6))
ACCURACY = ("score", "-m", "accuracy")


def rows_of(text: str) -> Rows:
    header, *lines = (line.split(",") for line in text.splitlines())
    return [dict(zip(header, cells, strict=True)) for cells in lines]


def scores_of(metaeval: CommandLine, *words: str) -> list[dict[str, object]]:
    scores: list[dict[str, object]] = metaeval.tables(*words)["scores"]
    return scores


WRITTEN: dict[str, Callable[[str], bytes]] = {
    "t.csv": str.encode,
    "t.txt": lambda text: text.replace(",", ";").encode(),
    "t.tsv": lambda text: text.replace(",", "\t").encode(),
    "u.csv": lambda text: text.encode("utf-16"),
    "u.txt": lambda text: text.replace(",", "\t").encode("utf-16"),
    "t.jsonl": lambda text: "\n".join(map(json.dumps, rows_of(text))).encode(),
    "t.json": lambda text: json.dumps(rows_of(text), indent=1).encode(),
}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize(
    ("text", "words", "systems"),
    [
        ("model,prompt_id,score\na,1,5\na,2,7\nb,1,2\nb,2,9\n", ("score",), "ab"),
        ("metric,model,id,value\nf,a,1,5\nf,a,2,7\nf,b,1,2\nf,b,2,9\n", ("score",), "ab"),
        ("case_id,human_label,judge_label\n1,x,x\n2,y,x\n3,y,y\n", ACCURACY, "t"),
        ("human_label,judge_label\nx,x\ny,x\ny,y\n", ACCURACY, "t"),
        ("y_true,y_pred,y_proba\na,a,1\nb,a,0\nb,b,1\n", ACCURACY, "t"),
        ("y_true,y_pred,text\na,a,x\nb,a,x\nb,b,x\n", ("score", "-m", "mcc", "--labels", "b,a"), "t"),
        ("id,gold,score\n1,1,1.5\n2,2,2.5\n3,3,2.5\n", ("score", "--task", "scores"), "t"),
        (
            "system,item,metric,human\na,1,1,2\na,2,3,4\nb,1,2,1\nb,2,5,3\nc,1,2,2\n",
            ("score", "--on-missing", "drop"),
            "abc",
        ),
    ],
)
def test_the_header_shows_the_task_however_a_table_is_written(
    metaeval: CommandLine, write: Write, text: str, words: tuple[str, ...], systems: str, name: str
) -> None:
    expected = metaeval.tables(*words, write("t.csv", text))
    assert sorted(row["system"] for row in expected["scores"]) == [*systems]
    tables = metaeval.tables(*words, "--encoding", "utf-8", write(name, WRITTEN[name](text)))
    assert str(tables).replace("'u'", "'t'") == str(expected)


@pytest.mark.parametrize("command", ["score", "compare", "power", "correlate"])
@pytest.mark.parametrize("name", ["metric", "Measure"])
def test_a_metric_may_be_called_so(metaeval: CommandLine, write: Write, command: str, name: str) -> None:
    text = "system,item,METRIC,human\n" + "".join(
        f"{s},{i},{i * n},{i + n}\n" for n, s in enumerate("abc") for i in (1, 2)
    )
    human = ("--human", "human") if command == "correlate" else ()
    options = ("-q", "-f", "csv", "--task", "table", *human)
    plain, other = (write(f"{metric}.csv", text.replace("METRIC", metric)) for metric in ("bleu", name))
    expected = metaeval.succeeds(command, *options, plain).out.replace("bleu", name)
    assert metaeval.succeeds(command, *options, other).out == expected


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [("actual", "predicted"), ("true", "pred"), ("target", "prediction"), ("Stance", "predicted"), ("y", "y_hat")],
)
def test_gold_beside_predictions_is_no_system(metaeval: CommandLine, write: Write, gold: str, prediction: str) -> None:
    headlines = f"Headline,Body ID,{gold},{prediction}\nA,1,agree,discuss\nB,2,agree,agree\nC,3,discuss,agree\n"
    task = ("--task", "fnc1") if gold == "Stance" else ("--id-column", "Body ID")
    columns = ("--gold-column", gold, "--prediction-column", prediction) if gold == "y" else ()
    write("gold.csv", headlines)
    for runs in ((), (write("run.csv", headlines),))[gold == "Stance" :]:
        scores = scores_of(metaeval, *ACCURACY, *task, *columns, "--gold", "gold.csv", *runs)
        assert scores == [{"system": "run" if runs else "gold", "accuracy": pytest.approx(1 / 3)}]


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("", "if the column without a name has the ids, write the name id above it"),
        ("Unnamed: 0", "if the column of row numbers has the ids, set --id-column 'Unnamed: 0'"),
    ],
)
def test_the_index_of_a_data_frame_without_ids_is_proposed(
    metaeval: CommandLine, write: Write, name: str, remedy: str
) -> None:
    gold, run = (write(f"{stem}.csv", GOLD.replace("id", name, 1)) for stem in ("gold", "run"))
    message = metaeval.refuses(*ACCURACY, "--gold", gold, run)
    assert remedy in message
    assert "--task texts" not in message
    options = ("--id-column", name) if name else ()
    for path in () if name else (gold, run):
        write(path, GOLD)
    assert scores_of(metaeval, *ACCURACY, *options, "--gold", gold, run) == [{"system": "run", "accuracy": 1.0}]


def test_the_gold_labels_of_a_run_without_ids_are_compared_row_by_row(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("gold.csv", "gold\na\nb\na\n"), "gold,prediction\na,a\na,b\nb,a\n"
    message = metaeval.refuses(*ACCURACY, "--gold", gold, write("run.csv", run))
    assert "run.csv:3: gold label 'a'; expected 'b', as in gold.csv" in message
    ordered = write("run.csv", "gold,prediction\na,a\nb,a\na,b\n")
    assert scores_of(metaeval, *ACCURACY, "--gold", gold, ordered)[0]["accuracy"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("command", ["score", "compare", "validate"])
@pytest.mark.parametrize("name", ["doc_id", "Thread ID", "user-id"])
def test_a_column_of_other_ids_is_no_system(metaeval: CommandLine, write: Write, command: str, name: str) -> None:
    text = f"id,{name},gold,s,t\n" + "".join(f"i{row},{row // 2},{'ab'[row % 2]},a,b\n" for row in range(6))
    report = metaeval.report(command, "--gold", write("w.csv", text))
    assert "|systems:2|" in report["signature"]
    assert f"not read: {name}" in report["notes"]


def test_an_answer_beside_shares_of_classes_is_no_vote(metaeval: CommandLine, write: Write) -> None:
    shares = "item,a,b\n1,.2,.8\n2,1,0\n"
    gold = write("gold.csv", "item,a,b\n1,.5,.5\n2,.9,.1\n")
    command = ("score", "--task", "distributions", "-m", "jsd", "--gold", gold)
    expected = scores_of(metaeval, *command, write("run.csv", shares))
    run = write("run.csv", shares.replace("b\n", "b,answer\n", 1).replace(".8\n", ".8,b\n").replace("0\n", "0,b\n"))
    assert "column 'answer'; expected one of a, b" in metaeval.refuses(*command, run)
    report = metaeval.report(*command, run, "--labels", "a,b")
    assert report["tables"]["scores"] == expected
    assert "run.csv: ignored columns answer" in report["notes"]


@pytest.mark.parametrize("name", ["references", "References"])
def test_texts_say_which_columns_are_not_read(metaeval: CommandLine, write: Write, name: str) -> None:
    gold = write("gold.jsonl", json.dumps({"question_id": 1, "prompt": "p", name: ["a b", "c d"]}) + "\n")
    run = write("run.jsonl", '{"question_id": 1, "model": "m", "run": 2, "output": "c d"}\n')
    report = metaeval.report("score", "--task", "texts", "-m", "rouge-n:refs=best", "--gold", gold, run)
    assert report["tables"]["scores"] == [{"system": "m", "rouge-n:refs=best": 1.0}]
    assert "read as: item question_id; not read: prompt" in report["notes"]
    assert "read as: item question_id, system model; not read: run" in report["notes"]


def test_texts_and_scores_read_as_labels_are_told_where_they_belong(metaeval: CommandLine, write: Write) -> None:
    lines = write("refs.txt", "".join(f"sentence {row}\n" for row in range(30)))
    assert "for texts use --task texts" in metaeval.refuses("score", "--gold", lines, write("hyps.txt", "a\n" * 30))
    severities = write("c.csv", "item,phenomenon,severity,m-good,m-bad\n1,a,fatal,1,0\n2,a,mild,1,0\n")
    assert "in --severities: fatal, mild" in metaeval.refuses("contrast", severities)


@pytest.mark.parametrize("command", ["score", "agreement"])
def test_a_table_without_its_columns_is_told_what_to_add(metaeval: CommandLine, write: Write, command: str) -> None:
    path = write("t.csv", "algorithm,unit,a,b\nx,1,1,2\ny,1,2,2\nx,2,1,2\ny,2,1,2\n")
    message = metaeval.refuses(command, path)
    assert ("set --task table for scores" if command == "score" else "with --id-column, or add it") in message
    short = write("short.tsv", "id\ttext\tlabel\tnote\n" + "1\tx\ta\n2\ty\tb\n")
    task = ("--gold",) if command == "score" else ()
    assert "write every cell of a row, also the empty ones at its end" in metaeval.refuses(command, *task, short)


def test_an_export_with_texts_beside_its_labels_is_no_file_of_texts(metaeval: CommandLine, write: Write) -> None:
    rows = [{"id": row, "text": "x", "annotations": [{"label": row % 2, "user": 1}]} for row in range(4)]
    path = write("doccano.jsonl", "\n".join(map(json.dumps, rows)))
    assert "|scale:0,1|" in metaeval.report("validate", "--gold", path)["signature"]
