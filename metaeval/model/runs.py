"""Gold labels and predictions of systems for the items of a data set: as codes of a scale, or as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeAlias, overload
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Indices, Integers
from metaeval.errors import refuse, setting
from metaeval.model.scale import ClassScale

if TYPE_CHECKING:
    from metaeval.errors import Where

Codes = NDArray[np.integer[Any]]


class Numbered(Sequence[str]):
    """Ids '1', '2' … of items without ids, in the order of gold; they are not stored.

    >>> len(Numbered(50_000_000)), Numbered(3)[-1]
    (50000000, '3')
    """

    def __init__(self, items: int) -> None:
        self._numbers = range(1, items + 1)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...

    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return [*map(str, self._numbers[index])] if isinstance(index, slice) else str(self._numbers[index])


@dataclass(frozen=True)
class _ItemRuns:
    """Runs with a prediction in memory for each item and system."""

    items: Sequence[str]
    gold: Codes
    predicted: NDArray[Any]
    systems: tuple[str, ...]
    scale: ClassScale
    trivial: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_shapes(self.items, self.gold, self.predicted, self.systems)

    @property
    def gold_frequencies(self) -> NDArray[np.int64]:
        """How many items each gold class has, (C,)."""
        return _frequencies(self.gold, self.scale)


@dataclass(frozen=True)
class LabelledRuns(_ItemRuns):
    """Gold labels and the labels that systems predicted, joined by item.

    Parameters
    ----------
    items
        N item ids; `Numbered` where they are not stored.
    gold : array (N,)
        Class codes of the gold standard.
    predicted : array (S, N)
        Class codes of the systems.
    systems
        S names.
    scale
        Classes that the codes stand for.
    trivial
        Names of the trivial systems among them (the majority class, random …).
    """

    predicted: Codes

    multiplicities: ClassVar[None] = None
    group_counts: ClassVar[None] = None


@dataclass(frozen=True)
class PatternRuns:
    """Gold labels and predictions of items without ids; items with equal gold and predictions are one row.

    gold: class codes, (U,). predicted: class codes of the systems, (S, U). Rows are distinct, sorted by gold, then by
    the first system, the second … multiplicities: how many items each row stands for, (U,). systems, scale: see
    `LabelledRuns`. group_counts: confusion counts of groups of clusters of the items, (G, S, C, C).
    """

    gold: Codes
    predicted: Codes
    multiplicities: NDArray[np.intp]
    systems: tuple[str, ...]
    scale: ClassScale
    group_counts: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        _check_shapes(self.multiplicities, self.gold, self.predicted, self.systems)

    @property
    def items(self) -> Numbered:
        """N items, without ids."""
        return Numbered(int(self.multiplicities.sum()))

    @property
    def gold_frequencies(self) -> NDArray[np.int64]:
        """How many items each gold class has, (C,)."""
        return _frequencies(self.gold, self.scale, self.multiplicities)


ClassRuns: TypeAlias = LabelledRuns | PatternRuns
"""Systems that predict classes, item by item or with equal items in one row."""


@dataclass(frozen=True)
class NumericRuns(_ItemRuns):
    """Gold labels of an ordered scale, and the numbers that systems predicted.

    Parameters
    ----------
    predicted : array (S, N)
        Finite numbers of the systems.
    items, gold, systems, scale, trivial
        As in `LabelledRuns`.
    """

    predicted: NDArray[np.float64]


def smallest_code_type(classes: int) -> np.dtype[np.unsignedinteger[Any]]:
    """The smallest unsigned integer type for the codes of a number of classes."""
    return np.dtype(np.min_scalar_type(classes - 1))


def _frequencies(gold: Codes, scale: ClassScale, multiplicities: NDArray[np.intp] | None = None) -> NDArray[np.int64]:
    return np.bincount(gold, multiplicities, minlength=len(scale)).astype(np.int64)


def _check_shapes(
    items: Sequence[str] | NDArray[Any], gold: NDArray[Any], predicted: NDArray[Any], systems: tuple[str, ...]
) -> None:
    expected = (len(systems), len(items))
    if gold.shape != expected[1:] or predicted.shape != expected:
        raise ValueError(
            f"gold {gold.shape} and predicted {predicted.shape} do not fit "
            f"{len(systems)} systems and {len(items)} items"
        )


class DataKind(Enum):
    """The kind of data that there is for each item."""

    LABELS = "labels"
    """A class."""
    NUMBERS = "numbers"
    """A number, against gold classes with an order."""
    TEXTS = "texts"
    """A text, against references."""
    DERIVATIONS = "derivations"
    """Steps of reasoning, against references."""
    DISTRIBUTIONS = "distributions"
    """A distribution over classes, against that of gold."""
    ITEM_SCORES = "item scores"
    """A score of some measure."""


@dataclass(frozen=True)
class DistributionRuns:
    """Distributions of systems, joined with those of gold by item.

    items: N ids. systems: S names. predicted: probabilities, which sum to 1, (S, N, C). gold: the same of gold, (N, C).
    scale: the C classes.
    """

    items: tuple[str, ...]
    systems: tuple[str, ...]
    predicted: NDArray[np.float64]
    gold: NDArray[np.float64]
    scale: ClassScale

    def __post_init__(self) -> None:
        shape = (len(self.items), len(self.scale))
        if self.gold.shape != shape or self.predicted.shape != (len(self.systems), *shape):
            raise ValueError(f"distributions {self.predicted.shape} and {self.gold.shape} do not fit {shape}")


WordCodes = NDArray[np.int32]


def starts_of(counts: Integers) -> NDArray[np.int64]:
    """Where each run of counts[i] entries begins, and where the last one ends.

    >>> starts_of(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def ranges(starts: Integers, counts: Integers) -> NDArray[np.int64]:
    """The concatenation of `starts[i], starts[i] + 1, …`, counts[i] numbers each.

    >>> ranges(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    return np.repeat(starts - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())


class Word(NamedTuple):
    """An entry of a vocabulary.

    form: by which it is compared. content: whether it is a content word (noun, verb …), None where unknown. labels: all
    its semantic labels.
    """

    form: str
    content: bool | None = None
    labels: tuple[str, ...] = ()


_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())


@cache
def _is_foreign(character: str) -> bool:
    """Whether a character is a letter or a mark outside ASCII."""
    return not character.isascii() and category(character)[0] in "LM"


class Letters:
    """The letters of texts, to find those that a tokenizer drops; marks, such as the vowel signs of Hindi, count."""

    def __init__(self) -> None:
        self._ascii = 0
        self._characters: Counter[str] = Counter()

    def add(self, text: str) -> None:
        """Count the letters of a text."""
        if text.isascii():
            # The usual case must be fast.
            self._ascii += len(text.encode().translate(None, _NO_LETTERS))
        else:
            self._characters.update(text)

    def check(
        self, words: Sequence[Word], codes: WordCodes, where: Where = None, *, whose: str = "", hint: str = ""
    ) -> None:
        """Raise an `InputError` if the words of the texts lack most letters, which are those of another script.

        words: the vocabulary. codes: the words of the texts. whose: the texts, for the message. hint: another remedy.
        """
        letters = {
            letter: count for letter, count in self._characters.items() if letter.isalpha() or _is_foreign(letter)
        }
        foreign = {letter: count for letter, count in letters.items() if _is_foreign(letter)}
        total, dropped_letters = self._ascii + sum(letters.values()), sum(foreign.values())
        if 2 * dropped_letters > total:
            counts_by_word = (0 if word.form.isascii() else sum(map(_is_foreign, word.form)) for word in words)
            dropped_letters -= int(np.fromiter(counts_by_word, dtype=np.int64, count=len(words))[codes].sum())
        if 2 * dropped_letters > total:
            is_japanese = any("\u3041" <= letter <= "\u30ff" for letter in foreign)
            name, other = ("japanese", "") if is_japanese else ("whitespace", " where blanks do not separate words")
            found = f"a tokenizer that drops {dropped_letters:,} of {total:,} letters{whose}"
            remedy = f"choose {setting('tokenizer', name)}, or characters{other}"
            raise refuse(where, found, "a tokenizer for the script of the texts", hint or remedy)


class EncodedApart(NamedTuple):
    """Sentences that were encoded with a vocabulary of their own.

    words: that vocabulary, in order of occurrence. codes: (T,) indices into it. lengths: (Z,) words of each sentence.
    """

    words: Sequence[str | Word]
    codes: WordCodes
    lengths: WordCodes


EncodeApart = Callable[[Sequence[str]], EncodedApart]
"""Encodes sentences in any process."""


class Encoder(Protocol):
    """Tokenizes sentences and encodes their words.

    It can share its work with other processes, which encode sentences with `apart`; where `take_in` gets their results
    in the order of the sentences, codes and vocabulary are those of `encode_all`.
    """

    def encode_all(self, sentences: Sequence[str]) -> tuple[WordCodes, WordCodes]:
        """The words of sentences as indices into the vocabulary, which grows, (T,), and how many each has, (Z,)."""

    def words(self) -> tuple[Word, ...]:
        """The vocabulary so far."""

    @property
    def apart(self) -> EncodeApart | None:
        """A picklable function for other processes; None where there is none."""

    def take_in(self, encoded: EncodedApart) -> WordCodes:
        """The codes as indices into this vocabulary, which grows as needed."""


@dataclass(frozen=True)
class TokenizedTexts:
    """Texts, each a list of sentences, each a list of words, in flat arrays.

    codes: (T,) indices into a vocabulary. lengths: (Z,) words of each sentence. sizes: (X,) sentences of each text.
    An empty sentence has length 0, an empty text size 0.
    """

    codes: WordCodes
    lengths: Integers
    sizes: Integers

    def __post_init__(self) -> None:
        if int(self.lengths.sum()) != len(self.codes) or int(self.sizes.sum()) != len(self.lengths):
            raise ValueError(
                f"{len(self.codes)} words, {len(self.lengths)} sentences and {len(self.sizes)} texts do not fit"
            )

    @classmethod
    def of(cls, texts: Sequence[Sequence[Sequence[int]]]) -> TokenizedTexts:
        """Texts from nested lists of word codes.

        >>> TokenizedTexts.of([[[0, 1], []], []]).sizes.tolist()
        [2, 0]
        """
        sentences = [sentence for text in texts for sentence in text]
        return cls(
            np.array([code for sentence in sentences for code in sentence], dtype=np.int32),
            np.array([len(sentence) for sentence in sentences], dtype=np.intp),
            np.array([len(text) for text in texts], dtype=np.intp),
        )

    def __len__(self) -> int:
        return len(self.sizes)

    def take(self, texts: NDArray[np.integer]) -> TokenizedTexts:
        """Some of the texts, in the order of the argument; −1 stands for an empty one.

        >>> TokenizedTexts.of([[[0, 1], [2]], [[3]]]).take(np.array([1, -1, 1])).codes.tolist()
        [3, 3]
        """
        # Blocks of many texts are taken one after another, so that the cost must not depend on all texts.
        exists = texts >= 0
        sizes = np.where(exists, self._sentences_before[texts + 1] - self._sentences_before[texts], 0)
        words = np.where(exists, self._words_before[texts + 1] - self._words_before[texts], 0)
        return TokenizedTexts(
            self.codes[ranges(self._words_before[texts], words)],
            self.lengths[ranges(self._sentences_before[texts], sizes)].astype(np.intp, copy=False),
            sizes,
        )

    @cached_property
    def _sentences_before(self) -> NDArray[np.int64]:
        return starts_of(self.sizes)

    @cached_property
    def _words_before(self) -> NDArray[np.int64]:
        return starts_of(self.lengths)[self._sentences_before]

    def nested(self) -> list[list[list[int]]]:
        """The texts as lists of sentences as lists of codes.

        >>> TokenizedTexts.of([[[5]], [[0, 1], []]]).nested()
        [[[5]], [[0, 1], []]]
        """
        codes = self.codes.tolist()
        bounds = pairwise(starts_of(self.lengths).tolist())
        sentences = iter([codes[begin:end] for begin, end in bounds])
        return [list(islice(sentences, size)) for size in self.sizes.tolist()]

    def to_strings(self, words: Sequence[Word]) -> list[str]:
        """The texts as strings of words and blanks.

        >>> TokenizedTexts.of([[[0, 1], [0]], []]).to_strings([Word("a"), Word("b")])
        ['a b a', '']
        """
        forms = [words[code].form for code in self.codes.tolist()]
        return [" ".join(forms[begin:end]) for begin, end in pairwise(self._words_before.tolist())]

    @cached_property
    def words_of_texts(self) -> Indices:
        """How many words each text has, (X,)."""
        return np.diff(self._words_before)

    @cached_property
    def sentence(self) -> Indices:
        """The sentence of each word, (T,)."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def text_of_sentence(self) -> Indices:
        """The text of each sentence, (Z,)."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def text(self) -> Indices:
        """The text of each word, (T,)."""
        return np.repeat(np.arange(len(self)), self.words_of_texts)

    def as_one_sentence(self) -> TokenizedTexts:
        """The same texts as one sentence each."""
        return TokenizedTexts(self.codes, self.words_of_texts, np.ones(len(self), dtype=np.intp))


@dataclass(frozen=True)
class TextRuns:
    """Outputs of systems, joined with references by item.

    Parameters
    ----------
    items
        N ids.
    systems
        S names.
    outputs
        N texts of each system.
    references
        R texts in the order of the items.
    reference_counts : array (N,)
        Number of references of each item, at least 1.
    words
        Vocabulary that the word codes refer to.
    sources
        N texts that the systems summarise, where they are known.
    raw
        The same runs in words as they are written, where these words are not.
    """

    items: tuple[str, ...]
    systems: tuple[str, ...]
    outputs: tuple[TokenizedTexts, ...]
    references: TokenizedTexts
    reference_counts: Indices
    words: tuple[Word, ...]
    sources: TokenizedTexts | None = None
    raw: TextRuns | None = None

    def __post_init__(self) -> None:
        expected = [len(self.items)] * len(self.systems)
        if [len(texts) for texts in self.outputs] != expected:
            raise ValueError(f"{len(self.outputs)} outputs do not fit {len(self.systems)} systems and {expected} items")
        _check_references(self.items, len(self.references), self.reference_counts)

    def against(self, items: Indices, references: Indices) -> TextRuns:
        """Runs of some items, each as often as it is named, against some of its references.

        Parameters
        ----------
        items : array (V,)
            Positions of the items.
        references : array (V, K)
            Positions among the references of each item.
        """
        begins = np.cumsum(self.reference_counts) - self.reference_counts
        return TextRuns(
            tuple(self.items[index] for index in items.tolist()),
            self.systems,
            tuple(outputs.take(items) for outputs in self.outputs),
            self.references.take((begins[items][:, np.newaxis] + references).ravel()),
            np.full(len(items), references.shape[1], dtype=np.intp),
            words=self.words,
            raw=self.raw.against(items, references) if self.raw is not None else None,
        )


class Step(NamedTuple):
    """A step of a derivation: a relation of two entities."""

    head: str
    relation: str
    tail: str


Derivation = tuple[Step, ...]
"""The steps from a text to an answer; an empty one is allowed."""


@dataclass(frozen=True)
class DerivationRuns:
    """Derivations of systems, joined with reference derivations by item.

    Parameters
    ----------
    items
        N ids.
    systems
        S names.
    outputs
        N derivations of each system.
    references
        One or more derivations of each item.
    """

    items: tuple[str, ...]
    systems: tuple[str, ...]
    outputs: tuple[tuple[Derivation, ...], ...]
    references: tuple[tuple[Derivation, ...], ...]

    def __post_init__(self) -> None:
        if [len(texts) for texts in self.outputs] != [len(self.items)] * len(self.systems):
            raise ValueError(f"outputs do not fit {len(self.systems)} systems and {len(self.items)} items")
        counts = self.reference_counts
        _check_references(self.items, int(counts.sum()), counts)

    @property
    def reference_counts(self) -> Indices:
        """How many references each item has, (N,)."""
        return np.array([len(item_references) for item_references in self.references], dtype=np.intp)

    def against(self, items: Indices, references: Indices) -> DerivationRuns:
        """Runs of some items, each as often as it is named, against some of its references.

        Parameters
        ----------
        items, references
            As in `TextRuns.against`.
        """
        indices = items.tolist()
        return DerivationRuns(
            tuple(self.items[index] for index in indices),
            self.systems,
            tuple(tuple(outputs[index] for index in indices) for outputs in self.outputs),
            tuple(
                tuple(self.references[index][reference] for reference in subset)
                for index, subset in zip(indices, references.tolist(), strict=True)
            ),
        )


def _check_references(items: Sequence[str], references: int, counts: Indices) -> None:
    if len(counts) != len(items) or int(counts.sum()) != references or not counts.all():
        raise ValueError(f"{references} references do not fit {len(items)} items, each of which needs one")
