"""WSK and ESK between texts are the paper's equations (1) to (12), written out as enumerations."""

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Literal
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.measures.text import kernels
from metaeval.measures.text.kernels import extended_string_kernel, word_sequence_kernel
from metaeval.measures.text.matches import WordLabels
from metaeval.measures.text.overlap import Comparison, Rouge

Sentence = list[int]
Text = list[Sentence]
Labels = list[frozenset[int]]
"""Semantic labels by word."""
Scored = tuple[float, float, float]
"""Recall, precision, F."""
Kernel = Callable[..., Rouge]

NO_LABELS: Labels = [frozenset()] * 4
EXACT = 1e-9

sentences = st.lists(st.integers(0, 3), max_size=5)
texts = st.lists(sentences, max_size=3)
reference_lists = st.lists(texts, min_size=1, max_size=3)
labels_of_words = st.lists(st.frozensets(st.integers(0, 2), max_size=2), min_size=4, max_size=4)
lengths = st.integers(1, 4)
decays = st.sampled_from([0.0, 0.1, 0.5, 1.0])
betas = st.sampled_from([0.0, 0.5, 1.0, 3.0])
patient = settings(deadline=None)
"""The first comparison of all waits for imports."""
both = pytest.mark.parametrize("kernel", [word_sequence_kernel, extended_string_kernel])


# --- the paper, with a loop for each sum -----------------------------------------------------------------------------


def val(word: int, other: int, labels: Labels) -> int:
    """Eqs. (3) and (4), and (12) where no word has a label."""
    return (word == other) + len(labels[word] & labels[other])


def skipped_words(indices: Sequence[int]) -> int:
    return indices[-1] - indices[0] + 1 - len(indices)


def kernel_value(first: Sentence, second: Sentence, labels: Labels, d: int, decay: float) -> float:
    """Eqs. (1), (2), (5) and (6): all pairs of subsequences of up to d words, every skip weighing λ."""
    total = 0.0
    for m in range(1, d + 1):
        for some in combinations(range(len(first)), m):
            for others in combinations(range(len(second)), m):
                matches = math.prod(val(first[i], second[j], labels) for i, j in zip(some, others, strict=True))
                total += matches * decay ** (skipped_words(some) + skipped_words(others))
    return total


def likeness(first: Sentence, second: Sentence, labels: Labels, d: int, decay: float) -> float:
    """Eq. (7)."""
    one, other = (kernel_value(sentence, sentence, labels, d, decay) for sentence in (first, second))
    return kernel_value(first, second, labels, d, decay) / math.sqrt(one * other)


def scored(candidate: Text, reference: Text, labels: Labels, d: int, decay: float, beta: float) -> Scored:
    """Eqs. (8), (9) and (10); sentences without a word don't count."""
    candidates, references = ([sentence for sentence in text if sentence] for text in (candidate, reference))
    if not candidates or not references:
        return 0.0, 0.0, 0.0
    table = [[likeness(c, r, labels, d, decay) for r in references] for c in candidates]
    precision = sum(map(max, table)) / len(candidates)
    recall = sum(map(max, zip(*table, strict=True))) / len(references)
    weighted = recall + beta**2 * precision
    return recall, precision, (1 + beta**2) * recall * precision / weighted if weighted else 0.0


def mean_of(scores: Sequence[Scored]) -> Scored:
    """Eq. (11)."""
    recall, precision, f = (sum(values) / len(scores) for values in zip(*scores, strict=True))
    return recall, precision, f


# --- and the measures ------------------------------------------------------------------------------------------------


def compared(candidate: Text, references: Sequence[Text], labels: Labels | None = None) -> Comparison:
    plain = Comparison.of([candidate], [references])
    if labels is None:
        return plain
    word_labels = WordLabels.of([sorted(codes) for codes in labels])
    return Comparison(plain.candidates, plain.references, plain.item, word_labels)


def single_scores(scores: Rouge) -> Scored:
    recall, precision, f = (score.item() for score in scores)
    return recall, precision, f


@patient
@given(texts, reference_lists, labels_of_words, lengths, decays, betas)
def test_the_scores_are_those_of_the_equations_and_of_the_reference_of_the_highest_recall_or_f(
    candidate: Text, references: list[Text], labels: Labels, d: int, decay: float, beta: float
) -> None:
    comparison = compared(candidate, references, labels)
    for kernel, kernel_labels in ((word_sequence_kernel, NO_LABELS), (extended_string_kernel, labels)):
        all_scores = [scored(candidate, reference, kernel_labels, d, decay, beta) for reference in references]
        mean = single_scores(kernel(comparison, d=d, lambda_=decay, beta=beta))
        assert mean == pytest.approx(mean_of(all_scores), abs=EXACT)
        choices: tuple[tuple[Literal["best", "best-f"], int], ...] = (("best", 0), ("best-f", 2))
        for refs, index in choices:
            highest = max(scores[index] for scores in all_scores)
            best = [scores for scores in all_scores if scores[index] > highest - EXACT]
            chosen = single_scores(kernel(comparison, d=d, lambda_=decay, beta=beta, refs=refs))
            assert any(chosen == pytest.approx(scores, abs=EXACT) for scores in best)


@both
def test_of_references_whose_recalls_are_equal_but_for_rounding_the_first_counts(kernel: Kernel) -> None:
    candidate: Text = [[1, 0, 3, 2], [1, 3, 3]]
    # Every sentence of either has one word of the first sentence of the candidate: recall is 1 / √7.5625 for both.
    first: Text = [[1], [1], [0]]
    second: Text = [[2]]
    alone = [single_scores(kernel(compared(candidate, [reference]))) for reference in (first, second)]
    assert [recall for recall, _, _ in alone] == pytest.approx([4 / 11, 4 / 11], abs=1e-12)
    assert alone[0][2] > alone[1][2] + 0.05
    assert single_scores(kernel(compared(candidate, [first, second]), refs="best")) == pytest.approx(alone[0])
    assert single_scores(kernel(compared(candidate, [second, first]), refs="best")) == pytest.approx(alone[1])


@settings(deadline=None, max_examples=10)
@given(
    st.lists(st.tuples(texts, reference_lists), min_size=1, max_size=4),
    labels_of_words,
    st.booleans(),
    st.sampled_from([1, 5, 99]),
)
def test_a_batch_and_a_grid_are_the_items_and_settings_one_by_one(
    items: list[tuple[Text, list[Text]]], labels: Labels, best: bool, pairs_at_once: int
) -> None:
    plain = Comparison.of([candidate for candidate, _ in items], [references for _, references in items])
    word_labels = WordLabels.of([sorted(codes) for codes in labels])
    batch = Comparison(plain.candidates, plain.references, plain.item, word_labels)
    grid: dict[str, list[int] | list[float]] = {"d": [3, 1], "lambda_": [0.5, 0.0, 1.0], "beta": [0.0, 2.0]}
    refs = "best" if best else "mean"
    for kernel in (word_sequence_kernel, extended_string_kernel):
        with patch.object(kernels, "_PAIRS_AT_ONCE", pairs_at_once):
            scores = np.stack(kernel(batch, **grid, refs=refs))  # type: ignore[arg-type]
        assert scores.shape == (3, 2, 3, 2, len(items))
        for point in np.ndindex(2, 3, 2):
            setting = {name: values[index] for (name, values), index in zip(grid.items(), point, strict=True)}
            for item, (candidate, references) in enumerate(items):
                alone = kernel(compared(candidate, references, labels), refs=refs, **setting)  # type: ignore[arg-type]
                np.testing.assert_allclose(scores[:, *point, item], single_scores(alone), rtol=0, atol=EXACT)
