"""ROUGE of many texts, against rouge-score, which does a part of it, one pair after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rouge_score.rouge_scorer import RougeScorer

from benchmarks.paired import Comparison, faster
from metaeval.measures.text.matches import cut
from metaeval.measures.text.ngrams import rouge_n, rouge_s, rouge_su
from metaeval.measures.text.overlap import Comparison as Texts
from metaeval.measures.text.overlap import Rouge
from metaeval.measures.text.subsequences import rouge_l
from metaeval.measures.text.vocabulary import Vocabulary
from metaeval.measures.text.words import rouge
from metaeval.model.runs import TokenizedTexts
from metaeval.scoring.texts import WORDS_AT_ONCE

PAIRS, SENTENCES, FEW = 11_490, 3, 300
SHORTEST, LONGEST = 15, 25
VOCABULARY, COPIED = 20_000, 0.4

THEIR_NAMES = ("rouge1", "rouge2", "rouge3", "rouge4", "rougeL", "rougeLsum")

Laid = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]
"""Codes, lengths of sentences, sentences of each text, for `TokenizedTexts`."""


def texts(pairs: int) -> tuple[list[str], list[str]]:
    """Candidates and references, one sentence a line, of words by a Zipf law.

    Each token of a candidate is with probability 0.4 the one that its reference has at the same place of the same
    sentence; the others are drawn anew, and may hit a word of the reference too.
    """
    random = np.random.default_rng(1)
    letters = list("abcdefghijklmnopqrstuvwxyz")
    lengths = random.integers(2, 11, size=VOCABULARY)
    words = np.array(["".join(random.choice(letters, size=length)) for length in lengths.tolist()])
    weights = 1 / np.arange(1, VOCABULARY + 1)
    reference, another = random.choice(words, size=(2, pairs, SENTENCES, LONGEST), p=weights / weights.sum())
    candidate = np.where(random.random(reference.shape) < COPIED, reference, another)

    def written(tokens: NDArray[np.str_]) -> list[str]:
        lengths = random.integers(SHORTEST, LONGEST + 1, size=(pairs, SENTENCES)).tolist()
        return [
            "\n".join(" ".join(sentence[:length]) for sentence, length in zip(text, text_lengths, strict=True))
            for text, text_lengths in zip(tokens.tolist(), lengths, strict=True)
        ]

    return written(candidate), written(reference)


def encoded(written: Sequence[str], vocabulary: Vocabulary) -> Laid:
    """Texts cut into sentences at line ends and into tokens as ROUGE does it, which is as rouge-score does it."""
    sentences = [text.split("\n") for text in written]
    codes, lengths = vocabulary.encode_all(list(chain.from_iterable(sentences)))
    return codes, lengths.astype(np.int64), np.fromiter(map(len, sentences), dtype=np.int64)


def their_scores(candidates: Laid, references: Laid) -> dict[str, Rouge]:
    """What rouge-score computes: ROUGE-1 to 4, L of texts and of summaries; in blocks, as `metaeval score` does."""
    costs = np.add.reduceat(candidates[1], np.cumsum(candidates[2]) - candidates[2])
    blocks = [
        _six(_pairs(*map(_part_of, (candidates, references), (rows, rows)))) for rows in cut(costs, WORDS_AT_ONCE)
    ]
    parts = {name: [block[name] for block in blocks] for name in THEIR_NAMES}
    return {name: Rouge(*map(np.concatenate, zip(*scores, strict=True))) for name, scores in parts.items()}


def _part_of(texts: Laid, rows: slice) -> Laid:
    """Some of the texts."""
    codes, lengths, sentences = texts
    first, last = (int(sentences[:end].sum()) for end in (rows.start, rows.stop))
    begin, end = (int(lengths[:sentence].sum()) for sentence in (first, last))
    return codes[begin:end], lengths[first:last], sentences[rows]


def scores(candidates: Laid, references: Laid) -> dict[str, Rouge]:
    """The six of rouge-score, and S, S4, S9 and SU4."""
    pairs = _pairs(candidates, references)
    return {
        **_six(pairs),
        "rougeS": rouge_s(pairs, skip="all"),
        "rougeS4": rouge_s(pairs, skip=4),
        "rougeS9": rouge_s(pairs, skip=9),
        "rougeSU4": rouge_su(pairs, skip=4),
    }


def _pairs(candidates: Laid, references: Laid) -> Texts:
    return Texts(TokenizedTexts(*candidates), TokenizedTexts(*references), np.arange(len(candidates[2])))


def _six(pairs: Texts) -> dict[str, Rouge]:
    return {
        **{f"rouge{n}": rouge_n(pairs, n=n) for n in (1, 2, 3, 4)},
        "rougeL": rouge_l(pairs.whole_texts),
        # rouge-score clips, too, which the equations do not.
        "rougeLsum": rouge_l(pairs, variant="perl"),
    }


def scores_of_strings(candidates: Sequence[str], references: Sequence[str]) -> dict[str, Rouge]:
    """The same from the texts as they are written, as rouge-score takes them."""
    vocabulary = Vocabulary(rouge)
    return scores(encoded(candidates, vocabulary), encoded(references, vocabulary))


def rouge_scores(candidates: Sequence[str], references: Sequence[str]) -> list[dict[str, Any]]:
    """What rouge-score finds for each pair."""
    scorer = RougeScorer(THEIR_NAMES)
    return [scorer.score(reference, candidate) for candidate, reference in zip(candidates, references, strict=True)]


def compare_strings(rounds: int, *, pairs: int = PAIRS) -> Comparison:
    """From the texts as they are written."""
    written = texts(pairs)
    return _compare(rounds, written, lambda: scores_of_strings(*written), "from strings", "≥ 10 times faster")


def compare_codes(rounds: int, *, pairs: int = PAIRS) -> Comparison:
    """From codes of words, which rouge-score does not take: it cuts the texts into words each time."""
    candidates, references = texts(pairs)
    vocabulary = Vocabulary(rouge)
    codes = encoded(candidates, vocabulary), encoded(references, vocabulary)
    return _compare(rounds, (candidates, references), lambda: scores(*codes), "from codes", "≥ 25 times faster")


def _compare(
    rounds: int, written: tuple[list[str], list[str]], ours: Callable[[], object], begun: str, claim: str
) -> Comparison:
    """rouge-score does a few of the pairs and is extrapolated."""
    candidates, references = written
    few = candidates[:FEW], references[:FEW]
    check(scores_of_strings(*few), rouge_scores(*few))
    return faster(
        f"ROUGE-1 to 4, L, Lsum, S, S4, S9 and SU4 of {len(candidates):,} pairs of texts of {SENTENCES} sentences, "
        f"{begun}",
        ours,
        peer="rouge-score, 1 to 4, L, Lsum only",
        theirs=lambda: rouge_scores(*few),
        claim=claim,
        rounds=rounds,
        share_of_their_work=len(few[0]) / len(candidates),
    )


def check(ours: dict[str, Rouge], theirs: list[dict[str, Any]]) -> None:
    """Compare recall, precision and F with those of rouge-score."""
    for name in THEIR_NAMES:
        expected = [(score[name].recall, score[name].precision, score[name].fmeasure) for score in theirs]
        # The perl's numbers are rounded to five decimals: F twice.
        tolerance = 2.1e-5 if name == "rougeLsum" else 1e-12
        np.testing.assert_allclose(np.stack(ours[name], axis=1), expected, rtol=0, atol=tolerance)
