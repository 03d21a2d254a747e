"""Trivial systems, which ignore the items: a measure that scores them high can be gamed.

Word lists are those of Hirao et al. (2006), section 5.2: the words of the source with the highest TF-IDF, up to the
length of the references.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any, TypeVar

import numpy as np

from metaeval.arrays import Integers, Ints
from metaeval.errors import invalid, refuse
from metaeval.model.runs import (
    Codes,
    Derivation,
    DerivationRuns,
    LabelledRuns,
    NumericRuns,
    Step,
    TextRuns,
    TokenizedTexts,
    smallest_code_type,
)
from metaeval.model.scale import ClassScale
from metaeval.stats.resample import generator, seed_for

Runs = TypeVar("Runs", bound=LabelledRuns | NumericRuns)


def trivial_systems(gold: Codes, scale: ClassScale, *, seed: int) -> tuple[tuple[str, ...], Codes]:
    """The majority class, every constant class, and random ones: all classes equally often, or as often as in gold.

    gold: codes (N,). Returns K names and predicted codes (K, N). On a tie the first declared class is the majority.

    >>> trivial_systems(np.array([0, 1, 1]), ClassScale(("yes", "no")), seed=1)[0]
    ('majority', 'all yes', 'all no', 'uniform random', 'prior random')
    """
    classes, items = len(scale), len(gold)
    frequency = np.bincount(gold, minlength=classes)
    uniform, prior = (np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2))
    rows = [
        np.full(items, frequency.argmax()),
        *(np.full(items, code) for code in range(classes)),
        uniform.integers(classes, size=items),
        prior.choice(classes, size=items, p=frequency / items),
    ]
    return _names(scale), np.stack(rows).astype(smallest_code_type(classes))


def trivial_counts(frequencies: Integers, scale: ClassScale, *, seed: int) -> tuple[tuple[str, ...], Ints]:
    """The same systems where only class frequencies are known: K names and confusion counts (K, C, C).

    frequencies: items of each gold class, (C,). Predictions of a random system are a multinomial draw per class, other
    draws than in `trivial_systems`.
    """
    classes = len(scale)
    uniform, prior = (np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2))
    constant = np.zeros((classes, classes, classes), dtype=np.int64)
    every = np.arange(classes)
    constant[every, :, every] = frequencies
    majority = constant[[int(frequencies.argmax())]]
    shares = frequencies / frequencies.sum()
    samples = [uniform.multinomial(frequencies, np.full(classes, 1 / classes)), prior.multinomial(frequencies, shares)]
    counts = np.concatenate([majority, constant, np.array(samples, dtype=np.int64)])
    return _names(scale), np.pad(counts, ((0, 0), (0, scale.codes - classes), (0, scale.codes - classes)))


def _names(scale: ClassScale) -> tuple[str, ...]:
    return ("majority", *(f"all {label}" for label in scale.labels), "uniform random", "prior random")


def with_trivial_systems(runs: Runs, *, seed: int) -> Runs:
    """The runs followed by the trivial systems; a real system with the name of a trivial one is an `InputError`."""
    names, codes = trivial_systems(runs.gold, runs.scale, seed=seed)
    check_free(names, runs.systems)
    predictions = codes if isinstance(runs, LabelledRuns) else runs.scale.class_values()[codes]
    predicted: Any = np.concatenate([runs.predicted, predictions])
    return replace(runs, predicted=predicted, systems=runs.systems + names, trivial=runs.trivial + names)


def check_free(names: Sequence[str], systems: Sequence[str]) -> None:
    """Raise an `InputError` where a real system has the name of a trivial one."""
    both = [name for name in names if name in systems]
    if both:
        hint = f"rename it, as in 'my-{both[0]}=FILE'"
        raise refuse(None, invalid("system", both[0], "a name that no trivial system has", "", hint))


Part = TypeVar("Part")

Text = list[list[int]]
"""Sentences of word codes."""

EMPTY, REPEATED, SHUFFLED = "empty output", "reference sentence repeated", "reference shuffled"
WORD_LIST, LEAD = "tf-idf words", "lead of the source"
REPEATED_STEP = "reference step repeated"


def trivial_texts(runs: TextRuns, *, seed: int) -> TextRuns:
    """Trivial texts in place of the systems' outputs: five systems, three where sources are unknown.

    empty output; the first sentence of the first reference, repeated to its length; the words of the first reference in
    random order; the words of the source of the highest TF·IDF; the first sentences of the source.
    """
    references = runs.references.take(np.cumsum(runs.reference_counts) - runs.reference_counts).nested()
    random = generator(seed_for(seed, "shuffled references"))
    outputs_of: dict[str, list[Text]] = {
        EMPTY: [[] for _ in references],
        REPEATED: [repeat_sentence(text) for text in references],
        SHUFFLED: [shuffle(text, random) for text in references],
    }
    if runs.sources is not None:
        sources = runs.sources.nested()
        letters = [len(word.form) for word in runs.words]
        sized = list(zip(sources, (_letters(text, letters) for text in references), strict=True))
        rarity = _rarity(sources)
        outputs_of[WORD_LIST] = [word_list(text, rarity, letters, size) for text, size in sized]
        outputs_of[LEAD] = [lead(text, letters, size) for text, size in sized]
    outputs = tuple(TokenizedTexts.of(texts) for texts in outputs_of.values())
    raw = trivial_texts(runs.raw, seed=seed) if runs.raw is not None else None
    return TextRuns(
        items=runs.items,
        systems=tuple(outputs_of),
        outputs=outputs,
        references=runs.references,
        reference_counts=runs.reference_counts,
        words=runs.words,
        raw=raw,
    )


def trivial_derivations(runs: DerivationRuns, *, seed: int) -> DerivationRuns:
    """Trivial derivations in place of the systems'.

    None at all; the first step of the first reference, repeated to its length; its heads, relations and tails, each in
    random order.
    """
    random = generator(seed_for(seed, "shuffled references"))
    first = [references[0] for references in runs.references]
    outputs_of: dict[str, tuple[Derivation, ...]] = {
        EMPTY: tuple(() for _ in first),
        REPEATED_STEP: tuple(steps[:1] * len(steps) for steps in first),
        SHUFFLED: tuple(_shuffled_steps(steps, random) for steps in first),
    }
    return DerivationRuns(runs.items, tuple(outputs_of), tuple(outputs_of.values()), runs.references)


def repeat_sentence(text: Text) -> Text:
    """The first sentence of a text, repeated to about the length of the text.

    >>> repeat_sentence([[1, 2], [3, 4, 5], [6]])
    [[1, 2], [1, 2], [1, 2]]
    """
    sentences = [sentence for sentence in text if sentence]
    words = sum(map(len, sentences))
    return [sentences[0]] * max(1, round(words / len(sentences[0]))) if sentences else []


def shuffle(text: Text, random: np.random.Generator) -> Text:
    """The words of a text in random order, in sentences as long as before."""
    words = random.permutation(list(chain.from_iterable(text))).astype(int).tolist()
    rest = iter(words)
    return [list(islice(rest, len(sentence))) for sentence in text]


def word_list(source: Text, rarity: Callable[[int], float], letters: Sequence[int], size: int) -> Text:
    """The words of a source with the highest TF·IDF, as one sentence of `size` letters or the next word more.

    rarity: the IDF of a word. letters: of each word. Of words of equal weight the one that comes first is taken.

    >>> word_list([[0, 1, 1, 2]], lambda word: 1.0, [3, 2, 4], 4)
    [[1, 0]]
    """
    frequency = Counter(chain.from_iterable(source))
    weights = {word: count * rarity(word) for word, count in frequency.items()}
    words_by_weight = sorted(weights, key=lambda word: -weights[word])
    words = list(_until(((word, letters[word]) for word in words_by_weight), size))
    return [words] if words else []


def lead(source: Text, letters: Sequence[int], size: int) -> Text:
    """The first sentences of a source, up to `size` letters or the next sentence more.

    >>> lead([[0], [1], [2]], [3, 3, 3], 4)
    [[0], [1]]
    """
    sentences = ((sentence, sum(letters[word] for word in sentence)) for sentence in source)
    return list(_until(sentences, size))


def _until(sized: Iterable[tuple[Part, int]], size: int) -> Iterator[Part]:
    """Parts one after another until they have `size` letters in total."""
    so_far = 0
    for part, letters in sized:
        if so_far >= size:
            return
        so_far += letters
        yield part


def _letters(text: Text, letters: Sequence[int]) -> int:
    return sum(letters[word] for word in chain.from_iterable(text))


def _rarity(sources: Sequence[Text]) -> Callable[[int], float]:
    """1 + ln(N / number of texts with the word): the 1 keeps words that all texts have."""
    having = Counter(chain.from_iterable(set(chain.from_iterable(text)) for text in sources))
    return lambda word: 1 + math.log(len(sources) / having[word])


def _shuffled_steps(steps: Derivation, random: np.random.Generator) -> Derivation:
    if not steps:
        return ()
    parts = [random.permutation(len(steps)).tolist() for _ in Step._fields]
    return tuple(
        Step(steps[head].head, steps[relation].relation, steps[tail].tail)
        for head, relation, tail in zip(*parts, strict=True)
    )
