"""Semantic labels of words, from a file or from an installed wordnet.

A word has the labels of all its senses, without disambiguation, as in Hirao, Okumura & Isozaki (2006), section 3.1.
"""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from metaeval.errors import empty, importing, invalid, raise_any, refuse, unreadable
from metaeval.measures.text.words import lines_of

if TYPE_CHECKING:
    import wn

Lexicon = Callable[[str], tuple[str, ...]]
"""From the form of a word to its distinct labels."""

SUDACHI = "sudachi"
"""The lexicon whose labels the tokenizer 'japanese' adds to words."""

LEXICON_NAMES = "FILE.tsv, sudachi, wordnet:NAME or wordnet-hypernyms:NAME"

_WORDNET, _WORDNET_HYPERNYMS = "wordnet", "wordnet-hypernyms"


_LINE = "a word, a tab and its labels, separated by blanks"


def lexicon_of(text: str) -> Lexicon | None:
    """The lexicon 'FILE.tsv', 'wordnet:NAME' or 'wordnet-hypernyms:NAME'; None for 'sudachi'.

    Raises InputError for other names, and if the lexicon cannot be read.
    """
    if text == SUDACHI:
        return None
    kind, _, name = text.partition(":")
    if kind in (_WORDNET, _WORDNET_HYPERNYMS) and name:
        return wordnet(name, hypernyms=kind == _WORDNET_HYPERNYMS)
    if is_lexicon_file(text):
        return read_lexicon(text)
    raise refuse(None, invalid("lexicon", text, LEXICON_NAMES))


def is_lexicon_file(text: str) -> bool:
    """Whether the name of a lexicon is that of a file."""
    return Path(text).suffix == ".tsv"


def read_lexicon(path: str | Path) -> Lexicon:
    """Labels from a UTF-8 file with a word, a tab and its labels, separated by blanks, on each line.

    Case is significant. Blank lines are ignored; a word on several lines has the labels of all of them. Raises
    InputError with every line that lacks a word or a label, and if the file cannot be read or has no words.
    """
    labels: dict[str, tuple[str, ...]] = {}
    problems = []
    for number, line in enumerate(lines_of(path), start=1):
        word, _, rest = (part.strip() for part in line.partition("\t"))
        if word and rest:
            labels[word] = tuple(dict.fromkeys((*labels.get(word, ()), *rest.split())))
        elif line.strip():
            problems.append(invalid("line", line.strip(), _LINE).at(path, number))
    raise_any(problems)
    if not labels:
        raise refuse(path, empty("word", _LINE))
    return lambda form: labels.get(form, ())


def wordnet(name: str, *, hypernyms: bool = False) -> Lexicon:
    """Synsets of all senses of a word, of any part of speech, in a wordnet that the package `wn` has installed.

    name: as in `wn`, for example 'oewn:2024'. hypernyms: whether direct hypernyms are labels, too. A form is looked up
    as it is, as another form that the wordnet lists and, in English, by its possible base forms; case is ignored only
    if this finds nothing. Raises InputError if `wn`, the wordnet or one that its hypernyms need is not installed.
    """
    words = _installed(name, hypernyms=hypernyms)

    @cache
    def labels(form: str) -> tuple[str, ...]:
        synsets = [sense.synset() for sense in words.senses(form)]
        if hypernyms:
            synsets += [above for synset in synsets for above in synset.hypernyms()]
        return tuple(sorted({_label(synset) for synset in synsets}))

    return labels


def _label(synset: wn.Synset) -> str:
    # All hypernyms that only the other wordnet contains have the same id, '*INFERRED*'.
    inferred = synset.id.startswith("*")
    return synset.ili if inferred and synset.ili else synset.id


def _installed(name: str, *, hypernyms: bool) -> wn.Wordnet:
    with importing("a wordnet", "wn", "wordnet"):
        import wn
        from wn.morphy import morphy
    try:
        with warnings.catch_warnings():
            # `wn` only warns if the wordnet with the hypernyms is missing.
            warnings.simplefilter("error", wn.WnWarning)
            wordnet = wn.Wordnet(name, expand=None if hypernyms else "")
            if all(lexicon.language == "en" for lexicon in wordnet.lexicons()):
                wordnet.lemmatizer = morphy
    except wn.WnWarning as warning:
        hint = "install them with `python -m wn download`"
        raise refuse(None, unreadable(f"hypernyms of wordnet '{name}'", warning, hint)) from warning
    except (wn.Error, OSError, sqlite3.Error) as error:
        hint = f"install it with `python -m wn download {name}`"
        raise refuse(None, invalid("wordnet", name, "an installed wordnet", f" ({error})", hint)) from error
    return wordnet
