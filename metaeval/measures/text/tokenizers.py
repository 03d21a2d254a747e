"""From a sentence to its tokens: whitespace, characters, as ROUGE-1.5.5 does it, or as a Japanese analyser does.

A tokenizer is a function from one sentence to its tokens. What a measure then leaves out or stems is in `views`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metaeval.measures.text.japanese import japanese
from metaeval.model.texts import Word
from metaeval.registry import Registry

Tokenizer = Callable[[str], Sequence[str | Word]]
"""One sentence to its tokens, in order; none for a sentence without any. A str is a word known by its form only."""

# ROUGE-1.5.5 reads bytes: only ASCII letters are lower-cased, and every byte of any other letter is a blank. Its last
# rule, that a token starts with a letter, a digit or $, then drops the hyphens it had cut off: here they never arise.
_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_ROUGE_TOKENS = re.compile(r"[a-z0-9]+")


def whitespace(sentence: str) -> list[str]:
    """Tokens as they stand between blanks; case and punctuation stay.

    >>> whitespace("The  cat sat.")
    ['The', 'cat', 'sat.']
    """
    return sentence.split()


def characters(sentence: str) -> list[str]:
    """Every character that is no blank, as for a language written without blanks.

    >>> characters("猫 です")
    ['猫', 'で', 'す']
    """
    return [character for character in sentence if not character.isspace()]


def rouge(sentence: str) -> list[str]:
    """Tokens of ROUGE-1.5.5 as it finds them: lower case, runs of ASCII letters and digits, the rest is blank.

    Its options -m (stems) and -s (stop words) are those of `views.view`.

    >>> rouge("The U.S.-led co-operation")
    ['the', 'u', 's', 'led', 'co', 'operation']
    """
    return _ROUGE_TOKENS.findall(sentence.translate(_ASCII_LOWER))


@dataclass(frozen=True)
class NamedTokenizer:
    """A tokenizer that a user can ask for.

    meaning: one line. make: gets it ready; raises InputError where something that it needs is not installed.
    """

    name: str
    meaning: str
    make: Callable[[], Tokenizer]


TOKENIZERS: Registry[NamedTokenizer] = Registry("tokenizer")
"""Tokenizers by name."""

for _named in (
    NamedTokenizer("rouge", "runs of ASCII letters and digits in lower case, as ROUGE-1.5.5 has it", lambda: rouge),
    NamedTokenizer("whitespace", "what stands between blanks, as it is", lambda: whitespace),
    NamedTokenizer("characters", "every character that is no blank", lambda: characters),
    NamedTokenizer("japanese", "words of Japanese in their dictionary form, with parts of speech (Sudachi)", japanese),
):
    TOKENIZERS.register(_named.name, _named)
