"""Documentation is true: pages are fresh, examples print what they say, nothing is left out."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from metaeval.config import read_config
from metaeval.io.tasks import TASKS
from metaeval.measures import PRESETS, REGISTRY

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "sample_data/README.md",
]
CONSOLE = re.compile(r"```console\n\$ (.*?)\n(.*?)```", re.DOTALL)
EXAMPLES = [match.groups() for match in CONSOLE.finditer((ROOT / "README.md").read_text(encoding="utf-8"))]
SAMPLE_COMMANDS = re.findall(
    r"^    (metaeval score .*)$", (ROOT / "sample_data/README.md").read_text(encoding="utf-8"), re.MULTILINE
)


def shell(command: str) -> str:
    """What a command prints, in the order of a terminal, with the metaeval under test first on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    finished = subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return finished.stdout.decode()


def test_pages_made_from_the_registry_are_fresh() -> None:
    finished = subprocess.run(
        [sys.executable, str(ROOT / "docs/generate.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr


def test_the_readme_has_examples() -> None:
    assert len(EXAMPLES) >= 3
    assert len(SAMPLE_COMMANDS) >= 2


@pytest.mark.parametrize(("command", "printed"), EXAMPLES)
def test_an_example_of_the_readme_prints_what_it_says(command: str, printed: str) -> None:
    assert shell(command) == printed


@pytest.mark.parametrize("command", SAMPLE_COMMANDS)
def test_a_command_of_the_sample_data_runs(command: str) -> None:
    assert "metaeval:" in shell(command)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8").replace("\n", " "))
    missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert not missing


def test_the_readme_counts_the_measures() -> None:
    assert f"lists {len(REGISTRY)} measures" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*REGISTRY, *PRESETS])
def test_every_measure_and_preset_is_documented(name: str) -> None:
    assert f"`{name}`" in (ROOT / "docs/measures.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", list(TASKS))
def test_every_task_is_documented(name: str) -> None:
    text = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    assert f"`{name}`" in text or f"`--task {name}`" in text or name.startswith("rumoureval2019-b-")


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda path: path.name)
def test_a_shipped_configuration_reads(path: Path) -> None:
    assert read_config(str(path)).score is not None


@pytest.mark.parametrize("name", ["stance", "rumour2017", "ordinal", "tsc3", "news", "r4c", "people", "parameters"])
def test_a_configuration_on_sample_data_runs(name: str) -> None:
    assert "metaeval:" in shell(f"metaeval run configs/{name}.yaml")


def test_the_example_of_a_configuration_in_the_docs_reads(tmp_path: Path) -> None:
    text = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    example = text.partition("## YAML experiments")[2].partition("\n    data:")[2]
    (tmp_path / "example.yaml").write_text("    data:" + example, encoding="utf-8")
    config = read_config(str(tmp_path / "example.yaml"))
    assert config.data.on_unknown.action == "worst"
    assert config.output.digits == 4
