"""The project's metadata: complete, and the same wherever they stand."""

import tomllib
from pathlib import Path
from typing import Any

import yaml

import metaeval

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_metadata_are_complete() -> None:
    needed = {"name", "description", "readme", "requires-python", "license", "authors", "maintainers", "keywords"}
    assert needed <= set(PROJECT)
    kinds = {classifier.partition(" :: ")[0] for classifier in PROJECT["classifiers"]}
    assert {"Environment", "Intended Audience", "Operating System", "Programming Language", "Topic"} <= kinds


def test_the_versions_of_python_are_those_that_it_requires() -> None:
    prefix = "Programming Language :: Python :: 3."
    minors = [int(name.removeprefix(prefix)) for name in PROJECT["classifiers"] if name.startswith(prefix)]
    assert minors == [11, 12, 13]
    assert PROJECT["requires-python"] == f">=3.{min(minors)}"


def test_the_citation_names_the_same_authors_version_and_licence() -> None:
    assert [author["name"] for author in PROJECT["authors"]] == [author["name"] for author in CITATION["authors"]]
    assert (CITATION["version"], CITATION["license"]) == (metaeval.__version__, PROJECT["license"])
