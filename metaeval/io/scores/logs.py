"""Scores of items in logs: Every Eval Ever, lm-evaluation-harness, Inspect, promptfoo, SWE-bench."""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from metaeval.errors import (
    Problem,
    empty,
    importing,
    invalid,
    missing_key,
    pluralize,
    raise_any,
    refuse,
    setting,
    shortened,
    unreadable,
    wrong_type,
)
from metaeval.io.files.archives import ZIP_MAGIC
from metaeval.io.files.delimited import Format, Rows
from metaeval.io.files.json import NESTED, json_cell, json_records, kind_of, lines_of_elements, parse_json
from metaeval.io.files.source import MAX_UNPACKED, Lines, Source
from metaeval.io.labels.tasks import score_format
from metaeval.io.scores.formats import TidyScores

VERSION = "0.3"
_LINE = (
    '{"schema_version": "0.3.0", "model_id": …, "evaluation_name": …, "sample_id": …, '
    '"evaluation": {"score": …, "is_correct": …}}'
)
_KEYS = ("model_id", "evaluation_name", "sample_id")


@score_format(
    "every-eval-ever",
    {
        "s.jsonl": '{"schema_version": "0.3.0", "model_id": "m", "evaluation_name": "e", "sample_id": "1", '
        '"evaluation": {"score": 0.5, "is_correct": true}}\n'
    },
)
def every_eval_ever_rows(source: Source) -> Rows:
    """The measures `score` and `is_correct` of each sample as a tidy table with the name of the evaluation.

    An item is `EVALUATION_NAME:SAMPLE_ID`. Where samples have records of several aggregate results, the measures are
    the scores of each, named by `evaluation_result_id`.
    """
    path = source.path_or_name
    table = TidyScores(path, ("evaluation_name", "sample_hash", "epoch"))
    records = list(json_records(source.text(), path, _LINE))
    for line, record in records:
        for fault in _faults(record):
            table.reject(line, fault)
    raise_any(table.problems, f"a line of an instance file is {_LINE}")
    measures = _measures_of_results([record for _, record in records])
    epochs = set()
    for line, record in records:
        model, evaluation, sample = (record[key] for key in _KEYS)
        epoch = str(_members(record.get("metadata")).get("epoch") or 1)
        epochs.add(epoch)
        table.errors += bool(record.get("error"))
        name = measures.get(evaluation, {}).get(str(record.get("evaluation_result_id")))
        for measure in [name] if name else ["score", "is_correct"]:
            score = "" if record.get("error") else str(+_members(record["evaluation"])["score" if name else measure])
            others = evaluation, str(record.get("sample_hash") or ""), epoch
            table.add(line, [measure, model, f"{evaluation}:{sample}", score, *others])
    again = "a model has each sample of an evaluation once for each 'evaluation_result_id'"
    runs = f"average the epochs with {setting('replicates', 'epoch')}" if len(epochs) > 1 else ""
    files = "leave out the files of other runs, or average the runs, named as in tiny@1=FILE and tiny@2=FILE"
    return table.rows(Format(f"{again}: {runs or files}", content="sample_hash"), "record")


def _members(value: object) -> dict[str, Any]:
    """The members of a JSON object, none of another value."""
    return value if isinstance(value, dict) else {}


def _measures_of_results(records: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """The measure of each result of the evaluations in which a sample has several results; without what all share."""
    results: dict[str, dict[str, None]] = defaultdict(dict)
    results_by_sample: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for record in records:
        if isinstance(record.get("evaluation_result_id"), str):
            results[record["evaluation_name"]].setdefault(record["evaluation_result_id"])
            results_by_sample[tuple(record[key] for key in _KEYS)].add(record["evaluation_result_id"])
    several = {evaluation for (_, evaluation, _), names in results_by_sample.items() if len(names) > 1}
    measures = {}
    for evaluation in several:
        short = {name: name.rpartition("::")[2] for name in results[evaluation]}
        measures[evaluation] = short if len(set(short.values())) == len(short) else {name: name for name in short}
    return measures


def _faults(record: dict[str, Any]) -> list[Problem]:
    """What is wrong with a line."""
    version = record.get("schema_version")
    if not isinstance(version, str) or version.split(".")[:2] != VERSION.split("."):
        return [invalid("schema_version", "" if version is None else str(version), f"{VERSION}.x")]
    members = _members(record.get("evaluation"))
    faults = [
        invalid(key, "" if record.get(key) is None else str(record[key]), "a text")
        for key in _KEYS
        if not isinstance(record.get(key), str) or not record[key]
    ]
    if not isinstance(members.get("score"), (int, float)) or isinstance(members.get("score"), bool):
        faults.append(invalid("evaluation.score", json_cell(members.get("score")) or "", "a number"))
    if not isinstance(members.get("is_correct"), bool):
        faults.append(invalid("evaluation.is_correct", json_cell(members.get("is_correct")) or "", "true or false"))
    return faults


_NAME = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT[\d.:-]+)?\.jsonl")
_HASHES = tuple(f"{key}_hash" for key in ("doc", "target", "prompt"))
_OTHERS = frozenset(
    ["doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "error", *_HASHES]
)
"""Keys of the log that are not metrics, where it does not list its metrics."""

_SAMPLE_LINE = '{"doc_id": …, "filter": …, "metrics": ["acc"], "acc": …}'
_OF_LISTS = (
    "a metric with a list for each document, such as a perplexity or corpus BLEU, has a score of the whole task only: "
    "name the logs of tasks with scores of documents"
)


@score_format(
    "lm-eval",
    {"m/samples_arc.jsonl": '{"doc_id": 0, "metrics": ["acc"], "acc": 1.0}\n{"doc_id": 1, "acc": true}\n'},
)
def lm_eval_rows(source: Source) -> Rows:
    """The scores of a log as a tidy table with the task and the hash of each document.

    The model has the name of the folder of the log. An item is `TASK:DOC_ID`. A metric of a filter is `METRIC/FILTER`.
    """
    path = source.path_or_name
    name = _NAME.fullmatch(Path(path).name.removesuffix(".gz"))
    if name is None:
        expected = "samples_TASK_TIME.jsonl, in the folder of the model"
        hint = "name the folder of the results of lm-evaluation-harness, or its files samples_*.jsonl"
        raise refuse(path, invalid("name of a file", Path(path).name, expected, hint=hint))
    task, model = name["task"], Path(path).absolute().parent.name
    records = list(json_records(source.text(), path, _SAMPLE_LINE))
    # The prompt of a document differs between models with different chat templates, its target does not.
    content = next((key for key in _HASHES[:2] if any(record.get(key) for _, record in records)), _HASHES[0])
    table = TidyScores(path, ("task", content))
    for line, record in records:
        document = record.get("doc_id")
        if not isinstance(document, (int, str)) or isinstance(document, bool):
            table.reject(line, empty("doc_id"))
            continue
        scores = dict(_scores(record))
        table.errors += bool(record.get("error"))
        if set(scores.values()) <= {NESTED}:
            problem = empty(f"score of document {document}", f"one for each metric, as in {_SAMPLE_LINE}")
            if scores:
                problem = wrong_type("a list", f" as metric '{next(iter(scores))}'", "a number", _OF_LISTS)
            table.reject(line, problem)
        for measure, score in scores.items():
            value = "" if record.get("error") else score
            table.add(line, [measure, model, f"{task}:{document}", value, task, str(record.get(content) or "")])
    hint = "the logs have scores where lm-evaluation-harness ran with --log_samples"
    raise_any(table.problems, *([] if any(problem.hint for problem in table.problems) else [hint]))
    again = "leave out the older logs of a task that was evaluated again, or average the runs of a model"
    layout = Format(
        f"{again}, named as in {model}@1=FILE and {model}@2=FILE",
        "tasks with different metrics are not one table: choose a metric of every task with "
        f"{setting('measures')}, or name the logs of one task",
        content=content,
    )
    return table.rows(layout, "document")


def _scores(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Measures and scores of a document; a list is no score of a document, as that of corpus BLEU."""
    filter_name = record.get("filter")
    suffix = f"/{filter_name}" if isinstance(filter_name, str) and filter_name != "none" else ""
    metrics = record.get("metrics")
    is_listed = isinstance(metrics, list)
    names: Sequence[Any] = metrics if isinstance(metrics, list) else [key for key in record if key not in _OTHERS]
    for name in names:
        score = record.get(name) if isinstance(name, str) else None
        if isinstance(score, (bool, int, float)):
            yield name + suffix, str(+score)
        elif (isinstance(score, list) or (is_listed and isinstance(score, dict))) and name not in _OTHERS:
            yield name + suffix, NESTED
        elif is_listed and (score is None or isinstance(score, str)):
            yield shortened(str(name)) + suffix, score or ""


_MARKS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
"""The numbers of Inspect's marks: correct, partially correct, incorrect, no answer."""

_HEADERS = ("header.json", "_journal/start.json")
_IS_SAMPLES = re.compile(r"summaries\.json|samples/.*\.json")
_CONVERT = "convert the log with `inspect log convert --to json`"
_NO_LOG = "name the logs that Inspect writes, .eval or .json"


@score_format(
    "inspect",
    {
        "log.json": '{"eval": {"task": "t", "model": "m"}, "samples": [\n'
        '{"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}},\n'
        '{"id": 2, "epoch": 1, "scores": {"match": {"value": 0.5}}}]}\n'
    },
)
def inspect_rows(source: Source) -> Rows:
    """The scores of the samples of a log as a tidy table with the task and the epoch.

    An item is `TASK:ID`. Of a score with several values, each is a measure `SCORER/KEY`.
    """
    path = source.path_or_name
    header, samples, lines = _inspect_log(source)
    evaluation = _members(header.get("eval"))
    absent = [key for key in ("task", "model") if not isinstance(evaluation.get(key), str) or not evaluation[key]]
    if absent or not samples:
        key = f"eval.{absent[0]}" if absent else "samples"
        raise refuse(path, empty(key, "a log of Inspect with scored samples", _NO_LOG))
    task, model = evaluation["task"], evaluation["model"]
    table = TidyScores(path, ("task", "epoch", "content"))
    score_on_error = _members(evaluation.get("config")).get("score_on_error")
    sample_rows = []
    for line, sample in zip(lines(), samples, strict=True):
        is_error = bool(sample.get("error")) and not score_on_error
        table.errors += is_error
        if not isinstance(sample.get("id"), (int, str)) or isinstance(sample.get("id"), bool):
            table.reject(line, empty("id", "one of every sample"))
        sample_rows.append((line, sample, {} if is_error else dict(_values(sample.get("scores")))))
    raise_any(table.problems, _CONVERT)
    measures = dict.fromkeys(name for *_, values in sample_rows for name in values)
    if not measures:
        hint = "score the log with `inspect score`, or name others"
        errors = f" ({table.errors:,} of {pluralize(len(samples), 'sample')} ended in an error)"
        reason = errors if table.errors else ""
        raise refuse(path, empty(f"score of a sample{reason}", "one of every sample", hint))
    for line, sample, values in sample_rows:
        others = task, str(sample.get("epoch") or 1), _content(sample)
        for measure in measures:
            table.add(line, [measure, model, f"{task}:{sample['id']}", values.get(measure, ""), *others])
    runs = "name the logs of other settings of a model as in other=FILE, those of its runs as in run@1=FILE"
    if any(str(sample.get("epoch") or 1) != "1" for sample in samples):
        runs = f"average the epochs with {setting('replicates', 'epoch')}; {runs}"
    status = header.get("status") or "success"
    notes = () if status == "success" else (f"{path}: the status of the log is '{status}': it may lack samples",)
    return table.rows(Format(runs, notes=notes, content="content"), "sample")


def _values(scores: object) -> Iterator[tuple[str, str]]:
    """The measures and the values of the scores of a sample; NaN is the mark of an unscored sample."""
    for scorer, score in _members(scores).items():
        value = score.get("value") if isinstance(score, dict) else score
        parts = {f"{scorer}/{key}": part for key, part in value.items()} if isinstance(value, dict) else {scorer: value}
        for measure, part in parts.items():
            mark = _MARKS.get(part, _MARKS.get(part.lower())) if isinstance(part, str) else part
            cell = json_cell(part if mark is None else +mark if isinstance(mark, bool) else mark)
            is_nan = isinstance(mark, float) and math.isnan(mark)
            yield measure, "" if is_nan else NESTED if cell is None else cell


def _content(sample: Mapping[str, Any]) -> str:
    """A hash of the input and the target of a sample, of what logs and their summaries have in common."""
    texts: list[Any] = []
    for value in (sample.get("input"), sample.get("target")):
        parts = value if isinstance(value, list) else [value]
        texts += [part.get("content") if isinstance(part, dict) else part for part in parts]
    beginnings = [" ".join(text.split())[:1000] for text in texts if isinstance(text, str)]
    return _hash("\n".join(beginnings)) if beginnings else ""


def _inspect_log(source: Source) -> tuple[dict[str, Any], list[dict[str, Any]], Lines]:
    """The header and the samples of a log, and the line of each sample; of an archive, its number."""
    path = source.path_or_name
    if not source.content.startswith(ZIP_MAGIC):
        text = source.text()
        header = parse_json(text, path)
        samples = header.get("samples") if isinstance(header, dict) else None
        if not isinstance(header, dict) or not isinstance(samples, list):
            raise refuse(path, missing_key([*_members(header)], ("samples",), _NO_LOG))
        return header, _objects(samples, path), lambda: lines_of_elements(text, "samples")
    try:
        with zipfile.ZipFile(io.BytesIO(source.content)) as archive:
            # Of several members of a name the last counts.
            members = {member.filename: member for member in archive.infolist()}
            names = [name for name in ("summaries.json", *members) if name in members and _IS_SAMPLES.match(name)]
            start = next((name for name in _HEADERS if name in members), None)
            if start is None or not names:
                raise refuse(path, missing_key([*members], _HEADERS, _NO_LOG))
            header, *parts = [
                parse_json(_content_of(archive, members[name], source.content, path), f"{path}/{name}")
                for name in (start, *(names[:1] if names[0] == "summaries.json" else names))
            ]
    except (zipfile.BadZipFile, EOFError, OSError, zlib.error) as error:
        raise refuse(path, unreadable("ZIP archive", error, f"copy it again, or {_CONVERT}")) from None
    samples = parts[0] if names[0] == "summaries.json" else parts
    return _members(header), _objects(samples, path), lambda: range(1, len(samples) + 1)


def _objects(samples: object, path: str) -> list[dict[str, Any]]:
    """The samples, which must be objects."""
    objects: list[Any] = samples if isinstance(samples, list) else [samples]
    wrong = next((sample for sample in objects if not isinstance(sample, dict)), None)
    if wrong is not None:
        raise refuse(path, wrong_type(kind_of(wrong), " among the samples", "objects", _CONVERT))
    return objects


_ZSTANDARD = 93


def _content_of(archive: zipfile.ZipFile, member: zipfile.ZipInfo, archive_bytes: bytes, path: str) -> str:
    """The text of a member of an archive; `zipfile` reads the Zstandard of Inspect from Python 3.14 on."""
    if member.file_size > MAX_UNPACKED:
        reason = f"{member.filename} has more than {MAX_UNPACKED >> 20:,} MB unpacked"
        raise refuse(path, unreadable("ZIP archive", reason, _CONVERT))
    if member.compress_type != _ZSTANDARD:
        return archive.read(member).decode(errors="replace")
    noun = "a log that is compressed with Zstandard"
    with importing(noun, "pyarrow", "parquet", f", or {_CONVERT}", path=path):
        import pyarrow as pa
    name, extra = (int.from_bytes(archive_bytes[member.header_offset + at :][:2], "little") for at in (26, 28))
    packed = pa.BufferReader(archive_bytes[member.header_offset + 30 + name + extra :][: member.compress_size])
    with pa.CompressedInputStream(packed, "zstd") as stream:
        content: bytes = stream.read(MAX_UNPACKED)
    return content.decode(errors="replace")


_RESULT = '{"provider": …, "prompt": …, "testIdx": …, "score": …, "success": …}'
_LONGEST_LABEL = 40


@score_format(
    "promptfoo",
    {
        "results.json": '{"results": {"version": 3, "results": [\n'
        '{"provider": {"id": "p:a"}, "prompt": {"label": "q"}, "testIdx": 0, "score": 1, "success": true},\n'
        '{"provider": {"id": "p:a"}, "prompt": {"label": "q"}, "testIdx": 1, "score": 0.5, "success": false}]}}\n'
    },
)
def promptfoo_rows(source: Source) -> Rows:
    """The measures `score`, `passed` and the named scores of each result as a tidy table.

    The system is the label of the provider, or else its id, and an item is `PROMPT:TEST`. `test` has the number of the
    first test with the same variables and assertions.
    """
    path = source.path_or_name
    results, lines = _promptfoo_results(source)
    table = TidyScores(path, ("test", "vars"))
    first: dict[str, int] = {}
    for line, result in zip(lines(), results, strict=True):
        provider, prompt = _members(result.get("provider")), _members(result.get("prompt"))
        test: Any = result.get("testIdx")
        system: Any = provider.get("label") or provider.get("id") or result.get("provider")
        label = str(prompt.get("label") or prompt.get("raw") or result.get("promptId") or "")
        faults = {
            "provider.id": not isinstance(system, str),
            "testIdx": not isinstance(test, int),
            "score": not isinstance(result.get("score"), (int, float)),
            "success": not isinstance(result.get("success"), bool),
        }
        if missing := [key for key, is_missing in faults.items() if is_missing]:
            table.reject(line, empty(missing[0], f"a result {_RESULT}"))
            continue
        variables = {key: value for key, value in _members(result.get("vars")).items() if key != "sessionId"}
        case = _members(result.get("testCase"))
        parts = [variables, case.get("assert"), case.get("description")]
        same = json.dumps([label, *(parts if any(parts) else [test])], sort_keys=True)
        prefix = f"{_short(label)}:" if label else ""
        others = f"{prefix}{first.setdefault(same, test)}", _hash(json.dumps(variables, sort_keys=True))
        is_error = _is_error(result)
        table.errors += is_error
        scores = {"score": result["score"], "passed": result["success"]}
        named_scores = _members(result.get("namedScores"))
        scores |= {f"named {key}" if key in scores else key: value for key, value in named_scores.items()}
        for measure, value in scores.items():
            cell = "" if is_error else json_cell(+value if isinstance(value, bool) else value) or ""
            table.add(line, [measure, system, f"{prefix}{test}", cell, *others])
    raise_any(table.problems, "write the results with `promptfoo eval --output results.json`, from version 3 on")
    tests = Counter((row[1], row[4]) for row in table.body if row[0] == "score")
    repeats = max(tests.values(), default=1)
    note = f"{path}: tests occur up to {repeats} times, as in repeated runs: the results of a test are a cluster"
    notes = (note,) if repeats > 1 else ()
    layout = Format(
        "give providers of one id different labels, and prompts of one text too; leave out the files of other runs, or "
        "average the runs, named as in a@1=FILE and a@2=FILE",
        f"named scores of some tests only are not a measure of all: choose measures of every test with "
        f"{setting('measures', 'score')}",
        notes=notes,
        content="vars",
        clusters="test" if notes else "",
    )
    return table.rows(layout)


def _hash(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()[:12]


def _short(label: str) -> str:
    """A prompt in the id of an item: its label, or the beginning of the hash of a long one."""
    return label if len(label) <= _LONGEST_LABEL and label.isprintable() else _hash(label)[:8]


def _is_error(result: Mapping[str, Any]) -> bool:
    """Whether a result ended in an error of the provider or of the grader; `error` alone may say why a test failed."""
    grading = _members(result.get("gradingResult"))
    graders = [grading, *(grading.get("componentResults") or [])]
    if any(_members(_members(grader).get("metadata")).get("graderError") for grader in graders):
        return True
    reason = result.get("failureReason")
    return reason == _FAILED_BY_ERROR or (reason is None and bool(result.get("error")) and not grading)


_FAILED_BY_ERROR = 2


def _promptfoo_results(source: Source) -> tuple[list[dict[str, Any]], Lines]:
    """The results of a file, and their lines."""
    text, path = source.text(), source.path_or_name
    if source.suffix == ".jsonl":
        records = list(json_records(text, path, _RESULT))
        return [record for _, record in records], lambda: [line for line, _ in records]
    document = parse_json(text, path)
    keys = ["results"]
    results = _members(document).get("results")
    if isinstance(results, dict):
        keys.append("results")
        results = results.get("results")
    if not isinstance(results, list) or not results or not all(isinstance(result, dict) for result in results):
        hint = "write the results with `promptfoo eval --output results.json`"
        raise refuse(path, missing_key([*_members(document)], ("results",), hint))
    return results, lambda: lines_of_elements(text, *keys)


_NO_REPORT = "name results/results.json or per_instance_details.json of a submission, or the report of the harness"


@score_format(
    "swe-bench",
    {"lite/a/results/results.json": '{"no_generation": ["x-2"], "resolved": [\n"x-1"]}\n'},
)
def swe_bench_rows(source: Source) -> Rows:
    """The measure `resolved`, 1 or 0, of each instance that a file lists.

    The system has the name of the folder of the submission, or else of the file.
    """
    path = source.path_or_name
    document = _members(parse_json(source.text(), path))
    resolved, instances, is_complete = _resolved(document, path)
    folders = Path(path).absolute().parents
    folder = {"results.json": folders[min(1, len(folders) - 1)].name, "per_instance_details.json": folders[0].name}
    system = folder.get(Path(path).name.removesuffix(".gz"), "")
    table = TidyScores(path)
    for name in instances:
        table.add(1, ["resolved", system, name, str(int(name in resolved))])
    note = "instances that no file lists are no items: shares are of the instances that some file lists"
    again = "name the submissions of the same name, or the reports of runs, as in a=FILE and b=FILE"
    notes = [] if is_complete else [note]
    if unsubmitted := len(document.get("incomplete_ids") or ()):
        notes.append(f"{path}: {pluralize(unsubmitted, 'instance')} without a submission: not resolved, a score of 0")
    return table.rows(Format(again, notes=tuple(notes), absent_is_zero=True))


def _resolved(document: dict[str, Any], path: str) -> tuple[set[str], list[str], bool]:
    """The resolved instances, all that are listed, and whether these are all instances of the split."""
    details = {key: value.get("resolved") for key, value in document.items() if isinstance(value, dict)}
    if details and all(isinstance(value, bool) for value in details.values()):
        return {key for key, value in details.items() if value}, [*details], True
    suffix = "_ids" if "resolved_ids" in document else ""
    lists = {key: value for key, value in document.items() if isinstance(value, list) and key.endswith(suffix)}
    if f"resolved{suffix}" not in lists:
        raise refuse(path, missing_key([*document], ("resolved", "resolved_ids"), _NO_REPORT))
    wrong = [(key, name) for key, names in lists.items() for name in names if not isinstance(name, str)]
    if wrong:
        raise refuse(path, wrong_type(kind_of(wrong[0][1]), f" in '{wrong[0][0]}'", "ids of instances", _NO_REPORT))
    instances = [*dict.fromkeys(name for names in lists.values() for name in names)]
    if not instances:
        raise refuse(path, empty("instance", "at least one", _NO_REPORT))
    return set(lists[f"resolved{suffix}"]), instances, document.get("total_instances") == len(instances)
