"""Documentation is true: pages are up to date, examples print what is shown, and nothing is missing."""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from command_line import CommandLine
from scripts import script

from metaeval import read_config
from metaeval.cli import COMMANDS, GROUPS
from metaeval.io.labels.tasks import TASKS
from metaeval.measures import PRESETS, REGISTRY
from metaeval.render.plots import PLOTS

ROOT = Path(__file__).resolve().parent.parent
READMES = [ROOT / "README.md", ROOT / "README.ja.md"]
PAGES = [*READMES, *sorted((ROOT / "docs").rglob("*.md"))]
LINKING_PAGES = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "sample_data/README.md"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SAMPLE_COMMANDS = re.findall(
    r"^    (metaeval score .*)$", (ROOT / "sample_data/README.md").read_text(encoding="utf-8"), re.MULTILINE
)


def blocks(page: Path, *languages: str) -> list[tuple[str, str]]:
    """The code blocks of a page in these languages, in order: language and text."""
    all_blocks = [(match[1], match[2]) for match in BLOCK.finditer(page.read_text(encoding="utf-8"))]
    return [(language, text) for language, text in all_blocks if language in languages]


def pages_with(*languages: str) -> list[Any]:
    return [pytest.param(page, id=name_of(page)) for page in PAGES if blocks(page, *languages)]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def commands(page: Path) -> list[str]:
    """The commands of a page's console blocks."""
    return [line[2:] for _, text in blocks(page, "console") for line in text.splitlines() if line.startswith("$ ")]


def shell(command: str, **environment: str) -> str:
    """What a command prints, in the order of a terminal, with the metaeval under test first on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    finished = subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        env={**os.environ, "PATH": path, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return finished.stdout.decode()


def generate(*arguments: str) -> str:
    """What `docs/generate.py --check` finds stale; nothing where all is well."""
    finished = subprocess.run(
        [sys.executable, str(ROOT / "docs/generate.py"), "--check", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert "Traceback" not in finished.stderr
    assert finished.returncode == (1 if finished.stderr else 0)
    return finished.stderr


@pytest.fixture
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with what `metaeval demo --copy` puts there."""
    for part in ("sample_data", "configs", "docs/examples"):
        shutil.copytree(ROOT / part, tmp_path / part)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_pages_made_from_the_code_are_fresh() -> None:
    assert generate() == ""


@pytest.fixture(scope="session")
def refreshed() -> Callable[[str], str]:
    """What makes a page of documentation print what its examples print now; `docs` is no package."""
    return cast(Callable[[str], str], script(ROOT / "docs/examples.py").refreshed)


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_with("console"))
def test_the_examples_of_a_page_print_what_they_say(page: Path, refreshed: Callable[[str], str]) -> None:
    text = page.read_text(encoding="utf-8")
    assert refreshed(text) == text


@pytest.mark.slow
def test_an_example_that_prints_something_else_is_stale(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ metaeval --version\nmetaeval 0.0.0\n$ echo one \\\n    two\none two\n```\n")
    difference = generate("--examples", str(page))
    assert "-metaeval 0.0.0" in difference
    assert "one two" not in re.findall(r"^ *[-+](?!-|\+)(.*)$", difference, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_with("python", "pycon"))
def test_the_python_of_a_page_runs(page: Path, samples: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, (language, text) in enumerate(blocks(page, "python", "pycon"), 1):
        block_name = f"{name_of(page)}, block {number}"
        if language == "python":
            exec(compile(text, block_name, "exec"), names)
        else:
            test = doctest.DocTestParser().get_doctest(text, names, block_name, str(page), 0)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
            assert runner.run(test, clear_globs=False).failed == 0, block_name
            names.update(test.globs)
    assert samples.exists()


@pytest.mark.parametrize("page", pages_with("yaml"))
def test_a_configuration_on_a_page_reads(page: Path, tmp_path: Path) -> None:
    for _, text in blocks(page, "yaml"):
        if not re.search(r"^(data|check):", text, re.MULTILINE):
            continue  # of some other program, as a pipeline
        (tmp_path / "example.yaml").write_text(text, encoding="utf-8")
        read_config(str(tmp_path / "example.yaml"))


@pytest.mark.slow
@pytest.mark.parametrize("command", SAMPLE_COMMANDS)
@pytest.mark.usefixtures("repository")
def test_a_command_of_the_sample_data_runs(command: str, metaeval: CommandLine) -> None:
    assert "metaeval:" in metaeval.succeeds(*shlex.split(command)[1:]).out


def test_links_between_pages_lead_somewhere() -> None:
    for page in LINKING_PAGES:
        targets = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8").replace("\n", " "))
        missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
        assert not missing, page


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_is_documented(name: str) -> None:
    page = ROOT / f"docs/how-to/{name}.md"
    text = page.read_text(encoding="utf-8")
    assert any(f"metaeval {name} " in f"{line} " for line in text.splitlines() if line.startswith("$ "))
    assert [heading for heading in ("How to read it", "Options that matter") if f"\n## {heading}\n" not in text] == []


def test_help_groups_every_command_once_with_its_sentence(metaeval: CommandLine) -> None:
    text = metaeval.succeeds("--help").out
    _, *parts = re.split(r"^(\S.*):$", text.partition("\nOptions:")[2], flags=re.MULTILINE)
    shown = [re.findall(r"^  ([a-z][\w-]*) +(.*)$", part, re.MULTILINE) for part in parts[1::2]]
    groups = [(title, commands) for title, commands in zip(parts[::2], shown, strict=True) if commands]
    assert groups == [(title, list(sentences.items())) for title, sentences in GROUPS.items()]
    assert "\\b" not in text


def test_the_gallery_shows_every_plot_with_a_command() -> None:
    page = (ROOT / "docs/gallery.md").read_text(encoding="utf-8")
    entries = re.findall(r"assets/gallery/(\w+)\.svg\)\n\n```sh\nmetaeval (\S+) .*(?:--plot|-o) (\w+)\.", page)
    assert sorted(name for name, _, _ in entries) == sorted([*PLOTS, "groups"])
    assert [entry for entry in entries if entry[0] != entry[2] or entry[1] not in COMMANDS] == []
    assert {path.stem for path in (ROOT / "docs/assets/gallery").iterdir()} == {*PLOTS, "groups"}


def test_readmes_show_the_same() -> None:
    english, japanese = (commands(page) for page in READMES)
    assert english == japanese
    assert "(README.ja.md)" in READMES[0].read_text(encoding="utf-8")
    assert len(commands(ROOT / "docs/tutorial.md")) >= 7
    assert len(SAMPLE_COMMANDS) >= 2
    jobs = [*ROOT.glob("docs/i-*.md")]
    assert len(jobs) == 4
    assert all(5 <= len(commands(page)) <= 7 for page in jobs)


def test_every_measure_preset_and_task_is_documented() -> None:
    measures = (ROOT / "docs/measures.md").read_text(encoding="utf-8")
    assert [name for name in (*REGISTRY, *PRESETS) if f"`{name}`" not in measures] == []
    formats = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    tasks = [name for name in TASKS if not name.startswith("rumoureval2019-b-")]
    assert [name for name in tasks if f"`{name}`" not in formats and f"`--task {name}`" not in formats] == []


def test_the_glossary_has_at_most_forty_terms_of_two_sentences() -> None:
    text = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^\*\*(.+)\*\*\n:   ((?:.+\n)+)", text, re.MULTILINE)
    assert len(terms) == text.count("\n:   ") <= 40
    assert [term for term, body in terms if len(re.findall(r"[.!?]\s", body)) != 2] == []


def test_a_shell_completes() -> None:
    page = (ROOT / "docs/how-to/completion.md").read_text()
    for name, mark in {"bash": "complete -o", "zsh": "#compdef metaeval", "fish": "complete --"}.items():
        assert mark in shell("metaeval", _METAEVAL_COMPLETE=f"{name}_source")
        assert f"_METAEVAL_COMPLETE={name}_source metaeval" in page
    completions = shell("metaeval", _METAEVAL_COMPLETE="bash_complete", COMP_WORDS="metaeval sta", COMP_CWORD="1")
    assert completions.split() == ["plain,stability"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["stance", "rumour2017", "ordinal", "tsc3", "news", "r4c", "reviews", "people", "parameters"]
)
@pytest.mark.usefixtures("repository")
def test_a_configuration_on_sample_data_runs(name: str, metaeval: CommandLine) -> None:
    assert "metaeval:" in metaeval.succeeds("run", f"configs/{name}.yaml").out


def test_the_example_of_a_configuration_in_the_docs_reads(tmp_path: Path) -> None:
    text = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    example = text.partition("## YAML experiments")[2].partition("\n    data:")[2]
    (tmp_path / "example.yaml").write_text("    data:" + example, encoding="utf-8")
    config = read_config(str(tmp_path / "example.yaml"))
    assert config.data.on_unknown.action == "worst"
    assert config.output.digits == 4
