"""Tokenizers: ROUGE-1.5.5's rules one by one; its numbers as a whole are in test_ngrams and test_subsequences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
