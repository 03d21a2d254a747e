"""From a sentence to its tokens: whitespace, characters, or as ROUGE-1.5.5 does it.

A tokenizer is a function from one sentence to the list of its tokens. Japanese, which needs a dictionary, is elsewhere.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Collection, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from metaeval.errors import InputError, Problem

Tokenizer = Callable[[str], list[str]]
"""One sentence to its tokens, in order; [] for a sentence without any."""

# ROUGE-1.5.5 reads bytes: only ASCII letters are lower-cased, and every byte of any other letter is a blank. Its last
# rule, that a token starts with a letter, a digit or $, then drops the hyphens it had cut off: here they never arise.
_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_ROUGE_TOKENS = re.compile(r"[a-z0-9]+")
_LONGEST_UNSTEMMED = 3

_NO_EXCEPTIONS: Mapping[str, str] = MappingProxyType({})


class Stemmer(Protocol):
    """What a snowball stemmer offers."""

    def stemWord(self, word: str) -> str:  # noqa: N802 — the name is snowballstemmer's
        """The stem of one word."""


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


def rouge(
    *,
    stem: bool = False,
    stopwords: Collection[str] = frozenset(),
    exceptions: Mapping[str, str] = _NO_EXCEPTIONS,
) -> Tokenizer:
    """A tokenizer that works as ROUGE-1.5.5: lower case, runs of ASCII letters and digits, the rest is blank.

    stem: Porter's stems of tokens longer than three letters, by the original algorithm (ROUGE-1.5.5 -m).
    stopwords: tokens to leave out, compared before stemming (-s).
    exceptions: irregular forms and what to put for them instead of a stem; used where `stem` is.
    Raises InputError where `stem` is wanted and snowballstemmer is not installed.

    The stemmer inside ROUGE-1.5.5 departs from Porter's in a few endings: it takes -bli and -logi for suffixes, halves
    any doubled consonant before -ed and -ing, and strips -ment, -ent and -ion even where it has just stripped another
    suffix ('professional' to 'profess', Porter 'profession'). Scores differ only where such words meet others.

    >>> rouge(stopwords={"the"})("The U.S.-led co-operation")
    ['u', 's', 'led', 'co', 'operation']
    >>> rouge(stem=True, exceptions={"mice": "mouse"})("mice were running")
    ['mouse', 'were', 'run']
    """
    left_out = frozenset(stopwords)
    normal_form = cache(_normal_form(exceptions)) if stem else str

    def tokenize(sentence: str) -> list[str]:
        words = _ROUGE_TOKENS.findall(sentence.translate(_ASCII_LOWER))
        return [normal_form(word) for word in words if word not in left_out]

    return tokenize


def _normal_form(exceptions: Mapping[str, str]) -> Callable[[str], str]:
    stemmer = porter_stemmer()

    def normal_form(word: str) -> str:
        if len(word) <= _LONGEST_UNSTEMMED:
            return word
        return exceptions[word] if word in exceptions else stemmer.stemWord(word)

    return normal_form


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


def read_stopwords(path: str | Path) -> frozenset[str]:
    r"""Stop words from a UTF-8 file, one a line; blank lines are passed over.

    Raises InputError where the file can't be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "stopwords.txt"
    ...     _ = path.write_text("the\nof\n", encoding="utf-8")
    ...     sorted(read_stopwords(path))
    ['of', 'the']
    """
    return frozenset(word for line in _lines(path) if (word := line.strip()))


def read_exceptions(*paths: str | Path) -> dict[str, str]:
    r"""Irregular forms from UTF-8 files: form and base form a line, between blanks; what follows them is ignored.

    WordNet's files *.exc are of this kind. Of a form that occurs twice the last line holds, over all files in the
    order given. Raises InputError with every line that has one field only, or where a file can't be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "noun.exc"
    ...     _ = path.write_text("mice mouse\naxes ax axis\n", encoding="utf-8")
    ...     read_exceptions(path)
    {'mice': 'mouse', 'axes': 'ax'}
    """
    forms: dict[str, str] = {}
    problems = []
    for path in paths:
        for number, line in enumerate(_lines(path), start=1):
            fields = line.split()
            if len(fields) == 1:
                problems.append(Problem(f"{line.strip()!r}", "a form and its base form", str(path), number))
            elif fields:
                forms[fields[0]] = fields[1]
    if problems:
        raise InputError(problems, hints=["write one irregular form a line, as 'mice mouse'"])
    return forms


def _lines(path: str | Path) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError.at(path, found=f"the file can't be read: {error}", expected="a UTF-8 text file") from error
