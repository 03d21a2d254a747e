"""The page: verdict or findings, numbers about the data, a section for each analysis, provenance.

The page needs no network and can be read without scripts: its only script sorts tables, and its content security policy
forbids any other. Names given by users (systems, files, classes) are always text, never markup.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from metaeval import registry
from metaeval.errors import pluralize, visible
from metaeval.model.report import Column, Kind, Note, Report, SourceFile, Table
from metaeval.render.cells import (
    HEADER_WIDTH,
    LOWER,
    ShownCell,
    ShownColumn,
    Style,
    data_cell,
    folded,
    legend,
    reading_aid,
    rows_set_apart,
    shown_columns,
    with_values,
)
from metaeval.render.sections import Section, by_analysis, sentences

if TYPE_CHECKING:
    from metaeval.render.plots import Drawing


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


ROWS_SHOWN = 15
"""Number of rows of a table that is not opened; as in page.css."""

MAX_ROWS = 300
"""Maximum number of rows of a detail table; the JSON contains all rows."""

NAME_WIDTH = 18
"""Characters of the names of rows that stay on one line if space is limited."""

WIDE = 150
"""A table of more characters is printed in landscape."""

PHONE = 45
"""A table of more characters scrolls on a phone."""

GAP = 2
"""Characters between two columns."""

STRENGTHS = 3
"""Number of backgrounds for bands of values."""


def table_element(table: Table, style: Style, meanings: set[str]) -> Markup:
    """The table in a box that scrolls if it is wide; of a long table the first rows, until it is opened.

    meanings: of columns that the page explains already.
    """
    table = with_values(table)
    is_complete = style.appendix or not table.detail or len(table.rows) <= MAX_ROWS
    part = table if is_complete else _table_head(table)
    columns = shown_columns(part, style)
    below = [legend(part, columns, coloured=True)]
    if not is_complete:
        # The best of the first rows may not be the best of all rows.
        columns = tuple(
            replace(column, cells=tuple(replace(cell, best=False) for cell in column.cells)) for column in columns
        )
        below.append(f"The first {len(part.rows):,} of {len(table.rows):,} rows; the JSON of this report contains all")
    grid = _table(part, columns, sortable=is_complete and len(part.rows) > 1)
    is_long = len(part.rows) > ROWS_SHOWN and not style.appendix
    opener = element("details", element("summary", f"All {len(part.rows):,} rows"), class_="rows") if is_long else ""
    remarks = (element("p", line, class_="legend") for line in below if line)
    aid = reading_aid(part, columns, meanings)
    definitions = _definitions(aid, "aid") if aid else ""
    return element("div", scroll_box(grid, table.title), opener, *remarks, definitions, class_="block")


def scroll_box(content: Markup, name: str) -> Markup:
    """A box that scrolls sideways if its content is wide, and can be scrolled with the keyboard."""
    return element("div", content, class_="scroll", role="region", aria_label=name, tabindex=0)


def _table_head(table: Table) -> Table:
    """The first rows of the table, and of the table beside it."""
    beside = _table_head(table.beside) if table.beside is not None else None
    return replace(table, rows=tuple(islice(table.rows, MAX_ROWS)), beside=beside)


def _table(table: Table, columns: Sequence[ShownColumn], *, sortable: bool) -> Markup:
    characters = sum(map(_width, columns))
    classes = [
        name
        for name, holds in (("sortable", sortable), ("broad", characters > PHONE), ("wide", characters > WIDE))
        if holds
    ]
    names = max((len(cell.value) for cell in columns[0].cells), default=0)
    widest = max((len(cell.beside) for column in columns for cell in column.cells), default=0)
    return element(
        "table",
        *table_parts(table, columns, for_script=True),
        id=f"table-{table.name}",
        class_=" ".join(classes) or None,
        # Short names are not broken, values before parentheses are aligned, and the font size in print follows from
        # the number of characters.
        style=f"--names:{min(names, NAME_WIDTH)}ch;--beside:{widest + 1}ch;--characters:{characters}",
    )


def table_parts(table: Table, columns: Sequence[ShownColumn], *, for_script: bool) -> list[Markup]:
    """The caption, the head and the body of a table; the columns may have more cells than it has rows.

    for_script: whether cells have their values as data, which the script of the page sorts by.
    """
    headers = [_header(table.columns[head.index], head, for_script=for_script) for head in columns]
    rows = [
        _row(table, columns, number, apart=apart, for_script=for_script)
        for number, apart in enumerate(rows_set_apart(table))
    ]
    caption = element("caption", element("span", table.title))
    return [caption, element("thead", element("tr", *headers)), element("tbody", *rows)]


def _width(column: ShownColumn) -> int:
    """Minimum width of the column in characters, from its numbers and header."""
    header = max(map(len, folded(column.header, HEADER_WIDTH)))
    if column.kind is Kind.TEXT:
        return max(header, min(max((len(cell.value) for cell in column.cells), default=0), NAME_WIDTH)) + GAP
    return max(header, *(len(str(cell)) for cell in column.cells), 0) + GAP


def _header(column: Column, head: ShownColumn, *, for_script: bool) -> Markup:
    """A header cell; sorting starts with the best values, or alphabetically."""
    ascending = head.kind is Kind.TEXT or column.higher_is_better is False
    header = head.header
    if column.higher_is_better is False:
        # The arrow is not separated from the word after it.
        header = header.replace(f"{LOWER} ", f"{LOWER}\u00a0", 1)
    first = ("ascending" if ascending else "descending") if for_script else None
    return element("th", broken(header, HEADER_WIDTH), scope="col", class_=head.kind.value, data_first=first)


def _row(table: Table, columns: Sequence[ShownColumn], number: int, *, apart: bool, for_script: bool) -> Markup:
    row = table.rows[number]
    cells = []
    for index, column in enumerate(columns):
        tag, scope = ("td", None) if index else ("th", "row")
        cell = column.cells[number]
        value = data_cell(row[column.index]) if for_script and column.kind is not Kind.TEXT else None
        # Names may be written from right to left.
        direction = "auto" if column.kind is Kind.TEXT else None
        band = "" if cell.band is None else f" band-{min(cell.band, STRENGTHS - 1)}"
        attributes = {"scope": scope, "class_": column.kind.value + band, "dir": direction, "data_value": value}
        cells.append(element(tag, *_content(cell), **attributes))
    return element("tr", *cells, class_="apart" if apart else None)


def _content(cell: ShownCell) -> list[str]:
    value = element("b", cell.value) if cell.best else breakable(cell.value)
    return [value, " ", element("span", cell.beside.strip(), class_="beside")] if cell.beside else [value]


QUESTION = "Which evaluation measure should you trust?"

NO_PLOTS = "Plots need pip install 'metaeval[plots]'."

NOT_PRINTED = "Closed parts are not printed: the JSON has all tables, metaeval report --appendix prints them."

VERDICT = "recommend"
"""The analysis whose finding and first table are the top of the page."""

NEXT = (VERDICT, "compare", "plan")
"""What to do next: the first analyses of these that the page does not have."""

SHORT = 12
"""Digits of a SHA-256 that are shown."""


def html(report: Report, style: Style) -> str:
    """The report as one self-contained HTML file: verdict, data, plots and tables by analysis, provenance."""
    style = replace(style, page=True)
    script = _resource("page.js")
    class_ = "appendix" if style.appendix else None
    body = element("body", *_body(report, by_analysis(report), style), element("script", Markup(script)), class_=class_)
    return "<!doctype html>\n" + element("html", _head(report, script), body, lang="en") + "\n"


def _resource(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def _head(report: Report, script: str) -> Markup:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content=f"metaeval {report.provenance.version}"),
        # Without it, a browser requests one from the server.
        element("link", rel="icon", href="data:,"),
        element("title", " · ".join(part for part in (_title(report), QUESTION) if part)),
        element("style", Markup(_resource("page.css"))),
    ]
    return element("head", *parts)


def _body(report: Report, sections: Sequence[Section], style: Style) -> list[Markup]:
    has_plots = find_spec("matplotlib") is not None
    plots = _plots(report) if has_plots else {}
    notes, others = _notes_by_section(report, sections)
    is_open = style.appendix or len(sections) == 1
    subject = " · ".join(part for part in (f"metaeval {report.command}", _subject(report)) if part)
    links = [element("li", element("a", _label(section), href=f"#{section.name}")) for section in sections]
    meanings: set[str] = set()
    statements = sentences(report)
    texts = {section.name: [sentence for name, sentence in statements if name == section.name] for section in sections}
    elements = {
        section.name: _section(
            section, texts[section.name], plots, notes.get(section.name, ()), style, meanings=meanings, is_open=is_open
        )
        for section in sections
    }
    text = element("p", " ".join(report.methods))
    methods = [element("section", element("h2", "Methods"), text, id="methods")] if report.methods else []
    content = [
        elements.pop(VERDICT, Markup("")),
        _top(report, statements, [section.name for section in sections]),
        *([] if has_plots else [element("p", NO_PLOTS, class_="legend")]),
        *elements.values(),
        *methods,
        _provenance(report, others),
        *([] if is_open else [element("p", NOT_PRINTED, class_="printed")]),
    ]
    return [
        element("a", "Skip to the content", href="#content", class_="skip"),
        element(
            "header",
            element("p", subject, class_="eyebrow"),
            element("h1", _title(report) or QUESTION),
            *([element("p", QUESTION, class_="question")] if _title(report) else []),
            element("nav", element("ul", *links), aria_label="Analyses") if len(sections) > 1 else "",
        ),
        element("main", *content, id="content"),
    ]


def _plots(report: Report) -> Mapping[str, list[Markup]]:
    """The plots by the table that they belong to."""
    from metaeval.render.plots import drawings

    plots: dict[str, list[Markup]] = {}
    for drawing in drawings(report):
        plots.setdefault(drawing.table, []).append(_figure(drawing))
    return plots


def _figure(drawing: Drawing) -> Markup:
    """The plot in a box that scrolls on narrow pages; its title and alternative text are in the SVG."""
    box = scroll_box(Markup(drawing.svg()), f"Plot: {drawing.title}")
    return element("figure", box, element("figcaption", drawing.caption), id=f"plot-{drawing.name}")


# The top of the page


def _top(report: Report, statements: Sequence[tuple[str, str]], names: Sequence[str]) -> Markup:
    """The findings, unless there is a verdict; numbers about the data, and what to do next."""
    items = []
    for criterion, sentence in statements if VERDICT not in names else ():
        word = _capitalize(criterion)
        link = element("a", word, href=f"#{criterion}") if criterion in names else word
        items.append(element("div", element("dt", link), element("dd", sentence)))
    findings = [element("h2", "Findings"), element("dl", *items, class_="findings")] if items else []
    return element("section", *findings, *_facts(report), *_next(report, names), id="findings")


def _facts(report: Report) -> list[Markup]:
    """Three numbers about the data, and the other settings of the data on a line."""
    # Settings with a dot belong to an analysis and are shown with the provenance only.
    settings = {name: value for name, value in report.provenance.settings.items() if "." not in name}
    numbers = {name: value for name, value in settings.items() if type(value) is int and name != "seed"}
    classes = len(re.split("[<,]", str(settings["scale"]))) if "scale" in settings else 0
    measure_tables = [table for table in report.tables if table.columns[0].name == "measure" and not table.detail]
    measures = {row[0] for table in measure_tables for row in table.rows} or report.provenance.titles
    counts = {"items": numbers.pop("n", 0), **numbers, "classes": classes, "measures": len(measures)}
    pairs = [(name, f"{count:,}") for name, count in counts.items() if count][:3]
    others = [f"{name} {value}" for name, value in settings.items() if name not in ("n", *numbers)]
    facts = [_definitions(pairs, "facts")] if pairs else []
    return [*facts, *([element("p", breakable(" · ".join(others)), class_="legend")] if others else [])]


def _next(report: Report, names: Sequence[str]) -> list[Markup]:
    """The commands of two analyses of the same systems that the page does not have."""
    missing = [name for name in NEXT if name in registry.ANALYSES and name not in names][:2]
    if "systems" not in report.provenance.settings or not missing:
        return []
    config = next((f" --config {file.path}" for file in report.provenance.files if file.role == "config"), " …")
    steps = [
        element("li", f"{registry.declaration(name).question} ", element("code", f"metaeval {name}{config}"))
        for name in missing
    ]
    return [element("p", "What to do next:", class_="next"), element("ul", *steps, class_="next")]


def _subject(report: Report) -> str:
    """The configuration file, else the gold file; '' if neither was a file."""
    by_role = {file.role: file.path for file in reversed(report.provenance.files)}
    return by_role.get("config") or by_role.get("gold") or ""


def _title(report: Report) -> str:
    """The title of the experiment, else the name of its file; '' if there is neither."""
    return report.provenance.title or Path(_subject(report)).stem


def _label(section: Section) -> str:
    """A short label for links."""
    return section.heading if section.name.startswith("about-") else _capitalize(section.name)


def _capitalize(analysis: str) -> str:
    return analysis.replace("-", " ").capitalize()


def _definitions(pairs: Iterable[tuple[str, str]], class_: str) -> Markup:
    items = [element("div", element("dt", term), element("dd", breakable(text), dir="auto")) for term, text in pairs]
    return element("dl", *items, class_=class_)


# The evidence


def _section(
    section: Section,
    findings: Sequence[str],
    plots: Mapping[str, Sequence[Markup]],
    notes: Sequence[Note],
    style: Style,
    *,
    meanings: set[str],
    is_open: bool,
) -> Markup:
    """The heading, the findings and the main plot, or the main table; all else is closed at first."""
    parts: list[Markup] = []
    for table in section.tables:
        beside = [table.beside.name] if table.beside is not None else []
        parts += [plot for name in (table.name, *beside) for plot in plots.get(name, ())]
        parts.append(table_element(table, style, meanings))
    main = next((part for part in parts if part.startswith("<figure")), parts[0])
    rest = [part for part in parts if part is not main]
    figures = sum(part.startswith("<figure") for part in rest)
    plot = "more plot" if main.startswith("<figure") else "plot"
    counts = ((len(rest) - figures, "table"), (figures, plot), (len(notes), "note"))
    summary = ", ".join(pluralize(count, noun) for count, noun in counts if count)
    closed = [element("summary", f"Show {summary}"), *rest, _list(notes)]
    more = element("details", *closed, class_="more", open="" if is_open else None)
    answers = [element("p", sentence, class_="finding") for sentence in findings]
    # The verdict answers the question that heads the page.
    heading = [] if section.name == VERDICT else [element("h2", section.heading)]
    return element(
        "section", *heading, *answers, main, *([more] if summary else []), id=section.name, aria_label=section.heading
    )


def _notes_by_section(report: Report, sections: Sequence[Section]) -> tuple[dict[str, list[Note]], list[Note]]:
    """The notes of each section, and those of several sections or of the data."""
    notes_of = report.notes_of or {report.command: report.notes}
    uses = Counter(note for notes in notes_of.values() for note in notes)
    names = [section.name for section in sections]
    separate = {name: [note for note in notes if uses[note] == 1] for name, notes in notes_of.items() if name in names}
    return separate, [note for note in report.notes if not any(note in notes for notes in separate.values())]


# The bottom of the page


def _list(notes: Sequence[Note]) -> Markup:
    return element("ul", *(element("li", str(note)) for note in notes), class_="notes") if notes else Markup("")


def _provenance(report: Report, notes: Sequence[Note]) -> Markup:
    """The notes on the data, and how to compute the numbers again."""
    origin = report.provenance
    groups = (
        ("Versions", [("metaeval", origin.version), *origin.versions.items()]),
        ("Settings", list(origin.settings.items())),
        ("Changed by the policies", list(origin.repairs.items())),
        ("Measures", [(title, name) for name, title in origin.titles.items()]),
    )
    details = [element("p", "Numbers with different signatures are not comparable.")]
    details += _code("Signature", report.signature)
    if origin.command_line:
        details += _code("Command line", origin.command_line)
    if origin.files:
        details += [element("h3", "Files"), _files(origin.files)]
    for title, pairs in groups:
        if pairs:
            details += [element("h3", title), _definitions(((name, str(value)) for name, value in pairs), "settings")]
    return element(
        "section",
        element("h2", "Data and provenance"),
        _list(notes),
        element("details", element("summary", "Signature, files, versions and settings"), *details, class_="more"),
        id="provenance",
    )


def _files(sources: Sequence[SourceFile]) -> Markup:
    head = element("tr", *(element("th", word, scope="col", class_="text") for word in ("file", "role", "SHA-256")))
    rows = []
    for file in sources:
        path = element("th", breakable(file.path), scope="row", class_="text", dir="auto")
        others = (element("td", text, class_="text") for text in (file.role, element("code", file.sha256[:SHORT])))
        rows.append(element("tr", path, *others))
    return scroll_box(element("table", element("thead", head), element("tbody", *rows), class_="files"), "Files")


def _code(title: str, code: str) -> list[Markup]:
    return [element("h3", title), element("p", element("code", code, class_="signature"))]
