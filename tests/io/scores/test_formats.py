"""Files of scores that other tools write: what is read, and every broken variant with its file and line."""

import csv
import gzip
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from command_line import CommandLine, Write, item_scores
from shared_data import SHARED_DATA, needs_shared_data

from metaeval.io.labels.tasks import TASKS, ScoreTask

MTME = {
    "set/documents/en-de.docs": "news d1\nnews d1\ntalk d2\n",
    "set/human-scores/en-de.mqm.seg.score": "A -1\nA 0\nA -5\nB -2\nB None\nB 0\n",
    "set/human-scores/en-de.mqm.sys.score": "A -2\nB -1\n",
    "set/metric-scores/en-de/BLEU-refA.seg.score": "A\t10.5\nA\t20\nA\t30\nB\t5\nB\t1e1\nB\t.5\n",
}
TREC = {
    "bm25.txt": "runid                 \tall\tbm25\nmap                   \t301\t0.5000\n"
    "P_10                  \t301\t0.2\n"
    "map                   \t302\t0.25\nP_10                  \t302\t0.1\nmap                   \tall\t0.3750\n",
    "dense.txt": "301\tAP\t0.4\n301\tnDCG(dcg='log2')@10\t0.7\n302\tAP\t0.1\n302\tnDCG(dcg='log2')@10\t0.6\n"
    "all\tAP\t0.25\n",
    "four.txt": "dense map 301 0.4\ndense P_10 301 0.3\ndense map 302 0.2\ndense P_10 302 0.1\n",
}
LM_EVAL = {
    f"logs/{model}/samples_arc_2025-01-02T03-04-05.678.jsonl": "".join(
        json.dumps({"doc_id": doc, "doc": {"q": "?"}, "resps": [["x"]], "filter": name, "metrics": ["acc", "exact"],
                    "acc": 1.0, "exact": doc % 2}) + "\n"
        for doc in (0, 1)
        for name in ("none", "strict-match")
    )
    for model in ("org__a", "org__b")
}  # fmt: skip
EVERY_EVAL_EVER = {
    f"{model}_samples.jsonl": "".join(
        json.dumps({"schema_version": "0.3.1", "evaluation_id": "e", "model_id": f"org/{model}",
                    "evaluation_name": "GSM8K", "sample_id": f"s{sample}", "interaction_type": "single_turn",
                    "input": {"raw": "?", "reference": []},
                    "answer_attribution": [], "evaluation": {"score": 0.5, "is_correct": sample == 1}}) + "\n"
        for sample in (1, 2)
    )
    for model in ("a", "b")
}  # fmt: skip

FORMATS = {task.name: task for task in TASKS.values() if isinstance(task, ScoreTask) and task.rows is not None}


def written(write: Write, files: Mapping[str, str]) -> list[str]:
    return [write(name, content) for name, content in files.items()]


def test_mtme_has_measures_of_people_and_metrics_by_segment(metaeval: CommandLine, write: Write) -> None:
    written(write, MTME)
    read = item_scores(metaeval, "--task", "mtme", "set", "--on-missing", "drop")
    assert read == {
        ("mqm", "A", "en-de:1"): -1, ("mqm", "A", "en-de:3"): -5,
        ("mqm", "B", "en-de:1"): -2, ("mqm", "B", "en-de:3"): 0,
        ("BLEU-refA", "A", "en-de:1"): 10.5, ("BLEU-refA", "A", "en-de:3"): 30, ("BLEU-refA", "B", "en-de:1"): 5,
        ("BLEU-refA", "B", "en-de:3"): 0.5,
    }  # fmt: skip
    metaeval.refuses_with(
        ("en-de.mqm.seg.score:5: no score for mqm/B/en-de:2", "--on-missing"), "score", "--task", "mtme", "set"
    )
    outcome = metaeval.succeeds("score", "--task", "mtme", "set/metric-scores/en-de/*.seg.score", "-f", "csv")
    assert outcome.out.splitlines()[0] == "system,BLEU-refA"


def test_the_documents_of_mtme_are_its_clusters(metaeval: CommandLine, write: Write) -> None:
    written(write, MTME)
    call = ("compare", "--task", "mtme", "set", "-m", "BLEU-refA", "--permutations", "9")
    for more, clusters in (((), "document"), (("--cluster", "domain"), "domain"), (("--cluster", "none"), "none")):
        assert f"clusters:{clusters}" in metaeval.report(*call, *more)["signature"]
    Path("set/documents/en-de.docs").unlink()
    assert "clusters" not in metaeval.report(*call)["signature"]


def test_the_file_of_documents_stands_in_the_provenance(metaeval: CommandLine, write: Write) -> None:
    files = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in MTME.items() if "sys" not in path}
    written(write, MTME)
    for more in ((), ("--group", "domain", "--on-missing", "pairwise")):
        report = metaeval.report("score", "--task", "mtme", "set", "--on-missing", "drop", *more)
        read = report["provenance"]["files"]
        assert {file["path"]: file["sha256"] for file in read} == files
        assert [file["role"] for file in read if "documents" in file["path"]] == ["documents"]


AGAIN = {
    "trec": (
        {"x.txt": TREC["bm25.txt"], "y.txt": TREC["bm25.txt"]},
        "x.txt y.txt",
        "y.txt:2: score 'map/bm25/301' again, first on line 2 of x.txt",
        "lines of three fields are of one run: write a file for each run, and name runs of the same name",
    ),
    "mtme": (
        MTME | {"set/metric-scores/en-de/BLEU-refA.seg.score.gz": MTME["set/metric-scores/en-de/BLEU-refA.seg.score"]},
        "set -m BLEU-refA",
        "BLEU-refA.seg.score.gz:1: score 'BLEU-refA/A/en-de:1' again, first on line 1 of set/metric-scores/en-de",
        "a measure has one file for a language pair: leave out the others",
    ),
    "lm-eval": (
        LM_EVAL | {"logs/org__a/samples_arc_2026-01-02T03-04-05.678.jsonl": next(iter(LM_EVAL.values()))},
        "logs",
        "samples_arc_2026-01-02T03-04-05.678.jsonl:1: score 'acc/org__a/arc:0' again, first on line 1 of logs/org__a",
        "leave out the older logs of a task that was evaluated again, or average the runs of a model, named",
    ),
    "every-eval-ever": (
        EVERY_EVAL_EVER | {"a2_samples.jsonl": EVERY_EVAL_EVER["a_samples.jsonl"]},
        "a_samples.jsonl a2_samples.jsonl b_samples.jsonl",
        "a2_samples.jsonl:1: score 'score/org/a/GSM8K:s1' again, first on line 1 of a_samples.jsonl",
        "a model has each sample of an evaluation once",
    ),
}


@pytest.mark.parametrize("task", AGAIN)
def test_repeated_scores_have_a_remedy_of_the_format(metaeval: CommandLine, write: Write, task: str) -> None:
    files, words, problem, remedy = AGAIN[task]
    for path, text in files.items():
        write(path, gzip.compress(text.encode()) if path.endswith(".gz") else text)
    message = metaeval.refuses("score", "--task", task, *words.split())
    assert problem in message
    assert f"What to do: {remedy}" in message
    # Remedies of tables in general do not apply, nor those of models without repeated scores.
    assert message.count("What to do: ") == 1 + message.count("are missing")
    assert not any(part in message for part in ("--group", "column", "org__b@1"))


def test_repeated_runs_of_a_model_are_averaged_as_the_remedy_says(metaeval: CommandLine, write: Write) -> None:
    first, second = written(write, {"m/samples_arc_2025-01-02T03-04.jsonl": '{"doc_id": 1, "acc": 1}\n',
                                    "m/samples_arc_2026-01-02T03-04.jsonl": '{"doc_id": 1, "acc": 0}\n'})  # fmt: skip
    shown = metaeval.succeeds("score", "--task", "lm-eval", f"m@1={first}", f"m@2={second}", "-f", "csv")
    assert shown.column("acc") == {"m": 0.5}
    one = metaeval.succeeds("score", "--task", "lm-eval", f"m@1={first}", "-f", "csv")
    assert one.column("acc") == {"m": 1}
    assert "each system has one run, whose name after '@' is left out" in one.err
    assert "means over" not in one.err


def test_tasks_with_different_metrics_and_topics_without_a_line_have_a_remedy(
    metaeval: CommandLine, write: Write
) -> None:
    written(
        write,
        {"m/samples_arc_1.jsonl": '{"doc_id": 1, "acc": 1}\n', "m/samples_sum_1.jsonl": '{"doc_id": 1, "em": 0}\n'},
    )
    assert "What to do: tasks with different metrics are not one table" in metaeval.refuses(
        "score", "--task", "lm-eval", "m"
    )
    assert metaeval.succeeds("score", "--task", "lm-eval", "m", "-m", "em", "-f", "csv").column("em") == {"m": 0}
    files = written(write, {"a.txt": "map 1 0.5\nmap 2 0.5\nmap all 0.5\n", "b.txt": "map 1 0.5\nmap all 0.5\n"})
    message = metaeval.refuses("score", "--task", "trec", *files)
    assert (
        "a topic for which a run retrieved nothing has no line, except with trec_eval -q -c from version 10" in message
    )
    zero = metaeval.succeeds("score", "--task", "trec", *files, "--on-missing", "zero", "-f", "csv")
    assert zero.column("map") == {"a": 0.5, "b": 0.25}
    written(write, MTME)
    assert "name the others with --only-system" in metaeval.refuses("score", "--task", "mtme", "set")


@needs_shared_data
@pytest.mark.parametrize("level", ["item", "system"])
def test_a_folder_of_mtme_has_the_correlations_of_the_tidy_table(
    metaeval: CommandLine, write: Write, level: str
) -> None:
    table = SHARED_DATA / "wmt21_ted_ende" / "ted_ende.csv"
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    first = [row for row in rows if row["system"] == rows[0]["system"]]
    write("ted/documents/en-de.docs", "".join(f"ted {row['doc']}\n" for row in first))
    columns = {"sentBLEU": "sentBLEU", "chrF2": "chrF2", "human_mqm_neg_penalty": "mqm"}
    for column, name in columns.items():
        path = f"human-scores/en-de.{name}" if name == "mqm" else f"metric-scores/en-de/{name}"
        write(f"ted/{path}.seg.score", "".join(f"{row['system']}\t{row[column] or None}\n" for row in rows))
    tables = []
    for task, run, human, document in (
        ("mtme", "ted", "mqm", "document"),
        ("table", str(table), "human_mqm_neg_penalty", "doc"),
    ):
        options = ("--human", human, "-m", "sentBLEU", "-m", "chrF2", "--level", level, "--cluster", document)
        more = ("--permutations", "19", "--resamples", "50")
        tables.append(metaeval.tables("correlate", "--task", task, run, *options, *more))
    assert json.dumps(tables[0]) == json.dumps(tables[1]).replace("human_mqm_neg_penalty", "mqm")


def test_language_pairs_and_domains_are_groups(metaeval: CommandLine, write: Write) -> None:
    written(write, MTME | {name.replace("en-de", "zh-en"): text.replace("B", "C") for name, text in MTME.items()})
    options = ("--task", "mtme", "set", "-m", "BLEU-refA")
    scores = metaeval.tables("score", "--group", "language_pair", *options)["scores"]
    assert [(row["group"], row["system"]) for row in scores] == [
        ("en-de", "A"), ("en-de", "B"), ("zh-en", "A"), ("zh-en", "C")
    ]  # fmt: skip
    (Path("set") / "metric-scores/zh-en/BLEU-refA.seg.score").unlink()
    domain_scores = metaeval.tables("score", "--group", "domain", *options)["scores"]
    assert {(row["group"], row["system"]): row["BLEU-refA"] for row in domain_scores}["talk", "A"] == 30


def test_trec_has_topics_of_trec_eval_and_ir_measures(metaeval: CommandLine, write: Write) -> None:
    files = written(write, TREC)
    assert item_scores(metaeval, "--task", "trec", files[0], files[2]) == {
        ("map", "bm25", "301"): 0.5, ("map", "bm25", "302"): 0.25, ("P_10", "bm25", "301"): 0.2,
        ("P_10", "bm25", "302"): 0.1, ("map", "dense", "301"): 0.4, ("map", "dense", "302"): 0.2,
        ("P_10", "dense", "301"): 0.3, ("P_10", "dense", "302"): 0.1,
    }  # fmt: skip
    scores = item_scores(metaeval, "--task", "trec", files[1])
    assert scores["nDCG(dcg='log2')@10", "dense", "302"] == 0.6
    assert set(item_scores(metaeval, "--task", "trec", f"mine={files[1]}")) == {
        (measure, "mine", topic) for measure, _, topic in scores
    }
    # Without lines of all topics, names show which field is the measure.
    bare = write("bare.txt", "301\tAP\t0.4\n302\tAP\t0.1\n")
    assert item_scores(metaeval, "--task", "trec", bare) == {("AP", "bare", "301"): 0.4, ("AP", "bare", "302"): 0.1}


def test_lm_eval_has_metrics_of_filters_by_task_and_document(metaeval: CommandLine, write: Write) -> None:
    written(write, LM_EVAL)
    write("logs/org__a/results_2025-01-02T03-04-05.678.json", "{}")
    read = item_scores(metaeval, "--task", "lm-eval", "logs")
    assert len(read) == 16
    assert read["exact/strict-match", "org__b", "arc:1"] == 1.0
    assert {measure for measure, _, _ in read} == {"acc", "exact", "acc/strict-match", "exact/strict-match"}
    # Earlier versions do not list their metrics; a list is not a score of a document.
    old = {"doc_id": 3, "doc": {}, "target": "x", "arguments": [], "acc": True, "bleu": ["a", "b"]}
    write("old/m/samples_wmt.jsonl", json.dumps(old) + "\n")
    assert item_scores(metaeval, "--task", "lm-eval", "old/m") == {("acc", "m", "wmt:3"): 1.0}


def test_every_eval_ever_has_scores_by_evaluation_and_sample(metaeval: CommandLine, write: Write) -> None:
    read = item_scores(metaeval, "--task", "every-eval-ever", *written(write, EVERY_EVAL_EVER))
    assert read["score", "org/a", "GSM8K:s2"] == 0.5
    assert [read["is_correct", "org/b", f"GSM8K:s{sample}"] for sample in (1, 2)] == [1.0, 0.0]


@pytest.mark.parametrize("task", FORMATS)
@pytest.mark.parametrize("rewrite", [
    lambda text: text.replace("\n", "\r\n").encode(), lambda text: b"\xef\xbb\xbf" + text.encode(),
    lambda text: text.replace("\n", "\n\n").encode(), lambda text: text.removesuffix("\n").encode(),
    lambda text: gzip.compress(text.encode(), mtime=0),
], ids=["CRLF", "BOM", "blank lines", "no last line end", "gzip"])  # fmt: skip
def test_the_same_scores_written_otherwise(
    metaeval: CommandLine, write: Write, task: str, rewrite: Callable[[str], bytes]
) -> None:
    files = FORMATS[task].example
    call = ("score", "--task", task, Path(next(iter(files))).parts[0], "--on-missing", "drop", "-f", "csv", "-q")
    written(write, files)
    plain = metaeval.succeeds(*call).out
    for name, content in files.items():
        write(name, rewrite(content))
    assert metaeval.succeeds(*call).out == plain


HUMAN, METRIC, DOCUMENTS = "en-de.mqm.seg.score", "BLEU-refA.seg.score", "en-de.docs"
BROKEN_MTME = [
    (HUMAN, "A -5\n", "A -5 x\n", "3: 3 fields; expected 2, a system and a score"),
    (HUMAN, "B -2\n", "B minus\n", "4: score 'minus' for mqm/B/en-de:1; expected a finite number"),
    (HUMAN, "B 0\n", "", ": 2 scores of 'B'; expected 3, as documents/en-de.docs has"),
    (HUMAN, "B 0\n", "B 0\nB 1\n", ": 4 scores of 'B'; expected 3"),
    (HUMAN, "A -1", "A \x00", ": text cannot be read"),
    (METRIC, "A\t10.5", "A,10.5", "1: 1 field"),
    (METRIC, "B\t5", "B\tNone", "4: no score for BLEU-refA/B/en-de:1"),
    (METRIC, "B\t5\nB\t1e1\nB\t.5\n", "", ": no score for BLEU-refA/B/en-de:1"),
    (DOCUMENTS, "talk d2", "talk", "3: 1 field; expected 2, a domain and a document"),
    (DOCUMENTS, "talk d2\n", "", "expected 2, as documents/en-de.docs has"),
    (DOCUMENTS, "talk d2\n", "talk d2\ntalk d2\n", "expected 4, as documents/en-de.docs has"),
]
BROKEN_TREC = [
    ("bm25.txt", "\t301\t0.5000", "\t301", "2: 2 fields; expected 3"),
    ("bm25.txt", "\t301\t0.5000", "\t301\t0.5\tx", "2: 4 fields; expected 3"),
    ("bm25.txt", "\t301\t0.5000", "\t301\tx", "2: score 'x' for map/bm25/301; expected a finite number"),
    ("bm25.txt", "\t302\t0.25", "\t301\t0.25", "4: score 'map/bm25/301' again, first on line 2"),
    ("bm25.txt", "\t302\t0.1\n", "\t\t0.1\n", "5: no value of 'item'"),
    ("bm25.txt", "P_10                  \t302\t0.1\n", "", "bm25.txt: no score for P_10/bm25/302"),
    ("bm25.txt", TREC["bm25.txt"], "map all 0.5\nP_10 all 0.2\n", ": scores of all topics together only"),
    ("bm25.txt", TREC["bm25.txt"], "map 0.5\n", "1: 2 fields; expected 3: a line 'MEASURE TOPIC VALUE'"),
    ("bm25.txt", TREC["bm25.txt"], "301 Q0 d1 1 9.5 bm25\n", "1: 6 fields; expected 3: a line 'MEASURE TOPIC VALUE'"),
    ("bm25.txt", TREC["bm25.txt"], "301 302 0.5\n", "1: '301' and '302': either may be the topic"),
    ("bm25.txt", TREC["bm25.txt"], "map q1 0.5\n", "1: 'map' and 'q1': either may be the topic"),
    ("bm25.txt", TREC["bm25.txt"], "map all 0.5\nall map 0.2\n", "1: 'map' and 'all': either may be the topic"),
    ("four.txt", "dense map 301 0.4", "dense map 301", "2: 4 fields; expected 3"),
    ("four.txt", "dense map 302 0.2", "dense map 302", "3: 3 fields; expected 4"),
]
LOG = "samples_arc_2025-01-02T03-04-05.678.jsonl"
BROKEN_LM_EVAL = [
    (LOG, '"doc_id": 1,', "", "3: no doc_id"),
    (LOG, '"doc_id": 1,', '"doc_id": true,', "3: no doc_id"),
    (LOG, '"doc_id": 1,', '"doc_id": 0,', "3: score 'acc/org__a/arc:0' again, first on line 1"),
    (LOG, '"doc_id": 1,', '"doc_id": 2, "doc_id": 1,', "3: key 'doc_id' again"),
    (LOG, '"strict-match"', '"none"', "2: score 'acc/org__a/arc:0' again, first on line 1"),
    (LOG, '"exact": 1}', '"exact": "yes"}', "3: score 'yes' for exact/org__a/arc:1"),
    (LOG, '"exact": 1}', '"exact": null}', "3: no score for exact/org__a/arc:1"),
    (LOG, '"exact": 1}', f'"exact": 1{"0" * 400}}}', "3: score '1000"),
    (LOG, ', "exact": 1}', "}", "3: no score for exact/org__a/arc:1"),
    (LOG, '"exact": 1}', '"exact": 1', "3: JSON cannot be read"),
    (LOG, '"metrics": ["acc", "exact"]', '"metrics": []', "1: no score of document 0"),
    (LOG, '"metrics": ["acc", "exact"]', '"metrics": ["doc"]', "1: no score of document 0"),
    (LOG, LM_EVAL[f"logs/org__a/{LOG}"], "[]", "1: an empty list"),
    (LOG, LM_EVAL[f"logs/org__a/{LOG}"], '{"doc_id": 0, "acc": 1}\n3\n', "2: a line that is not a JSON object"),
    (LOG, LM_EVAL[f"logs/org__a/{LOG}"], '{"doc_id": 0, "doc": {}}\n', "1: no score of document 0"),
    (LOG, LM_EVAL[f"logs/org__a/{LOG}"], "doc_id,acc\n0,1\n", "1: JSON cannot be read"),
]
SAMPLES = "a_samples.jsonl"
BROKEN_EVERY_EVAL_EVER = [
    (SAMPLES, '"0.3.1"', '"0.2.1"', "1: schema_version '0.2.1'; expected 0.3.x"),
    (SAMPLES, '"0.3.1"', "0.3", "1: schema_version '0.3'; expected"),
    (SAMPLES, '"schema_version": "0.3.1", ', "", "1: no schema_version"),
    (SAMPLES, '"model_id": "org/a", ', "", "1: no model_id; expected a text"),
    (SAMPLES, '"org/a"', "7", "1: model_id '7'"),
    (SAMPLES, '"org/a"', '""', "1: no model_id; expected"),
    (SAMPLES, '"GSM8K"', '["GSM8K"]', "1: evaluation_name '['GSM8K']'"),
    (SAMPLES, '"s2"', "2", "2: sample_id '2'"),
    (SAMPLES, '"s2"', '"s1"', "2: score 'score/org/a/GSM8K:s1' again, first on line 1"),
    (SAMPLES, '"s2"', '"s3"', "a_samples.jsonl: no score for score/org/a/GSM8K:s2"),
    (SAMPLES, '"score": 0.5', '"score": "0.5"', "1: evaluation.score '0.5'"),
    (SAMPLES, '"score": 0.5', '"score": null', "1: no evaluation.score"),
    (SAMPLES, '"score": 0.5', '"score": true', "1: evaluation.score 'True'"),
    (SAMPLES, '"score": 0.5', '"score": NaN', "1: score 'nan' for score/org/a/GSM8K:s1"),
    (SAMPLES, '"score": 0.5', f'"score": 1{"0" * 400}', "1: score '1000"),
    (SAMPLES, '{"score": 0.5, "is_correct": false}', "[1]", "2: no evaluation.score"),
    (SAMPLES, '"is_correct": false', '"is_correct": 0', "2: evaluation.is_correct '0'"),
    (SAMPLES, ', "is_correct": false', "", "2: no evaluation.is_correct"),
]
BROKEN = [
    ("mtme", MTME, ("set",), BROKEN_MTME),
    ("trec", TREC, ("bm25.txt", "four.txt"), BROKEN_TREC),
    ("lm-eval", LM_EVAL, ("logs",), BROKEN_LM_EVAL),
    ("every-eval-ever", EVERY_EVAL_EVER, tuple(EVERY_EVAL_EVER), BROKEN_EVERY_EVAL_EVER),
]


@pytest.mark.parametrize(
    ("task", "files", "runs", "case"),
    [(task, files, runs, case) for task, files, runs, cases in BROKEN for case in cases],
)
def test_broken_files_are_told_with_file_and_line(
    metaeval: CommandLine, write: Write, task: str, files: dict[str, str], runs: Sequence[str], case: tuple[str, ...]
) -> None:
    name, old, new, part = case
    written(write, files)
    if task == "mtme":
        write(f"set/human-scores/{HUMAN}", MTME[f"set/human-scores/{HUMAN}"].replace("None", "-1"))
    path = next(path for path in files if path.endswith(name))
    content = Path(path).read_text()
    assert old in content
    write(path, content.replace(old, new))
    message = metaeval.refuses("score", "--task", task, *runs)
    assert f"{name}:{part}" in message if part[0].isdigit() else part in message
    assert name in message or task == "mtme"
    assert "What to do:" in message


@pytest.mark.parametrize(
    ("task", "path", "part"),
    [
        ("mtme", "x.seg.score", "expected human-scores/SRC-TGT.NAME.seg.score"),
        ("mtme", "human-scores/mqm.seg.score", "expected human-scores/SRC-TGT"),
        ("mtme", "metric-scores/en-de/BLEU.sys.score", "expected human-scores/SRC-TGT"),
        ("lm-eval", "m/hellaswag.jsonl", "name of a file 'hellaswag.jsonl'; expected samples_TASK_TIME.jsonl"),
    ],
)
def test_paths_that_do_not_name_their_content_are_refused(
    metaeval: CommandLine, write: Write, task: str, path: str, part: str
) -> None:
    metaeval.refuses_with((part,), "score", "--task", task, write(path, "A 1\n"))


SENTENCES = "document,sentence,system,f1\nd1,1,a,.5\nd1,2,a,.25\nd2,1,a,1\nd1,1,b,0\nd1,2,b,1\nd2,1,b,.75\n"


def test_several_columns_may_be_the_id_together(metaeval: CommandLine, write: Write) -> None:
    table = write("t.csv", SENTENCES)
    options = ("--task", "table", table, "--id-column", "document,sentence")
    read = item_scores(metaeval, *options)
    assert {item for _, _, item in read} == {"d1/1", "d1/2", "d2/1"}
    assert read["f1", "b", "d2/1"] == 0.75
    compared = metaeval.report("compare", *options, "--cluster", "document", "--permutations", "9")
    assert any(note.startswith("2 clusters of document") for note in compared["notes"])
    for old, new, part in (
        ("d2,1,b", "d1,2,b", "t.csv:7: score 'f1/b/d1/2' again, first on line 6"),
        ("d2,1,b", "d2,,b", "t.csv:7: no value of 'document,sentence'"),
        ("sentence", "line", "header 'document,line,system,f1'; expected a column 'sentence'\nWhat to do: "),
    ):
        write("t.csv", SENTENCES.replace(old, new))
        assert part in metaeval.refuses("score", *options)
    write("t.csv", SENTENCES)
    for columns, part in (
        (
            "document,sentense",
            "t.csv:1: header 'document,sentence,system,f1'; expected a column 'sentense'\nWhat to do: did you mean",
        ),
        ("document,document", "t.csv:1: column 'document' again; expected every column once\nWhat to do: name"),
        ("document,", "expected a column ''\nWhat to do: name different columns of the file in --id-column"),
    ):
        assert part in metaeval.refuses("score", *options[:-1], columns)


def test_labels_may_have_several_columns_as_their_id_too(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", "item,sentence,label\nx,1,no\nx,2,yes\ny,1,no\n")
    run = write("run.jsonl", "".join(json.dumps(dict(zip(("sentence", "item", "label"), row, strict=True))) + "\n"
                                     for row in ((1, "y", "no"), (2, "x", "no"), (1, "x", "no"))))  # fmt: skip
    options = ("score", "-m", "accuracy", "-f", "csv", "-q", "--id-column", "item,sentence", "--gold", gold)
    assert metaeval.succeeds(*options, run).column("accuracy") == {"run": pytest.approx(2 / 3)}
    short = write("short.csv", "item,sentence,label\nx,1,no\ny,1,no\n")
    assert "short.csv: no prediction for id 'x/2'" in metaeval.refuses(*options, short)
    wide = write("wide.csv", "item,sentence,gold,a\nx,1,no,no\nx,2,yes,no\n")
    assert metaeval.succeeds(*options[:-1], wide).column("accuracy") == {"a": 0.5}


def test_texts_may_have_several_columns_as_their_id(metaeval: CommandLine, write: Write) -> None:
    rows = [("x", "1", "a cat"), ("x", "2", "a dog"), ("y", "1", "the sun")]
    expected = {"run": pytest.approx(2.5 / 3)}
    gold = write("gold.csv", "item,part,text\n" + "".join(f"{','.join(row)}\n" for row in rows))
    runs = [(2, "x", "a cow"), (1, "y", "the sun"), (1, "x", "a cat")]
    lines = "".join(json.dumps({"part": part, "item": item, "text": text}) + "\n" for part, item, text in runs)
    table = "text,part,item\n" + "".join(f"{text},{part},{item}\n" for part, item, text in runs)
    options = ("score", "--task", "texts", "-m", "rouge-n", "-f", "csv", "-q", "--gold", gold)
    for run in (write("run.jsonl", lines), write("run.csv", table)):
        assert metaeval.succeeds(*options, run, "--id-column", "item, part").column("rouge-n") == expected
        message = metaeval.refuses(*options, run, "--id-column", "item,place")
        assert "gold.csv:1: header 'item,part,text'; expected a column 'place'" in message
    assert "run.csv:3: no name of 'part'" in metaeval.refuses(
        *options, write("run.csv", table.replace(",1,y", ",,y")), "--id-column", "item,part"
    )
    short = write("run.jsonl", lines.replace('"part": 1, "item": "y"', '"item": "y"'))
    message = metaeval.refuses(*options, short, "--id-column", "item,part")
    assert "run.jsonl:2: header 'item,text'; expected a column 'part'" in message


def test_duckdb_names_the_engine_that_reads_ids_of_several_columns(metaeval: CommandLine, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    labels = {"gold": ["no", "yes", "no"], "a": ["no", "no", "no"]}
    table = pandas.DataFrame({"item": ["x", "x", "y"], "part": [1, 2, 1], **labels})
    table.to_parquet(path := tmp_path / "gold.parquet")
    options = ("score", "-m", "accuracy", "-f", "csv", "-q", "--id-column", "item,part", "--gold", path, "--engine")
    assert metaeval.succeeds(*options, "memory").column("accuracy") == {"a": pytest.approx(2 / 3)}
    message = metaeval.refuses(*options, "duckdb")
    assert "gold.parquet: header 'item,part,gold,a'; expected a column 'item,part'" in message
    assert message.endswith("for an id of several columns set --engine memory.\n")


@pytest.mark.parametrize("content", ["\x1c", "\x85\n", "\ufeff\u00a0\n\u3000"])
@pytest.mark.parametrize("task", ["table", "trec", "lm-eval", "every-eval-ever", "mtme"])
def test_a_file_of_blanks_of_any_kind_is_empty(metaeval: CommandLine, write: Write, task: str, content: str) -> None:
    file = write({"lm-eval": "m/samples_x.jsonl", "mtme": "s/human-scores/a-b.m.seg.score"}.get(task, "x.csv"), content)
    message = metaeval.refuses("score", "--task", task, file)
    assert message.startswith(f"Error: {file}: the file is empty; expected data\nWhat to do: ")


def test_judgements_are_not_scores_of_topics(metaeval: CommandLine, write: Write) -> None:
    qrels = write("qrels.txt", "301 0 doc1 1\n301 0 doc2 0\n302 0 doc1 1\n")
    message = metaeval.refuses("score", "--task", "trec", qrels)
    assert "qrels.txt:1: measure '0'; expected the name of a measure" in message
    assert "not the judgements (qrels)" in message


def test_rows_that_another_column_distinguishes_are_told_apart_by_it_and_none_is_removed(
    metaeval: CommandLine, write: Write
) -> None:
    rows = [
        f"{question},{model},{turn},{question + turn}"
        for turn in (1, 2)
        for question in range(5)
        for model in ("a", "b")
    ]
    path = write("judged.csv", "\n".join(["question_id,model,turn,score", *rows]))
    message = metaeval.refuses("score", "--task", "table", path)
    assert "--id-column question_id,turn, or use --group turn" in message
    assert "remove" not in message
    report = metaeval.report("score", "--task", "table", path, "--id-column", "question_id,turn", "-m", "score")
    assert report["signature"].count("n:10|systems:2") == 1
    same = write("same.csv", "item,model,bleu\n1,a,2\n1,a,2\n2,a,3\n")
    assert "remove 1 repeated score" in metaeval.refuses("score", "--task", "table", same)
