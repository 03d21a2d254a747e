"""Ids and labels that are the same but for how they are written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import PurePath

from metaeval.errors import pluralize, shortened

_NUMBER = re.compile(r"([+-]?)0*(\d+)(?:\.(\d*?)0*)?", re.ASCII)

Normalization = Callable[[str], str]


def normalized(text: str) -> str:
    """A text without blanks, marks and case, in one Unicode form."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if unicodedata.category(character) not in {"Cf", "Zs", "Mn"})


def canonical_number(text: str) -> str:
    """One form of the texts of a number, such as '1' of '1.0' and '01'; other texts are unchanged.

    >>> canonical_number("01"), canonical_number("1.0"), canonical_number("-2.50"), canonical_number("1a")
    ('1', '1', '-2.5', '1a')
    """
    match = _NUMBER.fullmatch(text)
    return f"{match[1].strip('+')}{match[2]}{'.' if match[3] else ''}{match[3] or ''}" if match else text


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


_FORMS: dict[str, Normalization] = {
    "in Unicode form": _composed,
    "in case": str.casefold,
    "in blanks": lambda text: "".join(text.split()),
    "in how a number is written, as in a column of floats": canonical_number,
    "in a folder or a suffix": lambda text: PurePath(text).name.partition(".")[0],
    "in case, blanks, accents or Unicode form": normalized,
}


def _without_affixes(names: Sequence[str]) -> Normalization:
    """A function that removes what all names begin and end with."""
    begin, end = _begin(names), _begin([name[::-1] for name in names])[::-1]
    return lambda name: name.removeprefix(begin).removesuffix(end)


def _begin(names: Sequence[str]) -> str:
    """What all names begin with: that is what the first and the last in order share."""
    first, last = min(names), max(names)
    return next(first[:size] for size in range(len(first), -1, -1) if last.startswith(first[:size]))


def _pairs(
    names: Sequence[str], form: Normalization, known_names: Sequence[str], form_of_name: Normalization
) -> Iterator[tuple[str, str]]:
    """The names that have the form of a single known one, and that one."""
    by_form: dict[str, list[str]] = {}
    for name in known_names:
        by_form.setdefault(form_of_name(name), []).append(name)
    for name in names:
        match by_form.get(form(name)):
            case [only] if form(name):
                yield name, only


def written_as(names: Sequence[str], known_names: Sequence[str], where: str = "gold") -> str:
    """A remedy for ids that are not known: what most of them differ in from known ones; '' where there is none.

    >>> written_as(["1.0", "2.0"], ["1", "2"])
    "write the ids as in gold: 2 of 2 differ only in how a number is written, as in a column of floats ('1.0' \
and '1')"
    """
    candidates = [(text, form, form) for text, form in _FORMS.items()]
    if len(names) > 1 and len(known_names) > 1:
        candidates.append(("in how all begin or end", _without_affixes(names), _without_affixes(known_names)))
    best, difference = max(
        ((list(_pairs(names, form, known_names, form_of_name)), text) for text, form, form_of_name in candidates),
        key=lambda candidate: len(candidate[0]),
    )
    if 2 * len(best) < len(names):
        return ""
    # Only their escapes distinguish names that look the same.
    show = ascii if _composed(best[0][0]) == _composed(best[0][1]) else repr
    example = " and ".join(show(shortened(name)) for name in best[0])
    return f"write the ids as in {where}: {len(best):,} of {len(names):,} differ only {difference} ({example})"


def by_form(names: Iterable[str]) -> dict[str, list[str]]:
    """The names by what they are but for case, blanks, Unicode form and the form of a number."""
    forms: dict[str, list[str]] = {}
    for name in names:
        forms.setdefault(canonical_number(normalized(name)), []).append(name)
    return forms


def numbers_note(ids: Sequence[str]) -> tuple[str, ...]:
    """A note on ids that are one number, such as '1' and '1.0', but different items."""
    other = {name: canonical_number(name) for name in ids if "." in name or name[:1] in ("0", "+", "-")}
    distinct_ids = set(ids) if other else set()
    same = [(name, form) for name, form in other.items() if form != name and form in distinct_ids]
    if not same:
        return ()
    (one, two), more = same[0], f" (and {pluralize(len(same) - 1, 'other pair')})" if len(same) > 1 else ""
    return (f"'{one}' and '{two}'{more} are ids of different items, though they are one number: are they one item?",)


def quote_name(name: str) -> str:
    """A name in quotes, with escapes for combining characters, which cannot be distinguished."""
    return "".join(f"\\u{ord(symbol):04x}" if unicodedata.combining(symbol) else symbol for symbol in repr(name))


@lru_cache(maxsize=16)  # many systems may be wrong in the same labels
def same_labels(labels: tuple[str, ...], classes: tuple[str, ...]) -> dict[str, str]:
    """The class that each label may mean, if it is another form of its name, or all are abbreviations of classes.

    >>> same_labels(("Left", "Right"), ("L", "R")), same_labels(("POS", "odd"), ("pos", "neg"))
    ({'Left': 'L', 'Right': 'R'}, {'POS': 'pos'})
    """
    names = list(dict.fromkeys(filter(None, labels)))
    same: dict[str, str] = {}
    for form in (canonical_number, normalized):
        same |= dict(_pairs(names, form, classes, form))
    short: dict[str, str] = {}
    for name, text in ((name, normalized(name)) for name in names):
        hits = [label for label in classes if text.startswith(normalized(label)) or normalized(label).startswith(text)]
        short |= {name: hits[0]} if len(hits) == 1 else {}
    return same if same or len(set(short.values())) < len(names) else short
