"""The recipes of the page on formats run on results of other tools, and metaeval reads what they write."""

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Write

ROOT = Path(__file__).resolve().parents[3]
EXPORT = [
    {"id": task, "annotations": [
        {"completed_by": rater, "result": [
            {"from_name": "stance", "type": "choices", "value": {"choices": [choice]}},
            {"from_name": "comment", "type": "textarea", "value": {"text": ["?"]}},
        ]}
        for rater, choice in zip((7, 8), choices, strict=True)
    ]}
    for task, choices in enumerate([("favor", "favor"), ("against", "none"), ("none", "none")], start=1)
]  # fmt: skip


def recipe(tool: str) -> tuple[str, list[str]]:
    """The code of a recipe and the command below it."""
    page = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    text = re.split(r"^(?=\*\*|## )", page.partition("## Other tools\n")[2], flags=re.MULTILINE)
    (own,) = (part for part in text if part.startswith(f"**{tool}**"))
    code = "".join(line + "\n" for line in own.splitlines() if line.startswith("    ") or not line)
    command = re.findall(r"^`metaeval (.*)`$", own, re.MULTILINE)
    return textwrap.dedent(code), command[0].replace("'", "").split()


def run(tool: str, metaeval: CommandLine, *options: str) -> dict[str, Any]:
    code, command = recipe(tool)
    exec(compile(code, tool, "exec"), {})
    report: dict[str, Any] = json.loads(metaeval.succeeds(*command, *options, "-f", "json").out)
    return report


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_label_studio(metaeval: CommandLine, write: Write) -> None:
    write("export.json", json.dumps(EXPORT))
    report = run("Label Studio", metaeval)
    assert "units:3" in report["signature"]
    assert Path("ratings.csv").read_text().split()[1:3] == ["1,7,favor", "1,8,favor"]
