"""Simulated data in files, compared by the command line: labels, texts of continuous worths, and tables of scores."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from metaeval.cli import main
from simulations.generators import Codes, Floats, correct_items

_WORDS = 8
"""Words of a reference, so that scores of texts are continuous."""


def rejects(kind: str, random: np.random.Generator, systems: int, clusters: Codes, *, luck: float, used: bool) -> bool:
    """Whether `compare` calls equal systems different.

    luck: share of the variance of the systems' luck with the clusters. used: whether the test knows the clusters.
    """
    items = len(clusters)
    groups = [(clusters, luck)] if luck else []
    right = np.stack(
        [
            correct_items(random, np.full(systems, share), items, luck=groups)
            for share in ([0.7] if kind == "labels" else np.linspace(0.5, 0.9, _WORDS))
        ]
    )
    with TemporaryDirectory() as name:
        folder = Path(name)
        call = {"labels": _labels, "texts": _texts, "table": _table}[kind](folder, right, random)
        threads = "".join(f"i{item},t{thread}\n" for item, thread in enumerate(map(int, clusters)))
        (folder / "clusters.csv").write_text(f"item,thread\n{threads}")
        options = ("--cluster", f"{folder / 'clusters.csv'}:thread") if used else ()
        words = ["compare", *call, *options, "--permutations", "499", "-q", "-f", "json"]
        rows = json.loads(_output(words))["tables"]["comparisons"]
    return any(row["p_adjusted"] <= 0.05 for row in rows)


def _labels(folder: Path, right: Floats, random: np.random.Generator) -> list[str]:
    """Files of labels of two classes; right: (1, S, N)."""
    gold = random.integers(0, 2, right.shape[2])
    codes_of_systems = np.where(right[0].astype(bool), gold, 1 - gold).tolist()
    every = {"gold": gold.tolist()} | {f"s{system}": predicted for system, predicted in enumerate(codes_of_systems)}
    for name, codes in every.items():
        rows = "".join(f"i{item},{'ab'[code]}\n" for item, code in enumerate(codes))
        (folder / f"{name}.csv").write_text(f"id,label\n{rows}")
    paths = [str(folder / f"s{system}.csv") for system in range(right.shape[1])]
    return ["--gold", str(folder / "gold.csv"), *paths, "-m", "accuracy"]


def _texts(folder: Path, right: Floats, _random: np.random.Generator) -> list[str]:
    """A file of references and one of outputs; right: whether each word is the reference's, (W, S, N)."""
    words, systems, items = right.shape
    reference = " ".join(f"w{word}" for word in range(words))
    lines = [json.dumps({"item": f"i{item}", "text": reference}) for item in range(items)]
    (folder / "references.jsonl").write_text("\n".join(lines))
    texts = np.where(right.astype(bool), np.array([f"w{word}" for word in range(words)])[:, None, None], "x")
    lines = [
        json.dumps({"system": f"s{system}", "item": f"i{item}", "text": " ".join(texts[:, system, item].tolist())})
        for system in range(systems)
        for item in range(items)
    ]
    (folder / "outputs.jsonl").write_text("\n".join(lines))
    gold, outputs = str(folder / "references.jsonl"), str(folder / "outputs.jsonl")
    return ["--task", "texts", "--gold", gold, outputs, "-m", "rouge-n"]


def _table(folder: Path, right: Floats, random: np.random.Generator) -> list[str]:
    """A table of scores with normal noise; right: (W, S, N)."""
    scores = right.mean(axis=0) + 0.05 * random.standard_normal(right.shape[1:])
    rows = [
        f"s{system},i{item},{value:.9f}\n"
        for system, system_scores in enumerate(scores.tolist())
        for item, value in enumerate(system_scores)
    ]
    (folder / "scores.csv").write_text("system,item,quality\n" + "".join(rows))
    return ["--task", "table", str(folder / "scores.csv")]


def _output(words: list[str]) -> str:
    """What a command prints, in this process."""
    out, arguments = io.StringIO(), sys.argv
    sys.argv = ["metaeval", *words]
    try:
        with redirect_stdout(out), redirect_stderr(io.StringIO()) as errors:
            main()
    except SystemExit as end:
        if end.code:
            raise RuntimeError(errors.getvalue()) from None
    finally:
        sys.argv = arguments
    return out.getvalue()
