"""Token filters of measures, which apply to the vocabulary, so that texts are tokenized once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, setting
from metaeval.measures.text.matches import WordLabels
from metaeval.measures.text.word_lists import read_exceptions, read_stopwords
from metaeval.model.texts import Word

WordsKept = Literal["all", "content"]
Stem = Literal["none", "porter"]

TokenCodes = NDArray[np.int32]
"""Code of each entry of a vocabulary after filtering, from 0 without gaps, or `LEFT_OUT`."""

LEFT_OUT = -1
"""Code of a word that does not count."""

_LONGEST_UNSTEMMED = 3
_NO_EXCEPTIONS: Mapping[str, str] = MappingProxyType({})


class Stemmer(Protocol):
    """The interface of a snowball stemmer."""

    def stemWord(self, word: str) -> str:  # noqa: N802 — the name is snowballstemmer's
        """The stem of one word."""


def token_codes(
    words: Sequence[Word],
    *,
    words_kept: WordsKept = "all",
    stem: Stem = "none",
    stopwords: Collection[str] = frozenset(),
    exceptions: Mapping[str, str] = _NO_EXCEPTIONS,
) -> TokenCodes:
    """Codes of the entries of a vocabulary after filtering, (V,); entries with equal codes match.

    words_kept: all, or content words only. stopwords: forms to leave out, compared before stemming (ROUGE-1.5.5 -s).
    stem: 'porter' replaces forms longer than three letters by their stems, by Porter's original algorithm (-m).
    exceptions: base forms that replace stems. Raises InputError if content words are requested and unknown, and if
    stems are requested and snowballstemmer is not installed.

    The stemmer of ROUGE-1.5.5 differs from Porter's in a few endings: it has the suffixes -bli and -logi, halves any
    doubled consonant before -ed and -ing, and strips -ment, -ent and -ion even after another suffix ('professional' to
    'profess', by Porter 'profession').

    >>> words = [Word("the"), Word("run"), Word("runs"), Word("ran"), Word("running")]
    >>> token_codes(words, stopwords={"the"}).tolist()
    [-1, 0, 1, 2, 3]
    >>> token_codes(words, stem="porter", exceptions={"runs": "run", "running": "run"}).tolist()
    [0, 1, 1, 2, 1]
    """
    content_only = words_kept == "content"
    if content_only:
        _require_parts_of_speech(words)
    left_out = frozenset(stopwords)
    normalise = _stemming(exceptions) if stem == "porter" else str
    codes: defaultdict[str, int] = defaultdict(count().__next__)
    filtered = (
        LEFT_OUT if word.form in left_out or (content_only and not word.content) else codes[normalise(word.form)]
        for word in words
    )
    return np.fromiter(filtered, dtype=np.int32, count=len(words))


def token_codes_of(
    vocabulary: Sequence[Word], *, words: WordsKept, stem: Stem, stopwords: str | None, exceptions: str | None
) -> TokenCodes:
    """Token codes for the filter parameters of a measure; stopwords, exceptions: paths of files, or None."""
    if exceptions is not None and stem == "none":
        raise InputError.at(
            found="exceptions= without stem=porter, which have no effect",
            expected="both or neither",
            hint="add stem=porter, or remove the exceptions",
        )
    return token_codes(
        vocabulary,
        words_kept=words,
        stem=stem,
        stopwords=read_stopwords(stopwords) if stopwords is not None else frozenset(),
        exceptions=read_exceptions(exceptions) if exceptions is not None else _NO_EXCEPTIONS,
    )


def labels_of_codes(vocabulary: Sequence[Word], codes: TokenCodes) -> WordLabels:
    """Semantic labels of each token code: those of all its words.

    >>> words = [Word("dog", labels=("PET",)), Word("the"), Word("dogs", labels=("PACK",))]
    >>> labels_of_codes(words, np.array([0, -1, 0]))
    WordLabels(starts=array([0, 2]), labels=array([0, 1]))
    """
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    of_code: list[dict[int, None]] = [{} for _ in range(int(codes.max(initial=LEFT_OUT)) + 1)]
    for word, code in zip(vocabulary, codes.tolist(), strict=True):
        if code != LEFT_OUT:
            of_code[code].update(dict.fromkeys(map(numbers.__getitem__, word.labels)))
    return WordLabels.of([list(labels) for labels in of_code])


def porter_stemmer() -> Stemmer:
    """Porter's original stemmer (1980), not the one that snowball calls 'english'."""
    try:
        import snowballstemmer
    except ImportError:
        raise InputError.at(
            found="stemming needs the package snowballstemmer, which is not installed",
            hint="pip install 'metaeval[text]'",
        ) from None
    stemmer: Stemmer = snowballstemmer.stemmer("porter")
    return stemmer


def _stemming(exceptions: Mapping[str, str]) -> Callable[[str], str]:
    stemmer = porter_stemmer()

    def stemmed(form: str) -> str:
        if len(form) <= _LONGEST_UNSTEMMED:
            return form
        return exceptions[form] if form in exceptions else stemmer.stemWord(form)

    return stemmed


def _require_parts_of_speech(words: Sequence[Word]) -> None:
    if any(word.content is None for word in words):
        raise InputError.at(
            found="words=content with a tokenizer without parts of speech",
            expected=setting("tokenizer", "japanese"),
            hint="choose this tokenizer, or words=all, with stop words to leave out function words",
        )
