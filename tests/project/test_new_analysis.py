"""An analysis takes its own files and two lines: that of `docs/examples/analysis/` runs in a copy of the checkout."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs/examples/analysis"
LINES = [
    (
        "metaeval/analyses/__init__.py",
        "    from metaeval.analyses.summary import summary as summary\n",
        "    from metaeval.analyses.toy import toy as toy\n",
    ),
    (
        "metaeval/analyses/__init__.py",
        '        "summary": "All criteria for measures in one table.",\n',
        '        "toy": "How far apart are the systems?",\n',
    ),
]
TYPED_CALLS = """
import metaeval
metaeval.toy("x", quantile=0.5)
metaeval.toy("x", quantile="a")  # type: ignore[arg-type]
metaeval.toy("x", quantil=0.5)  # type: ignore[call-arg]
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the checkout with the analysis `toy`."""
    ignored = shutil.ignore_patterns(".*", "__pycache__", "site")
    copy = Path(shutil.copytree(ROOT, tmp_path / "checkout", ignore=ignored))
    shutil.copytree(EXAMPLE, copy, dirs_exist_ok=True, ignore=ignored)
    for file, line, added in LINES:
        text = (copy / file).read_text(encoding="utf-8")
        assert text.count(line) == 1
        (copy / file).write_text(text.replace(line, line + added), encoding="utf-8")
    return copy


@pytest.mark.slow
def test_the_example_of_an_analysis_passes_the_checks(checkout: Path) -> None:
    (checkout / "typed_calls.py").write_text(TYPED_CALLS, encoding="utf-8")
    folders = ["metaeval/analyses/toy", "tests/analyses/toy"]
    commands = [
        ["ruff", "check", *folders],
        ["ruff", "format", "--check", *folders],
        ["pytest", "-q", "-p", "no:cacheprovider", *folders, "tests/analyses/test_folders.py"],
        ["mypy", "typed_calls.py"],
    ]
    environment = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
    for command in commands:
        finished = subprocess.run(
            [sys.executable, "-m", *command], cwd=checkout, env=environment, capture_output=True, text=True, check=False
        )
        assert finished.returncode == 0, finished.stdout
