"""The kernels are the paper's, whatever way they are computed in; `test_kernel_scores` enumerates its definition."""

import numpy as np
import pytest

from metaeval.errors import InputError
from metaeval.measures.text import kernels, matches
from metaeval.measures.text.kernels import esk
from metaeval.measures.text.matches import WordLabels
from metaeval.model.runs import TokenizedTexts

# Section 3.1 of Hirao et al., its labels in capitals.
S1 = "Becoming a cosmonaut:SPACEMAN is my great dream:DREAM"
S2 = "Becoming an astronaut:SPACEMAN is my ambition:DREAM"
NAMES = sorted({name for part in (S1, S2) for word in part.split() for name in word.split(":")})


LABELS = WordLabels.of([[], [0], [1, 2], [2], [3, 0], [0, 0]])
"""Labels of six words."""


def coded(*sentences: list[int]) -> TokenizedTexts:
    return TokenizedTexts.of([sentences])


def random_sentences(seed: int, count: int = 40, longest: int = 12) -> TokenizedTexts:
    random = np.random.default_rng(seed)
    return coded(*(random.integers(6, size=random.integers(longest + 1)).tolist() for _ in range(count)))


def all_pairs(count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.stack(np.divmod(np.arange(count * count), count), axis=1)


@pytest.mark.parametrize("decay", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_the_worked_example_of_the_paper(decay: float) -> None:
    polynomial = np.polynomial.Polynomial([7, 1, 2, 1, 1, 1, 1, 0, 0, 1])
    words = [[word.split(":") for word in text.split()] for text in (S1, S2)]
    first, second = (coded([NAMES.index(word) for word, *_ in entries]) for entries in words)
    labels = {word: list(map(NAMES.index, names)) for word, *names in words[0] + words[1]}
    word_labels = WordLabels.of([labels.get(name, []) for name in NAMES])
    kernel = esk(first, second, [[0, 0]], word_labels, d=2, decay=decay)[-1, 0]
    assert kernel == pytest.approx(polynomial(decay), rel=1e-14)


@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("scanning", [np.inf, -1], ids=["links", "rows"])
def test_links_and_rows_are_two_ways_to_the_same_kernel(
    scanning: float, d: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, pairs = random_sentences(1), random_sentences(2), all_pairs(40)
    expected = esk(first, second, pairs, LABELS, d=d, decay=[0, 0.4, 1])
    monkeypatch.setattr(kernels, "_SCANNING", scanning)
    np.testing.assert_allclose(esk(first, second, pairs, LABELS, d=d, decay=[0, 0.4, 1]), expected, rtol=1e-12)


@pytest.mark.parametrize("block", [1, 50, 3_000])
def test_the_size_of_a_block_changes_nothing(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, pairs = random_sentences(1), random_sentences(2, longest=70), all_pairs(40)
    expected = esk(first, second, pairs, LABELS, d=3, decay=0.5)
    monkeypatch.setattr(matches, "BLOCK", block)
    np.testing.assert_allclose(esk(first, second, pairs, LABELS, d=3, decay=0.5), expected, rtol=1e-12)


def test_a_label_counts_once_and_is_no_word() -> None:
    labels = WordLabels.of([[2, 2], [2], []])
    assert esk(coded([0]), coded([1]), [[0, 0]], labels, d=1, decay=0.5) == 1
    assert esk(coded([2]), coded([1]), [[0, 0]], labels, d=1, decay=0.5) == 0


def test_a_kernel_beyond_floating_point_is_an_error() -> None:
    long = coded([0] * 170)
    with pytest.raises(InputError, match="smaller d"):
        esk(long, long, [[0, 0]], WordLabels.of([range(100)]), d=120, decay=1.0)
