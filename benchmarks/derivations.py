"""R4C's alignment of derivations, against an integer programme for every candidate and reference."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from scipy.optimize import Bounds, LinearConstraint, milp

from benchmarks.paired import Comparison, faster
from metaeval.measures.text.derivations import r4c_align
from metaeval.model.runs import Derivation, Step

ITEMS, REFERENCES, FEW = 2_000, 3, 40
VOCABULARY, KEPT = 5_000, 0.7

Runs = tuple[list[Derivation], list[list[Derivation]]]


def generated(items: int) -> Runs:
    """Two to four steps an item, of phrases by a Zipf law; every derivation keeps most words and draws the others."""
    random = np.random.default_rng(1)
    letters = list("abcdefghijklmnopqrstuvwxyz")
    words = ["".join(random.choice(letters, size=length)) for length in random.integers(2, 11, size=VOCABULARY)]
    weights = 1 / np.arange(1, VOCABULARY + 1)
    word_codes = iter(random.choice(VOCABULARY, p=weights / weights.sum(), size=items * (REFERENCES + 2) * 60).tolist())

    def reworded(phrase: Sequence[int]) -> list[int]:
        return [code if random.random() < KEPT else next(word_codes) for code in phrase]

    def derivation(plan: list[list[list[int]]]) -> Derivation:
        return tuple(Step(*(" ".join(words[code] for code in reworded(phrase)) for phrase in step)) for step in plan)

    candidates, references = [], []
    for _ in range(items):
        plan = [
            [[next(word_codes) for _ in range(random.integers(1, longest))] for longest in (4, 4, 6)]
            for _ in range(random.integers(2, 5))
        ]
        candidates.append(derivation(plan[: random.integers(1, len(plan) + 1)]))
        references.append([derivation(plan) for _ in range(REFERENCES)])
    return candidates, references


def read(folder: Path) -> Runs:
    """The CORE baseline's derivations and the references of the same questions: pred_core.json, dev_csf.json."""
    answers = json.loads((folder / "pred_core.json").read_text(encoding="utf-8"))["re"]
    gold = json.loads((folder / "dev_csf.json").read_text(encoding="utf-8"))

    def steps(entries: list[tuple[str, int, list[str]]]) -> Derivation:
        return tuple(Step(*triple) for _, _, triple in entries)

    items = [item for item in answers if item in gold]
    return [steps(answers[item]) for item in items], [[steps(one) for one in gold[item]] for item in items]


def plain_alignment(candidate: Derivation, references: Sequence[Derivation]) -> tuple[float, float]:
    """Precision and recall, one integer programme a reference.

    The authors of R4C wrote it so, with PuLP, whose solver CBC runs as a process for each; SciPy's HiGHS does not, and
    so stands for it at its best.
    """
    sums = [_optimum(_table(candidate, reference)) for reference in references]
    best = int(np.argmax(sums))
    return sums[best] / len(candidate), sums[best] / len(references[best])


def _table(candidate: Derivation, reference: Derivation) -> NDArray[np.float64]:
    return np.array([[_alike(step, other) for other in reference] for step in candidate])


def _alike(step: Step, other: Step) -> float:
    return sum(
        Levenshtein.normalized_similarity(part.lower(), counterpart.lower())
        for part, counterpart in zip(step, other, strict=True)
    ) / len(step)


def _optimum(table: NDArray[np.float64]) -> float:
    rows, columns = table.shape
    # A step takes part at most once.
    row_sums = np.kron(np.eye(rows), np.ones(columns))
    column_sums = np.kron(np.ones(rows), np.eye(columns))
    at_most_once = LinearConstraint(np.vstack([row_sums, column_sums]), ub=1)
    solution = milp(
        -table.ravel(), integrality=np.ones(table.size, dtype=np.int64), bounds=Bounds(0, 1), constraints=at_most_once
    )
    assert solution.fun is not None
    return -solution.fun


def compare_derivations(rounds: int, *, data: Path | None = None, items: int = ITEMS) -> Comparison:
    """A few items are enough for the integer programmes. data: where the real files are, else so many are generated."""
    candidates, references = generated(items) if data is None else read(data)

    def programmes() -> list[tuple[float, float]]:
        return [plain_alignment(*pair) for pair in zip(candidates[:FEW], references[:FEW], strict=True)]

    scores = r4c_align(candidates[:FEW], references[:FEW])
    np.testing.assert_allclose(np.transpose([scores.precision, scores.recall]), programmes(), rtol=1e-9)
    return faster(
        f"r4c-align of {len(candidates):,} derivations, {REFERENCES} references each",
        lambda: r4c_align(candidates, references),
        peer="an integer programme each (SciPy's HiGHS)",
        theirs=programmes,
        claim="≥ 100 times faster",
        rounds=rounds,
        share_of_their_work=min(1.0, FEW / len(candidates)),
    )
