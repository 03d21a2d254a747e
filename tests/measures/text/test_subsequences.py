"""ROUGE-L and ROUGE-W against a plain dynamic programme and rouge-score; test_ngrams has ROUGE-1.5.5's numbers."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq
from rouge_goldens import BlankTokenizer, Cases, Texts, comparison_of, f_score, items, ratio, texts, written
from rouge_score.rouge_scorer import RougeScorer

from metaeval.measures.text import overlap, subsequences
from metaeval.measures.text.overlap import Comparison, Variant, union_matches
from metaeval.measures.text.subsequences import rouge_l, rouge_w

weights = st.sampled_from([1.0, 1.2, 2.0])


# --- Lin's examples --------------------------------------------------------------------------------------------------


def test_lins_union_of_two_subsequences_is_four_of_five() -> None:
    # Lin (2004), section 3.2: w1 w2 and w1 w3 w5 together are w1 w2 w3 w5.
    comparison = Comparison.of([[[1, 2, 6, 7, 8], [1, 3, 8, 9, 5]]], [[[[1, 2, 3, 4, 5]]]])
    assert rouge_l(comparison).recall == pytest.approx([0.8])


def test_lins_consecutive_matches_weigh_more() -> None:
    # Lin (2004), section 4, f(k) = k²: 0.571 for A B C D H I K, 0.286 for A H B K C I D, though both share A B C D.
    reference, together, apart = ([list(map(ord, letters))] for letters in ("ABCDEFG", "ABCDHIK", "AHBKCID"))
    comparison = Comparison.of([together, apart], [[reference], [reference]])
    np.testing.assert_allclose(rouge_w(comparison, weight=2).f, [0.571, 0.286], atol=5e-4)
    np.testing.assert_allclose(rouge_l(comparison).f, 4 / 7)


# --- A plain dynamic programme ---------------------------------------------------------------------------------------


def align(reference: list[int], candidate: list[int], weight: float) -> tuple[float, set[int]]:
    """Weighted length of the common subsequence and the reference's places on it, cell by cell as Lin writes it."""
    value = {(row, column): 0.0 for row in range(len(reference) + 1) for column in range(len(candidate) + 1)}
    run = dict.fromkeys(value, 0)
    back: dict[tuple[int, int], tuple[int, int]] = {}
    for row in range(1, len(reference) + 1):
        for column in range(1, len(candidate) + 1):
            here, corner = (row, column), (row - 1, column - 1)
            if reference[row - 1] == candidate[column - 1]:
                run[here] = run[corner] + 1
                value[here] = value[corner] + run[here] ** weight - run[corner] ** weight
                back[here] = corner
            else:
                above, left = (row - 1, column), (row, column - 1)
                back[here] = above if value[above] >= value[left] else left
                value[here] = value[back[here]]
    indices, here = set(), (len(reference), len(candidate))
    while here in back:
        if back[here] == (here[0] - 1, here[1] - 1):
            indices.add(here[0] - 1)
        here = back[here]
    return value[len(reference), len(candidate)], indices


def tokens_of(text: Texts) -> list[int]:
    return [token for sentence in text for token in sentence]


def union_length(candidate: Texts, reference: Texts) -> int:
    return sum(len(set().union(*(align(sentence, other, 1.0)[1] for other in candidate))) for sentence in reference)


@given(items, st.sampled_from([0.5, 1.0, 2.0]))
def test_rouge_l_follows_equations_20_to_22(cases: Cases, beta: float) -> None:
    scores = np.stack(rouge_l(comparison_of(cases), beta=beta), 1)
    for (candidate, references), ours in zip(cases, scores, strict=True):
        rows = []
        for reference in references:
            hits = union_length(candidate, reference)
            recall, precision = ratio(hits, len(tokens_of(reference))), ratio(hits, len(tokens_of(candidate)))
            rows.append((recall, precision, f_score(recall, precision, beta)))
        np.testing.assert_allclose(ours, np.mean(rows, axis=0))


@given(items, weights)
def test_rouge_w_aligns_whole_texts_as_lin_defines_it(cases: Cases, weight: float) -> None:
    scores = np.stack(rouge_w(comparison_of(cases), weight=weight), 1)
    for (candidate, references), ours in zip(cases, scores, strict=True):
        rows = []
        for reference in references:
            theirs, output = tokens_of(reference), tokens_of(candidate)
            length, _ = align(theirs, output, weight)
            recall, precision = (ratio(length, len(tokens) ** weight) ** (1 / weight) for tokens in (theirs, output))
            rows.append((recall, precision, f_score(recall, precision, 1.0)))
        np.testing.assert_allclose(ours, np.mean(rows, axis=0), atol=1e-12)


long_texts = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=120), min_size=1, max_size=4)


@given(long_texts, long_texts)
def test_lengths_of_long_sentences_are_rapidfuzzs(candidate: Texts, reference: Texts) -> None:
    pairs = [(sentence, other) for sentence in candidate for other in reference]
    comparison = Comparison.of([[sentence] for sentence, _ in pairs], [[[other]] for _, other in pairs])
    expected = [LCSseq.similarity(sentence, other) / len(other) for sentence, other in pairs]
    np.testing.assert_allclose(rouge_l(comparison).recall, expected)
    np.testing.assert_allclose(rouge_w(comparison, weight=1).recall, expected)


two_long_sentences = st.lists(st.lists(st.integers(0, 3), min_size=50, max_size=140), min_size=1, max_size=2)


@given(two_long_sentences, two_long_sentences, st.integers(0, 3))
@settings(max_examples=25)
def test_the_union_of_long_sentences_is_that_of_the_plain_programme(first: Texts, other: Texts, shift: int) -> None:
    # More than 64 rows; words that only one of the texts has are left out on the way, and must not lead it elsewhere.
    candidate = [[token + shift for token in sentence] for sentence in first]
    unions = [set().union(*(align(sentence, one, 1.0)[1] for one in candidate)) for sentence in other]
    expected = [index in union for sentence, union in zip(other, unions, strict=True) for index in range(len(sentence))]
    assert union_matches(Comparison.of([candidate], [[other]])).tolist() == expected


@given(items)
def test_texts_as_one_sentence_are_those_with_their_sentences_joined(cases: Cases) -> None:
    joined = [([tokens_of(candidate)], [[tokens_of(other)] for other in others]) for candidate, others in cases]
    np.testing.assert_array_equal(rouge_l(comparison_of(cases).whole_texts), rouge_l(comparison_of(joined)))
    for variant in get_args(Variant):
        whole = rouge_l(comparison_of(cases), units="text", variant=variant)
        np.testing.assert_array_equal(whole, rouge_l(comparison_of(joined), variant=variant))


# --- rouge-score -----------------------------------------------------------------------------------------------------


@given(texts, texts)
def test_the_perls_union_is_rouge_scores_summary_level(candidate: Texts, reference: Texts) -> None:
    theirs = RougeScorer(["rougeLsum"], tokenizer=BlankTokenizer()).score(written(reference), written(candidate))
    expected = theirs["rougeLsum"]
    ours = np.ravel(rouge_l(Comparison.of([candidate], [[reference]]), variant="perl"))
    np.testing.assert_allclose(ours, [expected.recall, expected.precision, expected.fmeasure], atol=2.1e-5)


@given(items)
def test_whole_texts_are_rouge_scores_rouge_l_and_its_best_reference_has_the_highest_f(cases: Cases) -> None:
    scorer = RougeScorer(["rougeL"], tokenizer=BlankTokenizer())
    ours = np.stack(rouge_l(comparison_of(cases), units="text", refs="best-f"), axis=1)
    for (candidate, references), scores in zip(cases, ours, strict=True):
        all_scores = [scorer.score(written(reference), written(candidate))["rougeL"] for reference in references]
        best = max(all_scores, key=lambda score: round(score.fmeasure, 9))
        assert scores == pytest.approx([best.recall, best.precision, best.fmeasure], abs=1e-12)


# --- Properties ------------------------------------------------------------------------------------------------------


def test_the_size_of_a_portion_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(5)

    def text() -> Texts:
        return [generator.integers(0, 6, size=generator.integers(0, 20)).tolist() for _ in range(3)]

    comparison = Comparison.of([text() for _ in range(20)], [[text(), text()] for _ in range(20)])
    at_once = [rouge_l(comparison), rouge_w(comparison), rouge_w(comparison, variant="perl")]
    monkeypatch.setattr(subsequences, "CELLS_AT_ONCE", 500)
    monkeypatch.setattr(overlap, "WORDS_AT_ONCE", 100)
    np.testing.assert_array_equal(
        at_once, [rouge_l(comparison), rouge_w(comparison), rouge_w(comparison, variant="perl")]
    )
