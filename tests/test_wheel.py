"""The wheel: it holds what metaeval needs at work and nothing else, and runs where there is no checkout."""

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
PACKAGE_DATA = {".yaml", ".css", ".js", ".typed"}
SETS = sorted(path.name for path in (ROOT / "sample_data").iterdir() if path.is_dir() and path.name != "__pycache__")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree, built by its back end alone."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    return set(zipfile.ZipFile(wheel).namelist())


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an environment that has the wheel, and its dependencies from the one at work."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, symlinks=True)
    paths = {"base": str(home), "platbase": str(home)}
    site = Path(sysconfig.get_path("purelib", "venv", paths))
    zipfile.ZipFile(wheel).extractall(site)
    # What a .pth names is searched after the wheel, and .pth files in there are not read: no editable metaeval.
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return Path(sysconfig.get_path("scripts", "venv", paths))


def run(installed: Path, folder: Path, *words: object) -> str:
    """What the installed metaeval prints."""
    entry_point = "import sys; from metaeval.cli import main; sys.argv[0] = 'metaeval'; main(sys.argv[1:])"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    command = [str(installed / "python"), "-c", entry_point, *map(str, words)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_holds_every_file_the_package_reads(names: set[str]) -> None:
    needed = [path for path in (ROOT / "metaeval").rglob("*") if path.suffix in PACKAGE_DATA]
    assert {"py.typed", "amemiya2021.yaml"} <= {path.name for path in needed}
    assert {str(path.relative_to(ROOT)) for path in needed} <= names


def test_the_wheel_holds_every_sample(names: set[str]) -> None:
    shipped = [path for path in (ROOT / "configs").iterdir() if path.is_file()]
    for name in SETS:
        shipped += [path for path in (ROOT / "sample_data" / name).rglob("*") if path.is_file()]
    assert {f"metaeval/shipped/{path.relative_to(ROOT)}" for path in shipped} <= names


def test_the_wheel_holds_nothing_else(names: set[str]) -> None:
    assert {name.split("/")[0].split("-")[0] for name in names} == {"metaeval"}
    assert not [name for name in names if name.split("/")[1].startswith(("test_", "tests"))]
    assert not [name for name in names if name.startswith("metaeval/shipped/") and name.endswith(".py")]


def test_an_installation_finds_and_runs_its_samples(installed: Path, tmp_path: Path) -> None:
    listed = run(installed, tmp_path, "demo", "-q", "-f", "tsv")
    command = next(line for line in listed.splitlines() if line.startswith("stance\t")).split("\t")[3]
    config = Path(command.removeprefix("metaeval run "))
    assert config.parts[-4:] == ("metaeval", "shipped", "configs", "stance.yaml")
    assert ROOT not in config.parents
    assert "atlas_large" in run(installed, tmp_path, "run", config, "-q")
    assert list(tmp_path.iterdir()) == []


def test_after_a_copy_of_the_samples_the_printed_examples_run(installed: Path, tmp_path: Path) -> None:
    run(installed, tmp_path, "demo", "--copy", ".", "-q")
    pages = [ROOT / "README.md", *(ROOT / "metaeval").rglob("settings.py"), *(ROOT / "metaeval/cli").rglob("*.py")]
    texts = [re.sub(r"\\\\?\n\s*", " ", page.read_text(encoding="utf-8")) for page in pages]
    examples = [line for text in texts for line in re.findall(r"^(?:\$ |\s*)(metaeval [a-z].*)$", text, re.MULTILINE)]
    paths = {path for line in examples for path in re.findall(r"(?:sample_data|configs)/[\w./-]*\w", line)}
    assert len(paths) > 10
    missing = [path for path in paths if not (tmp_path / path).exists()]
    assert missing == []
    # README shows a misspelt measure; another test runs the examples of all pages where the samples are.
    commands = ("metaeval score --", "metaeval compare --", "metaeval validate --")
    run_here = [line for line in dict.fromkeys(examples) if line.startswith(commands) and "acuracy" not in line]
    assert len(run_here) > 3
    for line in run_here[:6]:
        assert run(installed, tmp_path, *shlex.split(line)[1:], "-q")
