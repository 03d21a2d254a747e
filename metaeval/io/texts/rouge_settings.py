"""The settings file of ROUGE-1.5.5, which names the outputs and references of each item.

<ROUGE-EVAL version="1.5.5">
  <EVAL ID="1">
    <PEER-ROOT>systems</PEER-ROOT>
    <MODEL-ROOT>models</MODEL-ROOT>
    <INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT>
    <PEERS><P ID="A">1.A.txt</P></PEERS>
    <MODELS><M ID="1">1.1.txt</M></MODELS>
  </EVAL>
</ROUGE-EVAL>
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, NoReturn
from xml.parsers import expat

from metaeval.errors import Gathered, InputError, shortened
from metaeval.io.files.source import STANDARD_INPUT, Source


class TextFile(NamedTuple):
    """A file in the settings. name: of its system, or of the reference. line: of the settings file."""

    name: str
    path: str
    line: int


class Evaluation(NamedTuple):
    """An EVAL: the outputs (peers) and references (models) of one item."""

    item: str
    peers: tuple[TextFile, ...]
    models: tuple[TextFile, ...]


@dataclass
class _Element:
    tag: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list[_Element] = field(default_factory=list)

    def all(self, tag: str) -> list[_Element]:
        return [child for child in self.children if child.tag == tag]


def is_settings(source: Source) -> bool:
    """Whether a file is XML."""
    return source.suffix == ".xml" or source.first_byte == b"<"


def read_settings(source: Source) -> tuple[Evaluation, ...]:
    """The evaluations of a settings file, with paths relative to the working directory.

    Broken XML, a document type, an input format other than SPL, and missing or repeated elements are `InputError`s
    with their lines; all except the first two are reported together.
    """
    path = source.path_or_name
    root = _parse(source.text(), path)
    if root.tag != "ROUGE-EVAL":
        raise InputError.at(path, root.line, found=f"<{shortened(root.tag)}>", expected="<ROUGE-EVAL version=…>")
    folder = Path() if source.path == STANDARD_INPUT else Path(source.path).parent
    gathered = Gathered()
    evaluations: list[Evaluation] = []
    first: dict[str, int] = {}
    for element in root.all("EVAL"):
        with gathered.errors():
            evaluations.append(_evaluation(element, folder, path))
            item = evaluations[-1].item
            if item in first:
                raise InputError.at(
                    path, element.line, found=f"EVAL '{item}' again, first on line {first[item]}",
                    expected="every EVAL once", hint="give each EVAL a unique ID",
                )  # fmt: skip
            first[item] = element.line
    gathered.raise_any()
    if not evaluations:
        raise InputError.at(path, root.line, found="no <EVAL>", expected="one for each item")
    return tuple(evaluations)


def _evaluation(element: _Element, folder: Path, path: str) -> Evaluation:
    item = _identity(element, path)
    formats = element.all("INPUT-FORMAT")
    kind = formats[0].attributes.get("TYPE", "").strip() if formats else ""
    if kind.upper() != "SPL":
        raise InputError.at(
            path, formats[0].line if formats else element.line,
            found=f"EVAL '{item}' with input format '{shortened(kind)}'" if kind else f"EVAL '{item}' without a format",
            expected='<INPUT-FORMAT TYPE="SPL">, a sentence on each line',
            hint='save the texts as plain files with a sentence on each line, and declare TYPE="SPL"',
        )  # fmt: skip
    gathered = Gathered()
    peers = _files(element, "PEER", "P", folder, path, gathered)
    models = _files(element, "MODEL", "M", folder, path, gathered)
    if not models and not gathered.errors_so_far:
        raise InputError.at(
            path, element.line, found=f"EVAL '{item}' without <M>", expected="at least one reference (model)"
        )
    gathered.raise_any()
    return Evaluation(item, peers, models)


def _files(element: _Element, kind: str, tag: str, folder: Path, path: str, gathered: Gathered) -> tuple[TextFile, ...]:
    """The files of the peers or models of an EVAL; kind: 'PEER' or 'MODEL'."""
    roots = element.all(f"{kind}-ROOT")
    # An absolute path remains unchanged.
    root = folder / (roots[0].text.strip() if roots else "")
    files: list[TextFile] = []
    for child in (child for group in element.all(f"{kind}S") for child in group.all(tag)):
        with gathered.errors():
            name, file = _identity(child, path), child.text.strip()
            if not file:
                raise InputError.at(path, child.line, found=f'<{tag} ID="{name}"> without a file', expected="a path")
            before = next((other for other in files if other.name == name), None)
            if before is not None:
                raise InputError.at(
                    path, child.line, found=f'<{tag} ID="{name}"> again in one EVAL, first on line {before.line}',
                    expected="every ID once", hint="remove the duplicates",
                )  # fmt: skip
            files.append(TextFile(name, str(root / file), child.line))
    return tuple(files)


def _identity(element: _Element, path: str) -> str:
    name = element.attributes.get("ID", "").strip()
    if not name:
        raise InputError.at(path, element.line, found=f"<{element.tag}> without an ID", expected='ID="…"')
    return name


def _parse(text: str, path: str) -> _Element:
    """The root of an XML document, tags and attributes in upper case, as ROUGE ignores case.

    Unlike xml.etree, expat reports the line of every element.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    root = _Element("", {}, 0)
    open_elements = [root]

    def start(tag: str, attributes: dict[str, str]) -> None:
        named = {name.upper(): value for name, value in attributes.items()}
        element = _Element(tag.upper(), named, parser.CurrentLineNumber)
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def end(tag: str) -> None:  # noqa: ARG001 (expat passes it)
        open_elements.pop()

    def characters(data: str) -> None:
        open_elements[-1].text += data

    def document_type(*declared: object) -> NoReturn:  # noqa: ARG001 (expat passes it)
        # Entities can expand a small file to gigabytes.
        raise InputError.at(
            path, parser.CurrentLineNumber, found="a document type (<!DOCTYPE …>)", expected="<ROUGE-EVAL …> alone",
            hint="remove the <!DOCTYPE …>",
        )  # fmt: skip

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = document_type
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise InputError.at(
            path, error.lineno, found=f"broken XML at column {error.offset + 1} ({expat.ErrorString(error.code)})",
            expected="the XML of a ROUGE-1.5.5 settings file", hint="check the tags, and write & as &amp;",
        ) from None  # fmt: skip
    return root.children[0]
