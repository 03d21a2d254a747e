"""Where sentences end."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.io.files.sentences import split

PIECES = st.sampled_from(
    [
        *"。！？．.!?…」』）】「『（(\"')] \n\r\t\u3000\u2028aZ9あ",
        "Mr",
        "U.S",
        "No",
        "3.5",
        " A",
        "J. ",
        "１．５",
        "e.g",
    ]
)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        (" \n\u3000\n", []),
        ("One", ["One"]),
        ("One. Two", ["One.", "Two"]),
        ("one. two", ["one. two"]),
        ("no stop\nat line ends\r\nhere\rnor here", ["no stop", "at line ends", "here", "nor here"]),
        ("Mr. and Mrs. Smith vs. Prof. X. They won.", ["Mr. and Mrs. Smith vs. Prof. X. They won."]),
        ("We met St. John, etc. Then e.g. Bob, i.e. Him.", ["We met St. John, etc. Then e.g. Bob, i.e. Him."]),
        ("The U.S. Army at 5 a.m. Monday, Jan. 5.", ["The U.S. Army at 5 a.m. Monday, Jan. 5."]),
        ("See No. 5 and Fig. 3. No. No!", ["See No. 5 and Fig. 3.", "No.", "No!"]),
        ("J. K. Rowling wrote. G. Orwell too.", ["J. K. Rowling wrote.", "G. Orwell too."]),
        ("What?! Yes... Or no… Well", ["What?!", "Yes...", "Or no…", "Well"]),
        ("the cat sat . it ran ! did it ? yes .", ["the cat sat .", "it ran !", "did it ?", "yes ."]),
        (
            "prices of 3 . 5 % rose , e.g. mr. x . they fell .",
            ["prices of 3 .", "5 % rose , e.g. mr. x .", "they fell ."],
        ),
        ("so . . . it ended . . .", ["so . . . it ended . . ."]),
        (". it", [". it"]),
        ("well... not yet", ["well... not yet"]),
        ("It cost 3.5 dollars. 7 more.", ["It cost 3.5 dollars.", "7 more."]),
        ("In 1999. The end", ["In 1999.", "The end"]),
        ("1. First of all. 2. Second.", ["1. First of all.", "2. Second."]),
        (
            'He said "Go." "I will." (So he did.) [Left.] End',
            ['He said "Go."', '"I will."', "(So he did.)", "[Left.]", "End"],
        ),
        ("“Go!” He went. ‘Ah.’", ["“Go!”", "He went.", "‘Ah.’"]),
        ("www.example.com is a.b. fine", ["www.example.com is a.b. fine"]),
        ("Ünder. Ärger. ß.", ["Ünder.", "Ärger. ß."]),
        ("OK. 次へ", ["OK.", "次へ"]),
        ("今日は。晴れ！本当？はい．次", ["今日は。", "晴れ！", "本当？", "はい．", "次"]),
        ("「行く。」と言った。終わり", ["「行く。」と言った。", "終わり"]),
        ("（注。二つ。）です。はい", ["（注。二つ。）です。", "はい"]),
        ("『「あ。」い。』う。え", ["『「あ。」い。』う。", "え"]),
        ("行く。」彼は言った。）】次", ["行く。」", "彼は言った。）】", "次"]),
        ("「開いたまま。次。", ["「開いたまま。", "次。"]),
        ("本当！？次。。次", ["本当！？", "次。。", "次"]),
        ("約３．５倍。Ａ．Ｂ", ["約３．５倍。", "Ａ．Ｂ"]),
    ],
)
def test_where_sentences_end(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
def test_nothing_but_blanks_is_lost(text: str) -> None:
    sentences = split(text)
    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentence and sentence == sentence.strip() for sentence in sentences)
    assert all(len(sentence.splitlines()) == 1 for sentence in sentences)


@pytest.mark.parametrize("piece", ["「", "」", ".", ". ", "A. ", "。」", "a", "「。」", " ", "「あ。（い。）」", "1. "])
def test_time_grows_with_the_text_and_not_with_its_square(piece: str) -> None:
    started = time.process_time()
    split(piece * (200_000 // len(piece)))
    assert time.process_time() - started < 5
