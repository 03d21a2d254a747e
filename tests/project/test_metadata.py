"""The project's metadata: complete, and the same wherever they stand."""

import re
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

import metaeval

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_metadata_are_complete() -> None:
    assert PROJECT["dynamic"] == ["version", "readme"]
    needed = {"name", "description", "urls", "requires-python", "license", "authors", "maintainers", "keywords"}
    assert needed <= set(PROJECT)
    kinds = {classifier.partition(" :: ")[0] for classifier in PROJECT["classifiers"]}
    assert {"Environment", "Intended Audience", "Operating System", "Programming Language", "Topic"} <= kinds


def test_the_versions_of_python_are_those_that_it_requires() -> None:
    prefix = "Programming Language :: Python :: 3."
    minors = [int(name.removeprefix(prefix)) for name in PROJECT["classifiers"] if name.startswith(prefix)]
    assert minors == [11, 12, 13]
    assert PROJECT["requires-python"] == f">=3.{min(minors)}"


def test_every_address_is_that_of_the_repository() -> None:
    urls = PROJECT["urls"]
    assert set(urls) == {"Repository", "Documentation", "Issues", "Changelog"}
    assert all(urls[name].startswith(urls["Repository"] + "/") for name in ("Issues", "Changelog"))
    assert (CITATION["repository-code"], CITATION["url"]) == (urls["Repository"], urls["Documentation"])


def test_the_locked_versions_are_allowed_and_name_no_index() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert "/" not in text
    locked = dict(re.findall(r"^([\w-]+)==([\d.]+)", text, re.MULTILINE))
    needs = [*PROJECT["dependencies"], *chain(*PROJECT["optional-dependencies"].values())]
    for name, floor in (re.sub(r"\[.*\]", "", line).lower().replace("_", "-").split(">=") for line in needs):
        assert [int(part) for part in locked[name].split(".")] >= [int(part) for part in floor.split(".")], name


def test_the_container_has_the_extras_for_users() -> None:
    text = (ROOT / "packaging/Containerfile").read_text(encoding="utf-8")
    (extras,) = re.findall(r"tar\.gz\)\[([\w,]+)\]", text)
    assert set(extras.split(",")) == {*PROJECT["optional-dependencies"]} - {"dev", "docs"}


def test_the_forms_for_issues_ask_for_the_signature() -> None:
    for name in ("bug", "number"):
        form = yaml.safe_load((ROOT / f".github/ISSUE_TEMPLATE/{name}.yml").read_text(encoding="utf-8"))
        fields = {field["id"]: field for field in form["body"]}
        assert fields["signature"]["attributes"]["placeholder"].startswith(f"metaeval:{metaeval.__version__}|")
        assert fields["signature"]["validations"] == {"required": True}


def test_workflows_may_read_only_and_have_no_secret() -> None:
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        workflow = yaml.safe_load(text)
        assert workflow["permissions"] == {"contents": "read"}
        assert "secrets." not in text
        for job in workflow["jobs"].values():
            assert set(job.get("permissions", {})) <= {"id-token", "pages"}
            assert [step for step in job.get("steps", ()) if "${{" in step.get("run", "")] == []


def test_the_citation_names_the_same_authors_version_and_licence() -> None:
    assert [author["name"] for author in PROJECT["authors"]] == [author["name"] for author in CITATION["authors"]]
    assert (CITATION["version"], CITATION["license"]) == (metaeval.__version__, PROJECT["license"])
