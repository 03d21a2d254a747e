"""Tokenizer of Japanese, by the morphological analyser Sudachi and its dictionary (extra `ja`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Protocol

from metaeval.errors import InputError
from metaeval.model.texts import Word

_HINT = "pip install 'metaeval[ja]'"

_SYMBOLS_AND_BLANKS = frozenset({"補助記号", "空白"})
# Nouns, verbs and adjectives of IPADIC, whose nouns include UniDic's 代名詞 and 形状詞 (as 形容動詞語幹), and which
# classifies a 接尾辞 by the noun, verb or adjective that it forms: 館 of 図書館 is a content word.
_CONTENT = frozenset({"名詞", "代名詞", "形状詞", "動詞", "形容詞", "接尾辞"})

# Sudachi accepts up to 49,149 bytes of UTF-8, and 65,535 after normalisation, which makes at most 33 bytes of a
# character (U+FDFA).
_CHARACTERS_AT_ONCE = 1_500
_UP_TO_A_BREAK = re.compile(r".*[。．！？!?、，\s]", re.DOTALL)


class Morpheme(Protocol):
    """A morpheme of Sudachi."""

    def word_id(self) -> int:
        """Index in the dictionary."""

    def is_oov(self) -> bool:
        """Whether the dictionary does not contain it."""

    def dictionary_form(self) -> str:
        """Base form."""

    def part_of_speech(self) -> tuple[str, str, str, str, str, str]:
        """Part of speech, from the coarsest level."""

    def synonym_group_ids(self) -> Sequence[int]:
        """Groups in Sudachi's synonym dictionary."""


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
    known: dict[int, Word | None] = {}

    def word_of(morpheme: Morpheme) -> Word | None:
        index = morpheme.word_id()
        if index in known:
            return known[index]
        word = _word(morpheme, synonyms=synonyms)
        # Unknown words share one index for each part of speech.
        if not morpheme.is_oov():
            known[index] = word
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
    try:
        from sudachipy import Dictionary, SplitMode  # type: ignore[import-untyped]
        from sudachipy.errors import SudachiError  # type: ignore[import-untyped]
    except ImportError:
        raise InputError.at(found="Japanese needs the package sudachipy, which is not installed", hint=_HINT) from None
    try:
        dictionary = Dictionary(dict="core")
    except (ImportError, OSError, SudachiError) as error:
        raise InputError.at(
            found=f"Japanese needs the dictionary sudachidict-core, which cannot be opened: {error}", hint=_HINT
        ) from error
    # `tokenizer` replaced `create` in version 0.7. All fields are read, because Sudachi splits 3.5 without normalised
    # forms.
    create = dictionary.tokenizer if hasattr(dictionary, "tokenizer") else dictionary.create
    analyze: Analyzer = create(mode=SplitMode.A).tokenize
    return analyze
