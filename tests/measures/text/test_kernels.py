"""The kernels are the paper's, and the paper's definition by enumeration is the oracle."""

from collections import defaultdict
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.measures.text import kernels, matches
from metaeval.measures.text.kernels import esk
from metaeval.measures.text.matches import Sentences

Word = tuple[int, frozenset[int]]
Sentence = list[Word]

# Section 3.1 of Hirao et al., its labels in capitals.
S1 = "Becoming a cosmonaut:SPACEMAN is my great dream:DREAM"
S2 = "Becoming an astronaut:SPACEMAN is my ambition:DREAM"
NAMES = sorted({name for part in (S1, S2) for word in part.split() for name in word.split(":")})
LABELLED = st.tuples(st.integers(0, 3), st.frozensets(st.integers(0, 2), max_size=2))
PLAIN = st.tuples(st.integers(0, 3), st.just(frozenset[int]()))


def coded(*sentences: Sentence) -> Sentences:
    return Sentences.of([[word for word, _ in s] for s in sentences], [[sorted(ls) for _, ls in s] for s in sentences])


def parsed(text: str) -> Sentence:
    words = [word.split(":") for word in text.split()]
    return [(NAMES.index(word), frozenset(map(NAMES.index, labels))) for word, *labels in words]


def subsequences(sentence: Sentence, d: int) -> dict[tuple[tuple[int, bool], ...], dict[int, int]]:
    """How often each sequence of words and labels (word, is a label) occurs, by the number of words skipped."""
    found: dict[tuple[tuple[int, bool], ...], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for m in range(1, d + 1):
        for chosen in combinations(range(len(sentence)), m):
            nodes = [[(sentence[i][0], False), *((label, True) for label in sentence[i][1])] for i in chosen]
            for sequence in product(*nodes):
                found[sequence][chosen[-1] - chosen[0] + 1 - m] += 1
    return found


def enumerated(first: Sentence, second: Sentence, d: int, decay: float) -> float:
    """The inner product of the weights of all subsequences, as Table 1 gives them."""
    weights = [
        {sequence: sum(n * decay**skipped for skipped, n in counts.items()) for sequence, counts in found.items()}
        for found in (subsequences(first, d), subsequences(second, d))
    ]
    return sum(weight * weights[1].get(sequence, 0.0) for sequence, weight in weights[0].items())


def one(first: Sentence, second: Sentence, d: int, decay: float) -> float:
    return float(esk(coded(first), coded(second), [[0, 0]], d=d, decay=decay)[-1, 0])


def random_sentences(seed: int, count: int = 40, longest: int = 12, words: int = 6) -> Sentences:
    random = np.random.default_rng(seed)
    return coded(
        *(
            [(int(random.integers(words)), frozenset(random.integers(4, size=random.integers(3)).tolist()))
             for _ in range(random.integers(longest + 1))]
            for _ in range(count)
        )
    )  # fmt: skip


def all_pairs(count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.stack(np.divmod(np.arange(count * count), count), axis=1)


@pytest.mark.parametrize("decay", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_the_worked_example_of_the_paper(decay: float) -> None:
    polynomial = np.polynomial.Polynomial([7, 1, 2, 1, 1, 1, 1, 0, 0, 1])
    assert one(parsed(S1), parsed(S2), 2, decay) == pytest.approx(polynomial(decay), rel=1e-14)


# Table 1: exponents of λ in S1 and S2, '.' for a weight of 0; sequences of one word have the weight 1.
TABLE_1 = """
Becoming 0 0|DREAM 0 0|SPACEMAN 0 0|a 0 .|ambition . 0|an . 0|astronaut . 0|cosmonaut 0 .|dream 0 .|great 0 .|is 0 0
my 0 0|Becoming-DREAM 5 4|Becoming-SPACEMAN 1 1|Becoming-a 0 .|Becoming-ambition . 4|Becoming-an . 0
Becoming-astronaut . 1|Becoming-cosmonaut 1 .|Becoming-dream 5 .|Becoming-great 4 .|Becoming-is 2 2|Becoming-my 3 3
SPACEMAN-DREAM 3 2|SPACEMAN-ambition . 2|SPACEMAN-dream 3 .|SPACEMAN-great 2 .|SPACEMAN-is 0 0|SPACEMAN-my 1 1
a-DREAM 4 .|a-SPACEMAN 0 .|a-cosmonaut 0 .|a-dream 4 .|a-great 3 .|a-is 1 .|a-my 2 .|an-DREAM . 3|an-SPACEMAN . 0
an-ambition . 3|an-astronaut . 0|an-is . 1|an-my . 2|astronaut-DREAM . 2|astronaut-ambition . 2|astronaut-is . 0
astronaut-my . 1|cosmonaut-DREAM 3 .|cosmonaut-dream 3 .|cosmonaut-great 2 .|cosmonaut-is 0 .|cosmonaut-my 1 .
great-DREAM 0 .|great-dream 0 .|is-DREAM 2 1|is-ambition . 1|is-dream 2 .|is-great 1 .|is-my 0 0|my-DREAM 1 0
my-ambition . 0|my-dream 1 .|my-great 0 .
"""


def test_enumeration_gives_the_weights_of_table_1() -> None:
    printed = {}
    for entry in TABLE_1.replace("\n", "|").strip("|").split("|"):
        sequence, *exponents = entry.split()
        printed[sequence] = tuple(None if exponent == "." else int(exponent) for exponent in exponents)
    found: list[dict[str, dict[int, int]]] = [
        {"-".join(NAMES[code] for code, _ in sequence): dict(counts) for sequence, counts in subsequences(s, 2).items()}
        for s in (parsed(S1), parsed(S2))
    ]
    assert printed.keys() == found[0].keys() | found[1].keys()
    for sequence, expected in printed.items():
        for exponent, weights in zip(expected, found, strict=True):
            assert weights.get(sequence) == (None if exponent is None else {exponent: 1}), sequence


@pytest.mark.parametrize("words", [LABELLED, PLAIN], ids=["labels", "words"])
def test_the_kernel_is_the_inner_product_of_all_subsequences(words: st.SearchStrategy[Word]) -> None:
    sentences = st.lists(words, max_size=6)

    @given(sentences, sentences, st.integers(1, 4), st.sampled_from([0.0, 0.3, 0.5, 1.0]) | st.floats(0, 1))
    def agrees(first: Sentence, second: Sentence, d: int, decay: float) -> None:
        assert one(first, second, d, decay) == pytest.approx(enumerated(first, second, d, decay), rel=1e-12)

    agrees()


@pytest.mark.parametrize("way", ["links", "tables"])
def test_links_and_tables_are_two_ways_to_the_same_kernel(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, pairs = random_sentences(1), random_sentences(2), all_pairs(40)
    expected = esk(first, second, pairs, d=4, decay=[0, 0.4, 1])
    monkeypatch.setattr(kernels, "_MULTIPLYING", {"links": np.inf, "tables": -1}[way])
    np.testing.assert_allclose(esk(first, second, pairs, d=4, decay=[0, 0.4, 1]), expected, rtol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 4])
def test_long_sentences_go_row_by_row_to_the_same_kernel(d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences, decays = random_sentences(3), [0.0, 0.4, 1.0]
    expected = esk(sentences, sentences, all_pairs(40), d=d, decay=decays)
    monkeypatch.setattr(kernels, "_MAX_CELLS", 0)
    monkeypatch.setattr(kernels, "_MAX_LINKS", 0)
    np.testing.assert_allclose(esk(sentences, sentences, all_pairs(40), d=d, decay=decays), expected, rtol=1e-12)


@pytest.mark.parametrize("block", [1, 50, 3_000])
def test_the_size_of_a_block_changes_nothing(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, pairs = random_sentences(1), random_sentences(2, longest=70), all_pairs(40)
    expected = esk(first, second, pairs, d=3, decay=0.5)
    monkeypatch.setattr(matches, "BLOCK", block)
    np.testing.assert_allclose(esk(first, second, pairs, d=3, decay=0.5), expected, rtol=1e-12)


def test_a_label_counts_once_and_is_no_word() -> None:
    twice, once = Sentences.of([[1]], [[[5, 5]]]), Sentences.of([[2]], [[[5]]])
    assert esk(twice, once, [[0, 0]], d=1, decay=0.5) == 1
    assert esk(Sentences.of([[5]]), Sentences.of([[1]], [[[5]]]), [[0, 0]], d=1, decay=0.5) == 0


def test_a_kernel_beyond_floating_point_is_an_error() -> None:
    long = Sentences.of([[0] * 170], [[range(100)] * 170])
    with pytest.raises(InputError, match="smaller d"):
        esk(long, long, [[0, 0]], d=120, decay=1.0)
