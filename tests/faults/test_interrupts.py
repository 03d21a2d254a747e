"""Ctrl-C at any time: 130, one word, and every file whole or not there."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest
from faults.processes import FNC1, PATIENCE, ROOT, call, contents, start

from metaeval.scoring.plan import Plan
from metaeval.work.blocks import map_blocks

Item = TypeVar("Item")

RUN = f"""\
data:
  task: fnc1
  gold: {ROOT}/sample_data/fnc1/gold.csv
  runs: [{ROOT}/sample_data/fnc1/systems]
  labels: disagree<discuss<agree
preset: stance-nine
score: {{}}
similarity: {{bootstrap: 50}}
stability: {{trials: 200, permutations: 100}}
"""
COMMANDS = {
    "score": ("score", *FNC1, "-f", "json", "-o", "result.json"),
    "stability": ("stability", *FNC1, "--workers", "2", "--trials", "3000", "-f", "json", "-o", "result.json"),
    "run": ("run", "c.yaml", "--output-dir", "out"),
    "report": ("report", "earlier.json", "-o", "page.html"),
    "check": ("check", "earlier.json", "--fail-if", "scores.*.accuracy < 0", "-f", "json", "-o", "result.json"),
}
MOMENTS = 4
"""For each command, spread over the time that it takes."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the commands read, and with what they write once they are let."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "c.yaml").write_text(RUN)
    assert call(folder, "score", *FNC1, "-m", "accuracy", "-q", "-f", "json", "-o", "earlier.json").returncode == 0
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_an_interrupt_at_any_time_leaves_nothing_half_done(command: str, files: Path, tmp_path: Path) -> None:
    # Where it is written does not count, as long as it has the same name.
    whole = tmp_path / "whole"
    _with_inputs(whole, files)
    begun = time.monotonic()
    process = start(whole, *COMMANDS[command])
    _end(process)
    took = time.monotonic() - begun
    for moment in range(MOMENTS):
        folder = tmp_path / str(moment)
        _with_inputs(folder, files)
        process = start(folder, *COMMANDS[command])
        time.sleep(took * (moment + Random(moment).random()) / (MOMENTS + 1))
        process.send_signal(signal.SIGINT)
        code, said = _end(process)
        assert code in (0, 130), said
        assert "Traceback" not in said
        assert "Exception" not in said
        if code == 130:
            assert said.endswith("Interrupted.\n")
        _check_whole(folder, whole)


def test_who_is_asked_to_terminate_ends_as_one_who_is_interrupted(files: Path, tmp_path: Path) -> None:
    folder, temporary = tmp_path / "here", tmp_path / "temporary"
    _with_inputs(folder, files)
    temporary.mkdir()
    # Before it runs, nobody can help what the system does to a process.
    for wait in (0.3, 0.7, 1.5):
        process = start(folder, *COMMANDS["stability"], "--trials", "1000000", temporary=temporary)
        time.sleep(wait)
        process.terminate()
        code, said = _end(process)
        assert (code, said.splitlines()[-1:]) == (143, ["Interrupted."])
        assert "Traceback" not in said
        assert not list(temporary.iterdir())
        assert not (folder / "result.json").exists()


def test_who_ignores_interrupts_is_terminated_all_the_same(files: Path) -> None:
    program = 'trap \'\' INT; exec "$0" -m metaeval "$@"'
    process = subprocess.Popen(["bash", "-c", program, sys.executable, *COMMANDS["stability"], "--trials", "1000000"],
                               cwd=files, stderr=subprocess.PIPE, text=True)  # fmt: skip
    time.sleep(1.0)
    process.terminate()
    assert _end(process)[0] in (-signal.SIGTERM, 143)


def _with_inputs(folder: Path, files: Path) -> None:
    folder.mkdir()
    for name in ("c.yaml", "earlier.json"):
        (folder / name).write_bytes((files / name).read_bytes())


def _end(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = process.communicate(timeout=PATIENCE)
    return process.returncode, said


def _check_whole(folder: Path, whole: Path) -> None:
    """Every file is that of a call that nobody interrupted, but for what a run keeps in a folder that says so."""
    expected, found = contents(whole), contents(folder)
    if (folder / "out/INCOMPLETE").exists():
        found = {name: text for name, text in found.items() if not name.startswith(("out/INCOMPLETE", "out/.parts/"))}
        assert not [name for name in found if ".metaeval-" in name or ".waiting" in name]
    assert found.items() <= expected.items()


def test_nobody_waits_for_blocks_that_were_not_begun() -> None:
    begun: list[int] = []

    def score(block: int) -> int:
        begun.append(block)
        time.sleep(0.01)
        return block

    def interrupted(items: Sequence[Item], doing: str) -> Iterator[Item]:
        assert doing == "Working"
        yield items[0]
        raise KeyboardInterrupt

    plan = Plan(tuple(range(1000)), score)
    with pytest.raises(KeyboardInterrupt):
        map_blocks(plan, lambda scored: scored, workers=2, track=interrupted, doing="Working")
    assert len(begun) < 100
