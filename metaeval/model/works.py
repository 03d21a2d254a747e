"""The works that measures and methods come from, which texts cite by their keys, as `[@cohen1968]`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import metadata
from importlib.resources import files
from types import MappingProxyType

Fields = Mapping[str, str | int | Sequence[str]]
"""The type of a work for BibTeX, its authors, and the other fields of BibTeX."""

WORKS: dict[str, Fields] = json.loads((files(__package__) / "works.json").read_text(encoding="utf-8"))
"""The works by key, in alphabetical order; names of organisations are in braces."""

METAEVAL = "metaeval"
"""The key of this software."""

_CITED = re.compile(r"\[(@[a-z0-9]+(?:; @[a-z0-9]+)*)\]")
_SPECIAL = re.compile(r"[&%$#_]")
_NO_KEY, _NO_TEXT = re.compile(r"[^\w.+-]"), re.compile(r"[{}\\]")
"""Characters that keys and texts of entries cannot have."""


def reference(key: str) -> str:
    """The full reference of a work.

    >>> reference("lin2004")
    'Lin, C.-Y. (2004). ROUGE: A package for automatic evaluation of summaries. Text Summarization Branches Out, 74–81.'
    """
    work = WORKS[key]
    authors, title, remarks = work.get("author", ()), str(work["title"]), []
    if "edition" in work:
        remarks.append(f"{work['edition']} ed.")
    if "note" in work:
        remarks.append(str(work["note"]))
    assert not isinstance(authors, str | int)
    if not authors:
        return f"{title} ({'; '.join([str(work['year']), *remarks])})."
    names = ", & ".join([", ".join(authors[:-1]), authors[-1]] if len(authors) > 1 else authors)
    venues = ("journal", "booktitle", "publisher", "institution", "howpublished")
    where = next((str(work[name]) for name in venues if name in work), "")
    where += f", {work['volume']}" if "volume" in work else ""
    where += f"({work['number']})" if "number" in work else ""
    where += f", {work['pages']}" if "pages" in work else ""
    what = f"{title} ({'; '.join(remarks)})" if remarks else title
    return ". ".join(part for part in (f"{names} ({work['year']})", what, where) if part) + "."


def cite(*keys: str) -> str:
    """A citation of works in a text.

    >>> cite("lin2004", "cohen1968")
    '[@lin2004; @cohen1968]'
    """
    assert all(key in WORKS for key in keys), keys
    return f"[{'; '.join(f'@{key}' for key in keys)}]"


def cited_works(texts: Iterable[str]) -> list[str]:
    """The keys of the works that texts cite, in their order.

    >>> cited_works(["tau-b [@kendall1945], as in [@amemiya2021; @kendall1945]; not [@nobody1900]"])
    ['kendall1945', 'amemiya2021']
    """
    keys = (key for text in texts for group in _CITED.findall(text) for key in _keys(group))
    return list(dict.fromkeys(key for key in keys if key in WORKS))


def map_citations(text: str, citation: Callable[[Sequence[str]], str], other: Callable[[str], str]) -> str:
    """The text with its citations of known works, and the texts between them, in another form."""
    pieces, start = [], 0
    for match in _CITED.finditer(text):
        if set(keys := _keys(match[1])) <= WORKS.keys():
            pieces += [other(text[start : match.start()]), citation(keys)]
            start = match.end()
    return "".join([*pieces, other(text[start:])])


def _keys(group: str) -> list[str]:
    return [key.removeprefix("@") for key in group.split("; ")]


def bibtex(keys: Iterable[str], *, version: str, notes: Mapping[str, str] = MappingProxyType({})) -> str:
    """The entries of works in BibTeX, with accents in UTF-8; version: of this software. notes: keys of other texts."""
    others = sorted((_NO_KEY.sub("-", name), " ".join(text.split())) for text, name in notes.items() if text.strip())
    fields = ((key, {"key": key, "note": _SPECIAL.sub(r"\\\g<0>", _NO_TEXT.sub("", text))}) for key, text in others)
    return "\n".join([*(_entry(key, version) for key in keys), *(_record("misc", *entry) for entry in fields)])


def _entry(key: str, version: str) -> str:
    work = dict(WORKS[key])
    kind, authors = work.pop("type"), work.pop("author", ())
    assert not isinstance(authors, str | int)
    fields = {"author": " and ".join(authors)} if authors else {}
    fields |= {name: _SPECIAL.sub(r"\\\g<0>", str(value)).replace("–", "--") for name, value in work.items()}
    # Braces keep the capitals of the title.
    fields["title"] = f"{{{fields['title']}}}"
    if key == METAEVAL:
        fields |= {"note": f"Version {version}"} | _address()
    return _record(str(kind), key, fields)


def _address() -> dict[str, str]:
    """The address of the documentation, as the package declares it; none where it is not installed."""
    try:
        urls = metadata.metadata(METAEVAL).get_all("Project-URL", [])
    except metadata.PackageNotFoundError:
        return {}
    by_label = dict(url.split(", ", 1) for url in urls)
    return {"url": by_label["Documentation"]} if "Documentation" in by_label else {}


def _record(kind: str, key: str, fields: Mapping[str, str]) -> str:
    return "\n".join([f"@{kind}{{{key},", *(f"  {name} = {{{text}}}," for name, text in fields.items()), "}", ""])
