"""Token filters: which words of a vocabulary count for a measure, and which of them match.

Texts are tokenized once; the filters of a measure then apply to the vocabulary, so texts are not read again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.measures.text.matches import WordLabels
from metaeval.measures.text.word_lists import read_exceptions, read_stopwords
from metaeval.model.texts import Word

WordsKept = Literal["all", "content"]
Stem = Literal["none", "porter"]

TokenCodes = NDArray[np.int32]
"""For each entry of a vocabulary its code after filtering, from 0 without gaps, or `LEFT_OUT`."""

LEFT_OUT = -1
"""The code of a word that does not count."""

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
    """The code of each entry of a vocabulary after filtering: equal codes match, −1 is left out.

    words: V entries. words_kept: all, or content words only. stopwords: forms to leave out, compared before stemming
    (ROUGE-1.5.5 -s). stem: with 'porter', forms longer than three letters go by their stem, by Porter's original
    algorithm (-m). exceptions: irregular forms and their replacements, used instead of stems where `stem` is set.
    Returns (V,), codes from 0 without gaps in the order of the entries. Raises InputError where content is requested
    and unknown for some word, and where stems are and snowballstemmer is not installed.

    The stemmer inside ROUGE-1.5.5 departs from Porter's in a few endings: it takes -bli and -logi for suffixes, halves
    any doubled consonant before -ed and -ing, and strips -ment, -ent and -ion even where it has just stripped another
    suffix ('professional' to 'profess', Porter 'profession'). Scores differ only where such words meet others.

    >>> words = [Word("the"), Word("run"), Word("runs"), Word("ran"), Word("running")]
    >>> token_codes(words, stopwords={"the"}).tolist()
    [-1, 0, 1, 2, 3]
    >>> token_codes(words, stem="porter", exceptions={"runs": "run", "running": "run"}).tolist()
    [0, 1, 1, 2, 1]
    >>> token_codes([Word("猫", content=True), Word("は", content=False)], words_kept="content").tolist()
    [0, -1]
    """
    content_only = words_kept == "content"
    if content_only:
        _require_parts_of_speech(words)
    left_out = frozenset(stopwords)
    compared_as = _stemming(exceptions) if stem == "porter" else str
    codes: defaultdict[str, int] = defaultdict(count().__next__)
    filtered = (
        LEFT_OUT if word.form in left_out or (content_only and not word.content) else codes[compared_as(word.form)]
        for word in words
    )
    return np.fromiter(filtered, dtype=np.int32, count=len(words))


def token_codes_of(
    vocabulary: Sequence[Word], *, words: WordsKept, stem: Stem, stopwords: str | None, exceptions: str | None
) -> TokenCodes:
    """The token codes under the filter parameters of a measure; stopwords, exceptions: paths of files, or None.

    Errors are those of `token_codes` and of the files; irregular forms without stems are one, too.
    """
    if exceptions is not None and stem == "none":
        raise InputError.at(
            found="exceptions= without stem=porter, where irregular forms change nothing",
            expected="both or neither",
            hint="add stem=porter, or leave the exceptions out",
        )
    return token_codes(
        vocabulary,
        words_kept=words,
        stem=stem,
        stopwords=read_stopwords(stopwords) if stopwords is not None else frozenset(),
        exceptions=read_exceptions(exceptions) if exceptions is not None else _NO_EXCEPTIONS,
    )


def labels_of_codes(vocabulary: Sequence[Word], codes: TokenCodes) -> WordLabels:
    """The semantic labels of each token code: those of all words that it stands for.

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
    """Porter's original stemmer (1980), not its successor that snowball calls 'english'.

    Raises InputError where snowballstemmer is not installed.

    >>> porter_stemmer().stemWord("generalizations")
    'gener'
    """
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

    def compared_as(form: str) -> str:
        if len(form) <= _LONGEST_UNSTEMMED:
            return form
        return exceptions[form] if form in exceptions else stemmer.stemWord(form)

    return compared_as


def _require_parts_of_speech(words: Sequence[Word]) -> None:
    if any(word.content is None for word in words):
        raise InputError.at(
            found="words=content with a tokenizer that does not know parts of speech",
            expected="--tokenizer japanese",
            hint="choose that tokenizer, or words=all, with stop words where function words must not count",
        )
