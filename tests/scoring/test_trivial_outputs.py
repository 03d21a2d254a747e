"""Trivial texts and derivations: each matches its description, counted by hand."""

import math
from collections import Counter
from itertools import chain

import numpy as np
import pytest
from made_runs import Text, text_runs

from metaeval.model.runs import DerivationRuns, Step, TextRuns, Word
from metaeval.scoring.trivial import (
    EMPTY,
    LEAD,
    REPEATED,
    REPEATED_STEP,
    SHUFFLED,
    WORD_LIST,
    repeat_sentence,
    trivial_derivations,
    trivial_texts,
)

FORMS = ("a", "be", "cat", "door", "eagle", "flower", "garden")


def texts_of(random: np.random.Generator, count: int, *, sentences: int = 3) -> list[Text]:
    return [
        [random.integers(len(FORMS), size=random.integers(1, 6)).tolist() for _ in range(sentences)]
        for _ in range(count)
    ]


def runs_of(references: list[list[Text]], sources: list[Text] | None) -> TextRuns:
    return text_runs([[group[-1] for group in references]], references, tuple(map(Word, FORMS)), sources)


@pytest.fixture
def material() -> tuple[list[list[Text]], list[Text]]:
    """References of eight items, and their sources."""
    random = np.random.default_rng(0)
    return [texts_of(random, 1 + index % 3) for index in range(8)], texts_of(random, 8, sentences=8)


def words(text: Text) -> list[int]:
    return list(chain.from_iterable(text))


def letters(text: Text) -> int:
    return sum(len(FORMS[word]) for word in words(text))


def made_of(runs: TextRuns) -> dict[str, list[Text]]:
    trivial = trivial_texts(runs, seed=1)
    assert trivial.items == runs.items
    np.testing.assert_array_equal(trivial.references.codes, runs.references.codes)
    np.testing.assert_array_equal(trivial.reference_counts, runs.reference_counts)
    return {name: outputs.nested() for name, outputs in zip(trivial.systems, trivial.outputs, strict=True)}


def test_each_trick_is_what_it_says(material: tuple[list[list[Text]], list[Text]]) -> None:
    references, sources = material
    made = made_of(runs_of(references, sources))
    assert list(made) == [EMPTY, REPEATED, SHUFFLED, WORD_LIST, LEAD]
    assert made[EMPTY] == [[]] * 8
    having = [sum(word in words(source) for source in sources) for word in range(len(FORMS))]
    for index, (group, source) in enumerate(zip(references, sources, strict=True)):
        first = group[0]
        again = made[REPEATED][index]
        assert all(sentence == first[0] for sentence in again)
        # No other number of repetitions comes nearer to the length.
        off = abs(len(words(again)) - len(words(first)))
        assert off <= min(abs(times * len(first[0]) - len(words(first))) for times in range(1, 40))
        mixed = made[SHUFFLED][index]
        assert list(map(len, mixed)) == list(map(len, first))
        assert Counter(words(mixed)) == Counter(words(first))
        (listed,) = made[WORD_LIST][index]
        frequency = Counter(words(source))
        weight = {word: count * (1 + math.log(8 / having[word])) for word, count in frequency.items()}
        ranked = sorted(weight, key=lambda word: (-weight[word], words(source).index(word)))
        assert listed == ranked[: len(listed)]
        assert len(listed) == len(ranked) or letters([listed]) >= letters(first)
        assert letters([listed[:-1]]) < letters(first)
        begins = made[LEAD][index]
        assert begins == source[: len(begins)]
        assert len(begins) == len(source) or letters(begins) >= letters(first)
        assert letters(begins[:-1]) < letters(first)
    assert made[SHUFFLED] != [group[0] for group in references]


def test_sources_decide_which_tricks_there_are_and_empty_texts_stay_empty(
    material: tuple[list[list[Text]], list[Text]],
) -> None:
    references, sources = material
    made = made_of(runs_of(references, None))
    assert list(made) == [EMPTY, REPEATED, SHUFFLED]
    assert made == {name: made_of(runs_of(references, sources))[name] for name in made}
    empty: list[list[Text]] = [[[]], [[[], []]], [[[], [1, 2]]]]
    made = made_of(runs_of(empty, [[[1, 2]], [[1]], []]))
    assert made[REPEATED] == [[], [], [[1, 2]]]
    assert made[SHUFFLED][:2] == [[], [[], []]]
    assert list(map(len, made[SHUFFLED][2])) == [0, 2]
    assert made[WORD_LIST] == [[], [], []]
    assert made[LEAD] == [[], [], []]
    assert repeat_sentence([[1, 2, 3, 4, 5], [6]]) == [[1, 2, 3, 4, 5]]
    assert repeat_sentence([[], [7], [8, 8]]) == [[7], [7], [7]]


def test_the_seed_decides_how_it_is_shuffled(material: tuple[list[list[Text]], list[Text]]) -> None:
    runs = runs_of(material[0], None)
    one, again, other = (trivial_texts(runs, seed=seed).outputs[2].nested() for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_tricks_of_derivations_are_what_they_say() -> None:
    random = np.random.default_rng(2)

    def steps(count: int) -> tuple[Step, ...]:
        return tuple(Step(*(f"{part}{index}" for part in "hrt")) for index in random.integers(99, size=count).tolist())

    references = tuple(tuple(steps(1 + number % 5) for _ in range(2)) for number in range(10))
    references = (*references, ((), steps(2)))
    items = tuple(f"q{number}" for number in range(11))
    runs = DerivationRuns(items, ("real",), (tuple(group[1] for group in references),), references)
    trivial = trivial_derivations(runs, seed=1)
    assert trivial.systems == (EMPTY, REPEATED_STEP, SHUFFLED)
    assert trivial.references == references
    empty, again, mixed = trivial.outputs
    assert set(empty) == {()}
    for index, (first, _) in enumerate(references):
        assert again[index] == tuple(first[0] for _ in first)
        for part in Step._fields:
            assert Counter(getattr(step, part) for step in mixed[index]) == Counter(
                getattr(step, part) for step in first
            )
    # Parts are shuffled apart from each other.
    assert any(step not in first for made, (first, _) in zip(mixed, references, strict=True) for step in made)
    assert trivial_derivations(runs, seed=1).outputs == trivial.outputs
    assert trivial_derivations(runs, seed=2).outputs != trivial.outputs
