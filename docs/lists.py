"""The lists of commands and measures that stand in hand-written pages, between `made: NAME` and `end`.

`docs/generate.py` writes them from the declarations, so that nobody edits a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from metaeval.cli import GROUPS
from metaeval.registry import ANALYSES, declaration

ROOT = Path(__file__).resolve().parent.parent

_REGION = re.compile(
    r"(?P<begin>^[ ]*(?:<!--|#) made: (?P<name>[\w-]+)(?: -->)?\n)(?P<body>.*?)(?P<end>^[ ]*(?:<!--|#) end(?: -->)?$)",
    re.DOTALL | re.MULTILINE,
)
_ROW = re.compile(r"^\| `metaeval ([\w-]+)[^`]*` \| (.*) \|$", re.MULTILINE)
_HEADING = re.compile(r"^\| \*\*(.+)\*\* \| \|$", re.MULTILINE)


def with_fresh_lists(page: str) -> str:
    """A page with its lists as the declarations have them."""

    def fresh(region: re.Match[str]) -> str:
        text = _LISTS[region["name"]](region["body"])
        # Markdown separates a table from what is around it by blank lines.
        gap = "\n" if "<!--" in region["begin"] else ""
        return f"{region['begin']}{gap}{text}\n{gap}{region['end']}"

    return _REGION.sub(fresh, page)


def pages_with_lists() -> list[Path]:
    """Every page that has such a list."""
    pages = [*ROOT.glob("*.md"), ROOT / "mkdocs.yml", *(ROOT / "docs").rglob("*.md")]
    return [page for page in sorted(pages) if _REGION.search(page.read_text(encoding="utf-8"))]


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


_LISTS: Mapping[str, Callable[[str], str]] = {
    "commands": _commands,
    "translated-commands": _commands_in_another_language,
    "how-to-pages": _how_to_pages,
    "navigation": _navigation,
}
"""What makes each list, from the text that stands there now."""
