"""Japanese words: forms, parts of speech checked by hand, synonym groups, long and odd sentences."""

import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.measures.text import words as module
from metaeval.measures.text.words import japanese

# U+FDFA becomes 18 characters and 33 bytes when it is normalised: no character grows more.
GROWS_MOST = "\ufdfa"


def content(sentence: str) -> dict[str, bool | None]:
    """Whether each word of a sentence bears content."""
    return {word.form: word.content for word in japanese()(sentence)}


def forms(sentence: str) -> list[str]:
    return [word.form for word in japanese()(sentence)]


def test_nouns_verbs_and_adjectives_bear_content() -> None:
    assert content("医者が美しい病院をゆっくり建てた") == {
        **{"医者": True, "が": False, "美しい": True, "病院": True},
        **{"を": False, "ゆっくり": False, "建てる": True, "た": False},
    }
    # 彼 is a 代名詞, 静か a 形状詞, 館 a 接尾辞: all of them nouns of IPADIC.
    assert content("彼は静かな図書館") == {"彼": True, "は": False, "静か": True, "だ": False, "図書": True, "館": True}
    assert content("ゲロゲルミンとロロロリン") == {"ゲロゲルミン": True, "と": False, "ロロロリン": True}


def test_inflected_forms_are_one_word() -> None:
    assert forms("走った") == ["走る", "た"]
    assert forms("走らない") == ["走る", "ない"]
    assert forms("美しく") == forms("美しかろ")[:1] == ["美しい"]
    assert forms("国会図書館") == ["国会", "図書", "館"]
    assert forms("3.5と１２，３００円")[0] == "3.5"
    assert len(forms("１２，３００円")) == 2


@pytest.mark.parametrize("sentence", ["", " ", "\u3000\n", "。", "「」、…（！？）", "☆😀"])
def test_blanks_punctuation_and_pictures_are_no_words(sentence: str) -> None:
    assert japanese()(sentence) == []


def test_blanks_between_words_change_nothing() -> None:
    assert forms("猫\u3000と 犬。") == forms("猫と犬") == ["猫", "と", "犬"]


def test_synonyms_share_a_group_where_asked() -> None:
    tokenize = japanese(synonyms=True)
    doctor, physician, book = (tokenize(form)[0] for form in ("医者", "医師", "本"))
    assert doctor.labels == physician.labels == ("sudachi:000536",)
    assert not set(doctor.labels) & set(book.labels)
    assert len(japanese(synonyms=True)("開始")[0].labels) > 1
    assert japanese()("開始")[0].labels == ()


def test_the_same_words_are_found_again_from_memory() -> None:
    tokenize = japanese(synonyms=True)
    sentence = "医者が美しい病院でゲロゲルミンを食べ、3.5と百を数えた。"
    assert tokenize(sentence) == tokenize(sentence) == japanese(synonyms=True)(sentence)


def test_a_text_beyond_the_limit_of_sudachi_is_cut_between_sentences() -> None:
    sentence = "医者が美しい病院をゆっくり建てた。"
    assert len((sentence * 2_000).encode()) > 49_149
    assert japanese()(sentence * 2_000) == japanese()(sentence) * 2_000


@pytest.mark.parametrize("character", ["あ", "\U0001f600", GROWS_MOST, "㍿", "𠮷"])
def test_a_text_beyond_the_limit_without_any_mark_is_still_read(character: str) -> None:
    japanese()(character * 70_000)


@given(st.text(st.characters()))
def test_any_text_is_read(sentence: str) -> None:
    assert all(word.form.strip() and word.content is not None for word in japanese(synonyms=True)(sentence))


def test_half_a_surrogate_pair_is_no_word() -> None:
    assert forms("猫\ud83d犬") == ["猫", "犬"]


@pytest.fixture
def not_opened_yet() -> Iterator[None]:
    module._analyzer.cache_clear()
    yield
    module._analyzer.cache_clear()


@pytest.mark.usefixtures("not_opened_yet")
@pytest.mark.parametrize("package", ["sudachipy", "sudachidict_core"])
def test_a_missing_package_is_an_error_that_names_the_extra(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=r"pip install 'metaeval\[ja\]'"):
        japanese()
