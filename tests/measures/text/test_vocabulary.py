"""Vocabularies: numbers of words, and the labels of the tokenizer and of the lexicon together."""

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_reading import encode

from metaeval.errors import InputError, UnknownName
from metaeval.measures.text.vocabulary import Vocabulary, vocabulary_of
from metaeval.model.runs import Word


@given(st.lists(st.text("abc ", max_size=8)))
def test_words_are_those_that_were_encoded(sentences: list[str]) -> None:
    vocabulary = Vocabulary(str.split)
    encoded = [encode(vocabulary, sentence) for sentence in sentences]
    forms = [word.form for word in vocabulary.words()]
    assert [[forms[code] for code in codes] for codes in encoded] == [sentence.split() for sentence in sentences]
    assert len(set(forms)) == len(forms)


def test_words_of_one_form_that_differ_otherwise_are_different_entries() -> None:
    vocabulary = vocabulary_of("japanese")
    # 'There is no money' and 'does not run'.
    adjective, auxiliary = (encode(vocabulary, sentence)[-1] for sentence in ("金がない", "走らない"))
    words = vocabulary.words()
    assert (words[adjective], words[auxiliary]) == (Word("ない", content=True), Word("ない", content=False))


def test_labels_of_the_tokenizer_come_before_those_of_the_lexicon_and_each_is_there_once() -> None:
    vocabulary = Vocabulary(
        lambda sentence: [Word(form, True, ("B", "A")) for form in sentence.split()],
        lambda form: ("A", "C") if form == "cat" else (),
    )
    encode(vocabulary, "cat dog")
    assert vocabulary.words() == (Word("cat", True, ("B", "A", "C")), Word("dog", True, ("B", "A")))


def test_a_vocabulary_from_names(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.tsv"
    path.write_text("cat\tANIMAL\n", encoding="utf-8")
    vocabulary = vocabulary_of("rouge", str(path))
    assert encode(vocabulary, "The cat. The CAT!") == [0, 1, 0, 1]
    assert vocabulary.words() == (Word("the"), Word("cat", labels=("ANIMAL",)))


def test_synonym_groups_come_with_the_words_of_the_japanese_tokenizer() -> None:
    vocabulary = vocabulary_of("japanese", "sudachi")
    encode(vocabulary, "医者と医師")
    doctor, _, physician = vocabulary.words()
    assert doctor.labels == physician.labels != ()


def test_names_that_do_not_fit_are_errors() -> None:
    with pytest.raises(InputError, match="'sudachi' with tokenizer 'rouge'; expected tokenizer='japanese'"):
        vocabulary_of("rouge", "sudachi")
    with pytest.raises(UnknownName, match="Did you mean 'rouge'"):
        vocabulary_of("rogue")
    with pytest.raises(InputError, match=r"wordnet:NAME"):
        vocabulary_of("rouge", "labels")


@given(st.lists(st.text("ab é。", max_size=8), max_size=8), st.integers(1, 4), st.lists(st.text("abc ", max_size=4)))
def test_batches_that_were_encoded_apart_lead_to_the_same_vocabulary(
    sentences: list[str], size: int, before: list[str]
) -> None:
    here, shared = vocabulary_of("rouge"), vocabulary_of("rouge")
    assert shared.apart is not None
    apart = pickle.loads(pickle.dumps(shared.apart))
    for sentence in before:
        assert encode(here, sentence) == encode(shared, sentence)
    for begin in range(0, len(sentences), size):
        batch = sentences[begin : begin + size]
        encoded = [encode(here, sentence) for sentence in batch]
        result = apart(batch)
        assert shared.take_in(result).tolist() == [code for codes in encoded for code in codes]
        assert result.lengths.tolist() == [len(codes) for codes in encoded]
    assert shared.words() == here.words()


def test_a_tokenizer_without_a_name_is_not_shared() -> None:
    assert Vocabulary(str.split).apart is None
