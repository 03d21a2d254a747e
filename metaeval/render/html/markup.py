"""Safe HTML: text is escaped unless it is `Markup`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from metaeval.errors import visible
from metaeval.render.cells import folded

VOID = frozenset({"br", "link", "meta"})
"""Elements without an end tag."""

SIGNS = re.compile("(?<=[:,=_+/])(?=.)")
"""Where a name may be broken, in addition to blanks and hyphens."""


class Markup(str):
    """Text that is HTML."""

    __slots__ = ()


def escaped(text: str) -> Markup:
    r"""The text as HTML; control characters and those that reorder a line are escaped.

    >>> print(escaped("<b> & \u202e"))
    &lt;b&gt; &amp; \u202e
    """
    return text if isinstance(text, Markup) else Markup(escape(visible(text)))


def element(tag: str, *children: str, **attributes: str | int | None) -> Markup:
    """An element with its children and those attributes that are not None; `class_` is class, `data_value` data-value.

    >>> element("td", "0.5 < 1", element("small", "(1)"), class_="score", title=None)
    '<td class="score">0.5 &lt; 1<small>(1)</small></td>'
    """
    names = {name: name.rstrip("_").replace("_", "-") for name, value in attributes.items() if value is not None}
    start = "".join(f' {names[name]}="{escaped(str(attributes[name]))}"' for name in names)
    end = "" if tag in VOID else f"{join(children)}</{tag}>"
    return Markup(f"<{tag}{start}>{end}")


def join(parts: Iterable[str]) -> Markup:
    """The parts as HTML, one after another."""
    return Markup("".join(map(escaped, parts)))


def broken(text: str, width: int) -> Markup:
    """The text, broken at its best places into lines of about `width` characters.

    >>> broken("alpha:level=ordinal", 13), broken("all comment", 5)
    ('alpha:<br>level=ordinal', 'all <br>comment')
    """
    rest = visible(text)
    lines = []
    for line in folded(rest, width):
        # A blank at the end of a line is kept, so that copied text contains it.
        rest = rest.removeprefix(line)
        blank = rest[: len(rest) - len(rest.lstrip())]
        rest = rest.removeprefix(blank)
        lines.append(escaped(line + blank))
    return Markup("<br>".join(lines))


def breakable(text: str) -> Markup:
    """The text, which may be broken after its signs.

    >>> breakable("neighbour_words")
    'neighbour_<wbr>words'
    """
    return Markup("<wbr>".join(map(escaped, SIGNS.split(visible(text)))))
