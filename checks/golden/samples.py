"""Writes the data that the samples of the repository lack: other formats, other tasks, and broken files."""

import csv
import gzip
import json
import shutil
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

Row = Sequence[object]

SYSTEMS = ("atlas_base", "eager_agree", "neighbour_net", "random_guess")
ITEMS = 240

WORDNET = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">
<Lexicon id="tiny" label="Tiny" language="en" email="a@example.org" license="CC0" version="1">
  <LexicalEntry id="bridge-n"><Lemma writtenForm="bridge" partOfSpeech="n"/>
    <Sense id="bridge-n-1" synset="tiny-bridge-n"/></LexicalEntry>
  <LexicalEntry id="beam-n"><Lemma writtenForm="beam" partOfSpeech="n"/>
    <Sense id="beam-n-1" synset="tiny-beam-n"/></LexicalEntry>
  <LexicalEntry id="pillar-n"><Lemma writtenForm="pillar" partOfSpeech="n"/>
    <Sense id="pillar-n-1" synset="tiny-beam-n"/></LexicalEntry>
  <Synset id="tiny-bridge-n" ili="i1" partOfSpeech="n">
    <SynsetRelation relType="hypernym" target="tiny-beam-n"/></Synset>
  <Synset id="tiny-beam-n" ili="i2" partOfSpeech="n"/>
</Lexicon>
</LexicalResource>
"""


def write(made: Path, samples: Path) -> None:
    """Write everything below the folder `made`, from the samples of the repository; the same bytes every time."""
    _labels(made / "labels", samples / "fnc1")
    _rumours(made / "rumours2019", samples / "rumoureval2017")
    _scores(made / "scores")
    _ratings(made / "ratings")
    _contrasts(made / "contrast")
    _repeated(made / "repeated")
    _texts(made / "texts", samples / "news")
    _broken(made / "broken", samples / "fnc1")
    (made / "wordnet.xml").write_text(WORDNET, encoding="utf-8")
    for name in ("my_measures.py", "speech.csv"):
        shutil.copy(Path(__file__).parents[2] / "docs/examples" / name, made)


def _labels(folder: Path, fnc1: Path) -> None:
    """The same labels as tidy, wide and bare files, as JSON lines, TSV, gzip and Parquet, whole and in partitions."""
    columns = {"gold": _column(fnc1 / "gold.csv")}
    columns |= {name: _column(fnc1 / "systems" / f"{name}.csv") for name in SYSTEMS}
    ids = [f"t{number}" for number in range(1, ITEMS + 1)]
    rows = list(zip(ids, *columns.values(), strict=True))
    _csv(folder / "wide.csv", ["id", *columns], rows)
    _csv(folder / "wide.tsv", ["id", *columns], rows, delimiter="\t")
    (folder / "wide.csv.gz").write_bytes(gzip.compress((folder / "wide.csv").read_bytes(), mtime=0))
    table = pa.table({"id": ids, **columns})
    parquet.write_table(table, folder / "wide.parquet")
    (folder / "partitions").mkdir()
    for number in range(3):
        parquet.write_table(table.slice(number * 80, 80), folder / "partitions" / f"part-{number}.parquet")
    for name, labels in columns.items():
        kind = "gold" if name == "gold" else "systems"
        stem = name if name == "gold" else f"{kind}/{name}"
        _csv(folder / "tidy" / f"{stem}.csv", ["id", "label"], list(zip(ids, labels, strict=True)))
        _csv(folder / "columns" / f"{stem}.csv", ["key", "stance"], list(zip(ids, labels, strict=True)))
        _text(folder / "bare" / f"{stem}.txt", "".join(f"{label}\n" for label in labels))
        lines = (json.dumps({"id": item, "label": label}) for item, label in zip(ids, labels, strict=True))
        _text(folder / "lines" / f"{stem}.jsonl", "".join(f"{line}\n" for line in lines))
    # Without its only b, gold is constant, and so is the first system.
    undefined = [(number, *row) for number, row in enumerate(zip("aaaab", "aaaaa", "aabab", "abaab", strict=True))]
    _csv(folder / "undefined.csv", ["id", "gold", "constant", "one", "two"], undefined)
    # Windows' old encoding, and labels with an accent.
    accented = (label.replace("agree", "évident") for label in columns["gold"])
    rows_in_cp1252 = "".join(f"{item},{label}\n" for item, label in zip(ids, accented, strict=True))
    (folder / "cp1252.csv").write_bytes(f"id,label\n{rows_in_cp1252}".encode("cp1252"))


def _rumours(folder: Path, rumours: Path) -> None:
    """RumourEval 2019 out of the sample of 2017: subtask A, and subtask B with confidences."""
    verdicts = ("true", "false", "unverified")
    for name in ("gold", "systems/steady", "systems/never_deny", "systems/support_keen"):
        labels = json.loads((rumours / f"{name}.json").read_text(encoding="utf-8"))
        veracity = {
            key: (verdicts[len(label) % 3] if name == "gold" else [verdicts[(len(label) + index % 5) % 3], 0.5])
            for index, (key, label) in enumerate(list(labels.items())[:60])
        }
        _text(folder / f"{name}.json", json.dumps({"subtaskaenglish": labels, "subtaskbenglish": veracity}))


def _scores(folder: Path) -> None:
    """Scores of two measures and a rater, tidy and wide, as CSV, TSV, JSON lines and Parquet."""
    systems, items = [f"s{number}" for number in range(1, 7)], [f"i{number}" for number in range(1, 21)]
    rows: list[tuple[str, str, float, float, int]] = []
    for (index, system), (number, item) in product(enumerate(systems), enumerate(items)):
        good = (7 * index + 3 * number + index * number) % 11
        rows.append((system, item, round(0.2 + 0.05 * good, 3), round(0.9 - 0.06 * ((good * 5) % 9), 3), good % 5))
    head = ("system", "item", "bleu", "ter", "person")
    _csv(folder / "wide.csv", head, rows)
    _csv(folder / "wide.tsv", head, rows, delimiter="\t")
    tidy = [(measure, row[0], row[1], row[column]) for column, measure in enumerate(head[2:], 2) for row in rows]
    _csv(folder / "tidy.csv", ("measure", "system", "item", "value"), tidy)
    _text(folder / "wide.jsonl", "".join(json.dumps(dict(zip(head, row, strict=True))) + "\n" for row in rows))
    parquet.write_table(
        pa.table(dict(zip(head, map(list, zip(*rows, strict=True)), strict=True))), folder / "wide.parquet"
    )
    _csv(
        folder / "holes.csv",
        head,
        [(*row[:2], "" if row_index == 7 else row[2], *row[3:]) for row_index, row in enumerate(rows)],
    )


def _contrasts(folder: Path) -> None:
    """Pairs of labels and of scores of both sides, and rows that cannot be read."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = ["item,phenomenon,severity,gold,good,bad"]
    scores = ["item\tphenomena\tcomet-good\tcomet-bad\tter-good\tter-bad"]
    for number in range(20):
        gold = ("low", "high")[number % 2]
        labels += [f"{number},far,2,{gold},mid,{('high', 'low')[number % 2]}", f"{number},any,1,{gold},{gold},mid"]
        good, bad = 0.5 + number / 50, 0.5 + number % 7 / 10
        scores.append(f"{number}\tname\t{good:g}\t{bad:g}\t{1 - good:g}\t{1 - bad / 2:g}")
    (folder / "labels.csv").write_text("\n".join(labels) + "\n", encoding="utf-8")
    (folder / "scores.tsv").write_text("\n".join(scores) + "\n", encoding="utf-8")
    broken = "item,phenomenon,bleu-good,bleu-bad\n1,a,.5,.4\n2,,.5,x\n,a,,.4\n"
    (folder / "broken.csv").write_text(broken, encoding="utf-8")


def _repeated(folder: Path) -> None:
    """Groups and repeated runs: pairs with scores of two runs, scores of a judge, verdicts, and kinds of annotators."""
    pairs, scores, verdicts = [], [], []
    for number in range(60):
        lang, item = ("de", "en", "fr")[number % 3], f"i{number}"
        for run in ("r1", "r2"):
            noise = number * (3 if run == "r1" else 5) % 7
            pairs.append((item, lang, "xyz"[number // 3 % 2], run, 3 + number % 4, noise))
            human = 1 + number % 5 if number % 2 else ""
            scores.append((item, lang, "AB"[number // 30], run, 1 + (number + noise // 4) % 5, human))
            winner = ("left", "right", "tie")[noise % 3]
            verdicts.append((item, lang, run, *("AB", "BC", "CA")[number // 3 % 3], winner, "kite", "judge"))
        for name in ("ann", "bob"):
            winner = "left" if number % (5 + len(name)) % 2 else "right"
            verdicts.append((item, lang, "", *("AB", "BC", "CA")[number // 3 % 3], winner, name, "human"))
    _csv(folder / "pairs.csv", ("item", "lang", "phenomenon", "run", "m-good", "m-bad"), pairs)
    _csv(folder / "scores.csv", ("item", "lang", "system", "run", "judge", "human"), scores)
    _csv(folder / "verdicts.csv", ("item", "lang", "run", "left", "right", "winner", "judge", "kind"), verdicts)
    kinds = [
        (name, f"i{number}", number % (3 + len(name)) % 2, kind)
        for name, kind in (("ann", "human"), ("kite", "llm"), ("otto", "expert"))
        for number in range(30)
    ]
    _csv(folder / "kinds.csv", ("annotator", "item", "label", "kind"), kinds)


def _ratings(folder: Path) -> None:
    """Ratings in words and in numbers: a row a rating, a column an annotator, and a file an annotator."""
    words = ("low", "mid", "high")
    people = ("ann", "bob", "eve")
    items = [f"i{number}" for number in range(1, 31)]
    rated = {
        person: [words[(index // 3 + (index * (turn + 2)) % 5 // 4) % 3] for index in range(len(items))]
        for turn, person in enumerate(people)
    }
    tidy = [
        (person, item, rated[person][index])
        for person in people
        for index, item in enumerate(items)
        if (index + len(person)) % 13
    ]
    _csv(folder / "tidy.csv", ("annotator", "item", "label"), tidy)
    _csv(folder / "named.csv", ("who", "what", "mark"), tidy)
    _csv(folder / "wide.csv", ("item", *people), list(zip(items, *rated.values(), strict=True)))
    for person, labels in rated.items():
        _csv(folder / "files" / f"{person}.csv", ("item", "label"), list(zip(items, labels, strict=True)))
    judge = [(item, rated["ann"][index] if index % 4 else "mid") for index, item in enumerate(items)]
    _csv(folder / "judge.csv", ("item", "label"), judge)


def _texts(folder: Path, news: Path) -> None:
    """The outputs of the news sample as CSV, and one output that is missing, in excess or empty."""
    lines = [json.loads(line) for line in (news / "systems.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [(line["system"], line["item"], line.get("text") or " ".join(line["sentences"])) for line in lines]
    _csv(folder / "outputs.csv", ("system", "item", "text"), rows)
    _csv(folder / "missing.csv", ("system", "item", "text"), rows[1:])
    _csv(folder / "extra.csv", ("system", "item", "text"), [*rows, ("lead", "n99", "A text of an unknown item.")])
    _csv(folder / "empty.csv", ("system", "item", "text"), [(*rows[0][:2], ""), *rows[1:]])


def _broken(folder: Path, fnc1: Path) -> None:
    """Files that no command accepts without a policy, and some that none accepts at all."""
    gold = _column(fnc1 / "gold.csv")
    rows = [(f"t{number}", label) for number, label in enumerate(gold, 1)]
    _csv(folder / "gold.csv", ("id", "label"), rows)
    _csv(folder / "missing.csv", ("id", "label"), rows[3:])
    _csv(folder / "unknown.csv", ("id", "label"), [("t1", "discus"), ("t2", "none"), *rows[2:]])
    _csv(folder / "extra.csv", ("id", "label"), [*rows, ("t999", "agree")])
    _csv(folder / "twice.csv", ("id", "label"), [*rows, rows[0]])
    _csv(folder / "header.csv", ("identifier", "answer"), rows)
    _csv(folder / "ragged.csv", ("id", "label"), [rows[0], (*rows[1], "more", "cells"), *rows[2:]])
    _text(folder / "empty.csv", "")
    (folder / "binary.csv").write_bytes(bytes(range(256)))
    _text(folder / "syntax.json", '{"a": "agree", "b" "agree"}')
    _text(folder / "list.json", '["agree"]')
    _text(folder / "results.json", '{"command": "score", "tables": 3}')
    _text(folder / "torn.parquet", "PAR1 and no more")
    _text(folder / "number.csv", "system,item,bleu\na,1,0.5\na,2,much\nb,1,0.25\nb,2,1e999\n")
    _text(folder / "weightings.csv", "weights,support,deny,query\none,0.5,x,-1\n")


def _column(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return [row["Stance"] for row in csv.DictReader(file)][:ITEMS]


def _csv(path: Path, head: Row, rows: Sequence[Row], *, delimiter: str = ",") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows([head, *rows])


def _text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
