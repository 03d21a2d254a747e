"""The page: data, findings, a section for each analysis, notes, provenance.

The page needs no network and can be read without scripts: its only script sorts tables, and its content security policy
forbids any other. Names given by users (systems, files, classes) are always text, never markup.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING

from metaeval.model.report import Report, SourceFile
from metaeval.render.cells import Style
from metaeval.render.grouping import Section, by_analysis
from metaeval.render.html.markup import Markup, breakable, element
from metaeval.render.html.tables import table_element

if TYPE_CHECKING:
    from metaeval.render.plots import Drawing

QUESTION = "Which evaluation measure should you trust?"

NO_PLOTS = "Plots need pip install 'metaeval[plots]'."

SHORT = 12
"""Digits of a SHA-256 that are shown."""

LABELS = {"n": "items"}
"""Readable names of settings."""


def html(report: Report, style: Style) -> str:
    """The report as one self-contained HTML file: data, findings, plots and tables by analysis, notes, provenance."""
    script = _resource("page.js")
    body = element("body", *_body(report, by_analysis(report), style), element("script", Markup(script)))
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
        # Without it, a browser requests one from the server.
        element("link", rel="icon", href="data:,"),
        element("title", " · ".join(part for part in (_subject(report), QUESTION) if part)),
        element("style", Markup(_resource("page.css"))),
    )


def _body(report: Report, sections: Sequence[Section], style: Style) -> list[Markup]:
    has_plots = find_spec("matplotlib") is not None
    plots = _plots(report) if has_plots else {}
    content = [
        *([] if has_plots else [element("p", NO_PLOTS, class_="legend")]),
        *([_findings(report, sections)] if report.findings else []),
        *(_section(section, plots, style) for section in sections),
        *([_notes(report.notes)] if report.notes else []),
        *([_methods(report.methods)] if report.methods else []),
        _provenance(report),
    ]
    return [
        element("a", "Skip to the content", href="#content", class_="skip"),
        _header(report, sections),
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
    box = element(
        "div", Markup(drawing.svg()), class_="scroll", role="region", aria_label=f"Plot: {drawing.title}", tabindex=0
    )
    return element("figure", box, element("figcaption", drawing.alt), id=f"plot-{drawing.name}")


# The top of the page


def _header(report: Report, sections: Sequence[Section]) -> Markup:
    # Settings with a dot belong to an analysis and are shown with the provenance only.
    settings = {name: value for name, value in report.provenance.settings.items() if "." not in name}
    facts = [(LABELS.get(name, name), _format_setting(name, value)) for name, value in settings.items()]
    links = [element("li", element("a", _label(section), href=f"#{section.name}")) for section in sections]
    subject = " · ".join(part for part in (f"metaeval {report.command}", _subject(report)) if part)
    return element(
        "header",
        element("p", subject, class_="eyebrow"),
        element("h1", QUESTION),
        _definitions(facts, "facts") if facts else "",
        _files(report.provenance.files) if report.provenance.files else "",
        element("nav", element("ul", *links), aria_label="Analyses") if len(sections) > 1 else "",
    )


def _subject(report: Report) -> str:
    """The configuration file, else the gold file; '' if neither was a file."""
    by_role = {file.role: file.path for file in reversed(report.provenance.files)}
    return by_role.get("config") or by_role.get("gold") or ""


def _format_setting(name: str, value: object) -> str:
    """A setting with thousands separators, except for a seed, which is not a count."""
    return f"{value:,}" if type(value) is int and name != "seed" else str(value)


def _label(section: Section) -> str:
    """A short label for links."""
    return section.heading if section.name.startswith("about-") else _capitalize(section.name)


def _capitalize(analysis: str) -> str:
    return analysis.replace("-", " ").capitalize()


def _definitions(pairs: Iterable[tuple[str, str]], class_: str) -> Markup:
    items = [element("div", element("dt", term), element("dd", breakable(text), dir="auto")) for term, text in pairs]
    return element("dl", *items, class_=class_)


def _files(sources: Sequence[SourceFile]) -> Markup:
    counts = Counter(file.role for file in sources)
    roles = ", ".join(f"{count:,} {role}" for role, count in counts.items())
    head = element("tr", *(element("th", word, scope="col", class_="text") for word in ("file", "role", "SHA-256")))
    rows = []
    for file in sources:
        path = element("th", breakable(file.path), scope="row", class_="text", dir="auto")
        others = (element("td", text, class_="text") for text in (file.role, element("code", file.sha256[:SHORT])))
        rows.append(element("tr", path, *others))
    table = element("table", element("thead", head), element("tbody", *rows), class_="files")
    box = element("div", table, class_="scroll", role="region", aria_label="Files", tabindex=0)
    return element("details", element("summary", "Files ", element("small", roles)), box, class_="quiet")


def _findings(report: Report, sections: Sequence[Section]) -> Markup:
    names = {section.name for section in sections}
    items = []
    for finding in report.findings:
        word = _capitalize(finding.criterion)
        link = element("a", word, href=f"#{finding.criterion}") if finding.criterion in names else word
        items.append(element("div", element("dt", link), element("dd", finding.sentence)))
    return element("section", element("h2", "Findings"), element("dl", *items, class_="findings"), id="findings")


# The evidence


def _section(section: Section, plots: Mapping[str, Sequence[Markup]], style: Style) -> Markup:
    """The heading, and each table after its plots."""
    parts: list[Markup] = []
    for table in section.tables:
        names = [table.name, *([table.beside.name] if table.beside is not None else [])]
        parts += [plot for name in names for plot in plots.get(name, ())]
        parts.append(table_element(table, digits=style.digits))
    return element("section", element("h2", section.heading), *parts, id=section.name)


# The bottom of the page


def _notes(notes: Sequence[str]) -> Markup:
    items = (element("li", note) for note in notes)
    return element("section", element("h2", "Notes"), element("ul", *items), id="notes")


def _methods(sentences: Sequence[str]) -> Markup:
    return element("section", element("h2", "Methods"), element("p", " ".join(sentences)), id="methods")


def _provenance(report: Report) -> Markup:
    origin = report.provenance
    groups = (
        ("Versions", [("metaeval", origin.version), *origin.versions.items()]),
        ("Settings", list(origin.settings.items())),
        ("Changed by the policies", list(origin.repairs.items())),
    )
    details = _code("Signature", report.signature)
    if origin.command_line:
        details += _code("Command line", origin.command_line)
    for title, pairs in groups:
        if pairs:
            details += [element("h3", title), _definitions(((name, str(value)) for name, value in pairs), "settings")]
    return element(
        "section",
        element("h2", "Provenance"),
        element("p", "Numbers with different signatures are not comparable."),
        element("details", element("summary", "Signature, versions and settings"), *details),
        id="provenance",
    )


def _code(title: str, code: str) -> list[Markup]:
    return [element("h3", title), element("p", element("code", code, class_="signature"))]
