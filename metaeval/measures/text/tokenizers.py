"""Tokenizers: functions from a sentence to its tokens."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metaeval.measures.text.japanese import japanese
from metaeval.model.texts import Word
from metaeval.registry import Registry

Tokenizer = Callable[[str], Sequence[str | Word]]
"""From a sentence to its tokens in order; a str is a word without part of speech and labels."""

# ROUGE-1.5.5 reads bytes: only ASCII letters are lower-cased, and every byte of any other letter is a blank.
_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_ROUGE_TOKENS = re.compile(r"[a-z0-9]+")


def whitespace(sentence: str) -> list[str]:
    """Tokens separated by blanks, with case and punctuation."""
    return sentence.split()


def characters(sentence: str) -> list[str]:
    """All characters except blanks."""
    return [character for character in sentence if not character.isspace()]


def rouge(sentence: str) -> list[str]:
    """Tokens of ROUGE-1.5.5: runs of ASCII letters and digits in lower case.

    >>> rouge("The U.S.-led co-operation")
    ['the', 'u', 's', 'led', 'co', 'operation']
    """
    return _ROUGE_TOKENS.findall(sentence.translate(_ASCII_LOWER))


@dataclass(frozen=True)
class NamedTokenizer:
    """A tokenizer of the registry; make: creates it, or raises InputError if a package is not installed."""

    name: str
    meaning: str
    make: Callable[[], Tokenizer]


TOKENIZERS: Registry[NamedTokenizer] = Registry("tokenizer")
"""Tokenizers by name."""

for _named in (
    NamedTokenizer("rouge", "runs of ASCII letters and digits in lower case, as in ROUGE-1.5.5", lambda: rouge),
    NamedTokenizer("whitespace", "tokens separated by blanks, unchanged", lambda: whitespace),
    NamedTokenizer("characters", "all characters except blanks", lambda: characters),
    NamedTokenizer("japanese", "dictionary forms of Japanese words, with parts of speech (Sudachi)", japanese),
):
    TOKENIZERS.register(_named.name, _named)
