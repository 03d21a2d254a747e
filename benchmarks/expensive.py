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

from benchmarks.apart import Taken, apart, peak, tell
from benchmarks.paired import Comparison, by_processes
from metaeval.cli import main

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
    "merges": (_merges, 20, "classes, all of whose pairs are merged"),
    "page": (_page, 2_000, "classes on an HTML page"),
    "wsk": (partial(_kernel, measure="wsk"), 10_000, "words of a text, WSK with `--memory 200MB`"),
    "esk": (partial(_kernel, measure="esk"), 10_000, "words of a text, ESK with `--memory 200MB`"),
    "gzip": (_gzip, 500, "MB that gzip packs into half of one"),
    "annotators": (_annotators, 500, "annotators of ten items"),
    "values": (_values, 1_000, "annotators of three items, each with a value of their own"),
    "numbers": (partial(_numbers, annotators=2), 20_000, "items that two annotators rated with numbers"),
    "square": (partial(_numbers, annotators=200), 200, "items that 200 annotators rated with numbers"),
    "pairs": (partial(_numbers, annotators=3_000), 2, "items that 3,000 annotators rated with numbers"),
    "refused": (_merges, 60, "classes, all of whose pairs would be merged"),
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


def run(words: Sequence[str]) -> Taken:
    """A command in this process that succeeds or refuses its input."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        try:
            main(words)
        except SystemExit as end:
            code = end.code
    if code not in (0, 2):
        raise RuntimeError(f"exit code {code} of {' '.join(words)[:200]}")
    return Taken(time.process_time(), peak())


if __name__ == "__main__":
    tell(run(json.loads(sys.argv[1])["words"]))
