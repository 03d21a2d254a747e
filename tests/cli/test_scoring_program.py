"""The scoring program runs in an empty folder as Codabench runs it, and gives the digits of `score`."""

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from command_line import CommandLine, Write

import metaeval as api
from metaeval.version import __version__

ROOT = Path(__file__).resolve().parents[2]
Platform = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def platform(tmp_path: Path) -> Platform:
    """Runs a program on submitted files, after it has unpacked everything where the platform does."""

    def run(bundle: str, **submission: str) -> "subprocess.CompletedProcess[str]":
        folder = tmp_path / "app"
        for name, target in {"program.zip": "program", "reference.zip": "input/ref"}.items():
            zipfile.ZipFile(Path(bundle, name)).extractall(folder / target)
        (folder / "input" / "res").mkdir(parents=True, exist_ok=True)
        for name, text in submission.items():
            (folder / "input" / "res" / name.replace("__", ".")).write_text(text)
        metadata = yaml.safe_load((folder / "program" / "metadata.yaml").read_text())
        replaced = {"$program": str(folder / "program"), "$input": str(folder / "input"), "$output": "output"}
        words = metadata["command"].split()
        for name, value in replaced.items():
            words = [word.replace(name, value) for word in words]
        return subprocess.run(
            [sys.executable, *words[1:]],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


CASES = {
    "stance": ("sample_data/fnc1/systems/atlas_base.csv", "a.csv"),
    "news": ("sample_data/news/systems.jsonl", "a.jsonl"),
    "rumour2017": ("sample_data/rumoureval2017/systems/steady.json", "a.json"),
}


@pytest.mark.parametrize("config", CASES)
def test_the_program_gives_the_digits_of_score(
    metaeval: CommandLine, write: Write, platform: Platform, config: str
) -> None:
    source, name = CASES[config]
    text = (ROOT / source).read_text()
    if config == "news":
        text = "".join(line + "\n" for line in text.splitlines() if json.loads(line)["system"] == "lead")
    write(name, text)
    path = ROOT / "configs" / f"{config}.yaml"
    printed = metaeval.succeeds("scoring-program", path, "--output", "bundle").out
    result = platform("bundle", **{name.replace(".", "__"): text})
    assert result.returncode == 0, result.stderr
    output = Path("app/output")
    scores = json.loads((output / "scores.json").read_text())
    rows = metaeval.tables("score", "--config", path, f"me={name}")["scores"]
    row = next(row for row in rows if row["system"] == "me")
    columns = yaml.safe_load(printed)["leaderboard"][0]["columns"]
    assert [column["key"] for column in columns] == list(scores)
    assert list(scores.values()) == [value for value in row.values() if isinstance(value, float)]
    assert (output / "scores.txt").read_text() == "".join(f"{key}: {value!r}\n" for key, value in scores.items())
    assert "<html" in (output / "detailed_results.html").read_text()
    assert result.stdout == (output / "scores.txt").read_text()
    assert Path("app/program/requirements.txt").read_text() == f"metaeval=={__version__}\n"
    assert {column["sorting"] for column in columns if "mae" in column["key"]} <= {"asc"}


GOLD = "id,label\n" + "".join(f"secret-{number},{'yes' if number % 3 else 'no'}\n" for number in range(30))


@pytest.fixture
def task(metaeval: CommandLine, write: Write) -> str:
    """A scoring program of two classes."""
    write("gold.csv", GOLD)
    write("task.yaml", "data: {gold: gold.csv, labels: 'no,yes', on-extra: drop}\nmeasures: [accuracy, mcc]\n")
    metaeval.succeeds("scoring-program", "task.yaml", "--output", "bundle")
    return "bundle"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("on-missing: drop", "data.on-missing: drop with a scoring program"),
        ("on-unknown: drop", "data.on-unknown: drop with a scoring program"),
        ("on-unknown: miss", "measure 'mae', in which a missing prediction has no place"),
        ("on-missing: miss", "measure 'mae', in which a missing prediction has no place"),
    ],
)
def test_policies_that_fail_or_reward_some_submission_are_refused(
    metaeval: CommandLine, write: Write, line: str, message: str
) -> None:
    write("gold.csv", GOLD)
    write("task.yaml", f"data: {{gold: gold.csv, labels: 'no<yes', {line}}}\nmeasures: [accuracy, mae]\n")
    assert message in metaeval.refuses("scoring-program", "task.yaml", "--output", "bundle")
    write("task.yaml", Path("task.yaml").read_text().replace(", mae", ""))
    assert ("Error" in metaeval("scoring-program", "task.yaml", "--output", "bundle").err) == line.endswith("drop")


def test_nothing_that_is_written_tells_gold(task: str, platform: Platform) -> None:
    result = platform(task, mine__csv=GOLD.replace("yes", "no"))
    assert result.returncode == 0
    written = [result.stdout, result.stderr, *(path.read_text() for path in Path("app/output").iterdir())]
    sha256 = hashlib.sha256(GOLD.encode()).hexdigest()
    assert not [text for text in written if "secret" in text or sha256 in text or "confusion" in text]
    assert json.loads(Path("app/output/scores.json").read_text()) == {"accuracy": pytest.approx(1 / 3)}
    assert result.stdout.endswith("undefined: mcc\n")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a__csv": "id,label\nsecret-0,nay\n" + GOLD[20:]}, "a.csv:2: prediction 'nay'; expected one of no, yes"),
        ({"a__csv": GOLD[:200]}, "The submission is invalid."),
        (
            {"a__csv": GOLD.replace(",label", ",me,gold").replace("\n", ",no\n").replace("gold,no", "gold")},
            "gold labels",
        ),
        ({"a__csv": GOLD, "b__csv": GOLD}, "2 files in the submission; expected 1"),
        ({}, "no run in this folder"),
    ],
)
def test_an_invalid_submission_ends_with_a_message(
    task: str, platform: Platform, files: dict[str, str], message: str
) -> None:
    result = platform(task, **files)
    assert result.returncode == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not Path("app/output/scores.json").exists()
    if "gold labels" in message:
        assert "secret" not in result.stderr


def test_another_version_or_broken_reference_data_are_not_the_participants_fault(task: str, platform: Platform) -> None:
    assert platform(task, a__csv=GOLD).returncode == 0
    Path("app/input/ref/gold/gold.csv").write_text("id,label\nsecret-1,other\n")
    program = [sys.executable, "program/score.py", "input", "output"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(program, cwd="app", env=environment, capture_output=True, text=True, check=False)
    assert result.stderr == "The reference data of this task cannot be used; please tell the organisers.\n"
    script = Path("app/program/score.py")
    script.write_text(script.read_text().replace(f'VERSION = "{__version__}"', 'VERSION = "0.0.1"'))
    result = subprocess.run(program, cwd="app", env=environment, capture_output=True, text=True, check=False)
    assert result.stderr == f"The image of this task has metaeval {__version__} and needs 0.0.1.\n"


def test_a_bundle_is_the_same_each_time_and_replaces_nothing_unasked(metaeval: CommandLine, task: str) -> None:
    before = {path.name: path.read_bytes() for path in Path(task).iterdir()}
    assert set(before) == {"program.zip", "reference.zip"}
    assert "--overwrite" in metaeval.refuses("scoring-program", "task.yaml", "--output", task)
    metaeval.succeeds("scoring-program", "task.yaml", "--output", task, "--overwrite")
    assert api.scoring_program("task.yaml", "other") == ["accuracy", "mcc"]
    assert {path.name: path.read_bytes() for path in Path("other").iterdir()} == before
    assert {path.name: path.read_bytes() for path in Path(task).iterdir()} == before


def test_all_settings_and_files_are_in_the_bundle(metaeval: CommandLine, write: Write, platform: Platform) -> None:
    write("gold.csv", GOLD.replace("yes", "right").replace("no\n", "wrong\n"))
    write("mine.py", PLUGIN)
    write(
        "task.yaml",
        "data:\n  gold: gold.csv\n  runs: [nowhere]\n  labels: 'no<yes'\n  on-missing: label:yes\n"
        "  map-labels: {right: 'yes', wrong: 'no'}\n  class-weights: {'no': 0.25, 'yes': 0.75}\n"
        "plugins: [mine.py]\nmeasures: [mine, 'weighted-f:beta=2']\n",
    )
    metaeval.succeeds("scoring-program", "task.yaml", "--output", "bundle")
    write("run.csv", "\n".join(GOLD.splitlines()[:25]))
    scores = metaeval.tables("score", "--config", "task.yaml", "run.csv")["scores"][0]
    assert platform("bundle", run__csv=Path("run.csv").read_text()).returncode == 0
    platform_scores = json.loads(Path("app/output/scores.json").read_text())
    assert platform_scores == {"mine": scores["mine"], "weighted_f_beta_2": scores["weighted-f:beta=2"]}
    assert 0 < platform_scores["weighted_f_beta_2"] < 1


PLUGIN = '''
import numpy as np
from metaeval import Direction, ScaleType, label_measure

@label_measure("mine", title="Mine", question="q", better=Direction.HIGHER, bounds=(0.0, 1.0), scale=ScaleType.NOMINAL,
               source="me", formula="x", undefined="never", traits=set())
def mine(counts):
    """Share of the first class."""
    return counts[..., 0].sum(axis=-1) / counts.sum(axis=(-2, -1))
'''
