"""The hooks for pre-commit: their form, and what their commands do as pre-commit calls them."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
HOOKS: dict[str, Mapping[str, Any]] = {
    hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
}
PROGRAM = f"""#!{sys.executable}
from metaeval.__main__ import main
main()
"""
CONFIG = """
data: {gold: gold.csv, runs: [runs], labels: a<b}
measures: [accuracy]
score: {}
check: {fail-if: [scores.mine.accuracy < 0.6]}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with an experiment whose one system is right on two of three items."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "gold.csv").write_text("id,label\n1,a\n2,b\n3,b\n")
    (tmp_path / "runs/mine.csv").write_text("id,label\n1,a\n2,b\n3,a\n")
    (tmp_path / "experiment.yaml").write_text(CONFIG)
    return tmp_path


def hook(identifier: str, project: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Call a hook as pre-commit does: its entry, its args or those of the user, and staged files if it takes them."""
    declaration = HOOKS[identifier]
    program = project / ".git/hook/bin/metaeval"
    program.parent.mkdir(parents=True)
    program.write_text(PROGRAM)
    program.chmod(0o755)
    staged = ["gold.csv", "runs/mine.csv"] if declaration.get("pass_filenames", True) else []
    return subprocess.run(
        [*shlex.split(declaration["entry"]), *(args or declaration["args"]), *staged],
        cwd=project,
        env={**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("identifier", HOOKS)
def test_a_hook_has_the_fields_of_the_schema(identifier: str) -> None:
    # https://pre-commit.com/#new-hooks
    declaration = HOOKS[identifier]
    assert {"id", "name", "entry", "language"} <= set(declaration)
    assert set(declaration) <= {"id", "name", "entry", "language", "description", "args", "pass_filenames"}
    assert declaration["language"] == "python"
    assert re.fullmatch(r"metaeval-[a-z]+", identifier)


@pytest.mark.parametrize("identifier", HOOKS)
def test_good_files_pass(identifier: str, project: Path) -> None:
    finished = hook(identifier, project)
    assert finished.returncode == 0, finished.stderr


def test_a_gate_that_fails_stops_the_commit(project: Path) -> None:
    finished = hook("metaeval-check", project, "experiment.yaml", "--fail-if=scores.mine.accuracy < 0.7")
    assert finished.returncode == 1
    assert "Gate failed: scores.mine.accuracy < 0.7" in finished.stderr


def test_files_that_do_not_fit_together_stop_the_commit(project: Path) -> None:
    (project / "runs/mine.csv").write_text("id,label\n1,a\n2,c\n3,a\n")
    finished = hook("metaeval-validate", project)
    assert finished.returncode == 2
    assert "runs/mine.csv:3: prediction 'c'" in finished.stderr


@pytest.mark.parametrize("identifier", HOOKS)
def test_an_experiment_that_is_absent_stops_the_commit(identifier: str, project: Path) -> None:
    finished = hook(identifier, project, "other.yaml")
    assert finished.returncode == 2
    assert "other.yaml" in finished.stderr


@pytest.mark.parametrize("identifier", HOOKS)
def test_the_page_on_pipelines_names_every_hook(identifier: str) -> None:
    assert f"id: {identifier}" in (ROOT / "docs/ci.md").read_text(encoding="utf-8")
