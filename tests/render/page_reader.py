"""The page as a tree, read by Python's own parser; a tag that is not closed where it should be is an error."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from xml.etree.ElementTree import Element, SubElement

from metaeval.model.report import Report
from metaeval.render import Style
from metaeval.render.html import html

VOID = {"br", "link", "meta", "wbr"}


class _Tree(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("document")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = SubElement(self.open[-1], tag, {name: value or "" for name, value in attrs})
        if tag not in VOID:
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        SubElement(self.open[-1], tag, {name: value or "" for name, value in attrs})

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        parent = self.open[-1]
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + data
        else:
            parent.text = (parent.text or "") + data


def parsed(page: str) -> Element:
    """The page as a tree."""
    tree = _Tree()
    tree.feed(page)
    tree.close()
    assert tree.open == [tree.root]
    return tree.root


def page_of(report: Report, *, digits: int | None = None, every_column: bool = False) -> Element:
    """The page of a report as a tree."""
    return parsed(html(report, Style(digits, every_column=every_column)))


def words(element: Element) -> str:
    """What a reader sees of it, on one line."""
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip()


def by_id(page: Element, name: str) -> Element:
    """The one element of that id."""
    (match,) = [element for element in page.iter() if element.get("id") == name]
    return match


def rows_of(table: Element) -> Iterator[list[Element]]:
    """The cells of its rows, without the head."""
    (body,) = table.iter("tbody")
    yield from (list(row) for row in body)
