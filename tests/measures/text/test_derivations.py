"""R4C's measures against rouge-score and all pairings by brute force."""

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from rouge_score.rouge_scorer import RougeScorer

from metaeval.measures.text.derivations import Level, r4c_align, r4c_rouge
from metaeval.measures.text.overlap import Rouge
from metaeval.model.runs import Derivation, Step

LEVELS: tuple[Level, ...] = ("entity", "relation", "full")
MEASURES = pytest.mark.parametrize("measure", [r4c_rouge, r4c_align])
levels = st.sampled_from(LEVELS)

# Few words, so that much matches; none that a stemmer changes.
phrases = st.lists(st.sampled_from(["Ed", "Wood", "film", "is", "a", "in", "1945"]), max_size=3).map(" ".join)
steps = st.builds(Step, phrases, phrases, phrases)
derivations = st.lists(steps, max_size=4).map(tuple)
reference_lists = st.lists(derivations, min_size=1, max_size=3)


def one(scores: Rouge) -> tuple[float, float, float]:
    return float(scores.precision[0]), float(scores.recall[0]), float(scores.f[0])


def parts(step: Step, level: Level) -> tuple[str, ...]:
    return {"entity": (step.head, step.tail), "relation": (step.relation,), "full": tuple(step)}[level]


def likeness(step: Step, other: Step, level: Level) -> float:
    pairs = list(zip(parts(step, level), parts(other, level), strict=True))
    return sum(Levenshtein.normalized_similarity(a.lower(), b.lower()) for a, b in pairs) / len(pairs)


def largest_sum(candidate: Derivation, reference: Derivation, level: Level) -> float:
    """The best of all pairings, one after another."""
    few, many = sorted((candidate, reference), key=len)
    return max(
        sum(likeness(step, other, level) for step, other in zip(few, chosen, strict=True))
        for chosen in permutations(many, len(few))
    )


def lines(derivation: Derivation, level: Level) -> str:
    if level == "full":
        return "\n".join(map(" ".join, derivation))
    return "\n".join(dict.fromkeys(part for step in derivation for part in parts(step, level)))


# --- oracles ---------------------------------------------------------------------------------------------------------


@given(derivations, reference_lists, levels)
def test_r4c_rouge_is_rouge_scores_summary_level(
    candidate: Derivation, references: list[Derivation], level: Level
) -> None:
    scorer = RougeScorer(["rougeLsum"])
    scored = [scorer.score(lines(one, level), lines(candidate, level))["rougeLsum"] for one in references]
    best = max(scored, key=lambda score: float(score.recall))
    scores = one(r4c_rouge([candidate], [references], level=level))
    # Rounded to five decimals, and F from the rounded ones.
    assert scores == pytest.approx((best.precision, best.recall, best.fmeasure), abs=2e-5)


@given(derivations, reference_lists, levels)
def test_r4c_align_is_the_best_of_all_pairings(
    candidate: Derivation, references: list[Derivation], level: Level
) -> None:
    sums = [largest_sum(candidate, reference, level) for reference in references]
    first = next(number for number, value in enumerate(sums) if value > max(sums) - 1e-9)
    precision, recall = (sums[first] / max(len(side), 1) for side in (candidate, references[first]))
    f = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    scores = one(r4c_align([candidate], [references], level=level))
    assert scores == pytest.approx((precision, recall, f), abs=1e-12)


# --- what they are made of -------------------------------------------------------------------------------------------


def test_words_longer_than_three_letters_go_by_their_stems() -> None:
    def relation(output: str, expected: str) -> float:
        return one(r4c_rouge([(Step("", output, ""),)], [[(Step("", expected, ""),)]], level="relation"))[1]

    assert relation("directing films", "directed film") == 1
    assert relation("was", "wa") == 0


def test_equal_sums_tie_though_floating_point_tells_them_apart() -> None:
    def related(*relations: str) -> Derivation:
        return tuple(Step("", relation, "") for relation in relations)

    candidate = related("a" * 10, "b" * 10)
    first = related("a" + "#" * 9, "b" * 7 + "#" * 3)
    longer = related("a" * 3 + "#" * 7, "b" * 5 + "#" * 5, "$" * 10)
    assert (1 - 0.9) + (1 - 0.3) < (1 - 0.7) + (1 - 0.5)
    assert one(r4c_align([candidate], [[first, longer]], level="relation")) == pytest.approx((0.4, 0.4, 0.4))
    assert one(r4c_align([candidate], [[longer, first]], level="relation"))[1] == pytest.approx(0.8 / 3)


# --- properties ------------------------------------------------------------------------------------------------------


@MEASURES
@given(st.lists(st.tuples(derivations, reference_lists), max_size=4), levels)
def test_a_batch_equals_a_loop_and_scores_lie_between_0_and_1(
    measure: Callable[..., Rouge], pairs: list[tuple[Derivation, list[Derivation]]], level: Level
) -> None:
    scores = np.transpose(measure([pair[0] for pair in pairs], [pair[1] for pair in pairs], level=level))
    assert scores.shape == (len(pairs), 3)
    assert ((scores >= 0) & (scores <= 1 + 1e-12)).all()
    for score, (candidate, references) in zip(scores, pairs, strict=True):
        np.testing.assert_allclose(score, np.ravel(measure([candidate], [references], level=level)), rtol=1e-12)


@MEASURES
@given(derivations, reference_lists, levels)
def test_case_does_not_matter(
    measure: Callable[..., Rouge], candidate: Derivation, references: list[Derivation], level: Level
) -> None:
    loud = tuple(Step(*(part.upper() for part in step)) for step in candidate)
    expected = measure([candidate], [references], level=level)
    np.testing.assert_array_equal(measure([loud], [references], level=level), expected)
