"""Tokenizers: ROUGE-1.5.5's rules one by one; its numbers as a whole are in test_ngrams and test_subsequences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.measures.text import vocabulary
from metaeval.measures.text.vocabulary import rouge_tokens
from metaeval.measures.text.words import TOKENIZERS, characters, rouge, whitespace


def test_rouge_cuts_at_all_that_is_no_ascii_letter_or_digit() -> None:
    assert rouge("It's U.S.-based, 3.5% up_to $20") == [*("it", "s", "u", "s", "based"), *("3", "5", "up", "to", "20")]
    # The Kelvin sign, K, is a k in Unicode's lower case, but not to a program that reads bytes.
    assert rouge("café ÉCOLE \u212aelvin 猫") == ["caf", "cole", "elvin"]


@given(st.text())
def test_rouge_tokens_are_a_fixed_point(sentence: str) -> None:
    assert rouge(" ".join(rouge(sentence))) == rouge(sentence)


@given(st.text())
def test_characters_are_the_whitespace_tokens_taken_apart(sentence: str) -> None:
    assert characters(sentence) == list("".join(whitespace(sentence)))


@pytest.mark.parametrize("name", TOKENIZERS)
def test_every_tokenizer_finds_words_in_a_sentence_and_none_in_an_empty_one(name: str) -> None:
    tokenize = TOKENIZERS[name].make()
    assert len(tokenize("two words")) >= 2
    assert list(tokenize("")) == list(tokenize(" \t")) == []


# Lengths around those of one and of two numbers of 64 bits; letters that differ by case, by accent and by position.
TOKENS = st.sampled_from(["a", "A", "ab", "ba", "0", "Z9"]) | st.sampled_from(
    ["x" * length + end for length in (6, 7, 8, 14, 15, 16, 17, 40) for end in ("", "y", "Y", "z")]
)
PIECES = TOKENS | st.sampled_from([" ", "\n", "-", ".", "é", "İ", "猫", "\0", "\x7f", "\ud800", "\U0001f600", "ß"])
SENTENCES = st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=8)


@given(st.lists(SENTENCES, max_size=8))
def test_tokens_of_many_sentences_are_those_of_each(sentences: list[str]) -> None:
    forms, codes, lengths = rouge_tokens(sentences)
    expected = [rouge(sentence) for sentence in sentences]
    flat = [token for tokens in expected for token in tokens]
    assert [forms[code] for code in codes.tolist()] == flat
    assert lengths.tolist() == [len(tokens) for tokens in expected]
    assert forms == list(dict.fromkeys(flat))


def test_many_distinct_tokens_of_every_length() -> None:
    """More of them than the places of the largest table."""
    rng = np.random.default_rng(3)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz0123456789"))
    tokens = ["".join(rng.choice(letters, size=length)) for length in rng.integers(1, 24, size=5_000)]
    numbers = [f"{number:x}" for number in range(2 ** (vocabulary._LARGEST_TABLE + 1))]
    sentence = " ".join([*tokens, *numbers, *tokens[::-1]])
    forms, codes, lengths = rouge_tokens([sentence])
    assert [forms[code] for code in codes.tolist()] == rouge(sentence)
    assert len(set(forms)) == len(forms)
    assert lengths.tolist() == [len(codes)]
