"""The words of all texts of a task, numbered as they come."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, partial
from itertools import count
from threading import Lock

import numpy as np

from metaeval.errors import InputError
from metaeval.measures.text.japanese import japanese
from metaeval.measures.text.lexicons import SUDACHI, Lexicon, lexicon_of
from metaeval.measures.text.tokenizers import TOKENIZERS, Tokenizer
from metaeval.model.texts import EncodeApart, EncodedApart, Word, WordCodes

_ONE_AT_A_TIME = Lock()
"""Threads share the tokenizers of their process, and Sudachi's can't be."""

OTHER_TOKENIZERS = "say --tokenizer japanese for Japanese; characters or whitespace for other languages than English"


class Vocabulary:
    """Words numbered from 0 in the order in which they come: a `SharedEncoder`.

    tokenizer: cuts a sentence. lexicon: semantic labels by form, beside those that the tokenizer gives. apart: encodes
    as it does in other processes; None where these can't have the tokenizer.
    Words of one form that differ in part of speech are different entries; what compares them goes by the form.

    >>> vocabulary = Vocabulary(str.split, lambda form: ("PET",) if form == "cat" else ())
    >>> vocabulary.encode("cat sees cat")
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
        # A word that is not there yet gets the next number on being looked up.
        self._places: defaultdict[str | Word, int] = defaultdict(count().__next__)

    def encode(self, sentence: str) -> list[int]:
        """The words of a sentence as places in the vocabulary, which grows as needed."""
        words = self._tokenizer(sentence)
        self._letters += len(sentence)
        if not sentence.isascii():
            self._lost += _foreign_letters(sentence) - _foreign_letters("".join(map(_form, words)))
        return list(map(self._places.__getitem__, words))

    def encode_all(self, sentences: Sequence[str]) -> EncodedApart:
        """All that an empty vocabulary finds in some sentences, for another to take in."""
        codes, lengths = array("i"), array("i")
        for sentence in sentences:
            of_sentence = self.encode(sentence)
            codes.extend(of_sentence)
            lengths.append(len(of_sentence))
        return EncodedApart(
            list(self._places),
            np.array(codes, dtype=np.int32),
            np.array(lengths, dtype=np.int32),
            self._letters,
            self._lost,
        )

    def take_in(self, encoded: EncodedApart) -> WordCodes:
        self._letters += encoded.letters
        self._lost += encoded.lost
        places = map(self._places.__getitem__, encoded.words)
        return np.fromiter(places, dtype=np.int32, count=len(encoded.words))[encoded.codes]

    def check_language(self, remedy: str = OTHER_TOKENIZERS) -> None:
        """Raise an `InputError` where the tokenizer threw most letters away: it does not know the language."""
        if 2 * self._lost > self._letters:
            raise InputError.at(
                found=f"a tokenizer that drops {self._lost:,} of {self._letters:,} characters as no part of a word",
                expected="one that knows the language of the texts",
                hint=remedy,
            )

    def words(self) -> tuple[Word, ...]:
        """The vocabulary so far, each word with the labels of the tokenizer and those of the lexicon, each once."""
        words = (entry if isinstance(entry, Word) else Word(entry) for entry in self._places)
        if self._lexicon is None:
            return tuple(words)
        return tuple(word._replace(labels=_united(word.labels, self._lexicon(word.form))) for word in words)


def vocabulary_of(tokenizer: str, lexicon: str | None = None) -> Vocabulary:
    """An empty vocabulary from the names that a user gives; of lexicons see `lexicons.lexicon_of`.

    Raises UnknownName for a tokenizer that is not there, and InputError where a lexicon is not, where 'sudachi' is
    asked for with another tokenizer than 'japanese', or where something that they need is not installed.

    >>> vocabulary_of("whitespace").encode("to be or not to be")
    [0, 1, 2, 3, 0, 1]
    """
    cut = _tokenizer(tokenizer, lexicon == SUDACHI)
    labels = None if lexicon is None else lexicon_of(lexicon)
    return Vocabulary(cut, labels, apart=partial(_encode_apart, tokenizer, lexicon == SUDACHI))


@cache
def _tokenizer(name: str, synonyms: bool) -> Tokenizer:
    """A tokenizer of this process."""
    named = TOKENIZERS[name]
    if not synonyms:
        return named.make()
    if name != "japanese":
        raise InputError.at(
            found=f"lexicon 'sudachi' with tokenizer {name!r}",
            expected="--tokenizer japanese",
            hint="choose that tokenizer, or another lexicon",
        )
    return japanese(synonyms=True)


def _encode_apart(tokenizer: str, synonyms: bool, sentences: Sequence[str]) -> EncodedApart:
    """What a vocabulary of that tokenizer finds, in whichever process."""
    with _ONE_AT_A_TIME:
        return Vocabulary(_tokenizer(tokenizer, synonyms)).encode_all(sentences)


def _form(word: str | Word) -> str:
    return word if isinstance(word, str) else word.form


def _foreign_letters(text: str) -> int:
    """Letters beyond ASCII."""
    return sum(letter.isalpha() and not letter.isascii() for letter in text)


def _united(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
