"""The recipes of the page on formats run on results of other tools, and metaeval reads what they write."""

import json
import re
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from command_line import CommandLine, Write

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = [
    {"task_name": task, "model": model, "id": item, "epoch": epoch, "score_match": mark, "score_length": 0.5}
    for task in ("capitals", "sums")
    for model, marks in (("m/a", "CCI"), ("m/b", "CII"))
    for item, mark in enumerate(marks, start=1)
    for epoch in (1, 2)
]
RESULTS = [
    {"provider": {"id": f"p:{system}"}, "promptIdx": prompt, "testIdx": test, "score": score, "success": score > 0.5,
     "namedScores": {}}
    for system, score in (("x", 1), ("y", 0.25)) for prompt in (0, 1) for test in range(3)
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
def test_promptfoo(metaeval: CommandLine, write: Write) -> None:
    write("results.json", json.dumps({"version": 3, "results": {"results": RESULTS}}))
    report = run("promptfoo", metaeval, "--permutations", "9")
    assert {(row["measure"], row["difference"]) for row in report["tables"]["comparisons"]} == {
        ("score", 0.75), ("passed", 1.0)
    }  # fmt: skip
    assert "n:6|systems:2" in report["signature"]


def test_inspect(metaeval: CommandLine, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    # Stands for the package: data frames with the columns of `EvalTask + EvalModel + SampleSummary`.
    module = ModuleType("inspect_ai.analysis")
    parts: dict[str, Any] = {name: [name] for name in ("EvalTask", "EvalModel", "SampleSummary")}

    def samples_df(logs: str, columns: list[str]) -> pd.DataFrame:
        assert (logs, columns) == ("logs", list(parts))
        return pd.DataFrame(SAMPLES)

    vars(module).update(parts, samples_df=samples_df)
    monkeypatch.setitem(sys.modules, "inspect_ai", ModuleType("inspect_ai"))
    monkeypatch.setitem(sys.modules, "inspect_ai.analysis", module)
    write("logs/x.eval", "")
    report = run("Inspect", metaeval, "--permutations", "9")
    rows = {row["measure"]: row["difference"] for row in report["tables"]["comparisons"]}
    assert rows == {"score_match": pytest.approx(1 / 3), "score_length": 0.0}
    assert "n:6|systems:2" in report["signature"]
