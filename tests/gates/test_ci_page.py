"""docs/ci.md is true: its conditions are read, its YAML too, its commands run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from metaeval import read_config
from metaeval.gates.conditions import parse_gate

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("## Conditions")[2].partition("\n\nNames cannot be abbreviated")[0]
CONDITIONS = [span for span in re.findall(r"`([^`]+)`", TABLE) if "." in span and " " in span]
YAML = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"^    (metaeval .*)$", PAGE, re.MULTILINE)
PIPELINES = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)


def shell(script: str, folder: Path) -> int:
    """The exit code of a script, with the metaeval under test first on the path, in a folder that has the samples."""
    for name in ("configs", "sample_data"):
        (folder / name).symlink_to(ROOT / name)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, check=False
    ).returncode


def test_the_page_has_what_is_tested() -> None:
    assert (len(CONDITIONS), len(YAML), len(COMMANDS), len(PIPELINES)) == (13, 4, 5, 1)


def test_conditions_and_yaml_of_the_page_are_read(tmp_path: Path) -> None:
    assert [parse_gate(condition).condition for condition in CONDITIONS] == CONDITIONS
    assert all(yaml.safe_load(text) for text in YAML)
    (tmp_path / "experiment.yaml").write_text(YAML[0], encoding="utf-8")
    config = read_config(str(tmp_path / "experiment.yaml"))
    assert config.check is not None
    assert config.check.fail_if == ("stability.cem-ord.mean < 0.6", "scores.atlas_large.macro-f1 < 0.75")


@pytest.mark.slow
def test_commands_of_the_page_pass_one_after_another(tmp_path: Path) -> None:
    assert shell("set -e\n" + "\n".join(COMMANDS), tmp_path) == 0


@pytest.mark.slow
def test_the_pipeline_of_the_page_runs(tmp_path: Path) -> None:
    assert shell(PIPELINES[0], tmp_path) == 0
    assert (tmp_path / "scores.csv").read_text(encoding="utf-8").count("\n") == 15
