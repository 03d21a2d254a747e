"""The words of all texts of a task, numbered in order of appearance."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, partial
from itertools import count
from threading import Lock

import numpy as np

from metaeval.errors import InputError, setting
from metaeval.measures.text.byte_tokens import rouge_tokens
from metaeval.measures.text.japanese import japanese
from metaeval.measures.text.lexicons import SUDACHI, Lexicon, lexicon_of
from metaeval.measures.text.tokenizers import TOKENIZERS, Tokenizer, rouge
from metaeval.model.texts import EncodeApart, EncodedApart, Word, WordCodes

_ONE_AT_A_TIME = Lock()
"""Threads share the tokenizers of their process, but Sudachi's is not thread-safe."""


class Vocabulary:
    """Words numbered from 0 in order of appearance: a `SharedEncoder`.

    lexicon: semantic labels by form, in addition to those of the tokenizer. apart: encodes in another process; None if
    the tokenizer is not available there. Words of one form with different parts of speech are different entries.

    >>> vocabulary = Vocabulary(str.split, lambda form: ("PET",) if form == "cat" else ())
    >>> vocabulary.encode_all(["cat sees", "cat"])[0].tolist()
    [0, 1, 0]
    >>> vocabulary.words()[0]
    Word(form='cat', content=None, labels=('PET',))
    """

    def __init__(
        self, tokenizer: Tokenizer, lexicon: Lexicon | None = None, *, apart: EncodeApart | None = None
    ) -> None:
        self._tokenizer = tokenizer
        self._lexicon = lexicon
        self.apart = apart
        self._letters = self._lost = 0
        # Looking up a new word gives it the next number.
        self._indices: defaultdict[str | Word, int] = defaultdict(count().__next__)

    def encode_all(self, sentences: Sequence[str]) -> tuple[WordCodes, WordCodes]:
        encoded = _encoded(self._tokenizer, sentences)
        return self.take_in(encoded), encoded.lengths

    def take_in(self, encoded: EncodedApart) -> WordCodes:
        self._letters += encoded.letters
        self._lost += encoded.lost
        indices = map(self._indices.__getitem__, encoded.words)
        return np.fromiter(indices, dtype=np.int32, count=len(encoded.words))[encoded.codes]

    def check_language(self, remedy: str = "") -> None:
        """Raise an `InputError` if the tokenizer drops most letters, which are of another language."""
        if 2 * self._lost > self._letters:
            raise InputError.at(
                found=f"a tokenizer that drops {self._lost:,} of {self._letters:,} characters",
                expected="a tokenizer for the language of the texts",
                hint=remedy
                or f"choose {setting('tokenizer', 'japanese')}, or characters or whitespace for other languages",
            )

    def words(self) -> tuple[Word, ...]:
        """The vocabulary so far, each word with its distinct labels of the tokenizer and of the lexicon."""
        words = (entry if isinstance(entry, Word) else Word(entry) for entry in self._indices)
        if self._lexicon is None:
            return tuple(words)
        return tuple(word._replace(labels=_united(word.labels, self._lexicon(word.form))) for word in words)


def vocabulary_of(tokenizer: str, lexicon: str | None = None) -> Vocabulary:
    """An empty vocabulary from the names of a tokenizer and of a lexicon (see `lexicons.lexicon_of`).

    Raises UnknownName for an unknown tokenizer, and InputError for a lexicon that cannot be read, for 'sudachi' with
    another tokenizer than 'japanese', and if a package is not installed.
    """
    tokenize = _tokenizer(tokenizer, lexicon == SUDACHI)
    labels = None if lexicon is None else lexicon_of(lexicon)
    return Vocabulary(tokenize, labels, apart=partial(_encode_apart, tokenizer, lexicon == SUDACHI))


@cache
def _tokenizer(name: str, synonyms: bool) -> Tokenizer:
    """The tokenizer of this process."""
    named = TOKENIZERS[name]
    if not synonyms:
        return named.make()
    if name != "japanese":
        raise InputError.at(
            found=f"lexicon 'sudachi' with tokenizer {name!r}",
            expected=setting("tokenizer", "japanese"),
            hint="choose this tokenizer, or another lexicon",
        )
    return japanese(synonyms=True)


def _encode_apart(tokenizer: str, synonyms: bool, sentences: Sequence[str]) -> EncodedApart:
    """Encode sentences in another process or thread."""
    with _ONE_AT_A_TIME:
        return _encoded(_tokenizer(tokenizer, synonyms), sentences)


def _encoded(tokenizer: Tokenizer, sentences: Sequence[str]) -> EncodedApart:
    """Sentences with a vocabulary of their own."""
    letters, lost = sum(map(len, sentences)), 0
    if tokenizer is rouge:
        lost = sum(_foreign_letters(sentence) for sentence in sentences if not sentence.isascii())
        return EncodedApart(*rouge_tokens(sentences), letters, lost)
    code_by_word: defaultdict[str | Word, int] = defaultdict(count().__next__)
    codes, lengths = array("i"), array("i")
    for sentence in sentences:
        words = tokenizer(sentence)
        if not sentence.isascii():
            lost += _foreign_letters(sentence) - _foreign_letters("".join(map(_form, words)))
        codes.extend(map(code_by_word.__getitem__, words))
        lengths.append(len(words))
    of_words, of_sentences = (np.array(part, dtype=np.int32) for part in (codes, lengths))
    return EncodedApart(list(code_by_word), of_words, of_sentences, letters, lost)


def _form(word: str | Word) -> str:
    return word if isinstance(word, str) else word.form


def _foreign_letters(text: str) -> int:
    """Number of letters outside ASCII."""
    return sum(letter.isalpha() and not letter.isascii() for letter in text)


def _united(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
