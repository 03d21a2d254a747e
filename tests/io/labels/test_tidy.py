"""Files without a native form: tidy, wide and bare, in every container."""

import gzip

import pytest
from command_line import CommandLine, Write

OPTIONS = ("score", "-m", "accuracy", "-f", "csv", "-q")
ROWS = [("a", "yes"), ("b", "no"), ("c", "yes"), ("d", "no")]
RUN_ROWS = [("d", "no"), ("c", "no"), ("b", "no"), ("a", "yes")]
Rows = list[tuple[str, str]]


def csv_text(rows: Rows, separator: str = ",") -> str:
    return "".join(f"{name}{separator}{label}\n" for name, label in [("id", "label"), *rows])


WIDE = "id,gold,bert,svm\na,yes,yes,no\nb,no,yes,no\nc,yes,yes,yes\n"


def test_a_misspelt_column_of_clusters_is_no_system(metaeval: CommandLine, write: Write) -> None:
    wide = write("wide.csv", "id,gold,a,topic\n1,x,x,t1\n2,y,y,t1\n3,x,y,t2\n")
    assert metaeval.refuses("score", "--gold", wide, "-m", "accuracy", "--cluster", "topc") == (
        "Error: wide.csv:1: header 'id,gold,a,topic'; expected a column 'topc'\nWhat to do: did you mean 'topic'?\n"
    )


def test_a_wide_file_brings_its_systems_along_unless_runs_are_named(metaeval: CommandLine, write: Write) -> None:
    outcome = metaeval.succeeds(*OPTIONS, "--gold", write("wide.csv", WIDE))
    assert outcome.column("accuracy") == pytest.approx({"bert": 2 / 3, "svm": 2 / 3}, abs=1e-12)
    gold = write("gold.csv", "id,label\nb,no\na,yes\nc,yes\n")
    wide = write("wide.tsv", "id\tbert\tsvm\na\tyes\tno\nb\tyes\tno\nc\tyes\tyes\n")
    assert metaeval.succeeds(*OPTIONS, "--gold", gold, wide).column("accuracy") == pytest.approx(
        {"bert": 2 / 3, "svm": 2 / 3}, abs=1e-12
    )
    assert "2 systems for the name 'mine'" in metaeval.refuses(*OPTIONS, "--gold", gold, f"mine={wide}")
    wide, run = write("wide.csv", WIDE), write("run.csv", "id,label\na,yes\nb,no\nc,no\n")
    outcome = metaeval.succeeds("score", "-m", "accuracy", "-f", "csv", "--gold", wide, run)
    assert outcome.column("accuracy") == pytest.approx({"run": 2 / 3}, abs=1e-12)
    assert "Note: wide.csv: its systems are not used, because runs are named: bert, svm" in outcome.err


def test_gold_may_stand_beside_labels_and_numbers(metaeval: CommandLine, write: Write) -> None:
    both = write("dump.csv", "id,text,gold,label\na,t,yes,yes\nb,t,no,yes\n")
    assert metaeval.succeeds(*OPTIONS, "--gold", both).column("accuracy") == {"dump": 0.5}
    gold = write("gold.csv", "id,label\na,yes\nb,no\n")
    assert metaeval.succeeds(*OPTIONS, "--gold", gold, both).column("accuracy") == {"dump": 0.5}
    scale = ("--task", "scores", "--labels", "lo<hi", "--class-values", "lo=0,hi=1")
    options = ("score", *scale, "-m", "mae:average=micro", "-f", "csv", "-q", "--gold")
    for column in ("label", "gold"):
        both = write("dump.csv", f"id,score,{column}\na,0.5,lo\nb,1,hi\n")
        assert metaeval.succeeds(*options, both).column("mae:average=micro") == {"dump": 0.25}
    both = write("dump.csv", "id,gold,expert\na,yes,no\nb,no,no\n")
    run = write("run.csv", "id,expert\na,no\nb,yes\n")
    outcome = metaeval.succeeds(*OPTIONS, "--label-column", "expert", "--labels", "yes,no", "--gold", both, run)
    assert outcome.column("accuracy") == {"run": 0.5}


def test_gold_without_labels_and_two_systems_of_one_name_are_refused(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", "id,verdict\na,yes\nb,no\n")
    message = metaeval.refuses(*OPTIONS, "--gold", gold, gold)
    assert "gold.csv:1: no gold labels" in message
    assert "name the column of labels with --label-column" in message
    parts = ("gold.csv:1: header 'id,verdict'; expected a column 'verdikt'", "did you mean 'verdict'?")
    metaeval.refuses_with(parts, *OPTIONS, "--label-column", "verdikt", "--gold", gold, gold)
    gold = write("gold.csv", "id,label\na,yes\nb,no\n")
    wide, bert = write("wide.csv", "id,bert,svm\na,yes,no\nb,no,no\n"), write("bert.csv", "id,label\na,no\nb,no\n")
    parts = ("wide.csv: system 'bert' again; expected every system once", "bert.csv: system 'bert' again")
    metaeval.refuses_with(parts, *OPTIONS, "--gold", gold, wide, bert)


def test_truth_values_and_nulls_of_json_are_labels_and_holes(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", "id,label\na,True\nb,False\n")
    run = write("run.jsonl", '{"id": "a", "label": true}\n{"id": "b", "label": null}\n')
    assert "run.jsonl:2: no prediction for id 'b'" in metaeval.refuses(*OPTIONS, "--gold", gold, run)
    outcome = metaeval.succeeds(*OPTIONS, "--on-missing", "label:False", "--gold", gold, run)
    assert outcome.column("accuracy") == {"run": 1.0}


@pytest.mark.parametrize("header", ["", "label", "gold", "prediction", "STANCE", "class", "Answer", "output", "y_pred"])
def test_bare_labels_answer_gold_in_its_order(metaeval: CommandLine, write: Write, header: str) -> None:
    gold = write("gold.csv", csv_text(ROWS))
    run = write("run.txt", f"{header}\nyes\nno\nno\nno\n" if header else "yes\nno\nno\nno\n")
    assert metaeval.succeeds(*OPTIONS, "--gold", gold, run).column("accuracy") == {"run": 0.75}
    bare = write("gold.txt", "yes\nno\nyes\nno")
    assert metaeval.succeeds(*OPTIONS, "--gold", bare, run).column("accuracy") == {"run": 0.75}


def test_bare_labels_need_a_line_for_every_item_and_ids_need_ids(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.txt", "yes\nno\nyes\n")
    parts = ("run.txt:2: 2 labels; expected 3, one for each row of gold.txt", "may be truncated")
    metaeval.refuses_with(parts, *OPTIONS, "--gold", gold, write("run.txt", "yes\nno\n"))
    longer = metaeval.refuses(*OPTIONS, "--gold", gold, write("run.txt", "yes\nno\nyes\nno\n"))
    assert "run.txt:4: 4 labels; expected 3" in longer
    message = metaeval.refuses(*OPTIONS, "--gold", write("gold.txt", "yes\nno\n"), write("run.csv", csv_text(ROWS)))
    assert "run.csv: a run with ids, but gold.txt has none; expected ids in both or in neither" in message


def test_standard_input_is_gold_or_a_run(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("gold.csv", csv_text(ROWS)), write("run.csv", csv_text(RUN_ROWS))
    as_run = metaeval.succeeds(*OPTIONS, "--gold", gold, "-", stdin=csv_text(RUN_ROWS).encode())
    assert as_run.column("accuracy") == {"stdin": 0.75}
    zipped = gzip.compress(csv_text(ROWS, "\t").encode())
    assert metaeval.succeeds(*OPTIONS, "--gold", "-", f"x={run}", stdin=zipped).column("accuracy") == {"x": 0.75}
    outcome = metaeval.succeeds(*OPTIONS, "--gold", gold, "me=-", stdin=csv_text(RUN_ROWS).encode())
    assert outcome.column("accuracy") == {"me": 0.75}


def test_labels_and_ids_are_taken_as_written_however_odd_or_long(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.jsonl", '{"id": 1, "label": -1}\n{"id": 2, "label": 0}\n{"id": 3, "label": 1}\n')
    run = write("run.csv", "id,label\n1,-1\n2,1\n3,1\n")
    assert metaeval.succeeds(*OPTIONS, "--labels", "-1<0<1", "--gold", gold, run).column("accuracy") == pytest.approx(
        {"run": 2 / 3}, abs=1e-12
    )
    floats = write("floats.csv", "id,label\n1,-1.0\n2,1.0\n3,1.0\n")
    assert "floats.csv:2: prediction '-1.0'; expected one of -1, 0, 1" in metaeval.refuses(
        *OPTIONS, "--gold", gold, floats
    )
    text = 'id,label\na b,x:y\n c ,"1,5"\nd,p=q\n'
    gold, run = write("gold.csv", text), write("run.csv", text.replace(" c ", "c"))
    assert metaeval.succeeds(*OPTIONS, "--gold", gold, run).column("accuracy") == {"run": 1.0}
    text = 'id,label,text\na,yes,"' + "long, " * 400_000 + '"\nb,no,\n'
    gold = write("gold.csv", text)
    assert metaeval.succeeds(*OPTIONS, "--gold", gold, gold).column("accuracy") == {"gold": 1.0}


def test_what_is_no_table_of_labels_is_refused_by_line_with_its_task(metaeval: CommandLine, write: Write) -> None:
    path = write("gold.jsonl", '{"id": "a", "label": "x"}\n{"id": "b", "label": ["x", "y"]}\n')
    assert 'gold.jsonl:2: the list ["x", "y"] under \'label\'; expected one text or number' in metaeval.refuses(
        *OPTIONS, "--gold", path, path
    )
    path = write("gold.json", '{"a": "yes", "b": "no"}\n')
    message = metaeval.refuses(*OPTIONS, "--gold", path, path)
    assert "gold.json:1: a single object without the key 'id'; expected an object" in message
    assert "for an object {id: label} use --task rumoureval2017" in message


def test_classes_taken_from_gold_are_told_and_too_many_refused(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", csv_text(ROWS))
    outcome = metaeval.succeeds("score", "-f", "csv", "--gold", gold, gold)
    assert "Note: the classes are the labels of gold, without an order: no,yes" in outcome.err
    texts = write("texts.csv", csv_text([(str(row), f"text {row}") for row in range(50)]))
    parts = ("texts.csv: 50 different labels for 50 items", "--label-column")
    metaeval.refuses_with(parts, *OPTIONS, "--gold", texts, texts)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("r.csv", "system,item,text\ns,1,A cat.\n", "header 'system,item,text'; expected a column 'label'"),
        ("r.csv", "doc,text\n1,A cat.\n", "header 'doc,text'; expected a column 'id'"),
        ("r.jsonl", '{"item": 1, "text": "A cat."}\n', "header 'item,text'; expected a column 'label'"),
        ("r.jsonl", '{"id": 1, "sentences": ["A cat."]}\n', "header 'id,sentences'; expected a column 'label'"),
    ],
)
def test_files_of_texts_are_led_to_their_task(
    metaeval: CommandLine, write: Write, name: str, text: str, problem: str
) -> None:
    gold, run = write("gold.csv", csv_text(ROWS)), write(name, text)
    # As gold, a file with items and texts is read as texts.
    for files in ((gold, run), (run, gold))[: 2 if "doc" in problem else 1]:
        message = metaeval.refuses(*OPTIONS, "--gold", *files)
        assert f"{name}:1: {problem}" in message
        assert "for texts use --task texts" in message
        assert "fnc1" not in message
    other = write(name, "doc,stance\n1,x\n")
    assert "--task texts" not in metaeval.refuses(*OPTIONS, "--gold", gold, other)
