"""From sentences to words: tokenizers, also for Japanese, and filters of tokens."""

from __future__ import annotations

import re
import string
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import TextIOWrapper
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import importing, invalid, raise_any, refuse, setting, unreadable
from metaeval.measures.text.matches import WordLabels
from metaeval.model.runs import Word
from metaeval.registry import Registry
from metaeval.steps import open_bytes


def read_stopwords(path: str | Path) -> frozenset[str]:
    """Stop words from a UTF-8 file, one per line; blank lines are ignored."""
    return frozenset(word for line in lines_of(path) if (word := line.strip()))


def read_exceptions(*paths: str | Path) -> dict[str, str]:
    """Base forms of irregular forms, from UTF-8 files with a form and its base form on each line.

    WordNet's files *.exc have this format. Further fields of a line are ignored; the last line of a form counts.
    Raises InputError with every line of one field.
    """
    forms: dict[str, str] = {}
    problems = []
    for path in paths:
        for number, line in enumerate(lines_of(path), start=1):
            fields = line.split()
            if len(fields) == 1:
                problems.append(invalid("line", line.strip(), "a form and its base form").at(path, number))
            elif fields:
                forms[fields[0]] = fields[1]
    raise_any(problems, "write one irregular form per line, for example 'mice mouse'")
    return forms


def lines_of(path: str | Path) -> list[str]:
    """The lines of a UTF-8 file without line ends and byte order mark; an unreadable file is an `InputError`."""
    try:
        # Not splitlines, for which U+2028 and other characters end a line, too.
        with TextIOWrapper(open_bytes(path), encoding="utf-8-sig") as file:
            return file.read().split("\n")
    except FileNotFoundError:
        raise refuse(path, "no such file", "a file that exists", "check the path") from None
    except OSError as error:
        raise refuse(path, unreadable("file", error.strerror or error, "check the path")) from None
    except UnicodeDecodeError as error:
        raise refuse(path, unreadable("UTF-8 file", error)) from None


WordsKept = Literal["all", "content"]
Stem = Literal["none", "porter"]

TokenCodes = NDArray[np.int32]
"""Code of each entry of a vocabulary after filtering, from 0 without gaps, or `LEFT_OUT`."""

LEFT_OUT = -1
"""Code of a word that does not count."""

_LONGEST_UNSTEMMED = 3
_NO_EXCEPTIONS: Mapping[str, str] = MappingProxyType({})


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
    if content_only and any(word.content is None for word in words):
        hint = "choose this tokenizer, or words=all, with stop words to leave out function words"
        found = "words=content with a tokenizer without parts of speech"
        raise refuse(None, found, setting("tokenizer", "japanese"), hint)
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
        raise refuse(None, "exceptions= without stem=porter, which have no effect", "both or neither")
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
    labels_by_code: list[dict[int, None]] = [{} for _ in range(int(codes.max(initial=LEFT_OUT)) + 1)]
    for word, code in zip(vocabulary, codes.tolist(), strict=True):
        if code != LEFT_OUT:
            labels_by_code[code].update(dict.fromkeys(map(numbers.__getitem__, word.labels)))
    return WordLabels.of([list(labels) for labels in labels_by_code])


def porter_stemmer() -> Any:
    """Porter's original stemmer (1980), not the one that snowball calls 'english'."""
    with importing("stemming", "snowballstemmer", "text"):
        import snowballstemmer
    return snowballstemmer.stemmer("porter")


def _stemming(exceptions: Mapping[str, str]) -> Callable[[str], str]:
    stemmer = porter_stemmer()

    def stemmed(form: str) -> str:
        if len(form) <= _LONGEST_UNSTEMMED:
            return form
        return exceptions[form] if form in exceptions else stemmer.stemWord(form)

    return stemmed


_SYMBOLS_AND_BLANKS = frozenset({"補助記号", "空白"})
# Nouns, verbs and adjectives of IPADIC, whose nouns include UniDic's 代名詞 and 形状詞 (as 形容動詞語幹), and which
# classifies a 接尾辞 by the noun, verb or adjective that it forms: 館 of 図書館 is a content word.
_CONTENT = frozenset({"名詞", "代名詞", "形状詞", "動詞", "形容詞", "接尾辞"})

# Sudachi accepts up to 49,149 bytes of UTF-8, and 65,535 after normalisation, which makes at most 33 bytes of a
# character (U+FDFA).
_CHARACTERS_AT_ONCE = 1_500
_UP_TO_A_BREAK = re.compile(r".*[。．！？!?、，\s]", re.DOTALL)


Morpheme: TypeAlias = Any
"""A morpheme of Sudachi, which has no types."""

Analyzer = Callable[[str], Sequence[Morpheme]]


def japanese(*, synonyms: bool = False) -> Callable[[str], list[Word]]:
    """A tokenizer of Japanese into words with their parts of speech.

    Units are Sudachi's shortest (mode A), so that compounds match in part: 図書館 and 図書室 share 図書. Forms are
    dictionary forms. Content words are nouns, pronouns, adjectival nouns (形状詞), verbs, adjectives, suffixes that
    form one of these, and unknown words, as in Hirao, Okumura & Isozaki (2006, section 4, 'stop'). Punctuation, symbols
    and blanks are no words. With `synonyms`, labels are the groups of Sudachi's synonym dictionary. Long sentences are
    analysed in pieces. Raises InputError if Sudachi or its dictionary is not installed.

    >>> [word.form for word in japanese()("猫は走った。")]
    ['猫', 'は', '走る', 'た']
    >>> japanese(synonyms=True)("医者")
    [Word(form='医者', content=True, labels=('sudachi:000536',))]
    """
    analyze = _analyzer()
    word_by_index: dict[int, Word | None] = {}

    def word_of(morpheme: Morpheme) -> Word | None:
        index = morpheme.word_id()
        if index in word_by_index:
            return word_by_index[index]
        word = _word(morpheme, synonyms=synonyms)
        # Unknown words share one index for each part of speech.
        if not morpheme.is_oov():
            word_by_index[index] = word
        return word

    def tokenize(sentence: str) -> list[Word]:
        # JSON may contain half a surrogate pair, which UTF-8 cannot encode: it becomes a '?', which is no word.
        readable = sentence.encode("utf-8", "replace").decode("utf-8")
        words = [word_of(morpheme) for piece in _pieces(readable) for morpheme in analyze(piece)]
        return [word for word in words if word is not None]

    return tokenize


def _word(morpheme: Morpheme, *, synonyms: bool) -> Word | None:
    """The word of a morpheme, or None for a symbol or a blank."""
    kind, form = morpheme.part_of_speech()[0], morpheme.dictionary_form()
    if kind in _SYMBOLS_AND_BLANKS or not form.strip():
        return None
    groups = morpheme.synonym_group_ids() if synonyms else ()
    return Word(form, kind in _CONTENT or morpheme.is_oov(), tuple(f"sudachi:{group:06d}" for group in groups))


def _pieces(sentence: str) -> Iterator[str]:
    start = 0
    while len(sentence) - start > _CHARACTERS_AT_ONCE:
        end = start + _CHARACTERS_AT_ONCE
        if broken := _UP_TO_A_BREAK.match(sentence, start, end):
            end = broken.end()
        yield sentence[start:end]
        start = end
    yield sentence[start:]


@cache
def _analyzer() -> Analyzer:
    """Sudachi with its dictionary, which takes a quarter of a second to open."""
    with importing("Japanese", "sudachipy", "ja"):
        from sudachipy import Dictionary, SplitMode  # type: ignore[import-untyped]
        from sudachipy.errors import SudachiError  # type: ignore[import-untyped]
    try:
        dictionary = Dictionary(dict="core")
    except (ImportError, OSError, SudachiError) as error:
        hint = "pip install 'metaeval[ja]'"
        raise refuse(None, unreadable("dictionary sudachidict-core", error, hint)) from error
    # `tokenizer` replaced `create` in version 0.7. All fields are read, because Sudachi splits 3.5 without normalised
    # forms.
    create = dictionary.tokenizer if hasattr(dictionary, "tokenizer") else dictionary.create
    analyze: Analyzer = create(mode=SplitMode.A).tokenize
    return analyze


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

for _tokenizer in (
    NamedTokenizer("rouge", "runs of ASCII letters and digits in lower case, as in ROUGE-1.5.5", lambda: rouge),
    NamedTokenizer("whitespace", "tokens separated by blanks, unchanged", lambda: whitespace),
    NamedTokenizer("characters", "all characters except blanks", lambda: characters),
    NamedTokenizer("japanese", "dictionary forms of Japanese words, with parts of speech (Sudachi)", japanese),
):
    TOKENIZERS.register(_tokenizer.name, _tokenizer)
