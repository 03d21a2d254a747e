"""The works that texts cite: references, valid BibTeX, and no work that nothing cites."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from metaeval.analyses.axioms.properties import PROPERTIES
from metaeval.measures import REGISTRY
from metaeval.model.works import METAEVAL, WORKS, bibtex, cite, cited_works, map_citations, reference
from metaeval.version import __version__

ROOT = Path(__file__).resolve().parents[2]
IN_PROSE = {METAEVAL, "mohammad2016", "sakai2021"}
REQUIRED = {
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "book": {"author", "title", "publisher", "year"},
    "techreport": {"author", "title", "institution", "year"},
    "misc": {"title"},
}
"""The fields without which BibTeX warns, by type."""


def parsed(text: str) -> dict[str, tuple[str, dict[str, str]]]:
    """The type and the fields of each entry; fails at whatever is not an entry."""
    entries, rest = {}, text
    while rest := rest.lstrip():
        head = re.match(r"@(\w+)\{(\w+),\s*", rest)
        assert head, rest
        rest, fields = rest[head.end() :], {}
        while not rest.startswith("}"):
            name = re.match(r"(\w+) = \{", rest)
            assert name, rest
            end, depth = name.end(), 1
            while depth:
                depth += {"{": 1, "}": -1}.get(rest[end], 0)
                end += 1
            fields[name[1]] = rest[name.end() : end - 1]
            comma = re.match(r",\s*", rest[end:])
            assert comma, rest[end:]
            rest = rest[end + comma.end() :]
        rest = rest[1:]
        assert head[2] not in entries
        entries[head[2]] = head[1], fields
    return entries


def test_every_work_is_a_valid_entry() -> None:
    entries = parsed(bibtex(WORKS, version="1.2"))
    assert list(entries) == sorted(WORKS)
    for key, (kind, fields) in entries.items():
        assert REQUIRED[kind] <= fields.keys(), key
        for text in fields.values():
            assert not re.search(r"(?<!\\)[&%$#_]|[–—]", text), (key, text)
        assert re.findall(r"\d{4}", key) == ([fields["year"]] if key != METAEVAL else [])


def test_the_entry_of_this_software_is_that_of_the_citation_file() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    _, fields = parsed(bibtex([METAEVAL], version=__version__))[METAEVAL]
    assert fields["title"] == f"{{{citation['title']}}}"
    assert fields["author"] == f"{{{citation['authors'][0]['name']}}}"
    assert fields["note"] == f"Version {citation['version']}"
    assert fields["year"].isdigit()
    assert fields.get("url") == citation.get("url")


def test_no_work_is_without_a_use() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "metaeval").rglob("*.py"))
    by_texts = {key for keys in re.findall(r"cite\(([^()]*)\)", code) for key in re.findall(r"['\"](\w+)['\"]", keys)}
    agreement = {"krippendorff2011", "fleiss1971", "cohen1968", "kendall1939"}
    by_measures = {declaration.source for declaration in REGISTRY.values() if declaration.plugin is None}
    by_properties = {declared.source for declared in PROPERTIES.values()} - {"declaration"}
    assert by_texts | agreement | by_measures | by_properties | IN_PROSE == set(WORKS)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("amemiya2021", "Selecting evaluation measures for the stance detection task (in Japanese). DEIM Forum."),
        ("fnc2017", "Pomerleau, D., & Rao, D. (2017). Fake News Challenge, stage 1: Stance detection."),
        ("gorodkin2004", "Computational Biology and Chemistry, 28(5–6), 367–374."),
        ("rijsbergen1979", "van Rijsbergen, C. J. (1979). Information retrieval (2nd ed.). Butterworths."),
        ("ordinal2022", "is an ordinal scale (2022; in Japanese; published online 2022-12-11)."),
        ("opitz2019", "Opitz, J., & Burst, S. (2019). Macro F1 and macro F1. arXiv:1911.03347."),
    ],
)
def test_a_reference_ends_with(key: str, text: str) -> None:
    assert reference(key).endswith(text)


def test_citations_are_found_and_replaced_and_other_brackets_stay() -> None:
    text = f"a [b] {cite('lin2004', 'cohen1968')} [@nobody1900] x@y [@Lin]"
    assert cited_works([text, "[@lin2004]"]) == ["lin2004", "cohen1968"]
    assert map_citations(text, "+".join, str.upper) == "A [B] lin2004+cohen1968 [@NOBODY1900] X@Y [@LIN]"
