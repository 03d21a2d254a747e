"""How to begin: the README says it, and no page sends a reader to a package index that has no metaeval."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
READMES = [ROOT / "README.md", ROOT / "README.ja.md"]
PAGES = [*READMES, *sorted((ROOT / "docs").rglob("*.md"))]
FROM_AN_INDEX = re.compile(r"pip install .*?(?<![\w/.])metaeval(?!\w)(?!\s*@)")
CONSOLE = re.compile(r"^```console\n.*?^```$", re.DOTALL | re.MULTILINE)
MADE_FROM_THE_PROGRAM = {ROOT / "docs/reference/cli.md", ROOT / "docs/reference/tables.md"}


def commands(readme: Path) -> list[str]:
    """The first commands of the indented and fenced blocks, in order, without comments."""
    lines = re.findall(r"^    (\S.*)$|^\$ (.*)$", readme.read_text(encoding="utf-8"), re.MULTILINE)
    return [shlex.join(shlex.split(indented or fenced, comments=True)) for indented, fenced in lines[:7]]


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.name)
def test_a_readme_says_what_it_answers_shows_one_command_and_installs_from_a_checkout(readme: Path) -> None:
    example, *installation = commands(readme)
    assert example.startswith("metaeval ")
    assert installation == [
        *("make demo", "make test"),
        *("python3 -m venv .venv", ". .venv/bin/activate", "pip install .", "pip install '.[plots,ja]'"),
    ]
    text = readme.read_text(encoding="utf-8")
    title, question, *_ = text.split("\n\n")
    assert title == "# metaeval"
    assert re.fullmatch(r"\*\*.+\*\*", question)
    assert text.count("\n![") == len(CONSOLE.findall(text)) == 1
    assert len(text.split()) <= 900
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [name for name in {*project["optional-dependencies"]} - {"dev", "docs"} if f"`{name}`" not in text] == []


def test_no_page_installs_from_an_index() -> None:
    # What the program prints is read where it is installed already, and there pip takes the extras of what it finds.
    pages = [page for page in PAGES if page not in MADE_FROM_THE_PROGRAM]
    texts = {page: CONSOLE.sub("", page.read_text(encoding="utf-8")) for page in pages}
    assert [page for page, text in texts.items() if FROM_AN_INDEX.search(text)] == []


def test_an_installation_from_an_index_is_noticed_and_none_from_a_checkout() -> None:
    for text in ("pip install metaeval", "pip install -U 'metaeval[ja]'", "pip install a metaeval"):
        assert FROM_AN_INDEX.search(text)
    for text in ("pip install .", "pip install '/src/metaeval[big]'", "pip install metaeval@git+U"):
        assert not FROM_AN_INDEX.search(text)
