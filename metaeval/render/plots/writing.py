"""Figures as files, and as SVG elements in the colours of a page.

The settings of matplotlib are global, so a lock prevents two threads from drawing at the same time.
"""

from __future__ import annotations

import io
import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from metaeval.errors import importing, invalid, refuse, shortened, unreadable
from metaeval.render.plots.canvas import LIGHT, PLACEHOLDERS, WIDTH, Palette
from metaeval.render.plots.declaration import Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".svg", ".png", ".pdf")

MAX_CAPTION = 190
"""Characters of a caption on two lines."""

FONTS = (
    "DejaVu Sans",
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "IPAexGothic",
    "IPAGothic",
    "TakaoGothic",
    "Hiragino Sans",
    "Yu Gothic",
    "Meiryo",
    "MS Gothic",
    "Source Han Sans",
    "WenQuanYi Zen Hei",
    "Microsoft YaHei",
    "PingFang SC",
    "Malgun Gothic",
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Noto Sans Hebrew",
)
"""Fonts in order of preference, where installed; a browser uses those of the page."""

PAGE_FONTS = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Hiragino Sans', 'Noto Sans CJK JP', sans-serif"
)
"""The fonts of the page of a report, for SVG files."""

_VARIABLES = {
    getattr(PLACEHOLDERS, name): f"var(--{name}, {getattr(LIGHT, name)})" for name in ("ink", "paper", "grid", "muted")
}
_SVG, _LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
_LOCK = threading.RLock()


@dataclass(frozen=True)
class Drawing:
    """A plot of a report.

    name: as 'similarity'. table: name of the table that it belongs to. title: one line. alt: a description with the
    main numbers. measures: of all tables of the report.
    """

    name: str
    table: str
    title: str
    alt: str
    picture: Picture = field(repr=False, compare=False)
    measures: tuple[str, ...] = ()

    @property
    def caption(self) -> str:
        """The first clauses of the alternative text, at most two lines of a page."""
        caption, rest = "", self.alt
        for clause in re.split(r"(?<=[.;]) ", self.alt):
            if caption and len(caption) + len(clause) >= MAX_CAPTION:
                break
            caption, rest = f"{caption} {clause}".strip(), rest.removeprefix(clause).lstrip()
        if len(caption) > MAX_CAPTION:
            caption = caption[:MAX_CAPTION].rpartition(" ")[0].rstrip(",;:") + " …"
        return f"{caption.rstrip(';')}." if rest and not caption.endswith((".", "…")) else caption

    def svg(self) -> str:
        """An `<svg>` element for a page, without a visible title; raises InputError if matplotlib is not installed.

        Its width is that of its container, up to its natural width times plot-scale. This factor and its colours are
        CSS variables of the page: ink, paper, grid and muted; its fonts are those of the page. Its ids start with the
        name of the plot.
        """
        root = _svg_tree(self, PLACEHOLDERS, "")
        width, _ = _take_size(root)
        root.set("style", f"width: 100%; max-width: calc({width}px * var(--plot-scale, 1)); height: auto")
        return _serialize(self, root)

    def figure(self) -> Figure:
        """The plot on white, with its alternative text as label; raises InputError if matplotlib is not installed."""
        with _settings(self.name):
            figure = _painted(self, LIGHT, self.title)
        figure.set_label(self.alt)
        return figure

    def to_bytes(self, suffix: str) -> bytes:
        """The contents of a file on white: '.svg', '.png' or '.pdf'; always the same bytes.

        Raises InputError for another suffix, and if matplotlib is not installed.
        """
        if suffix not in SUFFIXES:
            raise refuse(None, invalid("suffix", suffix, " or ".join(SUFFIXES), " of a plot"))
        if suffix == ".svg":
            root = _svg_tree(self, LIGHT, self.title)
            width, height = _take_size(root)
            # With its own size, a page does not stretch it, and the letters of all plots have the same size.
            root.attrib.update({"width": f"{width}", "height": f"{height}"})
            root.set("style", f"background: {LIGHT.paper}; font-family: {PAGE_FONTS}")
            return f'<?xml version="1.0" encoding="utf-8"?>\n{_serialize(self, root)}\n'.encode()
        if suffix == ".png":
            return _draw(self, LIGHT, self.title, "png", {"Title": self.title, "Description": self.alt})
        return _draw(self, LIGHT, self.title, "pdf", {"Title": self.title, "Subject": self.alt, "CreationDate": None})


def _draw(drawing: Drawing, palette: Palette, title: str, form: str, metadata: dict[str, str | None]) -> bytes:
    with _settings(drawing.name):
        from metaeval.render.plots.figure import DOTS_PER_INCH

        figure, stream = _painted(drawing, palette, title), io.BytesIO()
        paper = "none" if form == "svg" else palette.paper
        figure.savefig(stream, format=form, metadata=metadata, dpi=DOTS_PER_INCH, facecolor=paper)
    return stream.getvalue()


def _painted(drawing: Drawing, palette: Palette, title: str) -> Figure:
    """The figure with all its parts inside, as wide as all plots: a page that scales them scales letters equally."""
    from metaeval.render.plots.figure import fit

    figure = drawing.picture.paint(replace(palette, measures=drawing.measures), title)
    fit(figure, WIDTH)
    return figure


@contextmanager
def _settings(name: str) -> Iterator[None]:
    with importing("plots", "matplotlib", "plots"):
        try:
            import matplotlib
            from matplotlib import font_manager
        except ValueError as error:
            hint = "correct or unset the environment variable MPLBACKEND, and the file matplotlibrc"
            raise refuse(None, unreadable("settings of matplotlib", shortened(str(error)), hint)) from None
    with _LOCK, warnings.catch_warnings(), matplotlib.rc_context():
        # A character that no font contains is drawn as a box, without a warning.
        warnings.simplefilter("ignore")
        matplotlib.rcdefaults()
        installed = set(font_manager.fontManager.get_font_names())
        matplotlib.rcParams["font.family"] = [font for font in FONTS if font in installed]
        matplotlib.rcParams["svg.fonttype"] = "none"
        matplotlib.rcParams["svg.hashsalt"] = name
        yield


def _svg_tree(drawing: Drawing, palette: Palette, title: str) -> ElementTree.Element:
    """The SVG without the metadata of matplotlib, with ids that start with the name of the plot."""
    no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    root = ElementTree.fromstring(_draw(drawing, palette, title, "svg", no_metadata))
    for parent in root.iter():
        for child in list(parent):
            # A style element would apply to the whole page.
            if child.tag in {f"{_SVG}metadata", f"{_SVG}style"}:
                parent.remove(child)
    for part in root.iter():
        _rename_ids(part, drawing.name)
    return root


def _rename_ids(part: ElementTree.Element, name: str) -> None:
    part.tag = part.tag.removeprefix(_SVG)
    attributes = {key.replace(_LINK, ""): value for key, value in part.attrib.items()}
    if attributes.get("transform", "").startswith("rotate(-0 "):
        del attributes["transform"]
    if part.tag in {"g", "text"}:
        attributes.pop("id", None)
    if "id" in attributes:
        attributes["id"] = f"{name}-{attributes['id']}"
    if attributes.get("href", "").startswith("#"):
        attributes["href"] = f"#{name}-{attributes['href'][1:]}"
    for key, value in attributes.items():
        if "url(#" in value:
            attributes[key] = value.replace("url(#", f"url(#{name}-")
    part.attrib.clear()
    part.attrib.update(attributes)


def _take_size(root: ElementTree.Element) -> tuple[int, int]:
    """Remove the width and the height, and return them in CSS pixels."""
    width, height = (round(float(root.attrib.pop(key).removesuffix("pt")) / 0.75) for key in ("width", "height"))
    return width, height


def _serialize(drawing: Drawing, root: ElementTree.Element) -> str:
    """The element as text, with its title and alternative text."""
    root.attrib.pop("version", None)
    root.attrib.update(
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "role": "img",
            "class": "plot",
            "stroke-linejoin": "round",
            "stroke-linecap": "butt",
            "aria-labelledby": f"{drawing.name}-title {drawing.name}-alt",
            "style": f"{root.attrib['style']}; overflow: visible",
        }
    )
    for index, (tag, key) in enumerate((("title", "title"), ("desc", "alt"))):
        child = ElementTree.Element(tag, {"id": f"{drawing.name}-{key}"})
        child.text = getattr(drawing, key)
        root.insert(index, child)
    for part in root.iter():
        if part is not root and "style" in part.attrib:
            # The fonts of the whole plot are those of the page.
            style = re.sub(r"font-family: [^;]*;? ?", "", part.attrib["style"])
            for colour, variable in _VARIABLES.items():
                style = style.replace(colour, variable)
            part.set("style", style)
    return ElementTree.tostring(root, encoding="unicode")
