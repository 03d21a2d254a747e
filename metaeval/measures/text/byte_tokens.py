"""Tokens of ROUGE-1.5.5 of many sentences at once, as `tokenizers.rouge` finds them one sentence after the other.

A token is a run of ASCII letters and digits. Up to eight of them are one number of 64 bits and up to 16 are two, which
a table numbers for all tokens together; only the few longer tokens are looked up one by one.
"""

from __future__ import annotations

import string
from collections import defaultdict
from collections.abc import Sequence
from itertools import count

import numpy as np

from metaeval.arrays import Ints, Words
from metaeval.model.texts import WordCodes

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
    codes, limit = _numbered(head)
    longer = np.flatnonzero(length > _WIDTH)
    tail = eight_bytes[begin[longer] + _WIDTH] & _PREFIXES[np.minimum(length[longer] - _WIDTH, _WIDTH)]
    tail_codes, tails = _numbered(tail)
    of_pairs, pairs = _numbered((codes[longer] * tails + tail_codes).astype(np.uint64))
    codes[longer] = limit + of_pairs
    longest = longer[length[longer] > 2 * _WIDTH]
    indices: defaultdict[bytes, int] = defaultdict(count(limit + pairs).__next__)
    ends = begin[longest] + length[longest]
    for token, start, end in zip(longest.tolist(), begin[longest].tolist(), ends.tolist(), strict=True):
        codes[token] = indices[padded[start:end]]
    return codes, limit + pairs + len(indices)


def _numbered(values: Words) -> tuple[Ints, int]:
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
