"""docs/skill/SKILL.md: its commands run, and the answers stand where it says."""

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml
from command_line import CommandLine

from metaeval.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
SKILL = (ROOT / "docs/skill/SKILL.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| `(metaeval [^`]+)` \| `(\w+)` \| (.+) \|$", SKILL, re.MULTILINE)


def test_it_says_when_to_use_it_and_is_short() -> None:
    head = yaml.safe_load(SKILL.split("---")[1])
    assert set(head) == {"name", "description"}
    assert head["name"] == "metaeval"
    assert len(head["description"]) <= 1024
    assert len(SKILL.splitlines()) <= 100
    assert len(ROWS) == 15


@pytest.mark.slow
@pytest.mark.parametrize(("question", "command", "table", "columns"), ROWS, ids=[row[1].split()[1] for row in ROWS])
@pytest.mark.usefixtures("repository")
def test_the_answer_stands_where_it_says(
    metaeval: CommandLine, question: str, command: str, table: str, columns: str
) -> None:
    assert question.endswith("?")
    report = json.loads(metaeval.succeeds(*shlex.split(command)[1:], "-f", "json", "-q").out)
    rows = report["tables"][table]
    assert [name for name in re.findall(r"`([^`]+)`", columns) if name not in rows[0]] == []
    assert report["signature"].startswith("metaeval:")
    assert "repairs" in report["provenance"]
    assert all(finding["sentence"] for finding in report["findings"])


def test_the_commands_and_options_that_it_names_exist(metaeval: CommandLine) -> None:
    for command in set(re.findall(r"`metaeval ([a-z-]+)", SKILL)):
        assert command in COMMANDS
    described = metaeval.succeeds("score", "--help-all").out + metaeval.succeeds("demo", "--help-all").out
    assert [option for option in set(re.findall(r"`(--[a-z-]+)", SKILL)) if option not in described] == []


def test_the_list_of_pages_for_language_models_begins_with_it() -> None:
    text = (ROOT / "docs/llms.txt").read_text(encoding="utf-8")
    assert text.startswith("# metaeval\n\n> ")
    names = [path.partition(".html")[0] for path in re.findall(r"\]\(https?://[^/)]+/metaeval/([^)]+)\)", text)]
    assert names[0] == "skill/SKILL"
    assert [name for name in names if not (ROOT / f"docs/{name}.md").exists()] == []
    assert {f"how-to/{name}" for name in COMMANDS} <= set(names)
