"""Figures as bytes, and as an element of a page whose colours are the page's.

matplotlib's settings are global, so a lock keeps two threads from drawing at once.
"""

from __future__ import annotations

import io
import re
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from metaeval.errors import InputError
from metaeval.render.plots.canvas import LIGHT, STANDING_IN, Palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Paint = Callable[[Palette], "Figure"]
"""Draws in the colours of a page."""

SUFFIXES = (".svg", ".png", ".pdf")

DOTS_PER_INCH = 220
MARGIN = 0.08
"""Inches around what is drawn."""

FONTS = (
    "DejaVu Sans", "Noto Sans CJK JP", "Noto Sans JP", "IPAexGothic", "IPAGothic", "TakaoGothic", "Hiragino Sans",
    "Yu Gothic", "Meiryo", "MS Gothic", "Source Han Sans", "WenQuanYi Zen Hei", "Microsoft YaHei", "PingFang SC",
    "Malgun Gothic", "Noto Sans", "Noto Sans Arabic", "Noto Sans Devanagari", "Noto Sans Thai", "Noto Sans Hebrew",
)  # fmt: skip
"""Asked in this order for the letters of a picture; a browser picks its own."""

PAGE_FONTS = "var(--plot-font, system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Liberation Sans', Arial, sans-serif)"

_VARIABLES = {
    getattr(STANDING_IN, name): f"var(--{name}, {getattr(LIGHT, name)})" for name in ("ink", "paper", "grid", "muted")
}
_SVG, _LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
_LOCK = threading.RLock()


def element(paint: Paint, *, name: str, title: str, alt: str) -> str:
    """An `<svg>` for a page: no fixed width, the page's colours, ids that begin with `name`."""
    root = _tree(paint, STANDING_IN, name)
    return _told(root, name, title, alt, fonts=PAGE_FONTS)


def to_bytes(paint: Paint, suffix: str, *, name: str, title: str, alt: str) -> bytes:
    """A file of its own, on white.

    Raises InputError for a suffix that is none of `SUFFIXES`.
    """
    if suffix not in SUFFIXES:
        raise InputError.at(
            found=f"a plot as '{suffix}'" if suffix else "a plot without a suffix", expected=" or ".join(SUFFIXES)
        )
    if suffix == ".svg":
        root = _tree(paint, LIGHT, name)
        root.set("style", f"background: {LIGHT.paper}")
        told = _told(root, name, title, alt, fonts=PAGE_FONTS.partition(",")[2].removesuffix(")").strip())
        return f'<?xml version="1.0" encoding="utf-8"?>\n{told}\n'.encode()
    metadata = {".png": {"Title": title, "Description": alt}, ".pdf": {"Title": title, "Subject": alt}}[suffix]
    return _printed(
        paint, LIGHT, name, suffix[1:], {**metadata, **({"CreationDate": None} if suffix == ".pdf" else {})}
    )


def _printed(paint: Paint, palette: Palette, name: str, form: str, metadata: dict[str, str | None]) -> bytes:
    with _settings(name):
        figure = paint(palette)
        stream = io.BytesIO()
        figure.savefig(
            stream, format=form, dpi=DOTS_PER_INCH, bbox_inches="tight", pad_inches=MARGIN, metadata=metadata,
            facecolor="none" if form == "svg" else palette.paper,
        )  # fmt: skip
    return stream.getvalue()


@contextmanager
def _settings(name: str) -> Iterator[None]:
    try:
        import matplotlib
        from matplotlib import font_manager
    except ImportError:
        raise InputError.at(
            found="plots without matplotlib",
            expected="matplotlib 3.9 or later",
            hint="pip install 'metaeval[plots]'",
        ) from None
    with _LOCK, warnings.catch_warnings(), matplotlib.rc_context():
        # A letter that no font has is drawn as a box; that is all there is to say about it.
        warnings.simplefilter("ignore")
        matplotlib.rcdefaults()
        installed = set(font_manager.fontManager.get_font_names())
        matplotlib.rcParams["font.family"] = [font for font in FONTS if font in installed]
        matplotlib.rcParams["svg.fonttype"] = "none"
        matplotlib.rcParams["svg.hashsalt"] = name
        yield


# The tree of an SVG


def _tree(paint: Paint, palette: Palette, name: str) -> ElementTree.Element:
    """The SVG without what matplotlib tells about itself, its ids made the drawing's own."""
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    root = ElementTree.fromstring(_printed(paint, palette, name, "svg", nothing))
    for parent in root.iter():
        for child in list(parent):
            # In a page, a style would be everybody's.
            if child.tag in {f"{_SVG}metadata", f"{_SVG}style"}:
                parent.remove(child)
    for part in root.iter():
        _own(part, name)
    return root


def _own(part: ElementTree.Element, name: str) -> None:
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


def _told(root: ElementTree.Element, name: str, title: str, alt: str, *, fonts: str) -> str:
    """The element as text, with what it shows in words."""
    width = root.attrib.pop("width", "0pt")
    root.attrib.pop("height", None)
    root.attrib.pop("version", None)
    natural = f"{float(width.removesuffix('pt')) / 0.75:.0f}px"
    style = f"width: 100%; max-width: {natural}; height: auto; overflow: visible; font-family: {fonts}"
    root.attrib.update(
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "role": "img",
            "class": "plot",
            "stroke-linejoin": "round",
            "stroke-linecap": "butt",
            "aria-labelledby": f"{name}-title {name}-alt",
            "style": "; ".join(part for part in (root.attrib.get("style", ""), style) if part),
        }
    )
    for place, (tag, key, text) in enumerate((("title", "title", title), ("desc", "alt", alt))):
        told = ElementTree.Element(tag, {"id": f"{name}-{key}"})
        told.text = text
        root.insert(place, told)
    for part in root.iter():
        if "style" in part.attrib:
            part.set("style", _styled(part.attrib["style"]))
    return ElementTree.tostring(root, encoding="unicode")


def _styled(style: str) -> str:
    for colour, variable in _VARIABLES.items():
        style = style.replace(colour, variable)
    # The fonts that letters were measured with are not those they should be seen in.
    return re.sub(r"font-family: [^;]*;? ?", "", style)
