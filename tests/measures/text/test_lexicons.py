"""Semantic labels: files of them, and a wordnet of a few words."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import wn
from wn._config import config
from wn._db import clear_connections

from metaeval.errors import InputError
from metaeval.measures.text.lexicons import lexicon_of, read_lexicon, wordnet

_HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource xmlns:dc="http://purl.org/dc/elements/1.1/">
"""

ENGLISH = (
    _HEADER
    + """
<Lexicon id="tiny" label="Tiny" language="en" email="a@example.org" license="CC0" version="1">
  <LexicalEntry id="cat-n"><Lemma writtenForm="cat" partOfSpeech="n"/>
    <Sense id="cat-n-1" synset="tiny-cat-n"/></LexicalEntry>
  <LexicalEntry id="mouse-n"><Lemma writtenForm="mouse" partOfSpeech="n"/><Form writtenForm="mice"/>
    <Sense id="mouse-n-1" synset="tiny-mouse-n"/><Sense id="mouse-n-2" synset="tiny-device-n"/></LexicalEntry>
  <LexicalEntry id="mouse-v"><Lemma writtenForm="mouse" partOfSpeech="v"/>
    <Sense id="mouse-v-1" synset="tiny-hunt-v"/></LexicalEntry>
  <LexicalEntry id="tom-n"><Lemma writtenForm="Tom" partOfSpeech="n"/>
    <Sense id="tom-n-1" synset="tiny-tom-n"/></LexicalEntry>
  <LexicalEntry id="animal-n"><Lemma writtenForm="animal" partOfSpeech="n"/>
    <Sense id="animal-n-1" synset="tiny-animal-n"/></LexicalEntry>
  <LexicalEntry id="thing-n"><Lemma writtenForm="thing" partOfSpeech="n"/>
    <Sense id="thing-n-1" synset="tiny-thing-n"/></LexicalEntry>
  <Synset id="tiny-cat-n" ili="i1" partOfSpeech="n"><SynsetRelation relType="hypernym" target="tiny-animal-n"/></Synset>
  <Synset id="tiny-mouse-n" ili="i2" partOfSpeech="n">
    <SynsetRelation relType="hypernym" target="tiny-animal-n"/></Synset>
  <Synset id="tiny-device-n" ili="" partOfSpeech="n"><SynsetRelation relType="hypernym" target="tiny-thing-n"/></Synset>
  <Synset id="tiny-hunt-v" ili="" partOfSpeech="v"/>
  <Synset id="tiny-tom-n" ili="" partOfSpeech="n">
    <SynsetRelation relType="instance_hypernym" target="tiny-cat-n"/></Synset>
  <Synset id="tiny-animal-n" ili="i3" partOfSpeech="n">
    <SynsetRelation relType="hypernym" target="tiny-thing-n"/></Synset>
  <Synset id="tiny-thing-n" ili="i4" partOfSpeech="n"/>
</Lexicon>
</LexicalResource>
"""
)

# A wordnet whose hypernyms are those of the English one, and which lacks a word for 'animal'.
JAPANESE = (
    _HEADER
    + """
<Lexicon id="small" label="Small" language="ja" email="a@example.org" license="CC0" version="1">
  <Requires id="tiny" version="1"/>
  <LexicalEntry id="neko-n"><Lemma writtenForm="猫" partOfSpeech="n"/>
    <Sense id="neko-n-1" synset="small-cat-n"/></LexicalEntry>
  <LexicalEntry id="nezumi-n"><Lemma writtenForm="鼠" partOfSpeech="n"/>
    <Sense id="nezumi-n-1" synset="small-mouse-n"/></LexicalEntry>
  <Synset id="small-cat-n" ili="i1" partOfSpeech="n"/>
  <Synset id="small-mouse-n" ili="i2" partOfSpeech="n"/>
</Lexicon>
</LexicalResource>
"""
)


@pytest.fixture(autouse=True)
def _no_wordnet_yet(tmp_path: Path) -> Iterator[None]:
    """An empty folder for `wn` to keep wordnets in; the user's own stay out of it."""
    before = config.database_path.parent
    config.data_directory = tmp_path / "wn"
    yield
    # `wn` keeps its connection open, and offers nothing public to close it.
    clear_connections()
    config.data_directory = before


def add(text: str, folder: Path) -> None:
    path = folder / "wordnet.xml"
    path.write_text(text, encoding="utf-8")
    wn.add(path, progress_handler=None)


def test_a_file_gives_each_word_its_labels_in_order_and_once(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.tsv"
    path.write_text("dream\tDREAM SLEEP\n\nice cream\tFOOD\r\ndream\tSLEEP  WISH\n夢\tDREAM\n", encoding="utf-8")
    labels = read_lexicon(path)
    assert labels("dream") == ("DREAM", "SLEEP", "WISH")
    assert labels("ice cream") == ("FOOD",)
    assert labels("夢") == ("DREAM",)
    assert labels("Dream") == labels("") == ()


def test_every_line_without_a_word_or_a_label_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.tsv"
    path.write_text("dream DREAM\ncat\tANIMAL\n\tANIMAL\n\ncow\t \n", encoding="utf-8")
    with pytest.raises(InputError, match="a word, a tab and its labels") as caught:
        read_lexicon(path)
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [
        (str(path), line) for line in (1, 3, 5)
    ]


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_a_file_without_words_is_an_error(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "empty.tsv").write_bytes(content)
    with pytest.raises(InputError, match="no word; expected a word, a tab and its labels"):
        read_lexicon(tmp_path / "empty.tsv")


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.tsv: no such file; expected a file that exists") as error:
        read_lexicon(tmp_path / "none.tsv")
    assert "Errno" not in str(error.value)
    with pytest.raises(InputError, match=r"file cannot be read \(Is a directory\)"):
        read_lexicon(tmp_path)
    (tmp_path / "latin.tsv").write_bytes(b"caf\xe9\tDRINK\n")
    with pytest.raises(InputError, match="UTF-8"):
        read_lexicon(tmp_path / "latin.tsv")


def test_a_wordnet_gives_the_synsets_of_all_senses_of_any_part_of_speech(tmp_path: Path) -> None:
    add(ENGLISH, tmp_path)
    labels = wordnet("tiny:1")
    assert labels("mouse") == ("tiny-device-n", "tiny-hunt-v", "tiny-mouse-n")
    assert labels("cat") == ("tiny-cat-n",)
    assert labels("nothing") == labels("") == ()


def test_a_wordnet_finds_inflected_and_lower_cased_words(tmp_path: Path) -> None:
    add(ENGLISH, tmp_path)
    labels = wordnet("tiny:1")
    assert labels("cats") == labels("cat")
    assert labels("mice") == ("tiny-device-n", "tiny-mouse-n")
    assert "tiny-hunt-v" in labels("mousing")
    assert labels("tom") == ("tiny-tom-n",)


def test_hypernyms_are_those_right_above(tmp_path: Path) -> None:
    add(ENGLISH, tmp_path)
    labels = wordnet("tiny:1", hypernyms=True)
    assert labels("cat") == ("tiny-animal-n", "tiny-cat-n")
    assert labels("tom") == ("tiny-cat-n", "tiny-tom-n")
    assert set(labels("cat")) & set(labels("mouse")) == set(labels("cat")) & set(labels("animal")) == {"tiny-animal-n"}
    assert not set(labels("cat")) & set(labels("thing"))


def test_hypernyms_may_be_in_the_wordnet_that_another_is_made_after(tmp_path: Path) -> None:
    add(ENGLISH, tmp_path)
    add(JAPANESE, tmp_path)
    labels = wordnet("small:1", hypernyms=True)
    assert labels("猫") == ("i3", "small-cat-n")
    assert set(labels("猫")) & set(labels("鼠")) == {"i3"}
    assert wordnet("small:1")("猫") == ("small-cat-n",)


def test_hypernyms_in_a_wordnet_that_is_missing_are_an_error_and_synsets_are_not(tmp_path: Path) -> None:
    add(JAPANESE, tmp_path)
    with pytest.raises(InputError, match=r"(?s)tiny:1.*python -m wn download"):
        wordnet("small:1", hypernyms=True)
    assert wordnet("small:1")("猫") == ("small-cat-n",)


def test_a_wordnet_that_is_not_installed_is_an_error_that_tells_how_to_install_it() -> None:
    with pytest.raises(InputError, match="python -m wn download oewn:2024"):
        wordnet("oewn:2024")


def test_a_missing_package_is_an_error_that_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wn", None)
    with pytest.raises(InputError, match=r"pip install 'metaeval\[wordnet\]'"):
        wordnet("tiny:1")


def test_a_folder_that_wn_cannot_write_is_an_error(tmp_path: Path) -> None:
    config.data_directory = tmp_path / "no" / "such"
    with pytest.raises(InputError, match="expected an installed wordnet"):
        wordnet("tiny:1")


def test_a_lexicon_is_named_by_its_kind(tmp_path: Path) -> None:
    add(ENGLISH, tmp_path)
    path = tmp_path / "lexicon.tsv"
    path.write_text("cat\tPET\n", encoding="utf-8")
    lexicons = [lexicon_of(text) for text in (str(path), "wordnet:tiny:1", "wordnet-hypernyms:tiny:1")]
    assert [lexicon("cat") if lexicon else None for lexicon in lexicons] == [
        ("PET",),
        ("tiny-cat-n",),
        ("tiny-animal-n", "tiny-cat-n"),
    ]
    assert lexicon_of("sudachi") is None


@pytest.mark.parametrize("text", ["", "wordnet", "wordnet:", "wordnett:oewn:2024", "labels.csv", "Sudachi"])
def test_any_other_lexicon_is_an_error_that_names_those_that_there_are(text: str) -> None:
    with pytest.raises(InputError, match=r"FILE\.tsv, sudachi, wordnet:NAME"):
        lexicon_of(text)
