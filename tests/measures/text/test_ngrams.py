"""ROUGE against ROUGE-1.5.5's printed numbers; N, S and SU also against brute force over all grams and rouge-score."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_goldens import (
    MODES,
    PREPROCESSINGS,
    BlankTokenizer,
    Cases,
    Measure,
    Texts,
    check_every_printed_number,
    comparison_of,
    f_score,
    items,
    ratio,
    skips,
    written,
)
from rouge_score.rouge_scorer import RougeScorer
from shared_data import needs_shared_data

from metaeval.measures.text import ngrams
from metaeval.measures.text.ngrams import Skip, rouge_n, rouge_s, rouge_su
from metaeval.measures.text.overlap import Pooling, as_printed, group_keys
from metaeval.measures.text.subsequences import rouge_l, rouge_w

MEASURES: dict[str, Measure] = {
    **{f"ROUGE-{n}": partial(rouge_n, n=n) for n in (1, 2, 3, 4)},
    **{f"ROUGE-S{skip}".replace("all", "*"): partial(rouge_s, skip=skip) for skip in ("all", 4, 9)},
    **{f"ROUGE-SU{skip}".replace("all", "*"): partial(rouge_su, skip=skip) for skip in ("all", 4, 9)},
    "ROUGE-L": rouge_l,
    "ROUGE-W-1.2": rouge_w,
}


# --- ROUGE-1.5.5 -----------------------------------------------------------------------------------------------------


@needs_shared_data
@pytest.mark.parametrize("preprocessing", PREPROCESSINGS)
@pytest.mark.parametrize(("mode", "refs"), MODES)
@pytest.mark.parametrize("name", MEASURES)
def test_perl_gives_every_printed_digit_of_rouge_155(name: str, mode: str, refs: Pooling, preprocessing: str) -> None:
    check_every_printed_number(name, MEASURES[name], preprocessing, mode, refs)


@needs_shared_data
def test_the_printed_numbers_tell_the_variants_apart() -> None:
    # A check that could not fail would be none: the paper counts the last unigram too.
    with pytest.raises(AssertionError):
        check_every_printed_number("ROUGE-SU4", partial(rouge_s, skip=4), "none", "A", "pooled")


def test_printed_values_are_rounded_as_printf_rounds_them() -> None:
    # Halves that binary numbers hold exactly (3/2^6 …) go to the even digit, others to the nearest.
    values = np.array(
        [numerator / denominator for denominator in range(1, 600) for numerator in range(denominator + 1)]
    )
    exact_halves = np.arange(2**10) / 2**10
    for checked in (values, exact_halves):
        assert as_printed(checked).tolist() == [float(f"{value:.5f}") for value in checked]


# --- Brute force -----------------------------------------------------------------------------------------------------


def ngrams_of(text: Texts, n: int) -> Counter[Any]:
    tokens = [token for sentence in text for token in sentence]
    return Counter(tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1))


def skip_bigrams_of(text: Texts, skip: Skip, *, unigrams: str = "none") -> Counter[Any]:
    tokens = [token for sentence in text for token in sentence]
    pairs = Counter(
        (tokens[first], tokens[second])
        for first, second in combinations(range(len(tokens)), 2)
        if skip == "all" or second - first - 1 <= skip
    )
    counted = {"none": [], "all": tokens, "all but the last": tokens[:-1]}[unigrams]
    return pairs + Counter((token,) for token in counted)


def joined(text: Texts) -> Texts:
    """The text as one sentence."""
    return [[token for sentence in text for token in sentence]]


def brute_force(
    cases: Cases, grams: Callable[[Texts], Counter[Any]], refs: Pooling, beta: float
) -> np.ndarray[Any, np.dtype[np.float64]]:
    rows = []
    for candidate, references in cases:
        counts = [
            ((grams(candidate) & grams(reference)).total(), grams(reference).total(), grams(candidate).total())
            for reference in references
        ]
        if refs == "pooled":
            counts = [tuple(np.sum(counts, axis=0))]
        elif refs == "best":
            counts = [max(counts, key=lambda count: ratio(count[0], count[1]))]
        elif refs == "best-f":
            rates = [(ratio(hits, total), ratio(hits, size)) for hits, total, size in counts]
            best = np.argmax([round(f_score(recall, precision, beta), 9) for recall, precision in rates])
            counts = [counts[best]]
        pairs = [(ratio(hits, total), ratio(hits, size)) for hits, total, size in counts]
        rows.append(np.mean([(recall, precision, f_score(recall, precision, beta)) for recall, precision in pairs], 0))
    return np.array(rows)


@given(items, st.integers(1, 3))
def test_the_reference_of_the_highest_f_is_the_one_that_rouge_score_takes(cases: Cases, n: int) -> None:
    name = f"rouge{n}"
    comparison = comparison_of([(joined(candidate), list(map(joined, others))) for candidate, others in cases])
    scores = np.stack(rouge_n(comparison, n=n, refs="best-f"), axis=1)
    for (candidate, others), ours in zip(cases, scores, strict=True):
        scorer = RougeScorer([name], tokenizer=BlankTokenizer())
        theirs = scorer.score_multi([written(joined(other)) for other in others], written(joined(candidate)))[name]
        assert ours[2] == pytest.approx(theirs.fmeasure, abs=1e-12)


@given(
    items, st.integers(1, 5), st.sampled_from(["mean", "pooled", "best", "best-f"]), st.sampled_from([0.5, 1.0, 2.0])
)
def test_rouge_n_equals_counting_every_ngram(cases: Cases, n: int, refs: Pooling, beta: float) -> None:
    scores = rouge_n(comparison_of(cases), n=n, refs=refs, beta=beta)
    np.testing.assert_allclose(np.stack(scores, 1), brute_force(cases, partial(ngrams_of, n=n), refs, beta))


@given(items, skips, st.sampled_from(["mean", "pooled", "best", "best-f"]), st.sampled_from([0.5, 1.0, 2.0]))
def test_rouge_s_and_su_equal_counting_every_pair(cases: Cases, skip: Skip, refs: Pooling, beta: float) -> None:
    comparison = comparison_of(cases)
    for measure, unigrams in ((rouge_s, "none"), (rouge_su, "all")):
        scores = measure(comparison, skip=skip, refs=refs, beta=beta)
        grams = partial(skip_bigrams_of, skip=skip, unigrams=unigrams)
        np.testing.assert_allclose(np.stack(scores, 1), brute_force(cases, grams, refs, beta))


@given(items, skips)
def test_the_perl_counts_every_unigram_but_the_last(cases: Cases, skip: Skip) -> None:
    scores = rouge_su(comparison_of(cases), skip=skip, variant="perl", refs="pooled")
    grams = partial(skip_bigrams_of, skip=skip, unigrams="all but the last")
    expected = brute_force(cases, grams, "pooled", 1.0)
    np.testing.assert_allclose(np.stack(scores, 1), expected, atol=1.5e-5)


@given(items, skips)
def test_pairs_are_counted_alike_in_a_table_by_sorting_and_stepwise(cases: Cases, skip: Skip) -> None:
    ways: list[dict[str, int]] = [
        {"_CELLS_PER_PAIR": 0, "_STEPPING": 10**9},
        {"_CELLS_PER_PAIR": 10**9, "_STEPPING": 10**9},
        {"_LISTING": 10**9, "_SORTING": 10**9},
        {"_LISTING": 10**9, "_SORTING": 10**9, "CELLS_AT_ONCE": 1},
    ]
    scores = []
    for way in ways:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in way.items():
                patch.setattr(ngrams, name, value)
            scores.append(rouge_s(comparison_of(cases), skip=skip))
    for others in scores[1:]:
        np.testing.assert_array_equal(scores[0], others)


@given(items, st.integers(1, 5))
def test_the_size_of_codes_changes_nothing(cases: Cases, n: int) -> None:
    small = comparison_of(cases)
    large = comparison_of([(_far(candidate), list(map(_far, others))) for candidate, others in cases])
    np.testing.assert_array_equal(rouge_n(small, n=n), rouge_n(large, n=n))
    # Nor do the n-grams that were found before, shorter or longer ones.
    for before in (1, 5):
        again = comparison_of(cases)
        rouge_n(again, n=before)
        np.testing.assert_array_equal(rouge_n(small, n=n), rouge_n(again, n=n))


def _far(text: Texts) -> Texts:
    return [[2**30 + 1_000_003 * token for token in sentence] for sentence in text]


@given(st.lists(st.integers(0, 9), max_size=30), st.sampled_from([1, 2**40, 2**59]))
def test_keys_are_grouped_alike_whether_or_not_they_fit_beside_their_places(keys: list[int], factor: int) -> None:
    order, begin = group_keys(np.array(keys, dtype=np.int64) * factor)
    assert order.tolist() == sorted(range(len(keys)), key=keys.__getitem__)
    in_order = sorted(keys)
    assert begin.tolist() == sorted(in_order.index(key) for key in set(keys))
