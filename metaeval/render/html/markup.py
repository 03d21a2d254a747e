"""HTML that cannot be broken by what stands in it: text is escaped unless it is `Markup` already."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from metaeval.errors import visible
from metaeval.render.cells import folded

VOID = frozenset({"br", "link", "meta"})
"""Elements without an end tag."""

SIGNS = re.compile("(?<=[:,=_+/])(?=.)")
"""Where a name may be broken, beside the blanks and hyphens that a browser knows."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def text(words: str) -> Markup:
    r"""Words of anybody as HTML; characters that would break or reorder the line are written as escapes.

    >>> print(text("<b> & \u202e"))
    &lt;b&gt; &amp; \u202e
    """
    return words if isinstance(words, Markup) else Markup(escape(visible(words)))


def element(tag: str, *children: str, **attributes: str | int | None) -> Markup:
    """An element with what stands in it; attributes that are None are left out.

    attributes: `class_` is class, `data_value` is data-value.

    >>> element("td", "0.5 < 1", element("small", "(1)"), class_="score", title=None)
    '<td class="score">0.5 &lt; 1<small>(1)</small></td>'
    """
    told = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{text(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    inner = "" if tag in VOID else f"{joined(children)}</{tag}>"
    return Markup(f"<{tag}{told}>{inner}")


def joined(parts: Iterable[str], between: str = "") -> Markup:
    """The parts as HTML, one after another."""
    return Markup(between.join(map(text, parts)))


def broken(words: str, width: int) -> Markup:
    """Words that are broken at their best places into lines of about `width` characters.

    >>> broken("alpha:level=ordinal", 13), broken("all comment", 5)
    ('alpha:<br>level=ordinal', 'all <br>comment')
    """
    rest = visible(words)
    lines = []
    for line in folded(rest, width):
        # A blank at which a line ends is kept for whoever copies the words.
        rest = rest.removeprefix(line)
        blank = rest[: len(rest) - len(rest.lstrip())]
        rest = rest.removeprefix(blank)
        lines.append(text(line + blank))
    return Markup("<br>".join(lines))


def breakable(words: str) -> Markup:
    """Words that may be broken at their signs, where the line is full.

    >>> breakable("neighbour_words")
    'neighbour_<wbr>words'
    """
    return Markup("<wbr>".join(map(text, SIGNS.split(visible(words)))))
