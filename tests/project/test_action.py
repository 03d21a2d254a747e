"""The GitHub Action `action.yml`: its form, and what its shell steps do with inputs of every kind."""

import os
import re
import sys
import sysconfig
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from project.workflow import ACTION, EXPRESSION, ROOT, Run

pytestmark = pytest.mark.slow

PASSES = "scores.lead.rouge-l < 0.2"
FAILS = "scores.lead.rouge-l < 0.9"
CONFIG = str(ROOT / "configs/news.yaml")
SHELL_STEPS = [step for step in ACTION["runs"]["steps"] if "run" in step]


def action(folder: Path, **inputs: str) -> Run:
    """A run whose step `install` has given this Python, with the package of this checkout."""
    inputs = {"config": CONFIG, **{name.replace("_", "-"): value for name, value in inputs.items()}}
    run = Run(folder, inputs, {"PYTHONPATH": str(ROOT)}, folder)
    run.outputs["install"] = {"python": sys.executable}
    return run


# Its form: https://docs.github.com/actions/reference/workflows-and-actions/metadata-syntax


def test_inputs_are_described_and_outputs_come_from_steps() -> None:
    assert set(ACTION) <= {"name", "author", "description", "inputs", "outputs", "runs", "branding"}
    assert all(isinstance(ACTION[key], str) and ACTION[key] for key in ("name", "author", "description"))
    assert set(ACTION["runs"]) == {"using", "steps"}
    assert ACTION["runs"]["using"] == "composite"
    steps = {step["id"]: step.get("run", "") for step in ACTION["runs"]["steps"] if "id" in step}
    for name, declaration in ACTION["outputs"].items():
        assert set(declaration) == {"description", "value"}
        match = EXPRESSION.fullmatch(declaration["value"])
        assert match
        _, step, _, key = match[1].split(".")
        assert key == name
        assert f'echo "{key}=' in steps[step]


def test_every_input_is_described_and_either_required_or_has_a_default() -> None:
    for declaration in ACTION["inputs"].values():
        assert set(declaration) <= {"description", "required", "default"}
        assert declaration["description"]
        assert declaration["required"] is ("default" not in declaration)
        assert isinstance(declaration.get("default", ""), str)
    assert [name for name, declaration in ACTION["inputs"].items() if declaration["required"]] == ["config"]


def test_steps_have_a_shell_no_expressions_and_every_input() -> None:
    for step in ACTION["runs"]["steps"]:
        assert ("uses" in step) != ("run" in step)
        assert "uses" in step or step["shell"] == "bash"
    assert SHELL_STEPS
    assert [step["id"] for step in SHELL_STEPS if "${{" in step["run"]] == []
    used = re.findall(r"\binputs\.([\w-]+)", str(ACTION["runs"]))
    assert set(used) == set(ACTION["inputs"])


# What it does


def test_gates_that_pass_end_with_0(tmp_path: Path) -> None:
    run = action(tmp_path, fail_if=PASSES)
    finished = run.step("check")
    assert finished.returncode == 0, finished.stderr
    assert run.outputs["check"] == {"exit-code": "0"}
    assert "1 gate passed" in finished.stdout.casefold()


def test_a_gate_that_fails_ends_with_1_and_an_annotation(tmp_path: Path) -> None:
    run = action(tmp_path, fail_if=f"{PASSES}\n\n  \n{FAILS}\r\n")
    finished = run.step("check")
    assert (finished.returncode, run.value("steps.check.outputs.exit-code")) == (1, "1")
    assert "1 of 2 gates failed" in finished.stdout.casefold()
    assert finished.stderr.count("::error title=Gate failed::") == 1


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"config": "absent.yaml"}, "absent.yaml"),
        ({"fail_if": "scores.led.rouge-l < 0.2"}, "did you mean 'lead'?"),
        ({"args": "--no-such-option"}, "No such option"),
        ({"annotations": "yes"}, "'annotations' has to be 'true' or 'false'"),
        ({"junit": "a.xml\nexit-code=0"}, "'junit' has to be the path of one file"),
        ({"config": "--help"}, "--help"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_a_wrong_input_ends_with_2(tmp_path: Path, inputs: dict[str, str], message: str) -> None:
    run = action(tmp_path, **inputs)
    finished = run.step("check")
    assert (finished.returncode, run.outputs["check"]) == (2, {"exit-code": "2"})
    assert message in finished.stderr + finished.stdout


@pytest.mark.parametrize(("gate", "code"), [(PASSES, 0), (FAILS, 1)])
def test_the_verdicts_are_written_as_junit_where_they_are_asked_for(tmp_path: Path, gate: str, code: int) -> None:
    (tmp_path / "my results").mkdir()
    run = action(tmp_path, fail_if=gate, junit="verdicts.xml", working_directory="my results", annotations="false")
    finished = run.step("check")
    assert finished.returncode == code
    assert "::error" not in finished.stderr + finished.stdout
    assert run.text(ACTION["outputs"]["junit"]["value"]) == "verdicts.xml"
    assert len(ET.parse(tmp_path / "my results/verdicts.xml").findall(".//failure")) == code


def test_arguments_are_one_a_line_and_keep_their_spaces(tmp_path: Path) -> None:
    finished = action(tmp_path, fail_if=PASSES, args="--quiet\n--format=json\n-o\nthe verdicts.json\n").step("check")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")
    assert (tmp_path / "the verdicts.json").stat().st_size > 0


def test_no_input_is_run_by_the_shell(tmp_path: Path) -> None:
    text = '"$(touch owned)"'
    (tmp_path / text).mkdir()
    for name in set(ACTION["inputs"]) - {"python-version", "extras"}:
        run = action(tmp_path, **{"fail-if": PASSES, name: text})
        # What the shell makes of its inputs does not depend on what it then calls.
        run.outputs["install"] = {"python": "true"}
        run.step("check")
        assert not list(tmp_path.rglob("owned")), name


# What it installs


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages of this environment but for metaeval: what an index would offer."""
    folder = tmp_path_factory.mktemp("packages")
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "metaeval" not in path.name and path.suffix != ".pth":
            (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="module")
def installed(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The action after its step `install`, which found a build back end but no index."""
    folder = tmp_path_factory.mktemp("action")
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(packages),
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "false",  # pip reads this one the other way round
    }
    run = Run(folder, {"config": CONFIG, "fail-if": PASSES, "extras": " parquet, text"}, environment, folder)
    finished = run.step("install")
    assert finished.returncode == 0, finished.stderr
    return run


def test_the_checkout_of_the_action_is_installed_in_an_environment_of_its_own(installed: Run) -> None:
    environment = installed.temporary / "metaeval"
    assert installed.outputs["install"] == {"python": str(environment / "bin/python")}
    (package,) = environment.glob("lib/python*/site-packages/metaeval")
    assert (package / "__init__.py").read_bytes() == (ROOT / "metaeval/__init__.py").read_bytes()


def test_what_is_installed_checks_gates(installed: Run) -> None:
    finished = installed.step("check")
    assert finished.returncode == 0, finished.stderr
    assert installed.value("steps.check.outputs.exit-code") == "0"


@pytest.mark.parametrize("extras", ["ja]; touch owned #", "ja,", "ja\nx@http://example.org", "$(touch owned)"])
def test_extras_are_names_only(tmp_path: Path, extras: str) -> None:
    finished = Run(tmp_path, {"config": CONFIG, "extras": extras}, {}, tmp_path).step("install")
    assert finished.returncode == 2
    assert "::error title=metaeval::The input 'extras'" in finished.stdout
    assert [path.name for path in tmp_path.iterdir() if path.name in ("owned", "metaeval")] == []


# Its documentation


def test_the_page_on_pipelines_describes_all_inputs_and_outputs() -> None:
    text = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
    section = text.partition("## GitHub Actions")[2].partition("\n## ")[0]
    assert [name for name in [*ACTION["inputs"], *ACTION["outputs"]] if f"`{name}`" not in section] == []
