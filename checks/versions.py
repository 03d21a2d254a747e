"""Do the samples give the same numbers with the lowest and the newest versions of all packages? `make versions`.

Installs the wheel with all extras into environments outside the project: the lowest versions that pyproject.toml
allows with the oldest Python, and the newest with each later Python that this machine has (`make test` has those of
constraints.txt with the oldest). Prints a line for each, and exits with 1 if one cannot be installed or has other
numbers. `--tests` runs the fast tests on the lowest versions instead.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
LOWEST, NEWEST = "lowest-direct", "highest"
FOR_DEVELOPERS = {"dev", "docs"}
TOLERANCE = 1e-9
"""Relative difference of numbers that machines sum in another order."""


class Environment(NamedTuple):
    """A Python with the lowest or the newest versions."""

    python: str
    resolution: str

    def __str__(self) -> str:
        return f"Python {self.python} with the {'lowest' if self.resolution == LOWEST else 'newest'} versions"


def main(arguments: list[str]) -> int:
    """Print a line for each environment; 1 if one differs."""
    with tempfile.TemporaryDirectory() as folder:
        if "--tests" in arguments:
            return fast_tests(Path(folder))
        wheel = built(Path(folder))
        environments = [Environment(PYTHONS[0], LOWEST), *(Environment(python, NEWEST) for python in PYTHONS[1:])]
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda environment: numbers(environment, wheel, Path(folder)), environments))
    expected = next(result for result in results if isinstance(result, dict))
    failed = False
    for environment, result in zip(environments, results, strict=True):
        if result is None:
            print(f"{environment}: not on this machine")
            continue
        problems = [result] if isinstance(result, str) else list(differences(expected, result))
        failed |= bool(problems)
        print(f"{environment}: {problems[0] if problems else f'the same numbers in {len(result)} samples'}")
        print(*(f"    {problem}" for problem in problems[1:20]), sep="\n", end="")
    return 1 if failed else 0


def built(folder: Path) -> Path:
    """The wheel of this tree."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def uv(*command: object) -> subprocess.CompletedProcess[str]:
    """Run uv, which uses the Pythons of the machine and fetches none."""
    environment = {**os.environ, "UV_PYTHON_DOWNLOADS": "never", "UV_LINK_MODE": "copy"}
    words = [sys.executable, "-m", "uv", *map(str, command)]
    return subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def interpreter(version: str) -> str | None:
    """A Python of a version: on the path, or one of pyenv."""
    pyenv_pythons = (Path.home() / ".pyenv/versions").glob(f"{version}.*/bin/python")
    for path in filter(None, (shutil.which(f"python{version}"), *map(str, pyenv_pythons))):
        # A shim of pyenv may stand for no Python.
        if subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            return path
    return None


def numbers(environment: Environment, wheel: Path, folder: Path) -> dict[str, Any] | str | None:
    """The tables of each sample; what failed; or None if the machine has no such Python."""
    home = folder / f"{environment.python}-{environment.resolution}"
    path = interpreter(environment.python)
    if path is None:
        return None
    uv("venv", "--python", path, home).check_returncode()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = ",".join(name for name in project["optional-dependencies"] if name not in FOR_DEVELOPERS)
    python = home / "bin/python"
    target = f"metaeval[{extras}] @ {wheel.as_uri()}"
    installed = uv("pip", "install", "--python", python, "--resolution", environment.resolution, target)
    if installed.returncode:
        return installed.stderr
    doctor = results(python, ["doctor", "-f", "json", "-q"], folder)
    broken = [row for row in doctor["tables"]["packages"] if row["state"] != "works"]
    if broken:
        return f"doctor says {broken}"
    samples = results(python, ["demo", "-f", "json"], folder)["tables"]["samples"]
    commands = {row["name"]: shlex.split(row["command"])[1:] for row in samples if row["needs"] != "its files"}
    return {name: results(python, [*words, "-q", "-f", "json"], folder)["tables"] for name, words in commands.items()}


def results(python: Path, words: list[str], folder: Path) -> dict[str, Any]:
    """The JSON of a command."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(python), "-P", "-m", "metaeval", *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{python} {shlex.join(words)}: exit code {done.returncode}\n{done.stderr}")
    parsed: dict[str, Any] = json.loads(done.stdout)
    return parsed


def differences(expected: Any, actual: Any, where: str = "") -> Iterator[str]:
    """The cells that differ."""
    if isinstance(expected, dict) and isinstance(actual, dict) and expected.keys() == actual.keys():
        for key in expected:
            yield from differences(expected[key], actual[key], f"{where}.{key}" if where else key)
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        for row, (one, other) in enumerate(zip(expected, actual, strict=True)):
            yield from differences(one, other, f"{where}.{row}")
    elif isinstance(expected, float) and isinstance(actual, float):
        if not math.isclose(expected, actual, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            yield f"{where}: {actual}, not {expected}"
    elif expected != actual:
        yield f"{where}: {actual!r}, not {expected!r}"


def fast_tests(home: Path) -> int:
    """Run the fast tests on the lowest versions; the exit code of pytest."""
    python = home / "bin/python"
    for command in (
        ("venv", "--python", interpreter(PYTHONS[0]) or sys.executable, "--allow-existing", home),
        ("pip", "install", "--python", python, "--resolution", LOWEST, "--editable", ".[dev]"),
    ):
        done = uv(*command)
        if done.returncode:
            print(done.stderr)
            return 1
    words = ["-m", "pytest", "-n", "auto", "--dist", "worksteal", "-m", "not slow", "-p", "no:cacheprovider"]
    return subprocess.run([str(python), *words], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
