"""The extended string subsequence kernel of many sentence pairs, against the paper's recursion in plain Python."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.paired import Comparison, faster
from metaeval.measures.text.kernels import esk
from metaeval.measures.text.matches import WordLabels
from metaeval.model.runs import TokenizedTexts

SENTENCES, PAIRS, WORDS, FEW = 2_000, 150_000, 30, 300
LENGTH = 4
DECAYS = np.linspace(0, 1, 11)

Coded = list[int]
Labels = list[set[int]]
"""The labels of each word of the vocabulary."""


def reference_sentences(seed: int = 1) -> tuple[list[Coded], Labels]:
    """Words by a Zipf law, and labels of all 5,000 words; the commonest 100, as function words, have none."""
    random = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 5_001)
    words = random.choice(len(weights), size=(SENTENCES, WORDS), p=weights / weights.sum()).tolist()
    senses = random.integers(1_000, size=(len(weights), 2)).tolist()
    return words, [set(senses[word]) if word >= 100 else set() for word in range(len(weights))]


def plain_kernel(first: Coded, second: Coded, labels: Labels, d: int, decay: float) -> float:
    """Eqs. (1) to (6) of Hirao et al., cell by cell."""
    value = [[float(word == other) + len(labels[word] & labels[other]) for other in second] for word in first]
    total = sum(map(sum, value))
    kernel = value
    for _ in range(1, d):
        above = [0.0] * len(second)
        longer = []
        for row, values in zip(kernel, value, strict=True):
            left, cells = 0.0, []
            for j, cell in enumerate(row):
                cells.append(left * values[j])
                left = decay * left + above[j]
                above[j] = decay * above[j] + cell
            longer.append(cells)
        kernel = longer
        total += sum(map(sum, kernel))
    return total


def compare_kernels(rounds: int, *, pairs: int = PAIRS, few: int = FEW) -> Comparison:
    """One decay, with labels."""
    return _compare(rounds, DECAYS[5:6], pairs, few, "", "≥ 30 times faster")


def compare_grid(rounds: int, *, pairs: int = PAIRS, few: int = FEW) -> Comparison:
    """A grid of decays, with labels."""
    return _compare(rounds, DECAYS, pairs, few, f", {len(DECAYS)} values of λ", "≥ 150 times faster")


def _compare(rounds: int, decays: NDArray[np.float64], pairs: int, few: int, more: str, claim: str) -> Comparison:
    """The plain programme does a few of the pairs and is extrapolated."""
    words, labels = reference_sentences()
    sentences, word_labels = TokenizedTexts.of([words]), WordLabels.of([sorted(label_set) for label_set in labels])
    indices = np.random.default_rng(2).integers(SENTENCES, size=(pairs, 2))

    def plain() -> list[list[float]]:
        few_pairs = [(words[i], words[j]) for i, j in indices[:few].tolist()]
        return [[plain_kernel(*pair, labels, LENGTH, decay) for pair in few_pairs] for decay in decays.tolist()]

    np.testing.assert_allclose(
        esk(sentences, sentences, indices[:few], word_labels, d=LENGTH, decay=decays)[:, -1], plain()
    )
    return faster(
        f"ESK, d = {LENGTH}, of {pairs:,} sentence pairs of {WORDS} words{more}",
        lambda: esk(sentences, sentences, indices, word_labels, d=LENGTH, decay=decays),
        peer="plain dynamic programme",
        theirs=plain,
        claim=claim,
        rounds=rounds,
        share_of_their_work=few / pairs,
    )
