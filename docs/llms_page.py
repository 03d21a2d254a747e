"""docs/llms.txt: the pages of the documentation, for language models."""

from __future__ import annotations

import re
from pathlib import Path

from docs.lists import URLS
from metaeval.cli import GROUPS

FOLDER = Path(__file__).resolve().parent
_INTRODUCTION = """\
# metaeval

> A command line tool and Python package that evaluates evaluation measures: which measure to trust, which systems are
> significantly better, whether metrics and judges agree with people, and how many items are enough.

How to use it rightly, with the command for each question and how to read its JSON: [SKILL]({site}skill/SKILL.html)."""
_PAGES = ("formats", "columns", "conventions", "inference", "faq", "glossary", "python", "reference/tables", "measures")


def llms_page() -> str:
    """The skill, then a link to each how-to page with its sentence, then to the pages that all commands need."""
    site = URLS["Documentation"]
    parts = [_INTRODUCTION.format(site=site)]
    for heading, commands in GROUPS.items():
        lines = [f"* [{name}]({site}how-to/{name}.html): {sentence}" for name, sentence in commands.items()]
        parts.append("\n".join([f"## {heading}", "", *lines]))
    lines = [f"* [{_title(name)}]({site}{name}.html)" for name in _PAGES]
    parts.append("\n".join(["## Reference", "", *lines]))
    return "\n\n".join(parts) + "\n"


def _title(name: str) -> str:
    title = re.search(r"^# (.+)$", (FOLDER / f"{name}.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert title is not None
    return title[1]
