"""Running text cut into sentences, English and Japanese, by rules that anyone can follow."""

from __future__ import annotations

import re
from collections.abc import Iterator

_JAPANESE_ENDS = "。｡！？．"
_BRACKETS = dict(zip("」』）】〕］｝〉》", "「『（【〔［｛〈《", strict=True))
"""The opening bracket of each closing one."""
_OPENING = frozenset(["(", "[", '"', "'", "“", "‘", "«", *_BRACKETS.values()])
_CLOSING = "\"'”’»)\\]" + re.escape("".join(_BRACKETS))
_ENDS = re.compile(rf"([.!?…{_JAPANESE_ENDS}]+)[{_CLOSING}]*")
_EITHER_BRACKET = re.compile("[" + "".join(_BRACKETS) + "".join(_BRACKETS.values()) + "]")
_BLANKS = re.compile(r"\s+")
_LATIN = re.compile("[0-9A-Za-z０-９Ａ-Ｚａ-ｚ]")

_LONGEST_ABBREVIATION = 12
_WORD_BEFORE = re.compile(r"[^\W_][\w.]*\Z")
_LETTERS_WITH_DOTS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_TITLES = "Mr Mrs Ms Dr Prof St Sr Jr Gen Sen Rep Gov Lt Col Sgt Capt Cpt Cmdr Maj Rev Hon Pres Mt Messrs Ph.D"
_WORDS = "vs cf etc al approx est Inc Ltd Co Corp Bros Dept Univ Assn Ave Blvd Fig Figs Eq Eqs Sec Ch Vol Nos pp ed eds"
_DATES = "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Tue Tues Wed Thu Thur Thurs Fri"
_ABBREVIATIONS = frozenset(f"{_TITLES} {_WORDS} {_DATES}".split())
_BEFORE_NUMBERS = frozenset(["No", "no", "p", "Art", "Op"])
"""Words of their own, which are abbreviations only where a number follows."""


def split(text: str) -> list[str]:
    """The sentences of a text, without the blanks around them; nothing else is lost.

    A line break always ends one. So do 。！？ and their like, with the closing brackets and quotes that follow, unless
    they stand between 「 and 」, （ and ） and so on in one line. English . ! ? end one where blanks follow and then
    anything that a sentence may begin with (no small letter), but not after abbreviations, initials and the number
    of a list. Takes time in proportion to the text.

    >>> split("Mr. J. K. Smith paid 3.5 dollars. Really?! He did... at 5 p.m. on Monday.")
    ['Mr. J. K. Smith paid 3.5 dollars.', 'Really?!', 'He did... at 5 p.m. on Monday.']
    >>> split("彼は「行く。」と言った。本当？")
    ['彼は「行く。」と言った。', '本当？']
    """
    return [sentence for line in text.splitlines() for sentence in _of_line(line)]


def _of_line(line: str) -> Iterator[str]:
    begin = 0
    brackets = iter(_outermost_brackets(line))
    bracket = next(brackets, None)
    for match in _ENDS.finditer(line):
        while bracket is not None and bracket[1] < match.start():
            bracket = next(brackets, None)
        if bracket is not None and bracket[0] < match.start():
            continue
        if _ends_sentence(line, begin, match):
            yield from _unless_blank(line[begin : match.end()])
            begin = match.end()
    yield from _unless_blank(line[begin:])


def _unless_blank(sentence: str) -> Iterator[str]:
    if stripped := sentence.strip():
        yield stripped


def _outermost_brackets(line: str) -> list[tuple[int, int]]:
    """Where Japanese brackets open and close that are in no others, in order; one without its partner is none."""
    opened: list[int] = []
    pairs: list[tuple[int, int]] = []
    for match in _EITHER_BRACKET.finditer(line):
        partner = _BRACKETS.get(match.group())
        if partner is None:
            opened.append(match.start())
        elif opened and line[opened[-1]] == partner:
            pair = (opened.pop(), match.start())
            # What it encloses came just before it.
            while pairs and pairs[-1][0] > pair[0]:
                pairs.pop()
            pairs.append(pair)
    return pairs


def _ends_sentence(line: str, begin: int, match: re.Match[str]) -> bool:
    """Whether a sentence that begins at `begin` ends with a match of `_ENDS`."""
    marks = match.group(1)
    if marks == "．" and _LATIN.match(line, max(match.start() - 1, 0)) and _LATIN.match(line, match.end()):
        return False
    if any(mark in _JAPANESE_ENDS for mark in marks):
        return True
    blanks = _BLANKS.match(line, match.end())
    if blanks is None or not _may_begin(line[blanks.end() : blanks.end() + 1]):
        return False
    return marks != "." or not _is_abbreviated(line, begin, match.start(), line[blanks.end()])


def _may_begin(letter: str) -> bool:
    """Whether a sentence may begin with a letter, which is '' at the end of a line."""
    return letter in _OPENING or letter.isdigit() or (letter.isalpha() and not letter.islower())


def _is_abbreviated(line: str, begin: int, dot: int, following: str) -> bool:
    """Whether the word before a dot takes it as part of itself; following: what comes after the blanks."""
    # A glance of constant length: a text that is one long word must not take the square of its length.
    window = max(begin, dot - _LONGEST_ABBREVIATION)
    found = _WORD_BEFORE.search(line[window:dot])
    if found is None:
        return False
    word = found.group()
    if word.isdigit():
        # '1. First of all': the number of a list, not a year at the end of a sentence.
        return window == begin and not line[begin : window + found.start()].strip()
    if word in _BEFORE_NUMBERS:
        return following.isdigit()
    is_initial = len(word) == 1 and word.isupper()
    return is_initial or word in _ABBREVIATIONS or _LETTERS_WITH_DOTS.fullmatch(word) is not None
