"""The words of all texts of a task, numbered as they come."""

from __future__ import annotations

from collections import defaultdict
from itertools import count

from metaeval.errors import InputError
from metaeval.measures.text.japanese import japanese
from metaeval.measures.text.lexicons import SUDACHI, Lexicon, lexicon_of
from metaeval.measures.text.tokenizers import TOKENIZERS, Tokenizer
from metaeval.model.texts import Word

OTHER_TOKENIZERS = "say --tokenizer japanese for Japanese; characters or whitespace for other languages than English"


class Vocabulary:
    """Words numbered from 0 in the order in which they come: an `Encoder`.

    tokenizer: cuts a sentence. lexicon: semantic labels by form, beside those that the tokenizer gives.
    Words of one form that differ in part of speech are different entries; what compares them goes by the form.

    >>> vocabulary = Vocabulary(str.split, lambda form: ("PET",) if form == "cat" else ())
    >>> vocabulary.encode("cat sees cat")
    [0, 1, 0]
    >>> vocabulary.words()[0]
    Word(form='cat', content=None, labels=('PET',))
    """

    def __init__(self, tokenizer: Tokenizer, lexicon: Lexicon | None = None) -> None:
        self._tokenizer = tokenizer
        self._lexicon = lexicon
        self._letters = self._lost = 0
        # A word that is not there yet gets the next number on being looked up.
        self._places: defaultdict[str | Word, int] = defaultdict(count().__next__)

    def encode(self, sentence: str) -> list[int]:
        """The words of a sentence as places in the vocabulary, which grows as needed."""
        words = self._tokenizer(sentence)
        self._letters += len(sentence)
        if not sentence.isascii():
            self._lost += _foreign_letters(sentence) - _foreign_letters("".join(map(_form, words)))
        return list(map(self._places.__getitem__, words))

    def check_language(self, remedy: str = OTHER_TOKENIZERS) -> None:
        """Raise an `InputError` where the tokenizer threw most letters away: it does not know the language."""
        if 2 * self._lost > self._letters:
            raise InputError.at(
                found=f"a tokenizer that drops {self._lost:,} of {self._letters:,} characters as no part of a word",
                expected="one that knows the language of the texts",
                hint=remedy,
            )

    def words(self) -> tuple[Word, ...]:
        """The vocabulary so far, each word with the labels of the tokenizer and those of the lexicon, each once."""
        words = (entry if isinstance(entry, Word) else Word(entry) for entry in self._places)
        if self._lexicon is None:
            return tuple(words)
        return tuple(word._replace(labels=_united(word.labels, self._lexicon(word.form))) for word in words)


def vocabulary_of(tokenizer: str, lexicon: str | None = None) -> Vocabulary:
    """An empty vocabulary from the names that a user gives; of lexicons see `lexicons.lexicon_of`.

    Raises UnknownName for a tokenizer that is not there, and InputError where a lexicon is not, where 'sudachi' is
    asked for with another tokenizer than 'japanese', or where something that they need is not installed.

    >>> vocabulary_of("whitespace").encode("to be or not to be")
    [0, 1, 2, 3, 0, 1]
    """
    named = TOKENIZERS[tokenizer]
    labels = None if lexicon is None else lexicon_of(lexicon)
    if lexicon != SUDACHI:
        return Vocabulary(named.make(), labels)
    if tokenizer != "japanese":
        raise InputError.at(
            found=f"lexicon 'sudachi' with tokenizer {tokenizer!r}",
            expected="--tokenizer japanese",
            hint="choose that tokenizer, or another lexicon",
        )
    return Vocabulary(japanese(synonyms=True))


def _form(word: str | Word) -> str:
    return word if isinstance(word, str) else word.form


def _foreign_letters(text: str) -> int:
    """Letters beyond ASCII."""
    return sum(letter.isalpha() and not letter.isascii() for letter in text)


def _united(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
