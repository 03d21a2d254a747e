"""The whole page: the question and the data, what was found, the evidence, and where it all came from.

The page needs no network, and no script to be read: the one it holds sorts tables, and its security policy lets nothing
else run. Whatever users named (systems, files, classes) is text on it and never markup.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING

from metaeval.model.report import Report, SourceFile, Table
from metaeval.render.cells import Style
from metaeval.render.grouping import Answer, answers
from metaeval.render.html.markup import Markup, breakable, element
from metaeval.render.html.tables import table_element

if TYPE_CHECKING:
    from metaeval.render.plots import Drawing

QUESTION = "Which evaluation measure should you trust?"

NO_PLOTS = "Plots need pip install 'metaeval[plots]'."

SHORT = 12
"""Digits of a SHA-256 that tell files apart."""

LABELS = {"n": "items"}
"""Words for people where a setting has a name for programs."""


def html(report: Report, style: Style) -> str:
    """The report as one self-contained HTML file: data, findings, plots and tables by question, notes, provenance."""
    script = _resource("page.js")
    parts = answers(report)
    body = element("body", *_body(report, parts, style), element("script", Markup(script)))
    return "<!doctype html>\n" + element("html", _head(report, script), body, lang="en") + "\n"


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _head(report: Report, script: str) -> Markup:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content=f"metaeval {report.provenance.version}"),
        # Or a browser would ask the server for one.
        element("link", rel="icon", href="data:,"),
        element("title", " · ".join(part for part in (_subject(report), QUESTION) if part)),
        element("style", Markup(_resource("page.css"))),
    )


def _body(report: Report, parts: Sequence[Answer], style: Style) -> list[Markup]:
    plots, without = _plots(report)
    sections = [
        *([_findings(report, parts)] if report.findings else []),
        *(_section(answer, plots, style) for answer in parts),
        *([_notes(report.notes)] if report.notes else []),
        _provenance(report),
    ]
    return [
        element("a", "Skip to the content", href="#content", class_="skip"),
        _header(report, parts),
        element("main", *([element("p", without, class_="legend")] if without else []), *sections, id="content"),
    ]


def _plots(report: Report) -> tuple[Mapping[str, list[Markup]], str]:
    """The plots by the table that they belong to; and what to say where there can be none."""
    from metaeval.render.plots import drawings

    if find_spec("matplotlib") is None:
        return {}, NO_PLOTS
    found: dict[str, list[Markup]] = {}
    for drawing in drawings(report):
        found.setdefault(drawing.table, []).append(_figure(drawing))
    return found, ""


def _figure(drawing: Drawing) -> Markup:
    """The plot in a box that scrolls where the page is narrower; its title and its text for machines are in the SVG."""
    box = element(
        "div", Markup(drawing.svg()), class_="scroll", role="region", aria_label=f"Plot: {drawing.title}", tabindex=0
    )
    return element("figure", box, element("figcaption", drawing.alt), id=f"plot-{drawing.name}")


# The top of the page


def _header(report: Report, parts: Sequence[Answer]) -> Markup:
    settings = report.provenance.settings
    # Those with a dot say how an analysis was made; they stand in the provenance.
    told = [(LABELS.get(name, name), _told_as(name, value)) for name, value in settings.items() if "." not in name]
    links = [element("li", element("a", _label(answer), href=f"#{answer.name}")) for answer in parts]
    return element(
        "header",
        element("p", _eyebrow(report), class_="eyebrow"),
        element("h1", QUESTION),
        _definitions(told, "facts") if told else "",
        _files(report.provenance.files) if report.provenance.files else "",
        element("nav", element("ul", *links), aria_label="Questions") if len(parts) > 1 else "",
    )


def _eyebrow(report: Report) -> str:
    """What was run, on what."""
    return " · ".join(part for part in (f"metaeval {report.command}", _subject(report)) if part)


def _subject(report: Report) -> str:
    """The file that says what the page is about: the configuration, else gold; '' where neither was a file."""
    by_role = {file.role: file.path for file in reversed(report.provenance.files)}
    return by_role.get("config") or by_role.get("gold") or ""


def _told_as(name: str, value: object) -> str:
    """A setting for people; a seed is a number that counts nothing."""
    return f"{value:,}" if type(value) is int and name != "seed" else str(value)


def _label(answer: Answer) -> str:
    """A word for the answer, where a question is too long."""
    return answer.question if answer.name.startswith("about-") else _word(answer.name)


def _word(criterion: str) -> str:
    return criterion.replace("-", " ").capitalize()


def _definitions(pairs: Iterable[tuple[str, str]], class_: str) -> Markup:
    items = [element("div", element("dt", term), element("dd", breakable(told), dir="auto")) for term, told in pairs]
    return element("dl", *items, class_=class_)


def _files(sources: Sequence[SourceFile]) -> Markup:
    counts: dict[str, int] = {}
    for file in sources:
        counts[file.role] = counts.get(file.role, 0) + 1
    roles = ", ".join(f"{count:,} {role}" for role, count in counts.items())
    head = element("tr", *(element("th", word, scope="col", class_="text") for word in ("file", "role", "SHA-256")))
    rows = [
        element(
            "tr",
            element("th", breakable(file.path), scope="row", class_="text", dir="auto"),
            element("td", file.role, class_="text"),
            element("td", element("code", file.sha256[:SHORT]), class_="text"),
        )
        for file in sources
    ]
    table = element("table", element("thead", head), element("tbody", *rows), class_="files")
    box = element("div", table, class_="scroll", role="region", aria_label="Files", tabindex=0)
    return element("details", element("summary", "Files ", element("small", roles)), box, class_="quiet")


def _findings(report: Report, parts: Sequence[Answer]) -> Markup:
    answered = {answer.name for answer in parts}
    items = []
    for finding in report.findings:
        word = _word(finding.criterion)
        link = element("a", word, href=f"#{finding.criterion}") if finding.criterion in answered else word
        items.append(element("div", element("dt", link), element("dd", finding.sentence)))
    return element("section", element("h2", "Findings"), element("dl", *items, class_="findings"), id="findings")


# The evidence


def _section(answer: Answer, plots: Mapping[str, Sequence[Markup]], style: Style) -> Markup:
    """The question, and for each table its plots before it: people look before they read."""
    parts: list[Markup] = []
    for table in answer.tables:
        parts += [plot for name in _names(table) for plot in plots.get(name, ())]
        parts.append(table_element(table, digits=style.digits))
    return element("section", element("h2", answer.question), *parts, id=answer.name)


def _names(table: Table) -> list[str]:
    return [table.name, *([table.beside.name] if table.beside is not None else [])]


# The bottom of the page


def _notes(notes: Sequence[str]) -> Markup:
    return element(
        "section", element("h2", "Notes"), element("ul", *(element("li", note) for note in notes)), id="notes"
    )


def _provenance(report: Report) -> Markup:
    origin = report.provenance
    groups = (
        ("Command line", [("", origin.command_line)] if origin.command_line else []),
        ("Versions", [("metaeval", origin.version), *origin.versions.items()]),
        ("Settings", list(origin.settings.items())),
        ("Touched by the policies", list(origin.touched.items())),
    )
    told = [element("h3", "Signature"), element("p", element("code", report.signature, class_="signature"))]
    for title, pairs in groups:
        if pairs:
            told += [element("h3", title), _told(pairs)]
    return element(
        "section",
        element("h2", "Provenance"),
        element("p", "Numbers with different signatures can’t be compared."),
        element("details", element("summary", "Signature, versions and settings"), *told),
        id="provenance",
    )


def _told(pairs: Sequence[tuple[str, object]]) -> Markup:
    if len(pairs) == 1 and not pairs[0][0]:
        return element("p", element("code", str(pairs[0][1]), class_="signature"))
    return _definitions([(name, str(value)) for name, value in pairs], "settings")
