"""What it takes to run a new analysis: a toy is added to a copy of the checkout, and has to work there.

`toy/` holds its own files, `toy.yaml` the lines without which it does not run and the tests that have to pass. Lines in
pages and in lists of tests, which CONTRIBUTING.md names, are not counted.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from house.sources import Measurement

FOLDER = Path(__file__).resolve().parent
HOME = "metaeval/analyses"
_LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "__pycache__", ".pytest_cache", ".hypothesis", ".ruff_cache", "site"
)
_TYPED_CALLS = """
import metaeval
metaeval.toy("x", quantile=0.5)
metaeval.toy("x", quantile="a")  # type: ignore[arg-type]
metaeval.toy("x", quantil=0.5)  # type: ignore[call-arg]
"""


class RecipeError(Exception):
    """The toy cannot be added, or does not work."""


@dataclass(frozen=True)
class Edit:
    """A line added to a file of the checkout, after the only one that begins with a text."""

    file: str
    after: str
    line: str

    def apply(self, root: Path) -> None:
        path = root / self.file
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        places = [number for number, line in enumerate(lines, 1) if line.startswith(self.after)]
        if len(places) != 1:
            raise RecipeError(f"{self.file} has {len(places)} lines that begin with {self.after.strip()!r}, not one")
        lines.insert(places[0], f"{self.line}\n")
        path.write_text("".join(lines), encoding="utf-8")


@dataclass(frozen=True)
class Addition:
    """What a new analysis takes; new, edited: paths of files, problem: why it does not work, or ''."""

    new: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    problem: str = ""


def edited_sources(addition: Addition) -> Measurement:
    """The existing files of the package that are edited."""
    return _measured(addition, [path for path in addition.edited if path.startswith("metaeval/")])


def files_in_all(addition: Addition) -> Measurement:
    """The files that are new or edited, of the package, its tests and its documentation."""
    return _measured(addition, [*addition.new, *addition.edited])


def _measured(addition: Addition, paths: Sequence[str]) -> Measurement:
    return Measurement(None, (addition.problem,)) if addition.problem else Measurement(len(paths), tuple(sorted(paths)))


@cache
def add_toy(root: Path) -> Addition:
    """Add the toy to a copy of a checkout, and try it there."""
    recipe = yaml.safe_load((FOLDER / "toy.yaml").read_text(encoding="utf-8"))
    return add(root, FOLDER / "toy", recipe, (check_style, run_tests, check_types))


def add(
    root: Path, files: Path, recipe: Mapping[str, Any], checks: Sequence[Callable[[Path, Mapping[str, Any]], None]]
) -> Addition:
    """Add files and edits to a copy of a checkout, and check it; a check raises a `RecipeError`."""
    if not (root / HOME).is_dir():
        return Addition(problem=f"there is no {HOME}")
    new = [path.relative_to(files).as_posix() for path in sorted(files.rglob("*")) if _belongs(path)]
    edits = [Edit(**edit) for edit in recipe["edits"]]
    with tempfile.TemporaryDirectory(prefix="metaeval-house-") as temporary:
        copy = Path(temporary) / "checkout"
        shutil.copytree(root, copy, ignore=_LEFT_OUT)
        try:
            for path in new:
                if (copy / path).exists():
                    raise RecipeError(f"{path} exists already")
            shutil.copytree(files, copy, dirs_exist_ok=True, ignore=_LEFT_OUT)
            for edit in edits:
                edit.apply(copy)
            for check in checks:
                check(copy, recipe)
        except RecipeError as error:
            return Addition(problem=str(error))
    return Addition(tuple(new), tuple(sorted({edit.file for edit in edits})))


def _belongs(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts


def check_style(copy: Path, recipe: Mapping[str, Any]) -> None:
    """The toy is a template, and follows the rules of style."""
    folders = [HOME + "/toy", *recipe["tests"]]
    _run(copy, "ruff", "check", *folders)
    _run(copy, "ruff", "format", "--check", *folders)


def run_tests(copy: Path, recipe: Mapping[str, Any]) -> None:
    """The tests that the recipe names pass."""
    _run(copy, "pytest", "-q", "-p", "no:cacheprovider", HOME + "/toy", *recipe["tests"])


def check_types(copy: Path, _recipe: Mapping[str, Any]) -> None:
    """A type checker accepts right calls of the function and refuses wrong ones."""
    (copy / "typed_calls.py").write_text(_TYPED_CALLS, encoding="utf-8")
    _run(copy, "mypy", "typed_calls.py")


def _run(copy: Path, module: str, *arguments: str) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode:
        last = [line for line in finished.stdout.splitlines() if line.strip()][-3:] or [finished.stderr[-300:]]
        raise RecipeError(f"{module} fails: {' | '.join(last)}")
