"""A small file for every reader of metaeval, and the command that reads it."""

from __future__ import annotations

import gzip
import io
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from metaeval.io.labels.tasks import TASKS, ScoreTask

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_data"

LABELS = b"id,label\n1,no\n2,yes\n3,no\n4,yes\n5,maybe\n"
WIDE = b'id,gold,a,b\n1,no,no,yes\n2,yes,yes,"yes"\n3,no,yes,no\n4,yes,yes,yes\n'
FNC1 = b'Headline,Body ID,Stance\n"Moon, seen",1,agree\nSun,1,disagree\nSun,2,discuss\nRain,3,unrelated\n'
RUMOUR = b'{"10": "support",\n "11": "deny", "12": "query", "13": "comment"}\n'
RUMOUR_2019 = b'{"subtaskaenglish": {"1": "support", "2": "deny"}, "subtaskbenglish": {"3": ["true", 0.5]}}\n'
JSON_LINES = b'{"id": "1", "label": "no"}\n{"id": "2", "label": "yes"}\n{"id": 3, "label": "no"}\n'
TEXTS = b'{"id": "t1", "text": "The cat sat.\\nIt slept."}\n{"id": "t2", "sentences": ["A dog ran.", "It ate."]}\n'
TEXTS_CSV = b'id,text\nt1,"The cat sat. It slept."\nt2,"A dog ran."\n'
SYSTEMS = b'{"id": "t1", "text": "A cat sat."}\n{"id": "t2", "text": "Dogs ran."}\n'
LEXICON = "cat\tanimal pet\ndog\tanimal\nsat\trested\nnaïve\tstate\n".encode()
STOP_WORDS = b"the\na\nit\n"
NUMBERS = b"id,score\n1,0.5\n2,1.25\n3,-3e-1\n4,2\n5,1\n"
TABLE = b"measure,system,item,value\nm,a,1,0.5\nm,a,2,0.25\nm,b,1,1\nm,b,2,0\nn,a,1,3\nn,a,2,4\nn,b,1,5\nn,b,2,6e-1\n"
CONTRASTS = (
    b"item,phenomenon,severity,reference,good,bad\n1,a,minor,The cat sat.,A cat sat.,A dog sat.\n2,a,,It ate.,It ate,\n"
)
VERDICTS = b"item,left,right,winner,judge,m-left,m-right\n1,A,B,left,x,2,1\n2,B,A,tie,x,,1\n3,A,B,right,y,1,1\n"
RATINGS = b"item,annotator,value\n1,x,1\n1,y,2\n2,x,3\n2,y,3\n3,x,1\n3,y,1\n"
JUDGED = b"system,item,judge,human\na,1,2,1\na,2,3,2.5\na,3,.5,\nb,1,1,1\nb,2,2,3\nb,3,4e0,\n"
HUMAN = b"measure,system,item,value\nh,a,1,1\nh,a,2,2\nh,b,1,3\nh,b,2,4\n"
WEIGHTINGS = b"weights,no,yes,maybe\none,.5,.25,.25\ntwo,1,0,0\n"
SETTINGS = b"""<ROUGE-EVAL version="1.5.5">
  <EVAL ID="1"><PEER-ROOT>.</PEER-ROOT><MODEL-ROOT>.</MODEL-ROOT><INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT>
    <PEERS><P ID="A">peer.txt</P><P ID="B">model.txt</P></PEERS><MODELS><M ID="1">model.txt</M></MODELS></EVAL>
</ROUGE-EVAL>
"""
CONFIG = b"""\
data:
  gold: gold.csv
  runs: [run.csv, other=gold.csv]
  labels: no<maybe<yes
  class-weights: {no: .5, maybe: .25, yes: 0.25}
measures: [accuracy, "kappa:weights=linear"]
seed: 7
score: {trivial: true}
similarity: {permutations: 3}
stability: {trials: 3, permutations: 3}
merge-classes: {merges: [no+maybe], permutations: 2}
summary: {}
check: {fail-if: ["scores.run.accuracy < 0.1"]}
output: {digits: 3, format: csv}
"""
SHARES = b"item,no,yes,maybe\n1,.5,.5,0\n2,1,0,0\n3,.5,.25,.25\n"
VOTES = b"item,rater,label,count\n1,a,no,1\n1,b,yes,2\n2,a,maybe,1\n3,b,no,.5\n"
GATE = b'scores."run".accuracy - scores.*.accuracy < -0.5e0'


class Reader(NamedTuple):
    """What a command reads, and the one file of it that is to be broken."""

    broken: str
    files: Mapping[str, bytes]
    command: tuple[str, ...]


def _labels(name: str, content: bytes, *options: str) -> Reader:
    return Reader(name, {"gold.csv": LABELS, name: content}, ("score", "--gold", "gold.csv", name, *options))


def _texts(name: str, content: bytes, *options: str) -> Reader:
    files = {"references.jsonl": TEXTS, "system.jsonl": SYSTEMS, name: content}
    command = ("score", "--task", "texts", "--gold", "references.jsonl", "system.jsonl", "-m", "rouge-n:n=1", *options)
    return Reader(name, files, command)


def _agreement(name: str, content: bytes) -> Reader:
    return Reader(name, {name: content}, ("agreement", name))


def _contrast(name: str, content: bytes, *options: str) -> Reader:
    return Reader(name, {name: content}, ("contrast", name, *options))


def _preferences(name: str, content: bytes) -> Reader:
    return Reader(name, {name: content}, ("preferences", name))


def _formats_of_scores() -> dict[str, Reader]:
    """Each file of the example of each format."""
    cases = {}
    for task in (task for task in TASKS.values() if isinstance(task, ScoreTask)):
        for broken in task.example:
            files = {path: content.encode() for path, content in task.example.items()}
            cases[f"{task.name} {broken}"] = Reader(broken, files, ("score", "--task", task.name, broken.split("/")[0]))
    return cases


@cache
def readers() -> Mapping[str, Reader]:
    """Every reader by a name."""
    table = Reader("table.csv", {"table.csv": TABLE}, ("score", "--task", "table", "table.csv"))
    config = Reader(
        "config.yaml", {"config.yaml": CONFIG, "gold.csv": LABELS, "run.csv": LABELS}, ("run", "config.yaml")
    )
    r4c = {"gold.json": _sample("r4c/references.json"), "careful.json": _sample("r4c/systems/careful.json")}
    r4c_command = ("score", "--task", "r4c", "--gold", "gold.json", "careful.json", "-m", "r4c-align:level=entity")
    shares_call = ("score", "--task", "distributions", "--gold", "gold.csv", "run.csv")
    fnc1 = {"g.csv": FNC1, "run.csv": FNC1}
    correlate = {"table.csv": TABLE, "human.csv": HUMAN}
    two = ("--gold", "gold.csv", "run.csv")
    parquet = {"gold.parquet": _parquet(), "run.parquet": _parquet()}
    duckdb = ("score", "--gold", "gold.parquet", "run.parquet", "--engine", "duckdb", "--on-missing", "drop")
    return {
        "tidy": _labels("run.csv", LABELS),
        "wide": Reader("wide.csv", {"wide.csv": WIDE}, ("score", "--gold", "wide.csv")),
        "bare": _labels("run.txt", b"no\nyes\nno\nyes\nmaybe\n"),
        "tsv": _labels("run.tsv", LABELS.replace(b",", b"\t")),
        "gzip": _labels("run.csv.gz", gzip.compress(LABELS, mtime=0)),
        "declared classes": _labels("run.csv", LABELS, "--labels", "no<maybe<yes", "--on-unknown", "drop"),
        "clusters": Reader(
            "gold.csv",
            {
                "gold.csv": b"id,label,topic\n1,no,x\n2,yes,x\n3,no,y\n4,yes,y\n5,maybe,z\n",
                **{"run.csv": LABELS, "other.csv": LABELS.replace(b"yes", b"no")},
            },
            ("compare", *two, "other.csv", "--cluster", "topic", "-m", "accuracy"),
        ),
        "duckdb": Reader("run.parquet", parquet, duckdb),
        "duckdb gold": Reader("gold.parquet", parquet, duckdb),
        "parquet": _labels("run.parquet", _parquet(), "--on-missing", "drop"),
        "json lines": _labels("run.jsonl", JSON_LINES, "--on-missing", "drop"),
        "numbers": _labels("run.csv", NUMBERS, "--task", "scores", "--labels", "no<maybe<yes"),
        "fnc1": Reader("run.csv", fnc1, ("score", "--task", "fnc1", "--gold", "g.csv", "run.csv")),
        "fnc1 gold": Reader("g.csv", fnc1, ("score", "--task", "fnc1", "--gold", "g.csv", "run.csv")),
        "rumoureval2017": Reader(
            "r.json",
            {"g.json": RUMOUR, "r.json": RUMOUR},
            ("score", "--task", "rumoureval2017", "--gold", "g.json", "r.json"),
        ),
        "rumoureval2019": Reader(
            "r.json",
            {"g.json": RUMOUR_2019, "r.json": RUMOUR_2019},
            ("score", "--task", "rumoureval2019-b", "--gold", "g.json", "r.json"),
        ),
        "texts": _texts("system.jsonl", SYSTEMS),
        "references": _texts("references.jsonl", TEXTS),
        "texts in csv": Reader(
            "s.csv",
            {"references.jsonl": TEXTS, "s.csv": TEXTS_CSV},
            ("score", "--task", "texts", "--gold", "references.jsonl", "s.csv", "-m", "rouge-l"),
        ),
        "texts in files": Reader(
            "system/t1.txt",
            {"gold/t1.txt": b"The cat sat.\n", "system/t1.txt": b"A cat sat.\nIt slept.\n"},
            ("score", "--task", "texts", "--gold", "gold", "system", "-m", "rouge-su:skip=4"),
        ),
        "lexicon": _texts("words.tsv", LEXICON, "--lexicon", "words.tsv", "-m", "esk:d=2,lambda=0.5,beta=2"),
        "stop words": _texts("stop.txt", STOP_WORDS, "-m", "rouge-n:n=1,stopwords=stop.txt"),
        "exceptions": _texts("forms.txt", b"ran run\natd ate\n", "-m", "rouge-n:n=1,stem=porter,exceptions=forms.txt"),
        "rouge settings": Reader(
            "settings.xml",
            {"settings.xml": SETTINGS, "peer.txt": b"A cat sat.\n", "model.txt": b"The cat sat.\n"},
            ("score", "--task", "texts", "--gold", "settings.xml", "-m", "rouge-n:n=1"),
        ),
        "derivations": Reader("careful.json", r4c, r4c_command),
        "derivations of gold": Reader("gold.json", r4c, r4c_command),
        "distributions": Reader("run.csv", {"gold.csv": VOTES, "run.csv": SHARES}, shares_call),
        "votes": Reader("gold.csv", {"gold.csv": VOTES, "run.csv": SHARES}, (*shares_call, "--labels", "no<maybe<yes")),
        "table": table,
        "table in lines": Reader(
            "table.jsonl",
            {
                "table.jsonl": b'{"measure": "m", "system": "a", "item": "1", "value": 0.5}\n'
                b'{"measure": "m", "system": "b", "item": "1", "value": 1}\n'
            },
            ("score", "--task", "table", "table.jsonl"),
        ),
        **_formats_of_scores(),
        "human": Reader(
            "human.csv",
            correlate,
            (
                *("correlate", "--task", "table", "table.csv", "--human", "human.csv"),
                *("--interval", "none", "--test", "none"),
            ),
        ),
        "ratings": _agreement("ratings.csv", RATINGS),
        "wide ratings": _agreement("ratings.csv", b"id,x,y\n1,1,2\n2,3,3\n3,1,1\n"),
        "judged": Reader("judged.csv", {"judged.csv": JUDGED}, ("correct", "judged.csv")),
        "contrasts of texts": _contrast("c.csv", CONTRASTS, "-m", "rouge-n:n=1"),
        "contrasts of labels": _contrast("c.csv", b"phenomenon,gold,good,bad\na,x,x,y\nb,y,y,x\n", "--labels", "x<y"),
        "contrasts of scores": _contrast("c.tsv", b"item\tphenomena\tm-good\tm-bad\n1\ta\t.5\t1e-1\n2\ta\t0\t3\n"),
        "verdicts": _preferences("verdicts.csv", VERDICTS),
        "better and worse": _preferences("darr.csv", b"sid,better,worse,m-better,m-worse\n1,A,B,2,1\n2,B,A,1,3\n"),
        "fastchat": _preferences(
            "j_pair.jsonl",
            b'{"question_id": 1, "model_1": "A", "model_2": "B", "g1_winner": "model_1", "g2_winner": "tie", '
            b'"judge": ["j", "pair-v2"]}\n',
        ),
        "weightings": Reader(
            "weights.csv",
            {
                **{"weights.csv": WEIGHTINGS, "gold.csv": LABELS, "run.csv": LABELS},
                "other.csv": LABELS.replace(b"yes", b"no"),
            },
            (
                *("sensitivity", "--labels", "no,yes,maybe", "--class-weights", "no=1,yes=1,maybe=1", *two),
                *("other.csv", "--weights", "weights.csv", "-m", "weighted-f:beta=1"),
            ),
        ),
        "configuration": config,
        "results": Reader("r.json", {"r.json": _results()}, ("check", "r.json", "--fail-if", "scores.*.accuracy < 0")),
    }


def _sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


def _parquet() -> bytes:
    import pyarrow
    from pyarrow import parquet

    written = io.BytesIO()
    parquet.write_table(pyarrow.table({"id": ["1", "2", "3"], "label": ["no", "yes", "no"]}), written)
    return written.getvalue()


@cache
def _results() -> bytes:
    from metaeval.analyses.score import score
    from metaeval.analyses.score.settings import ScoreSettings
    from metaeval.config import DataConfig, ExperimentConfig
    from metaeval.render import render
    from metaeval.runner.one import run_analysis

    gold = str(SAMPLES / "fnc1/gold.csv")
    runs = tuple(
        str(SAMPLES / f"fnc1/systems/{name}")
        for name in sorted(p.name for p in (SAMPLES / "fnc1/systems").iterdir())[:2]
    )
    config = ExperimentConfig(DataConfig(gold, runs, "fnc1"), ("accuracy", "macro-f1"), analyses=(ScoreSettings(),))
    return render(run_analysis(score, config), "json").encode()
