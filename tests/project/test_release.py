"""`make release-check`: what it builds and what it names."""

import subprocess
from pathlib import Path

import pytest
import release
import versions
from scripts import script

from metaeval import __version__

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = release.project()["urls"]["Repository"]
FILES = {"docs/a.md", "b.svg"}


def test_the_description_has_absolute_links_to_files_that_there_are() -> None:
    text = script(ROOT / "hatch_build.py").with_absolute_links(
        (ROOT / "README.md").read_text(encoding="utf-8"), ADDRESS, "0.1.0"
    )
    assert f"]({ADDRESS}/raw/v0.1.0/docs/assets/gallery/ranks.svg)" in text
    files = {str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if ".venv" not in path.parts}
    assert list(release.link_problems(text, "0.1.0", files)) == []


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        (f"{ADDRESS}/blob/v1.0/docs/a.md#part", None),
        (f"{ADDRESS}/raw/v1.0/b.svg", None),
        ("https://example.com", None),
        ("#part", None),
        (f"{ADDRESS}/blob/v1.0/docs/b.md", "README.md: the sdist has no docs/b.md"),
        ("docs/a.md", "README.md: the link to docs/a.md is relative on a package index"),
    ],
)
def test_a_link_is_followed(target: str, problem: str | None) -> None:
    assert list(release.link_problems(f"[text]({target})", "1.0", FILES)) == [problem] * (problem is not None)


def test_pages_take_every_address_from_the_metadata() -> None:
    lists = script(ROOT / "docs/lists.py")
    repository, site = (lists.URLS[name].partition("://")[2] for name in ("Repository", "Documentation"))
    others = {repository: "example.org/other/metaeval", site: "example.net/metaeval/"}
    others[repository.partition("/")[2]] = "other/metaeval"
    pages = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in lists.OTHER_FILES))
    changed = 0
    for text in (page.read_text(encoding="utf-8") for page in pages):
        page = text
        for address, other in others.items():
            page = page.replace(address, other)
        changed += page != text
        assert lists.with_fresh_lists(page) == text
    assert changed >= 7


CHANGELOG, CITATION = "# Changelog\n\n## 1.0 (2030-01-02)\n", "version: 1.0\ndate-released: 2030-01-02\n"


@pytest.mark.parametrize(
    ("changelog", "citation", "version", "files"),
    [
        (CHANGELOG, CITATION, "1.0", []),
        (CHANGELOG.replace("2030-01-02", "unreleased"), CITATION, "1.0", ["CHANGELOG.md"]),
        (CHANGELOG, CITATION.replace("2030", "2029"), "1.0", ["CITATION.cff"]),
        (CHANGELOG, CITATION, "1.1", ["CHANGELOG.md", "CITATION.cff", "packaging/recipe.yaml"]),
    ],
)
def test_versions_and_dates_are_one(
    tmp_path: Path, changelog: str, citation: str, version: str, files: list[str]
) -> None:
    (tmp_path / "packaging").mkdir()
    contents = {"CHANGELOG.md": changelog, "CITATION.cff": citation, "packaging/recipe.yaml": 'version: "1.0"\n'}
    for name, text in contents.items():
        (tmp_path / name).write_text(text)
    assert [problem.partition(":")[0] for problem in release.version_problems(version, tmp_path)] == files


IN_REPOSITORY = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only a repository has a list of its files")


@IN_REPOSITORY
def test_this_tree_lacks_an_address_at_most() -> None:
    assert list(release.version_problems(__version__, ROOT)) == []
    assert {name.partition(":")[0] for name in release.placeholders(ROOT)} <= {
        *(*release.BY_HAND, "CITATION.cff", "SECURITY.md", "mkdocs.yml", "docs/ci.md", "packaging/recipe.yaml"),
        *(".github/ISSUE_TEMPLATE/config.yml", "docs/llms.txt", "docs/how-to/output.md"),
    }


def test_placeholders_are_named_by_line_or_by_the_file_that_is_made(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("url = 'https://github.com/OWNER/metaeval'\n")
    (tmp_path / "README.md").write_text("a\nmetaeval has not been released yet\n")
    (tmp_path / "a.md").write_text("OWNER/metaeval\nthe OWNER of it\nCONTACT@example.org\n")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert list(release.placeholders(tmp_path)) == [
        "README.md:2: a placeholder: metaeval has not been released yet",
        "pyproject.toml:1: a placeholder: url = 'https://github.com/OWNER/metaeval'",
        "a.md:1: a placeholder (lines: 2), which `make docs` replaces",
    ]


@IN_REPOSITORY
@pytest.mark.slow
def test_the_distributions_are_built_and_pass_and_placeholders_stop_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(release, "DIST", tmp_path)
    code = release.main()
    *lines, last = capsys.readouterr().out.splitlines()
    assert [line for line in lines if ": a placeholder" not in line] == []
    to_do = f"{len(lines)} to do before the release of {__version__}"
    assert (code, last) == ((1, to_do) if lines else (0, f"{__version__} can be released"))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"metaeval-{__version__}-py3-none-any.whl",
        f"metaeval-{__version__}.tar.gz",
    ]


def test_numbers_of_environments_are_compared_up_to_rounding() -> None:
    one = {"scores": [{"a": 0.1, "b": None, "name": "x"}]}
    assert list(versions.differences(one, {"scores": [{"a": 0.1 + 1e-12, "b": None, "name": "x"}]})) == []
    for cell, other in (("a", 0.1001), ("b", 0.0), ("name", "y"), ("a", None)):
        variant = {"scores": [{**one["scores"][0], cell: other}]}
        assert [problem.partition(":")[0] for problem in versions.differences(one, variant)] == [f"scores.0.{cell}"]
    assert list(versions.differences(one, {"scores": []})) != []


def test_a_python_that_the_machine_lacks_is_said(tmp_path: Path) -> None:
    environment = versions.Environment("3.99", versions.NEWEST)
    assert versions.numbers(environment, tmp_path / "wheel", tmp_path) is None
