"""Views of a vocabulary: what is left out and what is the same; and the word lists that they are made with."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st
from rouge_goldens import word_lists

from metaeval.errors import InputError
from metaeval.measures.text.words import porter_stemmer, read_exceptions, read_stopwords, token_codes
from metaeval.model.runs import Word


def words(forms: str) -> list[Word]:
    return [Word(form) for form in forms.split()]


def same(forms: str, **how: object) -> bool:
    """Whether two forms are the same in a view."""
    first, second = token_codes(words(forms), stem="porter", **how)  # type: ignore[arg-type]
    return bool(first == second)


def test_words_of_one_form_are_the_same_and_an_empty_vocabulary_has_an_empty_view() -> None:
    assert token_codes([Word("ない", True), Word("猫", True), Word("ない", False, ("a",))]).tolist() == [0, 1, 0]
    codes = token_codes([], words_kept="content", stem="porter")
    assert codes.shape == (0,)
    assert codes.dtype == np.int32


def test_stop_words_are_compared_before_stemming_and_leave_no_gap() -> None:
    assert token_codes(words("run running being"), stem="porter", stopwords={"run", "being"}).tolist() == [-1, 0, -1]
    assert token_codes(words("the cat of cats"), stem="porter", stopwords={"the", "of"}).tolist() == [-1, 0, -1, 0]


def test_only_forms_longer_than_three_letters_are_stemmed() -> None:
    assert same("ties ti")
    assert same("dies di")
    assert not same("was wa")
    assert not same("as a")


def test_irregular_forms_come_before_the_stemmer_and_only_where_it_would_work() -> None:
    exceptions = {"best": "well", "ran": "run", "running": "runner"}
    assert same("best well", exceptions=exceptions)
    assert not same("ran run", exceptions=exceptions)
    assert not same("running run", exceptions=exceptions)
    assert token_codes(words("best well"), exceptions=exceptions).tolist() == [0, 1]


def test_content_words_need_a_tokenizer_that_knows_them() -> None:
    entries = [Word("猫", True), Word("は", False), Word("走る", True)]
    assert token_codes(entries, words_kept="content").tolist() == [0, -1, 1]
    assert token_codes(entries).tolist() == [0, 1, 2]
    with pytest.raises(InputError, match="parts of speech; expected tokenizer='japanese'"):
        token_codes([Word("猫", True), Word("cat")], words_kept="content")


@given(st.lists(st.text("abing", min_size=1, max_size=6)), st.sets(st.text("abing", min_size=1, max_size=2)))
def test_codes_are_dense_in_order_of_appearance_and_follow_the_stems(forms: Sequence[str], stopwords: set[str]) -> None:
    codes = token_codes([Word(form) for form in forms], stem="porter", stopwords=stopwords)
    assert [code == -1 for code in codes] == [form in stopwords for form in forms]
    stems = {form: porter_stemmer().stemWord(form) if len(form) > 3 else form for form in forms}
    distinct = list(dict.fromkeys(stems[form] for form in forms if form not in stopwords))
    assert [distinct[code] for code in codes if code >= 0] == [stems[form] for form in forms if form not in stopwords]


def test_the_stemmer_is_porters_original() -> None:
    # Its successor (snowball's 'english') leaves 'skies' at 'sky' and 'happily' at 'happili'.
    assert porter_stemmer().stemWord("skies") == "ski"
    assert snowballstemmer.stemmer("english").stemWord("skies") == "sky"


def test_the_word_lists_of_rouge_are_read() -> None:
    # 598 lines, of which 'may' and 'would' are there twice, hence 596.
    stopwords = read_stopwords(word_lists() / "smart_common_words.txt")
    assert len(stopwords) == 596
    folder = word_lists() / "WordNet-2.0-Exceptions"
    exceptions = read_exceptions(*(folder / f"{kind}.exc" for kind in ("adj", "noun", "verb", "adv")))
    assert len(exceptions) == 5930
    assert exceptions["better"] == exceptions["best"] == "well"


def test_the_last_of_two_lines_for_a_form_holds(tmp_path: Path) -> None:
    first, second = tmp_path / "adj.exc", tmp_path / "adv.exc"
    first.write_text("better good\n\nworse bad\n", encoding="utf-8")
    second.write_text("better well\n", encoding="utf-8")
    assert read_exceptions(first, second) == {"better": "well", "worse": "bad"}


def test_every_line_that_is_no_irregular_form_is_named(tmp_path: Path) -> None:
    path = tmp_path / "noun.exc"
    path.write_text("mice mouse\ngeese\n\nteeth\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_exceptions(path)
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [(str(path), 2), (str(path), 4)]


def test_a_byte_order_mark_is_no_part_of_the_first_word(tmp_path: Path) -> None:
    path = tmp_path / "stopwords.txt"
    path.write_text("the\r\nof\r\n", encoding="utf-8-sig", newline="")
    assert read_stopwords(path) == {"the", "of"}
