"""Small inputs that could be expensive: each is read, or refused with a reason, in bounded time and memory."""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.apart import Usage, apart, peak, tell
from benchmarks.paired import Comparison, by_processes
from metaeval.__main__ import main

HIGHEST, CLAIM = 2.0, "≤ 30 seconds"

Words = tuple[str, ...]
Input = Callable[[Path, int], Words]
"""From a folder for files and a size to the words of a command."""


def _text(folder: Path, name: str, lines: Iterable[str]) -> str:
    (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(folder / name)


def _keys(folder: Path, size: int) -> Words:
    lines = [json.dumps({"system": "s", "item": f"i{key}", f"m{key}": 1.0}) for key in range(size)]
    return "score", "--task", "table", _text(folder, "keys.jsonl", lines)


def _wide(folder: Path, size: int) -> Words:
    header = ",".join(["system", "item", *(f"m{key}" for key in range(size))])
    cells = ",".join(str(key % 11) for key in range(size))
    rows = [f"s{system},i{item},{cells}" for system, item in np.ndindex(3, 3)]
    return "score", "--task", "table", _text(folder, "wide.csv", [header, *rows]), "-f", "csv"


def _gate(folder: Path, size: int) -> Words:
    return "score", *_labels(folder, 2, 200), "--fail-if", f"scores.{'x' * size} < 0"


def _merges(folder: Path, size: int) -> Words:
    files = _labels(folder, size, 2_000)
    return "merge-classes", "--labels", "<".join(f"c{code}" for code in range(size)), *files


def _page(folder: Path, size: int) -> Words:
    files, scale = _labels(folder, size, 4_000), ",".join(f"c{code}" for code in range(size))
    return "score", "--labels", scale, *files, "-f", "html", "-o", str(folder / "page.html")


def _kernel(folder: Path, size: int, *, measure: str) -> Words:
    random = np.random.default_rng(1)
    files = []
    for name in ("references", "system"):
        text_of_words = " ".join(f"w{code}" for code in random.integers(3_000, size=size))
        lines = [json.dumps({"item": item, "text": text}) for item, text in (("1", text_of_words), ("2", "a b c"))]
        files.append(_text(folder, f"{name}.jsonl", lines))
    words = [f"w{code}\tl{code % 100}" for code in range(0, 3_000, 2)]
    options = ("-m", measure, "--lexicon", _text(folder, "words.tsv", words), "--memory", "200MB")
    return "score", "--task", "texts", "--gold", *files, *options


def _gzip(folder: Path, size: int) -> Words:
    with gzip.open(folder / "bomb.csv.gz", "wb", 9) as file:
        file.write(b"id,label\n")
        for _ in range(size):
            file.write(b"1,a\n" * (1 << 18))
    return "score", "--gold", _labels(folder, 2, 200)[1], str(folder / "bomb.csv.gz")


def _annotators(folder: Path, size: int) -> Words:
    rows = [f"i{item},a{annotator},{(item + annotator) % 3}" for annotator, item in np.ndindex(size, 10)]
    return "agreement", _text(folder, "ratings.csv", ["item,annotator,label", *rows])


def _numbers(folder: Path, size: int, *, annotators: int) -> Words:
    random = np.random.default_rng(3)
    values = random.normal(size=size)[:, np.newaxis] + random.normal(size=(size, annotators))
    rows = [f"i{item},a{annotator},{value:.6f}" for (item, annotator), value in np.ndenumerate(values)]
    return "agreement", _text(folder, "ratings.csv", ["item,annotator,value", *rows])


def _values(folder: Path, size: int) -> Words:
    """Each annotator gives one value, which no other annotator gives."""
    header = ",".join(["id", *(f"a{annotator}" for annotator in range(size))])
    cells = ",".join(map(str, range(size)))
    return "agreement", _text(folder, "ratings.csv", [header, *(f"i{item},{cells}" for item in range(3))])


def _verdicts(folder: Path, size: int, *, systems: int = 20, judges: int = 1) -> Words:
    random = np.random.default_rng(4)
    left = random.integers(systems, size=size)
    right = (left + random.integers(1, systems, size=size)) % systems
    winners = np.array(["left", "right", "tie"])[random.integers(3, size=size)]
    rows = [
        f"q{row // judges},s{one},s{other},{winner},j{row % judges}"
        for row, (one, other, winner) in enumerate(zip(left.tolist(), right.tolist(), winners.tolist(), strict=True))
    ]
    return "preferences", _text(folder, "verdicts.csv", ["item,left,right,winner,judge", *rows])


def _judges(folder: Path, size: int) -> Words:
    chosen = [word for judge in range(1, size) for word in ("--judge", f"j{judge}")]
    return *_verdicts(folder, 800 * size, judges=size), *chosen


def _systems(folder: Path, size: int) -> Words:
    return _verdicts(folder, 40 * size, systems=size)


def _digits(folder: Path, header: str, row_start: Callable[[int], str], *, cells: int, rows: int) -> str:
    """A file of rows with a beginning of their own and random digits."""
    digits = np.random.default_rng(5).integers(9, size=(rows, cells)).tolist()
    lines = [",".join([row_start(row), *map(str, row_digits)]) for row, row_digits in enumerate(digits)]
    return _text(folder, "digits.csv", [header, *lines])


def _metrics(folder: Path, size: int) -> Words:
    names = [f"m{metric}-{side}" for metric in range(size) for side in ("left", "right")]
    header = ",".join(["item,left,right,winner,judge", *names])
    winners = ("left", "right", "tie")

    def verdict(row: int) -> str:
        return f"q{row},s{row % 6},s{(row + 1 + row % 5) % 6},{winners[row % 3]},h"

    return "preferences", _digits(folder, header, verdict, cells=2 * size, rows=500)


def _corrected(folder: Path, size: int) -> Words:
    def item(row: int) -> str:
        return f"s{row % size},i{row // size}"

    return "correct", _digits(folder, "system,item,judge,human", item, cells=2, rows=150 * size)


def _phenomena(folder: Path, size: int, *, measures: int = 2, items: int = 2) -> Words:
    header = ",".join(
        ["item,phenomenon", *(f"m{measure}-{end}" for measure in range(measures) for end in ("good", "bad"))]
    )

    def item(row: int) -> str:
        return f"i{row},p{row % size}"

    return "contrast", _digits(folder, header, item, cells=2 * measures, rows=items * size)


def _contrasted(folder: Path, size: int) -> Words:
    return _phenomena(folder, 5, measures=size, items=100)


def _ranked(folder: Path, size: int) -> Words:
    """Scores of 20 systems under so many measures."""
    header = ",".join(["system,item", *(f"m{measure}" for measure in range(size))])
    return "similarity", "--task", "table", _digits(folder, header, _system_and_item, cells=size, rows=1_000)


def _system_and_item(row: int) -> str:
    return f"s{row % 20},i{row // 20}"


def _compared(folder: Path, size: int) -> Words:
    def item(row: int) -> str:
        return f"s{row % size},i{row // size}"

    return "compare", "--task", "table", _digits(folder, "system,item,m", item, cells=1, rows=50 * size)


def _generated(_: Path, size: int) -> Words:
    return "contrast", "--labels", "<".join(f"c{code}" for code in range(size)), "-m", "accuracy"


def _distributions(folder: Path, size: int) -> Words:
    header = ",".join(["item", *(f"c{code}" for code in range(size))])
    gold = _digits(folder, header, str, cells=size, rows=60)
    return "score", "--task", "distributions", "--gold", gold, f"s={gold}"


def _votes(folder: Path, size: int) -> Words:
    labels = np.random.default_rng(6).integers(size, size=15 * size).tolist()
    rows = [f"{row % 1000},r{row // 1000},l{label}" for row, label in enumerate(labels)]
    votes = _text(folder, "votes.csv", ["item,rater,label", *rows])
    return "score", "--task", "distributions", "--gold", votes, f"s={votes}"


def _classes(folder: Path, size: int, *, command: str) -> Words:
    return command, *_labels(folder, size, 10 * size)


def _columns(folder: Path, size: int, *, label: str, rows: int) -> Words:
    """Gold and a system in each column."""
    header = ",".join(["id,gold", *(f"s{system}" for system in range(size))])
    cells = ",".join([label] * size)
    lines = [f"{row},{('no', 'yes')[row % 2]},{cells}" for row in range(rows)]
    return "score", "--labels", "no,yes", "--gold", _text(folder, "systems.csv", [header, *lines])


def _labels(folder: Path, classes: int, items: int) -> Words:
    random = np.random.default_rng(2)
    files = [
        _text(folder, f"{name}.csv", ["id,label", *(f"{item},c{code}" for item, code in enumerate(codes))])
        for name, codes in zip(("gold", "s1", "s2", "s3"), random.integers(classes, size=(4, items)), strict=True)
    ]
    return "--gold", *files


INPUTS: Mapping[str, tuple[Input, int, str]] = {
    "keys": (_keys, 5_000, "lines of JSON, each with a key of its own"),
    "columns": (_wide, 40_000, "columns in CSV"),
    "gate": (_gate, 40_000, "letters in a condition of `--fail-if`"),
    "merges": (_merges, 20, "classes, each merged with its neighbour"),
    "page": (_page, 2_000, "classes on an HTML page"),
    "wsk": (partial(_kernel, measure="wsk"), 10_000, "words of a text, WSK with `--memory 200MB`"),
    "esk": (partial(_kernel, measure="esk"), 10_000, "words of a text, ESK with `--memory 200MB`"),
    "gzip": (_gzip, 500, "MB that gzip packs into half of one"),
    "annotators": (_annotators, 500, "annotators of ten items"),
    "values": (_values, 1_000, "annotators of three items, each with a value of their own"),
    "numbers": (partial(_numbers, annotators=2), 20_000, "items that two annotators rated with numbers"),
    "square": (partial(_numbers, annotators=200), 200, "items that 200 annotators rated with numbers"),
    "pairs": (partial(_numbers, annotators=3_000), 2, "items that 3,000 annotators rated with numbers"),
    "merges-60": (_merges, 60, "classes, each merged with its neighbour"),
    "ratings": (partial(_numbers, annotators=2), 250_000, "items that two annotators rated with numbers"),
    "judges": (_judges, 300, "judges, each compared with the first"),
    "systems": (_systems, 5_000, "systems in 40 verdicts each"),
    "metrics": (_metrics, 2_000, "metrics of both sides of 500 verdicts"),
    "corrected": (_corrected, 3_000, "systems, each with 150 items that judge and people scored"),
    "phenomena": (_phenomena, 100_000, "phenomena of two items each"),
    "contrasted": (_contrasted, 2_000, "measures of both sides of 500 items"),
    "generated": (_generated, 500, "classes, whose contrasts are generated"),
    "distributions": (_distributions, 20_000, "classes of 60 distributions"),
    "votes": (_votes, 20_000, "labels, for each of which 15 raters voted"),
    "classes": (partial(_classes, command="score"), 15_000, "classes of 10 items each"),
    "compared": (partial(_classes, command="compare"), 5_000, "classes of 10 items each"),
    "ranked": (_ranked, 320, "measures of 20 systems on 50 items"),
    "tested": (_compared, 400, "systems, each with 50 items"),
    "untested": (_compared, 2_000, "systems, each with 50 items"),
    "alike": (partial(_columns, label="yes", rows=30), 40_000, "systems, each in a column"),
    "broken": (partial(_columns, label="x", rows=3), 400_000, "systems, each in a column without a known class"),
}
"""By name: what writes the files, how large they are, and what is counted."""


def compare_input(name: str, rounds: int, *, size: int | None = None) -> Comparison:
    """Seconds and memory of a command that reads or refuses an input, without a peer."""
    write, usual, what = INPUTS[name]
    size = size or usual
    with TemporaryDirectory() as folder:
        words = write(Path(folder), size)
        return by_processes(
            f"`{words[0]}`: {size:,} {what}",
            lambda: apart("benchmarks.expensive", {"words": words}),
            claim=CLAIM,
            highest=HIGHEST,
            rounds=rounds,
        )


def run(words: Sequence[str]) -> Usage:
    """A command in this process, as `metaeval` runs it, that succeeds or refuses its input."""
    sys.argv[1:] = words
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        try:
            main()
        except SystemExit as end:
            code = end.code
    if code not in (0, 2):
        raise RuntimeError(f"exit code {code} of {' '.join(words)[:200]}")
    return Usage(time.process_time(), peak())


if __name__ == "__main__":
    tell(run(json.loads(sys.argv[1])["words"]))
