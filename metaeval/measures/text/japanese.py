"""Japanese sentences to words, by the morphological analyser Sudachi and its dictionary (the extra `ja`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Protocol

from metaeval.errors import InputError
from metaeval.model.texts import Word

_HINT = "pip install 'metaeval[ja]'"

_SYMBOLS_AND_BLANKS = frozenset({"補助記号", "空白"})
# Nouns, verbs and adjectives in the terms of IPADIC: its nouns included UniDic's 代名詞 and 形状詞 (as 形容動詞語幹),
# and it had every 接尾辞 under the noun, verb or adjective that it makes: 館 of 図書館 is content as 図書 is.
_CONTENT = frozenset({"名詞", "代名詞", "形状詞", "動詞", "形容詞", "接尾辞"})

# Sudachi takes 49,149 bytes of UTF-8 at once, and 65,535 after it has normalised them; no character grows beyond the 33
# bytes of U+FDFA.
_CHARACTERS_AT_ONCE = 1_500
_UP_TO_A_BREAK = re.compile(r".*[。．！？!?、，\s]", re.DOTALL)


class Morpheme(Protocol):
    """What is asked of a morpheme of Sudachi."""

    def word_id(self) -> int:
        """Its place in the dictionary."""

    def is_oov(self) -> bool:
        """Whether the dictionary lacks it."""

    def dictionary_form(self) -> str:
        """Its base form."""

    def part_of_speech(self) -> tuple[str, str, str, str, str, str]:
        """Its part of speech, from the coarsest level."""

    def synonym_group_ids(self) -> Sequence[int]:
        """The groups of Sudachi's synonym dictionary that it is in."""


Analyzer = Callable[[str], Sequence[Morpheme]]


def japanese(*, synonyms: bool = False) -> Callable[[str], list[Word]]:
    """A tokenizer of Japanese: words in their dictionary form, with whether they bear content.

    Units are Sudachi's shortest (mode A), so that counts of shared words see what compounds have in common: 図書館 and
    図書室 share 図書. Longer units gain no synonyms: in running text as many words of each mode have some.
    form: the dictionary form, so that 走った and 走らない share 走る and a lexicon finds the word.
    content: nouns, pronouns, adjectival nouns (形状詞), verbs, adjectives, suffixes that make one of these, and words
    that the dictionary lacks: the nouns, verbs, adjectives and unknown words of Hirao, Okumura & Isozaki (2006,
    section 4, 'stop') in the terms of their time. Punctuation, pictures and blanks, which say nothing of the content,
    are no words at all.
    labels: with `synonyms`, the groups of Sudachi's synonym dictionary, all of them, as 'sudachi:000536'.

    A sentence of more than 1,500 characters is analysed in pieces that end with a mark or a blank where there is one.
    Raises InputError where Sudachi or its dictionary is not installed.

    >>> [word.form for word in japanese()("猫は走った。")]
    ['猫', 'は', '走る', 'た']
    >>> japanese(synonyms=True)("医者")
    [Word(form='医者', content=True, labels=('sudachi:000536',))]
    """
    analyze = _analyzer()
    known: dict[int, Word | None] = {}

    def word_of(morpheme: Morpheme) -> Word | None:
        place = morpheme.word_id()
        if place in known:
            return known[place]
        word = _word(morpheme, synonyms=synonyms)
        # Words that the dictionary lacks share one place for each part of speech.
        if not morpheme.is_oov():
            known[place] = word
        return word

    def tokenize(sentence: str) -> list[Word]:
        # JSON may smuggle in half a surrogate pair, which no UTF-8 can hold: it becomes a '?', which is no word.
        readable = sentence.encode("utf-8", "replace").decode("utf-8")
        words = [word_of(morpheme) for piece in _pieces(readable) for morpheme in analyze(piece)]
        return [word for word in words if word is not None]

    return tokenize


def _word(morpheme: Morpheme, *, synonyms: bool) -> Word | None:
    """The word that a morpheme is, or None for a symbol or a blank."""
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
    """Sudachi with its dictionary, which takes a quarter of a second to open and is opened once."""
    try:
        from sudachipy import Dictionary, SplitMode  # type: ignore[import-untyped]
        from sudachipy.errors import SudachiError  # type: ignore[import-untyped]
    except ImportError:
        raise InputError.at(found="Japanese needs the package sudachipy, which is not installed", hint=_HINT) from None
    try:
        dictionary = Dictionary(dict="core")
    except (ImportError, OSError, SudachiError) as error:
        raise InputError.at(
            found=f"Japanese needs the dictionary sudachidict-core, which can't be opened: {error}", hint=_HINT
        ) from error
    # `tokenizer` came with 0.7, where `create` warns. All fields are read, for without normalised forms Sudachi cuts
    # 3.5 into three.
    create = dictionary.tokenizer if hasattr(dictionary, "tokenizer") else dictionary.create
    analyze: Analyzer = create(mode=SplitMode.A).tokenize
    return analyze
