"""Tokenizers: ROUGE-1.5.5's rules one by one; its numbers as a whole are in test_ngrams and test_subsequences."""

import sys
from pathlib import Path

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st
from rouge_goldens import word_lists

from metaeval.errors import InputError
from metaeval.measures.text import tokenizers


def test_rouge_lower_cases_and_cuts_at_all_that_is_no_ascii_letter_or_digit() -> None:
    assert tokenizers.rouge()("It's U.S.-based, 3.5% up_to $20") == [
        *("it", "s", "u", "s", "based"),
        *("3", "5", "up", "to", "20"),
    ]


def test_rouge_sees_any_other_letter_as_a_blank() -> None:
    # The Kelvin sign, K, is a k in Unicode's lower case, but not to a program that reads bytes.
    assert tokenizers.rouge()("café ÉCOLE \u212aelvin 猫") == ["caf", "cole", "elvin"]


def test_rouge_leaves_out_stop_words_before_it_stems() -> None:
    tokenize = tokenizers.rouge(stem=True, stopwords={"run", "being"})
    assert tokenize("run running being") == ["run"]


def test_rouge_stems_only_tokens_longer_than_three_letters() -> None:
    assert tokenizers.rouge(stem=True)("ties dies was does as") == ["ti", "di", "was", "doe", "as"]


def test_irregular_forms_come_before_the_stemmer_and_only_where_it_would_work() -> None:
    exceptions = {"best": "well", "ran": "run"}
    assert tokenizers.rouge(stem=True, exceptions=exceptions)("Best ran") == ["well", "ran"]
    assert tokenizers.rouge(exceptions=exceptions)("Best ran") == ["best", "ran"]


def test_the_stemmer_is_porters_original() -> None:
    # Its successor (snowball's 'english') leaves 'skies' at 'sky' and 'happily' at 'happili'.
    assert tokenizers.porter_stemmer().stemWord("skies") == "ski"
    assert snowballstemmer.stemmer("english").stemWord("skies") == "sky"


def test_a_missing_stemmer_is_an_error_that_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(InputError, match=r"pip install 'metaeval\[text\]'"):
        tokenizers.rouge(stem=True)
    assert tokenizers.rouge()("still words") == ["still", "words"]


@given(st.text())
def test_rouge_tokens_are_a_fixed_point(sentence: str) -> None:
    tokens = tokenizers.rouge()(sentence)
    assert tokenizers.rouge()(" ".join(tokens)) == tokens


@given(st.text())
def test_characters_are_the_whitespace_tokens_taken_apart(sentence: str) -> None:
    assert tokenizers.characters(sentence) == list("".join(tokenizers.whitespace(sentence)))


def test_the_word_lists_of_rouge_are_read() -> None:
    # 598 lines, of which 'may' and 'would' are there twice, hence 596.
    stopwords = tokenizers.read_stopwords(word_lists() / "smart_common_words.txt")
    assert len(stopwords) == 596
    folder = word_lists() / "WordNet-2.0-Exceptions"
    exceptions = tokenizers.read_exceptions(*(folder / f"{kind}.exc" for kind in ("adj", "noun", "verb", "adv")))
    assert len(exceptions) == 5930
    assert exceptions["better"] == exceptions["best"] == "well"


def test_the_last_of_two_lines_for_a_form_holds(tmp_path: Path) -> None:
    first, second = tmp_path / "adj.exc", tmp_path / "adv.exc"
    first.write_text("better good\n\nworse bad\n", encoding="utf-8")
    second.write_text("better well\n", encoding="utf-8")
    assert tokenizers.read_exceptions(first, second) == {"better": "well", "worse": "bad"}


def test_every_line_that_is_no_irregular_form_is_named(tmp_path: Path) -> None:
    path = tmp_path / "noun.exc"
    path.write_text("mice mouse\ngeese\n\nteeth\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        tokenizers.read_exceptions(path)
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [(str(path), 2), (str(path), 4)]


@pytest.mark.parametrize("read", [tokenizers.read_stopwords, tokenizers.read_exceptions])
def test_a_word_list_that_cannot_be_read_is_an_input_error(read: type, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        read(tmp_path / "none.txt")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9\n")
    with pytest.raises(InputError, match="UTF-8"):
        read(tmp_path / "latin.txt")
