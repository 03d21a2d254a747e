"""Semantic labels of words: from a file, or from a wordnet that the user has installed.

A word has all labels of all its senses: nothing is disambiguated, as in Hirao, Okumura & Isozaki, 'An automatic
evaluation method for summarization systems with extended string subsequence kernel' (in Japanese), section 3.1.
"""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from metaeval.errors import InputError, Problem
from metaeval.measures.text.word_lists import lines_of

if TYPE_CHECKING:
    import wn

Lexicon = Callable[[str], tuple[str, ...]]
"""The form of a word to its labels, each once; () where it has none."""

SUDACHI = "sudachi"
"""The lexicon whose labels come with the words of the tokenizer 'japanese'."""

LEXICONS_MEANT = "FILE.tsv, sudachi, wordnet:NAME or wordnet-hypernyms:NAME"
"""What `lexicon_of` reads, for help and messages."""

_WORDNET, _WORDNET_HYPERNYMS = "wordnet", "wordnet-hypernyms"


def lexicon_of(text: str) -> Lexicon | None:
    """The lexicon that a user names: 'FILE.tsv', 'wordnet:oewn:2024', 'wordnet-hypernyms:oewn:2024', or 'sudachi'.

    None for 'sudachi', whose labels come with the words. Raises InputError for anything else, and where the lexicon
    can't be read.
    """
    if text == SUDACHI:
        return None
    kind, _, name = text.partition(":")
    if kind in (_WORDNET, _WORDNET_HYPERNYMS) and name:
        return wordnet(name, hypernyms=kind == _WORDNET_HYPERNYMS)
    if is_lexicon_file(text):
        return read_lexicon(text)
    raise InputError.at(found=f"lexicon {text!r}", expected=LEXICONS_MEANT)


def is_lexicon_file(text: str) -> bool:
    """Whether a user names a file, and not another kind of lexicon.

    >>> is_lexicon_file("labels.tsv"), is_lexicon_file("wordnet:oewn:2024")
    (True, False)
    """
    return Path(text).suffix == ".tsv"


def read_lexicon(path: str | Path) -> Lexicon:
    r"""Labels from a UTF-8 file: on each line a word, a tab, and its labels between blanks.

    Case counts. Blank lines are passed over; a word on several lines has the labels of all of them. Raises InputError
    with every line that lacks a word or a label, and where the file can't be read or holds no word.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "lexicon.tsv"
    ...     _ = path.write_text("cosmonaut\tSPACEMAN\ndream\tDREAM SLEEP\n", encoding="utf-8")
    ...     labels = read_lexicon(path)
    >>> labels("dream"), labels("great")
    (('DREAM', 'SLEEP'), ())
    """
    labels: dict[str, tuple[str, ...]] = {}
    problems = []
    for number, line in enumerate(lines_of(path), start=1):
        word, _, rest = (part.strip() for part in line.partition("\t"))
        if word and rest:
            labels[word] = tuple(dict.fromkeys((*labels.get(word, ()), *rest.split())))
        elif line.strip():
            problems.append(Problem(f"{line.strip()!r}", "a word, a tab and its labels", str(path), number))
    if problems:
        raise InputError(problems, hints=["write a word, a tab and its labels with blanks between them"])
    if not labels:
        raise InputError.at(path, found="the file holds no word", expected="a word, a tab and its labels on each line")
    return lambda form: labels.get(form, ())


def wordnet(name: str, *, hypernyms: bool = False) -> Lexicon:
    """Synsets of all senses of a word, of any part of speech, in a wordnet that the package `wn` has installed.

    name: as `wn` has it, 'oewn:2024'. hypernyms: synsets right above those are labels too, so that a word matches its
    direct hypernyms and their other hyponyms; not those further up, which in the end every noun has.
    A form is looked up as it is, as any other form that the wordnet lists and, in English, by the base forms that it
    could have; only where nothing is found is case ignored. Labels are sorted.
    Raises InputError where `wn`, the wordnet or one that its hypernyms are in is not installed.
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
    # A hypernym that only the other wordnet has shares its id, '*INFERRED*', with all of its kind.
    inferred = synset.id.startswith("*")
    return synset.ili if inferred and synset.ili else synset.id


def _installed(name: str, *, hypernyms: bool) -> wn.Wordnet:
    try:
        import wn
        from wn.morphy import morphy
    except ImportError:
        raise InputError.at(
            found="a wordnet needs the package wn, which is not installed", hint="pip install 'metaeval[wordnet]'"
        ) from None
    try:
        with warnings.catch_warnings():
            # Where the wordnet that its hypernyms are in is missing, `wn` warns and goes on without them.
            warnings.simplefilter("error", wn.WnWarning)
            wordnet = wn.Wordnet(name, expand=None if hypernyms else "")
            if all(lexicon.language == "en" for lexicon in wordnet.lexicons()):
                wordnet.lemmatizer = morphy
    except wn.WnWarning as warning:
        raise InputError.at(
            found=f"hypernyms of the wordnet {name!r}: {warning}", hint="install these with python -m wn download"
        ) from warning
    except (wn.Error, OSError, sqlite3.Error) as error:
        raise InputError.at(
            found=f"the wordnet {name!r} can't be opened: {error}",
            expected="one that is installed",
            hint=f"python -m wn download {name}",
        ) from error
    return wordnet
