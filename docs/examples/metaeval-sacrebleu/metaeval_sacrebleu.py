"""Corpus BLEU and chrF: sacreBLEU computes statistics of each item, and the scores of their sums."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics import BLEU, CHRF

import metaeval

Array = NDArray[np.float64]

NGRAMS = range(1, 5)
CHARACTERS = range(1, 7)


def streams_of(references: Sequence[Sequence[str]]) -> list[list[str | None]]:
    """The references as sacreBLEU takes them: the first of each item, the second of each item, and so on."""
    most = max(map(len, references), default=0)
    return [[texts[index] if index < len(texts) else None for texts in references] for index in range(most)]


def bleu_statistics(outputs: Sequence[str], references: Sequence[Sequence[str]], *, lowercase: int = 0) -> Array:
    """Lengths of output and closest reference, matches and n-grams of each length, of each item; (N, 10)."""
    return np.array(BLEU(lowercase=bool(lowercase))._extract_corpus_statistics(outputs, streams_of(references)))


@metaeval.sum_measure(
    "corpus-bleu",
    statistics=("length", "reference_length", *(f"matches_{n}" for n in NGRAMS), *(f"ngrams_{n}" for n in NGRAMS)),
    of_texts=bleu_statistics,
    title="BLEU",
    question="how many n-grams of the outputs are in the references",
    source="Post, M. (2018). A call for clarity in reporting BLEU scores. WMT, 186–191.",
    formula="brevity penalty × geometric mean of the precisions of n-grams of length 1 to 4, in percent",
    undefined="never",
    bounds=(0.0, 100.0),
    parameters={"lowercase": "1 to ignore case"},
)
def corpus_bleu(sums: Array) -> Array:
    """Corpus BLEU of sacreBLEU, with its default tokenizer and smoothing."""
    length, reference_length, matches, ngrams = sums[..., 0], sums[..., 1], sums[..., 2:6], sums[..., 6:]
    # Each length without a match counts as 1/2, 1/4, … of a match: smoothing 'exp' of sacreBLEU.
    halvings = np.cumsum((matches == 0) & (ngrams > 0), axis=-1)
    smoothed = np.where(matches == 0, 0.5**halvings, matches)
    logarithms = np.log(np.where(ngrams > 0, smoothed / np.maximum(ngrams, 1), 1.0))
    precision = np.exp(logarithms.mean(axis=-1))
    penalty = np.exp(np.minimum(0.0, 1 - reference_length / np.maximum(length, 1)))
    # Without any match, or without n-grams of some length, BLEU is 0.
    possible = (matches > 0).any(axis=-1) & (ngrams > 0).all(axis=-1)
    return np.where(possible, 100 * penalty * precision, 0.0)


def chrf_statistics(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> Array:
    """Character n-grams of output, of the best reference and of both, for each length, of each item; (N, 18)."""
    return np.array(CHRF()._extract_corpus_statistics(outputs, streams_of(references)))


@metaeval.sum_measure(
    "corpus-chrf",
    statistics=tuple(f"{what}_{n}" for n in CHARACTERS for what in ("output", "reference", "matches")),
    of_texts=chrf_statistics,
    title="chrF",
    question="how many character n-grams do outputs and references share",
    source="Popović, M. (2015). chrF: character n-gram F-score for automatic MT evaluation. WMT, 392–395.",
    formula="F₂ of mean precision and mean recall of character n-grams of length 1 to 6, in percent",
    undefined="never",
    bounds=(0.0, 100.0),
    traits={metaeval.Trait.REPLICATION_INVARIANT},
)
def corpus_chrf(sums: Array) -> Array:
    """Corpus chrF of sacreBLEU: character n-grams without blanks, recall with twice the weight of precision."""
    output, reference, matches = sums[..., 0::3], sums[..., 1::3], sums[..., 2::3]
    used = (output > 0) & (reference > 0)
    lengths = np.maximum(used.sum(axis=-1), 1)
    precision = np.where(used, matches / np.maximum(output, 1), 0.0).sum(axis=-1) / lengths
    recall = np.where(used, matches / np.maximum(reference, 1), 0.0).sum(axis=-1) / lengths
    return 100 * 5 * precision * recall / np.maximum(4 * precision + recall, 1e-16)
