"""What every analysis has: its files, its page, an example in its help, tests."""

import ast
from pathlib import Path

import pytest

from metaeval.registry import ANALYSES
from metaeval.registry import declaration as analysis
from metaeval.render.plots import PLOTS

ROOT = Path(__file__).resolve().parents[2]
every_analysis = pytest.mark.parametrize("name", ANALYSES)


def folder(name: str) -> Path:
    return ROOT / ANALYSES[name].package.replace(".", "/")


def test_a_folder_is_an_analysis_and_an_analysis_a_folder() -> None:
    folders = {
        path.parent for part in ("analyses", "judges") for path in (ROOT / "metaeval" / part).glob("*/settings.py")
    }
    assert folders == {folder(name) for name in ANALYSES}


@every_analysis
def test_the_parts_of_an_analysis_have_the_names_that_running_it_asks_for(name: str) -> None:
    compute = {"select"} if analysis(name).combines else {"check", "analyse"}
    for part, functions in {"compute": compute, "report": {"tabulate"}}.items():
        module = ast.parse((folder(name) / f"{part}.py").read_text(encoding="utf-8"))
        defined = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
        imported = {
            alias.asname or alias.name
            for node in module.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        assert functions <= defined | imported, part


@every_analysis
def test_an_analysis_is_declared_with_its_question_and_its_tables(name: str) -> None:
    declaration = analysis(name)
    assert declaration.name == name
    assert declaration.question.endswith("?")
    assert declaration.tables
    assert set(declaration.details) <= set(declaration.tables)


@every_analysis
def test_the_plots_of_an_analysis_need_tables_of_its_own(name: str) -> None:
    plots = [plot for plot in PLOTS.values() if plot.compose.__module__.startswith(f"{ANALYSES[name].package}.")]
    assert all(set(plot.needs) <= set(analysis(name).tables) for plot in plots)


@every_analysis
def test_the_settings_show_an_example_in_a_shell_and_one_in_python(name: str) -> None:
    words = analysis(name).settings.__doc__ or ""
    assert f"metaeval {name}" in words.partition("\b")[2]
    assert f"metaeval.{folder(name).name}(" in words


@every_analysis
def test_an_analysis_has_a_page(name: str) -> None:
    assert f"metaeval {name}" in (ROOT / f"docs/how-to/{name}.md").read_text(encoding="utf-8")


@every_analysis
def test_an_analysis_has_tests_of_its_own(name: str) -> None:
    tests = ROOT / "tests" / folder(name).relative_to(ROOT / "metaeval")
    assert any("def test_" in path.read_text(encoding="utf-8") for path in tests.glob("test_*.py"))
