"""Sentence splitting of English and Japanese text by simple rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

_JAPANESE_ENDS, _ENGLISH_ENDS = "。｡！？．", (".", "!", "?", "…")
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
"""Words that are abbreviations only before a number."""


def split(text: str) -> list[str]:
    """The sentences of a text, without surrounding blanks.

    A line break always ends a sentence. 。！？ and similar marks, with the closing brackets and quotes that follow, end
    a sentence except within brackets such as 「」 and （） of the same line. English . ! ? end a sentence before blanks
    and a character that may begin one (no lower-case letter), but not after abbreviations, initials and list numbers;
    between blanks, as in texts of tokens, they also do before a lower-case letter. The time is linear in the length of
    the text.

    >>> split("Mr. J. K. Smith paid 3.5 dollars. Really?! He did... at 5 p.m. on Monday.")
    ['Mr. J. K. Smith paid 3.5 dollars.', 'Really?!', 'He did... at 5 p.m. on Monday.']
    >>> split("彼は「行く。」と言った。本当？")
    ['彼は「行く。」と言った。', '本当？']
    >>> split("the cat sat . it ran . . . away .")
    ['the cat sat .', 'it ran . . . away .']
    """
    return [sentence for line in text.splitlines() for sentence in _sentences_of_line(line)]


def _sentences_of_line(line: str) -> Iterator[str]:
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
    """The positions of outermost pairs of Japanese brackets, in order; brackets without a partner are ignored."""
    stack: list[int] = []
    pairs: list[tuple[int, int]] = []
    for match in _EITHER_BRACKET.finditer(line):
        partner = _BRACKETS.get(match.group())
        if partner is None:
            stack.append(match.start())
        elif stack and line[stack[-1]] == partner:
            pair = (stack.pop(), match.start())
            # Enclosed pairs are the last ones.
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
    if blanks is None:
        return False
    following = line[blanks.end() : blanks.end() + 1]
    if _is_token(line, match) and following not in _ENGLISH_ENDS:
        return True
    if not _may_begin(following):
        return False
    return marks != "." or not _is_abbreviated(line, begin, match.start(), line[blanks.end()])


def _is_token(line: str, match: re.Match[str]) -> bool:
    """Whether marks have a blank before them, and none of the marks of an ellipsis before it."""
    before = line[max(match.start() - 2, 0) : match.start()]
    return before[-1:].isspace() and before[:1] not in _ENGLISH_ENDS


def _may_begin(letter: str) -> bool:
    """Whether a sentence may begin with a character, which is '' at the end of a line."""
    return letter in _OPENING or letter.isdigit() or (letter.isalpha() and not letter.islower())


def _is_abbreviated(line: str, begin: int, dot: int, following: str) -> bool:
    """Whether the word before a dot is an abbreviation; following: the character after the blanks."""
    # A window of constant length: a text of one long word must not take quadratic time.
    window = max(begin, dot - _LONGEST_ABBREVIATION)
    match = _WORD_BEFORE.search(line[window:dot])
    if match is None:
        return False
    word = match.group()
    if word.isdigit():
        # A list number, as in '1. First of all', and not a year at the end of a sentence.
        return window == begin and not line[begin : window + match.start()].strip()
    if word in _BEFORE_NUMBERS:
        return following.isdigit()
    is_initial = len(word) == 1 and word.isupper()
    return is_initial or word in _ABBREVIATIONS or _LETTERS_WITH_DOTS.fullmatch(word) is not None
