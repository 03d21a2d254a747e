"""`metaeval doctor`: what is installed, missing, too old or broken, and what must work."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
from command_line import CommandLine, sentences

from metaeval import installation

Install = Callable[[dict[str, str]], None]
ROOT = Path(__file__).resolve().parents[2]
WORKS = {"my-arrays": "2.4.6", "my-ducks": "2.0", "my-arrows": "26.0.1", "my-plots": "3.11", "my-nets": "1.10"}


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Install:
    """Changes what is installed: the version of each package, which a module of its name then has."""
    needs = [
        *(
            "my-arrays>=2.0",
            'my-ducks>=1.1; extra == "big"',
            'my-arrows>=16; extra == "big"',
            "my-arrows>=16; extra == 'parquet'",
        ),
        *('my-plots>=3.9; extra == "plots"', 'my-nets>=1.9; extra == "wordnet"', 'ruff>=0.12; extra == "dev"'),
    ]
    monkeypatch.setattr(installation, "_requirements", lambda: needs)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    def install(versions: dict[str, str]) -> None:
        for name in versions:
            (tmp_path / f"{name.replace('-', '_')}.py").write_text("")

        def version(name: str) -> str:
            if name not in versions:
                raise metadata.PackageNotFoundError(name)
            return versions[name]

        monkeypatch.setattr(metadata, "version", version)

    return install


def states(metaeval: CommandLine) -> tuple[list[str], dict[str, str]]:
    report = metaeval.report("doctor")
    return (
        sentences(report),
        {row["package"]: row["state"] for row in report["tables"]["packages"]},
    )


def test_each_package_is_listed_once_with_its_extras_and_none_for_developers(
    metaeval: CommandLine, installed: Install
) -> None:
    installed(WORKS)
    rows = metaeval.succeeds("doctor", "-f", "csv").rows()
    assert [(row["package"], row["needs"], row["for"], row["state"]) for row in rows[1:]] == [
        ("my-arrays", ">=2.0", "metaeval", "works"),
        ("my-ducks", ">=1.1", "big", "works"),
        ("my-arrows", ">=16", "big, parquet", "works"),
        ("my-plots", ">=3.9", "plots", "works"),
        ("my-nets", ">=1.9", "wordnet", "works"),
    ]
    assert rows[0]["package"] == "python"
    assert states(metaeval)[0] == ["metaeval works, with the extras big, parquet, plots and wordnet"]


def test_what_is_missing_too_old_or_broken_is_named(metaeval: CommandLine, installed: Install, tmp_path: Path) -> None:
    installed({"my-arrays": "2.10", "my-ducks": "2.0", "my-plots": "3.11", "my-nets": "1.8.9"})
    (tmp_path / "my_plots.py").write_text("raise ImportError('libfoo.so is not there')")
    # A package that was built for another processor ends the process.
    (tmp_path / "my_ducks.py").write_text("import os; os.kill(os.getpid(), 4)")
    findings, state = states(metaeval)
    assert state == {
        "python": "works",
        "my-arrays": "works",
        "my-ducks": "broken",
        "my-arrows": "missing",
        "my-plots": "broken",
        "my-nets": "too old",
    }
    assert findings == [
        "metaeval works, without extras",
        "Not installed: parquet",
        "Installed but broken: big, plots and wordnet",
    ]
    rows = metaeval.tables("doctor")["packages"]
    problems = {row["package"]: row["problem"] for row in rows if row["problem"]}
    assert problems == {
        "my-ducks": "its import ended with code -4",
        "my-plots": "ImportError: libfoo.so is not there",
    }


@pytest.mark.parametrize(
    ("state", "versions"),
    [("missing", {}), ("too old", {"my-arrays": "1.26.4"}), ("broken", {"my-arrays": "2.4"})],
)
def test_without_a_package_of_metaeval_itself_it_names_it(
    metaeval: CommandLine, installed: Install, tmp_path: Path, state: str, versions: dict[str, str]
) -> None:
    installed(versions)
    (tmp_path / "my_arrays.py").write_text("raise ImportError('no core')")
    message = metaeval.refuses("doctor")
    reason = ": ImportError: no core" if state == "broken" else ""
    assert f"the package my-arrays is {state}{reason}; expected my-arrays>=2.0" in message
    assert "-m pip install --force-reinstall my-arrays" in message


def test_it_runs_where_a_package_of_metaeval_itself_cannot_be_imported(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise ImportError('no numpy.core')")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "metaeval", "doctor"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the package numpy is broken: ImportError: no numpy.core" in done.stderr


def test_a_checkout_that_is_not_installed_says_so(metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "metadata", absent)
    message = metaeval.refuses("doctor")
    assert "metaeval runs from its source files and is not installed" in message
    assert "pip install ." in message


def test_a_gate_may_ask_for_an_extra(metaeval: CommandLine, installed: Install) -> None:
    installed({"my-arrays": "2.4"})
    for state, code in (("missing", 1), ("works", 0)):
        assert metaeval("doctor", "-q", "--fail-if", f'packages.my-nets.state == "{state}"').code == code


def test_the_requirements_of_pyproject_are_those_that_are_read() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: lines for name, lines in project["optional-dependencies"].items() if name not in ("dev", "docs")}
    for extra, lines in {None: project["dependencies"], **extras}.items():
        for line in lines:
            match = installation._REQUIREMENT.match(line if extra is None else f'{line}; extra == "{extra}"')
            assert match is not None
            name, floor = re.sub(r"\[.*\]", "", line).split(">=")
            assert (match["name"], match["floor"], match["extra"]) == (name, floor, extra)
