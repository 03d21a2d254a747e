"""The words of all texts of a task, numbered in order of appearance.

Tokens of ROUGE-1.5.5 of many sentences at once, as `tokenizers.rouge` finds them one sentence after the other.

A token is a run of ASCII letters and digits. Up to eight of them are one number of 64 bits and up to 16 are two, which
a table numbers for all tokens together; only the few longer tokens are looked up one by one.
"""

from __future__ import annotations

import string
from array import array
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, partial
from itertools import count
from threading import Lock

import numpy as np

from metaeval.arrays import Ints, Words
from metaeval.errors import invalid, refuse, setting
from metaeval.measures.text.lexicons import SUDACHI, Lexicon, lexicon_of
from metaeval.measures.text.words import TOKENIZERS, Tokenizer, japanese, rouge
from metaeval.model.runs import EncodeApart, EncodedApart, Word, WordCodes

_LOWER = {ord(letter): ord(letter.lower()) for letter in string.ascii_letters + string.digits}
_BYTES = bytes(_LOWER.get(byte, 0) for byte in range(256))
"""The byte of a token for each byte of a text: letters in lower case and digits; 0 for all others."""

_WIDTH = 8
_PREFIXES = np.array([2 ** (8 * length) - 1 for length in range(_WIDTH + 1)], dtype=np.uint64)
"""Masks of the first bytes of a number."""

_SMALLEST_TABLE, _LARGEST_TABLE = 8, 18
"""Sizes of a table of numbers as powers of two; the largest stays in the cache of a processor."""

_MULTIPLIER, _NEXT = 0x9E3779B97F4A7C15, 0xD1342543DE82EF95


def rouge_tokens(sentences: Sequence[str]) -> tuple[list[str], WordCodes, WordCodes]:
    """Distinct tokens in order of appearance, the index of each token in them, (T,), and tokens of a sentence, (Z,).

    A line break within a sentence is a blank.

    >>> forms, codes, lengths = rouge_tokens(["The U.S.-led", "us, the U"])
    >>> forms, codes.tolist(), lengths.tolist()
    (['the', 'u', 's', 'led', 'us'], [0, 1, 2, 3, 4, 0, 1], [4, 3])
    """
    # Characters outside ASCII belong to no token, so that each may be any one byte.
    text = "\n".join(sentences).encode("ascii", "replace").translate(_BYTES)
    padded = text + bytes(2 * _WIDTH)
    inside = np.frombuffer(padded, dtype=np.uint8) != 0
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    if inside[0]:
        edges = np.concatenate([[0], edges])
    begin, length = edges[::2], edges[1::2] - edges[::2]
    codes, distinct = _codes(padded, begin, length)
    codes, first = _in_order_of_appearance(codes, distinct)
    letters = text.decode("ascii")
    forms = [letters[start:end] for start, end in zip(begin[first].tolist(), edges[1::2][first].tolist(), strict=True)]
    ends = np.cumsum(np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences)) + 1)
    lengths = np.diff(np.searchsorted(begin, ends), prepend=0)
    return forms, codes.astype(np.int32), lengths.astype(np.int32)


def _codes(padded: bytes, begin: Ints, length: Ints) -> tuple[Ints, int]:
    """Codes of tokens below a limit, equal for equal tokens, and the limit."""
    eight_bytes = np.ndarray(len(padded) - _WIDTH + 1, dtype="<u8", buffer=padded, strides=(1,))
    head = eight_bytes[begin] & _PREFIXES[np.minimum(length, _WIDTH)]
    codes, limit = _assign_codes(head)
    longer = np.flatnonzero(length > _WIDTH)
    tail = eight_bytes[begin[longer] + _WIDTH] & _PREFIXES[np.minimum(length[longer] - _WIDTH, _WIDTH)]
    tail_codes, tails = _assign_codes(tail)
    pair_codes, pairs = _assign_codes((codes[longer] * tails + tail_codes).astype(np.uint64))
    codes[longer] = limit + pair_codes
    longest = longer[length[longer] > 2 * _WIDTH]
    indices: defaultdict[bytes, int] = defaultdict(count(limit + pairs).__next__)
    ends = begin[longest] + length[longest]
    for token, start, end in zip(longest.tolist(), begin[longest].tolist(), ends.tolist(), strict=True):
        codes[token] = indices[padded[start:end]]
    return codes, limit + pairs + len(indices)


def _assign_codes(values: Words) -> tuple[Ints, int]:
    """Codes of numbers below a limit, equal for equal numbers, and the limit.

    Each number writes itself into its place of a table. All numbers equal to the one that stands there own the place;
    the others go on to another table.
    """
    codes = np.empty(len(values), dtype=np.int64)
    left, limit, multiplier = np.arange(len(values)), 0, _MULTIPLIER
    while len(left):
        bits = min(max(len(left).bit_length() - 1, _SMALLEST_TABLE), _LARGEST_TABLE)
        index = ((values * np.uint64(multiplier)) >> np.uint64(64 - bits)).astype(np.int64)
        table = np.zeros(1 << bits, dtype=np.uint64)
        table[index] = values
        owned = table[index] == values
        codes[left[owned]] = limit + index[owned]
        left, values = left[~owned], values[~owned]
        limit += 1 << bits
        multiplier = (multiplier * _NEXT + 2) % 2**64 | 1
    return codes, limit


def _in_order_of_appearance(codes: Ints, limit: int) -> tuple[Ints, Ints]:
    """Codes from 0 without gaps, (T,), and where each appears first."""
    where = np.full(limit, len(codes))
    # Of several assignments to one place the last one stays.
    where[codes[::-1]] = np.arange(len(codes))[::-1]
    first = np.sort(where[where < len(codes)])
    number = np.empty(limit, dtype=np.int64)
    number[codes[first]] = np.arange(len(first))
    return number[codes], first


_ONE_AT_A_TIME = Lock()
"""Threads share the tokenizers of their process, but Sudachi's is not thread-safe."""


class Vocabulary:
    """Words numbered from 0 in order of appearance: an `Encoder`.

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
        # Looking up a new word gives it the next number.
        self._indices: defaultdict[str | Word, int] = defaultdict(count().__next__)

    def encode_all(self, sentences: Sequence[str]) -> tuple[WordCodes, WordCodes]:
        encoded = _encoded(self._tokenizer, sentences)
        return self.take_in(encoded), encoded.lengths

    def take_in(self, encoded: EncodedApart) -> WordCodes:
        indices = map(self._indices.__getitem__, encoded.words)
        return np.fromiter(indices, dtype=np.int32, count=len(encoded.words))[encoded.codes]

    def words(self) -> tuple[Word, ...]:
        """The vocabulary so far, each word with its distinct labels of the tokenizer and of the lexicon."""
        words = (entry if isinstance(entry, Word) else Word(entry) for entry in self._indices)
        if self._lexicon is None:
            return tuple(words)
        return tuple(
            word._replace(labels=tuple(dict.fromkeys((*word.labels, *self._lexicon(word.form))))) for word in words
        )


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
    tokenizer = TOKENIZERS[name]
    if not synonyms:
        return tokenizer.make()
    if name != "japanese":
        hint = "choose this tokenizer, or another lexicon"
        where = f" with tokenizer '{name}'"
        raise refuse(None, invalid("lexicon", SUDACHI, setting("tokenizer", "japanese"), where, hint))
    return japanese(synonyms=True)


def _encode_apart(tokenizer: str, synonyms: bool, sentences: Sequence[str]) -> EncodedApart:
    """Encode sentences in another process or thread."""
    with _ONE_AT_A_TIME:
        return _encoded(_tokenizer(tokenizer, synonyms), sentences)


def _encoded(tokenizer: Tokenizer, sentences: Sequence[str]) -> EncodedApart:
    """Sentences with a vocabulary of their own."""
    if tokenizer is rouge:
        return EncodedApart(*rouge_tokens(sentences))
    code_by_word: defaultdict[str | Word, int] = defaultdict(count().__next__)
    codes, lengths = array("i"), array("i")
    for sentence in sentences:
        words = tokenizer(sentence)
        codes.extend(map(code_by_word.__getitem__, words))
        lengths.append(len(words))
    word_codes, word_counts = (np.array(part, dtype=np.int32) for part in (codes, lengths))
    return EncodedApart(list(code_by_word), word_codes, word_counts)
