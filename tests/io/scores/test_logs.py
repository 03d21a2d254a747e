"""Logs of evaluations: what counts as a score, an item and a system, and what is no item of all systems."""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Write, item_scores


def lines(*records: Mapping[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def instance(model: str, sample: str, score: float, **others: Any) -> dict[str, Any]:
    evaluation = {"score": score, "is_correct": score > 0}
    return {
        "schema_version": "0.3.0",
        "model_id": model,
        "evaluation_name": "e",
        "sample_id": sample,
        "evaluation": evaluation,
        **others,
    }


def inspect_log(model: str, *samples: dict[str, Any], **others: Any) -> dict[str, Any]:
    return {"status": "success", "eval": {"task": "t", "model": model}, "samples": samples, **others}


def sample(number: int, value: Any, epoch: int = 1, **others: Any) -> dict[str, Any]:
    return {
        "id": number,
        "epoch": epoch,
        "input": f"{number}?",
        "target": "x",
        "scores": {"match": {"value": value}},
        **others,
    }


def result(provider: str, test: int, score: float, **others: Any) -> dict[str, Any]:
    return {
        "provider": {"id": "p", "label": provider},
        "prompt": {"label": "q"},
        "promptIdx": int(provider == "b"),
        "testIdx": test,
        "vars": {"x": test},
        "score": score,
        "success": score > 0.5,
        **others,
    }


def results(*rows: dict[str, Any]) -> str:
    return json.dumps({"results": {"version": 3, "results": rows}}, indent=1)


def archive(log: Mapping[str, Any], *, zstandard: bool = False, summaries: bool = True) -> bytes:
    """A log as Inspect writes it."""
    members = {"header.json": {key: log[key] for key in ("status", "eval")}}
    members |= {"summaries.json": log["samples"]} if summaries else {}
    members |= {f"samples/{sample['id']}_epoch_{sample['epoch']}.json": sample for sample in log["samples"]}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, member in members.items():
            text = json.dumps(member).encode()
            if zstandard:
                import pyarrow as pa

                text = pa.compress(text, "zstd", asbytes=True)
            file.writestr(name, text)
    stored = content.getvalue()
    if zstandard:
        # `zipfile` writes this method from Python 3.14 on.
        for head in (b"PK\x03\x04\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x00\x00"):
            stored = stored.replace(head + b"\0\0", head + b"\x5d\0")
    return stored


SCORES = [
    (
        "every-eval-ever",
        "s.jsonl",
        lines(
            *(instance("m", "1", score, evaluation_result_id=f"e::{name}") for name, score in (("f1", 0.5), ("em", 0)))
        ),
        {("f1", "m", "e:1"): 0.5, ("em", "m", "e:1"): 0},
    ),
    (
        "inspect",
        "log.json",
        json.dumps(
            inspect_log("m", *(sample(number, mark) for number, mark in enumerate(["C", "P", "I", "N", True, "0.25"])))
        ),
        {("match", "m", f"t:{number}"): score for number, score in enumerate([1, 0.5, 0, 0, 1, 0.25])},
    ),
    (
        "inspect",
        "log.json",
        json.dumps(
            inspect_log("m", sample(1, {"a": "C", "b": 0.5, "c": None}), sample(2, {"a": "I", "b": 1, "c": "x"}))
        ),
        {
            ("match/a", "m", "t:1"): 1,
            ("match/b", "m", "t:1"): 0.5,
            ("match/a", "m", "t:2"): 0,
            ("match/b", "m", "t:2"): 1,
        },
    ),
    (
        "promptfoo",
        "r.json",
        results(result("a", 0, 1, namedScores={"tone": 0.5}), result("b", 0, 0.5, namedScores={"tone": 0})),
        {
            ("score", "a", "q:0"): 1,
            ("score", "b", "q:0"): 0.5,
            ("passed", "a", "q:0"): 1,
            ("passed", "b", "q:0"): 0,
            ("tone", "a", "q:0"): 0.5,
            ("tone", "b", "q:0"): 0,
        },
    ),
    ("promptfoo", "r.jsonl", lines(result("a", 0, 1)), {("score", "a", "q:0"): 1, ("passed", "a", "q:0"): 1}),
    (
        "swe-bench",
        "gpt.run.json",
        json.dumps({"resolved_ids": ["x"], "error_ids": ["y"], "unremoved_images": ["z"], "total_instances": 2}),
        {("resolved", "gpt.run", "x"): 1, ("resolved", "gpt.run", "y"): 0},
    ),
    (
        "trec",
        "r.txt",
        "relstring_5\t301\t'10'\nP(rel=2)@5\t301\t.5\nIPrec@0.1\t301\t.25\n",
        {("P(rel=2)@5", "r", "301"): 0.5, ("IPrec@0.1", "r", "301"): 0.25},
    ),
]


@pytest.mark.parametrize(("task", "name", "text", "scores"), SCORES)
def test_what_the_scores_of_a_log_are(
    metaeval: CommandLine, write: Write, task: str, name: str, text: str, scores: dict[tuple[str, str, str], float]
) -> None:
    assert item_scores(metaeval, "--task", task, write(name, text)) == scores


@pytest.mark.parametrize("options", [{}, {"summaries": False}, {"zstandard": True}])
def test_an_archive_of_inspect_has_the_scores_of_its_json(
    metaeval: CommandLine, write: Write, options: dict[str, bool]
) -> None:
    log = inspect_log("m", sample(1, "C"), sample(2, 0.5))
    shown = [
        metaeval.succeeds("score", "--task", "inspect", write(name, content), "-f", "csv")
        for name, content in (("log.json", json.dumps(log)), ("log.eval", archive(log, **options)))
    ]
    assert shown[0].out == shown[1].out
    assert [outcome.err for outcome in shown] == ["", ""]
    assert metaeval.succeeds("score", "--task", "inspect", "log.eval").err == ""
    write("log.eval", archive(log, **options)[:-40])
    assert "ZIP archive cannot be read" in metaeval.refuses("score", "--task", "inspect", "log.eval")


DIFFERENT = [
    (
        "lm-eval",
        lambda model, content: (f"{model}/samples_t.jsonl", lines({"doc_id": 1, "acc": 1, "doc_hash": content})),
    ),
    (
        "lm-eval",
        lambda model, content: (f"{model}/samples_t.jsonl", lines({"doc_id": 1, "acc": 1, "target_hash": content})),
    ),
    ("every-eval-ever", lambda model, content: (f"{model}.jsonl", lines(instance(model, "1", 1, sample_hash=content)))),
    (
        "inspect",
        lambda model, content: (f"{model}.json", json.dumps(inspect_log(model, sample(1, "C", target=content)))),
    ),
    ("promptfoo", lambda model, content: (f"{model}.json", results(result(model, 0, 1, vars={"x": content})))),
]


@pytest.mark.parametrize(("task", "file"), DIFFERENT)
def test_different_contents_under_one_item_are_an_error(
    metaeval: CommandLine, write: Write, task: str, file: Any
) -> None:
    first, second = write(*file("a", "one")), write(*file("b", "two"))
    message = metaeval.refuses("score", "--task", task, first, second)
    assert f"{second}:" in message
    assert f"of {first}\nWhat to do: 1 item with different contents: evaluate every system on the same items" in message
    assert ":1'; expected" in message or ":0'; expected" in message
    write(*file("b", "one"))
    assert metaeval.succeeds("score", "--task", task, first, second).err == ""


ERRORS = [
    ("every-eval-ever", "s.jsonl", lines(instance("m", "1", 1), instance("m", "2", 0, error="timeout"))),
    ("lm-eval", "m/samples_t.jsonl", lines({"doc_id": 1, "acc": 1}, {"doc_id": 2, "acc": 0, "error": "timeout"})),
    ("inspect", "l.json", json.dumps(inspect_log("m", sample(1, 1), sample(2, 0, error={"message": "timeout"})))),
    ("promptfoo", "r.json", results(result("a", 0, 1), result("a", 1, 0, failureReason=2, error="timeout"))),
    (
        "promptfoo",
        "r.json",
        results(result("a", 0, 1), result("a", 1, 0, gradingResult={"metadata": {"graderError": True}})),
    ),
]


@pytest.mark.parametrize(("task", "name", "text"), ERRORS)
def test_an_error_is_a_missing_score_and_counted(
    metaeval: CommandLine, write: Write, task: str, name: str, text: str
) -> None:
    call = ("score", "--task", task, write(name, text))
    metaeval.refuses_with(("no score for", "that ended in an error has no score"), *call)
    shown = metaeval.succeeds(*call, "--on-missing", "drop", "-f", "csv")
    assert set(shown.rows()[0].values()) <= {"m", "a", "1.0"}
    assert f"{name}: 1 " in shown.err
    assert "ended in an error: the scores are missing" in shown.err


def test_a_failed_assertion_and_a_scored_error_have_scores(metaeval: CommandLine, write: Write) -> None:
    failed = result("a", 0, 0.25, failureReason=1, error="Expected x", gradingResult={"pass": False})
    assert item_scores(metaeval, "--task", "promptfoo", write("r.json", results(failed)))["score", "a", "q:0"] == 0.25
    log = inspect_log("m", sample(1, "I", error={"message": "timeout"}))
    log["eval"]["config"] = {"score_on_error": True}
    assert item_scores(metaeval, "--task", "inspect", write("l.json", json.dumps(log))) == {("match", "m", "t:1"): 0}


EPOCHS = [
    ("inspect", "l.json", json.dumps(inspect_log("m", sample(1, "C"), sample(1, "I", epoch=2)))),
    (
        "every-eval-ever",
        "s.jsonl",
        lines(*(instance("m", "1", 2 - epoch, metadata={"epoch": str(epoch)}) for epoch in (1, 2))),
    ),
]


@pytest.mark.parametrize(("task", "name", "text"), EPOCHS)
def test_epochs_are_averaged_as_the_remedy_says(
    metaeval: CommandLine, write: Write, task: str, name: str, text: str
) -> None:
    call = ("score", "--task", task, write(name, text))
    assert "average the epochs with --replicate epoch" in metaeval.refuses(*call)
    assert set(metaeval.succeeds(*call, "--replicate", "epoch", "-f", "csv").rows()[0].values()) == {"m", "0.5"}


def test_repeated_tests_of_promptfoo_are_clusters(metaeval: CommandLine, write: Write) -> None:
    rows = [
        result(name, test, (test + (name == "b")) % 3 / 2, vars={"x": test // 2}) for name in "ab" for test in range(6)
    ]
    report = metaeval.report("compare", "--task", "promptfoo", write("r.json", results(*rows)), "--permutations", "9")
    assert "clusters:test" in report["signature"]
    assert any("tests occur up to 2 times" in note for note in report["notes"])


def test_submissions_of_swe_bench_have_0_where_another_lists_the_instance(metaeval: CommandLine, write: Write) -> None:
    write("lite/a/results/results.json", json.dumps({"resolved": ["x-1", "x-2"], "no_logs": []}))
    write("lite/b/results/results.json", json.dumps({"resolved": ["x-1"], "no_generation": ["x-3"]}))
    write("lite/c/per_instance_details.json", json.dumps({"x-1": {"resolved": False}, "x-4": {"resolved": True}}))
    shown = metaeval.succeeds("score", "--task", "swe-bench", "lite", "-f", "csv")
    assert shown.column("resolved") == {"a": 0.5, "b": 0.25, "c": 0.25}
    assert shown.err.count("instances that no file lists are no items") == 1
    report = {"resolved_ids": ["x"], "incomplete_ids": ["y", "z"], "total_instances": 3}
    shown = metaeval.succeeds("score", "--task", "swe-bench", write("r.json", json.dumps(report)))
    assert "r.json: 2 instances without a submission: not resolved, a score of 0" in shown.err


BROKEN = [
    ("inspect", "x.json", '{"eval": {"task": "t", "model": "m"}}', "keys 'eval'; expected the key 'samples'"),
    ("inspect", "x.json", json.dumps(inspect_log("m")), "no samples; expected a log of Inspect"),
    ("inspect", "x.json", json.dumps(inspect_log("m", {"id": 1})), "no score of a sample"),
    ("inspect", "x.json", json.dumps(inspect_log("m", {"id": None})), "x.json:1: no id; expected one of every sample"),
    (
        "inspect",
        "x.json",
        json.dumps(inspect_log("m", sample(1, 1), sample(2, "?"))),
        "x.json:1: score '?' for match/m/t:2",
    ),
    ("inspect", "x.json", '{"eval": {"task": "t", "model": "m"}, "samples": [3]}', "a number among the samples"),
    ("inspect", "x.eval", b"PK\x03\x04 cut", "ZIP archive cannot be read"),
    ("promptfoo", "x.json", '{"results": []}', "keys 'results'; expected the key 'results'"),
    ("promptfoo", "x.json", results({"score": 1}), "x.json:5: no provider.id; expected a result"),
    ("promptfoo", "x.json", results(result("a", 0, 1), result("a", 0, 1)), "give providers of one id different labels"),
    ("promptfoo", "x.jsonl", "3\n", "x.jsonl:1: a line that is not a JSON object"),
    (
        "swe-bench",
        "x.json",
        '{"unresolved": ["x"]}',
        "keys 'unresolved'; expected the key 'resolved' or 'resolved_ids'",
    ),
    ("swe-bench", "x.json", '{"resolved": [1]}', "a number in 'resolved'; expected ids of instances"),
    ("swe-bench", "x.json", '{"resolved": []}', "no instance; expected at least one"),
    (
        "lm-eval",
        "m/samples_w.jsonl",
        lines({"doc_id": 0, "metrics": ["ppl"], "ppl": [-1.5, 2]}),
        "a list as metric 'ppl'",
    ),
]


@pytest.mark.parametrize(("task", "name", "text", "part"), BROKEN)
def test_broken_logs_are_told(
    metaeval: CommandLine, write: Write, task: str, name: str, text: str | bytes, part: str
) -> None:
    message = metaeval.refuses("score", "--task", task, write(name, text))
    assert part in message
    assert "What to do: " in message
    assert "--log_samples" not in message


def test_a_note_says_where_trec_eval_counts_more_topics_than_it_lists(metaeval: CommandLine, write: Write) -> None:
    cut = write("duo.txt", "num_q all 2\nmap 1 0.7\nmap all 0.35\nnum_ret 1 9\nnum_ret all 9\n")
    note = "duo.txt: 1 topic is listed, but num_q is 2 and map of all topics is 0.3500, not 0.7000"
    assert note in metaeval.succeeds("score", "--task", "trec", cut).err
    Path(cut).write_text("num_q all 2\nmap 1 0.7\nmap 2 0\nmap all 0.35\nnum_ret 1 9\nnum_ret 2 1\nnum_ret all 10\n")
    assert metaeval.succeeds("score", "--task", "trec", cut).err == ""


ZERO = [
    (("--on-missing", "zero", "--lower-is-better", "ter"), "0 is the best value of 'ter', for which lower is better"),
    (("--on-unknown", "zero"), "--on-unknown zero, but a text that is no number is no missing score"),
]


@pytest.mark.parametrize(("options", "part"), ZERO)
def test_zero_is_refused_where_it_is_no_missing_score(
    metaeval: CommandLine, write: Write, options: tuple[str, ...], part: str
) -> None:
    table = write("t.csv", "system,item,ter\na,1,1\na,2,2\nb,1,3\n")
    assert part in metaeval.refuses("score", "--task", "table", table, *options)
    gold = write("gold.csv", "id,label\n1,a\n")
    assert "the data are no table of scores" in metaeval.refuses("score", "--gold", gold, gold, "--on-missing", "zero")


def test_a_table_of_human_scores_alone_has_no_measure(metaeval: CommandLine, write: Write) -> None:
    table = write("only.csv", "system,item,m\na,1,1\na,2,2\nb,1,3\nb,2,1\n")
    for command in ("correlate", "plan", "sensitivity"):
        message = metaeval.refuses(command, "--task", "table", table, "--human", "m")
        assert "no measure is left: the table has only human scores (m)" in message
