"""The list of golden commands is complete, and the comparison notices what it has to."""

import inspect
import json
import re
from pathlib import Path
from typing import Any

import click
import pytest
from golden import __main__ as program
from golden.calls import CALLS
from golden.compare import compare
from golden.listing import HERE, Command, golden_commands, read_commands
from golden.normalise import Normaliser

import metaeval
from metaeval.cli import COMMANDS, command_line
from metaeval.io.labels.tasks import TASKS, ScoreTask
from metaeval.registry import ANALYSES
from metaeval.render import FORMATS

REPOSITORY = HERE.parents[1]
LINES = [command.line for command in golden_commands()]
SAMPLE: dict[str, str] = {
    "command": "metaeval score\n",
    "exit": "0\n",
    "stdout": '{"tables": {"scores": [{"system": "a", "accuracy": 0.75}]}}\n',
    "stderr": "Note: one\n",
    "files/out.csv": "system,accuracy\na,0.75\n",
}
"""A recording of one command."""


def occurs(pattern: str) -> bool:
    return any(re.search(pattern, line) for line in LINES)


def options() -> list[str]:
    """Every spelling of every long option of the command line, except completion."""
    context = click.Context(command_line)
    commands = [command_line.get_command(context, name) for name in COMMANDS]
    spellings = {
        spelling
        for command in commands
        if command is not None
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for spelling in (*parameter.opts, *parameter.secondary_opts)
    }
    return sorted(spelling for spelling in spellings if spelling.startswith("--"))


SHORT = {"--measure": "-m", "--format": "-f", "--output": "-o", "--quiet": "-q"}


def test_every_command_and_every_option_are_golden() -> None:
    assert [name for name in COMMANDS if not occurs(rf"metaeval {name}\b(?! --help)")] == []
    assert len(options()) > 80
    assert [option for option in options() if not occurs(rf" ({option}|{SHORT.get(option, option)})(?![\w-])")] == []


def test_every_configuration_is_run() -> None:
    assert [path.name for path in REPOSITORY.glob("configs/*.yaml") if not occurs(f"run configs/{path.name}")] == []
    assert [path.name for path in HERE.glob("configs/*.yaml") if not occurs(f"golden/{path.name}")] == []


def test_every_format_and_task_is_golden() -> None:
    assert [name for name in FORMATS if not occurs(rf"-f {name}\b")] == []
    configurations = "".join(path.read_text() for path in REPOSITORY.glob("configs/*.yaml"))
    languages = re.compile("-(danish|russian)$")
    formats = {task.name for task in TASKS.values() if isinstance(task, ScoreTask) and task.example}
    tasks = [name for name in TASKS if name not in formats and not languages.search(name)]
    assert [name for name in tasks if not occurs(rf"--task {name}\b") and f"task: {name}\n" not in configurations] == []


def test_every_public_function_is_called() -> None:
    called = (HERE / "calls.py").read_text(encoding="utf-8")
    public = {name: getattr(metaeval, name) for name in metaeval.__all__}
    functions = [name for name, value in public.items() if callable(value) and not inspect.isclass(value)]
    assert len(functions) > 30
    assert {name.replace("-", "_") for name in ANALYSES} <= {*functions}
    assert [name for name in functions if name not in CALLS or f"metaeval.{name}(" not in called] == []


def test_an_analysis_that_the_list_does_not_run_is_run_as_its_help_says(tmp_path: Path) -> None:
    path = tmp_path / "commands.txt"
    path.write_text("one: metaeval summary\n")
    lines = {command.name: command.line for command in golden_commands(path)}
    assert lines["example-sensitivity-1"].endswith("human.csv --grid lambda=0:1:0.1 --grid beta=0.5:4.5:0.5")
    assert ("help-summary" in lines, "example-summary-1" in lines) == (True, False)
    assert lines["example-explain-2"] == "metaeval explain --all --config configs/stance.yaml"


def test_a_list_names_every_command_once(tmp_path: Path) -> None:
    path = tmp_path / "commands.txt"
    path.write_text("# Some\n\none: metaeval demo\ntwo-2: metaeval score -m kappa:weights=linear\n")
    assert read_commands(path) == [
        Command("one", "metaeval demo"),
        Command("two-2", "metaeval score -m kappa:weights=linear"),
    ]
    for wrong in ("one: metaeval demo\none: metaeval score\n", "metaeval demo\n", "one:\n", "../one: metaeval demo\n"):
        path.write_text(wrong)
        with pytest.raises(ValueError, match=r"commands\.txt:\d"):
            read_commands(path)


def record(folder: Path, name: str, **changes: str | None) -> Path:
    """Write a recording, with some of its files changed or left out."""
    for file, text in {**SAMPLE, **{key.replace("__", "/"): value for key, value in changes.items()}}.items():
        if text is not None:
            path = folder / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return folder


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"stdout": SAMPLE["stdout"].replace("0.75", "0.7500000000000001")}, '+    "accuracy": 0.7500000000000001'),
        ({"stdout": SAMPLE["stdout"].replace("0.75", '"0.75"')}, '+    "accuracy": "0.75"'),
        ({"stdout": SAMPLE["stdout"].replace(": ", ":  ")}, '+{"tables":  {"scores"'),
        ({"stdout": json.dumps({"finding": "long " * 100 + "0.93"})}, "long 0.93"),
        ({"exit": "2\n"}, "exit code 0 has become 2"),
        ({"stderr": "Note: two\n"}, "+Note: two"),
        ({"files/out.csv": "system,accuracy\r\na,0.75\n"}, "+system,accuracy␍"),
        ({"files/out.csv": "system,accuracy\na,0.76\n"}, "+a,0.76"),
        ({"files/out.csv": None}, "files/out.csv: no longer written"),
        ({"files/new.csv": ""}, "files/new.csv: written now, not before"),
    ],
)
def test_a_comparison_shows_every_change(tmp_path: Path, changes: dict[str, str | None], shown: str) -> None:
    before, after = record(tmp_path / "before", "one"), record(tmp_path / "after", "one", **changes)
    result = compare(before, after)
    assert not result.passed
    assert shown in str(result)
    assert result.summary() == "0 commands are equal, 1 differ, 0 are missing, 0 are added"


def test_commands_are_compared_by_name_however_they_are_spelled(tmp_path: Path) -> None:
    before, after = record(tmp_path / "before", "same"), record(tmp_path / "after", "same", command="metaeval new\n")
    assert str(compare(before, after)) == "1 commands are equal, 0 differ, 0 are missing, 0 are added"
    record(before, "old")
    record(after, "new")
    result = compare(before, after)
    assert (result.equal, result.missing, result.added, result.passed) == (["same"], ["old"], ["new"], False)
    assert "== old\nrecorded before, missing now" in str(result)


def test_what_must_differ_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    configuration = tmp_path / "a.yaml"
    configuration.write_text("score: {}\n")
    normalise = Normaliser({"DATA": tmp_path}, [configuration])
    command = Command("one", "metaeval score -m 'a<b' -q > first.txt && metaeval run a.yaml")
    typed = "metaeval score -m 'a<b' -q"
    document = json.dumps({"command_line": typed, "version": "0.1.0", "versions": {"numpy": "2.1"}, "n": 0.1})
    replaced: dict[str, Any] = json.loads(normalise(document, command))
    assert replaced == {"command_line": "@COMMAND@", "version": "@VERSION@", "versions": "@VERSIONS@", "n": 0.1}
    assert normalise("<p>metaeval score -m &#x27;a&lt;b&#x27; -q</p>", command) == "<p>@COMMAND@</p>"
    assert normalise("metaeval run a.yaml; metaeval run b.yaml", command) == "@COMMAND@; metaeval run b.yaml"
    assert normalise(f"{configuration}: metaeval:0.1.0|n:8", command) == "@DATA@/a.yaml: metaeval:@VERSION@|n:8"
    page = '<dt>numpy</dt><dd dir="auto">{}</dd>'
    assert normalise(page.format("2.4.6"), command) == page.format("@VERSION@")
    assert normalise(page.format("ordinal"), command) == page.format("ordinal")
    digest = "9ef2e0a3b0e4a7c7c3b2c1d0"
    assert normalise(f"sha256 {digest}", command) == f"sha256 {digest}"
    assert normalise.content(b"\x89\xff", "a.png", command).startswith("2 bytes, sha256 ")


def test_without_all_extras_nothing_runs_and_other_folders_are_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    assert program.main(["record", "--folder", str(tmp_path)]) == 2
    assert program.main(["check", "--folder", str(tmp_path)]) == 2
    assert (tmp_path / "thesis.txt").read_text() == "mine"
    assert "holds files that are no recordings" in capsys.readouterr().err
    monkeypatch.setattr(program, "NEEDED", ("json", "no_such_package"))
    assert program.main(["check"]) == 2
    assert "not installed: no_such_package" in capsys.readouterr().err


def test_the_program_records_and_checks_all_commands_or_some(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, changes = tmp_path / "golden", {"stdout": SAMPLE["stdout"]}

    def run(checkout: Path, commands: list[Command], recordings: Path) -> None:
        assert checkout == REPOSITORY
        for command in commands[::10] if len(commands) > 10 else commands:
            record(recordings, command.name, **changes)

    def check(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        return program.main(["check", "--folder", str(folder), *arguments]), capsys.readouterr().out

    monkeypatch.setattr(program, "_run", run)
    assert program.main(["record", "--folder", str(folder)]) == 0
    everything = len(LINES[::10])
    assert check() == (0, f"{everything} commands are equal, 0 differ, 0 are missing, 0 are added\n")
    changes["stdout"] = "{}\n"
    assert program.main(["record", "--folder", str(folder), "--only", "demo*"]) == 0
    assert check("--only", "demo*")[0] == 0
    changes["stdout"] = "[]\n"
    assert check("--only", "demo*")[0] == 1
    assert check()[0] == 1
