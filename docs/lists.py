"""The lists of commands and the address of the project in hand-written pages, between `made: NAME` and `end`.

`docs/generate.py` writes them from the declarations and from `project.urls` of pyproject.toml.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

from metaeval.cli import GROUPS
from metaeval.registry import ANALYSES, declaration

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
URLS: Mapping[str, str] = PROJECT["urls"]
OTHER_FILES = ("mkdocs.yml", "CITATION.cff", ".github/ISSUE_TEMPLATE/config.yml", "packaging/recipe.yaml")

_REGION = re.compile(
    r"(?P<begin>^[ ]*(?:<!--|#) made: (?P<name>[\w-]+)(?: -->)?\n)(?P<body>.*?)(?P<end>^[ ]*(?:<!--|#) end(?: -->)?$)",
    re.DOTALL | re.MULTILINE,
)
_ADDRESSES = {
    re.compile(r"(?<=- uses: )[\w.-]+/metaeval(?=@)"): URLS["Repository"].partition("://")[2].partition("/")[2],
    re.compile(r"(?<=- repo: )https://\S+/metaeval"): URLS["Repository"],
    re.compile(r"(?<=url = \{)https://\S+/metaeval/(?=\})"): URLS["Documentation"],
}
"""What stands for the addresses in examples: other projects' files, and BibTeX."""

_ROW = re.compile(r"^\| `metaeval ([\w-]+)[^`]*` \| (.*) \|$", re.MULTILINE)
_HEADING = re.compile(r"^\| \*\*(.+)\*\* \| \|$", re.MULTILINE)


def with_fresh_lists(page: str) -> str:
    """A page with its lists as the declarations have them."""

    def fresh(region: re.Match[str]) -> str:
        text = _LISTS[region["name"]](region["body"])
        # Markdown separates a table from what is around it by blank lines.
        gap = "\n" if "<!--" in region["begin"] else ""
        return f"{region['begin']}{gap}{text}\n{gap}{region['end']}"

    page = _REGION.sub(fresh, page)
    for pattern, address in _ADDRESSES.items():
        page = pattern.sub(address, page)
    return page


def pages_with_lists() -> list[Path]:
    """Every page that has such a list or an address."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in OTHER_FILES)]
    texts = {page: page.read_text(encoding="utf-8") for page in sorted(pages)}
    return [page for page, text in texts.items() if any(part.search(text) for part in (_REGION, *_ADDRESSES))]


def _usage(command: str) -> str:
    """A command with its arguments, as `metaeval explain A B`."""
    if command in ANALYSES and declaration(command).leading_measures:
        return f"metaeval {command} A B"
    return f"metaeval {command}"


def _commands(_now: str) -> str:
    """A row for each command with its question, by what a user wants."""
    return _table_of_commands({}, {})


def _commands_in_another_language(now: str) -> str:
    """The same rows, of which those that are translated keep their translation."""
    translated = {match[1]: match[2] for match in _ROW.finditer(now)}
    headings = dict(zip(GROUPS, _HEADING.findall(now), strict=False))
    return _table_of_commands(translated, headings)


def _table_of_commands(sentences: Mapping[str, str], headings: Mapping[str, str]) -> str:
    rows = ["| | |", "|---|---|"]
    for heading, commands in GROUPS.items():
        rows.append(f"| **{headings.get(heading, heading)}** | |")
        rows += [f"| `{_usage(name)}` | {sentences.get(name, sentence)} |" for name, sentence in commands.items()]
    return "\n".join(rows)


def _how_to_pages(_now: str) -> str:
    """A table of pages for each group of commands."""
    parts = []
    for heading, commands in GROUPS.items():
        rows = "\n".join(f"| {sentence} | [`{name}`]({name}.md) |" for name, sentence in commands.items())
        parts.append(f"## {heading}\n\n| | command |\n|---|---|\n{rows}\n")
    return "\n".join(parts)


def _navigation(_now: str) -> str:
    """The how-to pages of the commands in the navigation of the site."""
    lines = []
    for heading, commands in GROUPS.items():
        lines += [f"      - {heading}:", *(f"          - {name}: how-to/{name}.md" for name in commands)]
    return "\n".join(lines)


def _citation(_now: str) -> str:
    return f'repository-code: "{URLS["Repository"]}"\nurl: "{URLS["Documentation"]}"'


def _site(_now: str) -> str:
    return f"site_url: {URLS['Documentation']}"


def _social(_now: str) -> str:
    return f"  social: [{{icon: material/source-repository, link: '{URLS['Repository']}'}}]"


def _security(_now: str) -> str:
    address = f"{URLS['Repository']}/security/advisories/new"
    return f"Report it privately at <{address}>, or by e-mail to {PROJECT['authors'][0]['email']}."


def _issue_links(_now: str) -> str:
    return f"    url: {URLS['Documentation']}"


def _recipe(_now: str) -> str:
    return f"  homepage: {URLS['Documentation']}\n  repository: {URLS['Repository']}"


def _recipe_needs(_now: str) -> str:
    needs = [f"python {PROJECT['requires-python']}", *(line.replace(">=", " >=") for line in PROJECT["dependencies"])]
    return "\n".join(f"    - {line}" for line in needs)


_LISTS: Mapping[str, Callable[[str], str]] = {
    "commands": _commands,
    "translated-commands": _commands_in_another_language,
    "how-to-pages": _how_to_pages,
    "navigation": _navigation,
    "citation": _citation,
    "site": _site,
    "social": _social,
    "security": _security,
    "issue-links": _issue_links,
    "recipe": _recipe,
    "recipe-needs": _recipe_needs,
}
"""What makes each list, from the text that stands there now."""
