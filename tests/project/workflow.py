"""Runs the shell steps of a composite action as the runner of GitHub Actions does: expressions first, then bash."""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
ACTION: Mapping[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")


@dataclass
class Run:
    """A run of the action in a folder; environment: in addition to what the runner sets."""

    folder: Path
    inputs: Mapping[str, str]
    environment: Mapping[str, str]
    temporary: Path
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)

    def value(self, name: str) -> str:
        """An expression, as `inputs.config` or `steps.check.outputs.junit`."""
        match name.split("."):
            case ["inputs", key]:
                return self.inputs.get(key, ACTION["inputs"][key].get("default", ""))
            case ["github", "action_path"]:
                return str(ROOT)
            case ["steps", step, "outputs", key]:
                return self.outputs.get(step, {}).get(key, "")
        raise KeyError(name)

    def text(self, template: str) -> str:
        """A text with its expressions replaced."""
        return EXPRESSION.sub(lambda match: self.value(match[1]), template)

    def step(self, identifier: str) -> subprocess.CompletedProcess[str]:
        """Run one shell step, and read its outputs."""
        step = next(step for step in ACTION["runs"]["steps"] if step.get("id") == identifier)
        output = self.temporary / f"{identifier}.output"
        output.touch()
        environment = {
            **os.environ,
            **self.environment,
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(output),
            "RUNNER_TEMP": str(self.temporary),
            **{key: self.text(value) for key, value in step["env"].items()},
        }
        script = self.temporary / f"{identifier}.sh"
        script.write_text(self.text(step["run"]), encoding="utf-8")
        finished = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.folder / self.text(step.get("working-directory", ".")),
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.outputs[identifier] = dict(line.split("=", 1) for line in output.read_text().splitlines())
        return finished
