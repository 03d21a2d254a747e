"""Ctrl-C at any time: 130, one word, and every file whole or not there."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from signal import SIGINT, SIGTERM
from typing import TypeVar

import pytest
from faults.processes import FNC1, FNC1_DATA, NEVER, Moment, call, contents, run_until
from worker_processes import PATIENCE

from metaeval.scoring.evaluation import Plan
from metaeval.work.blocks import map_blocks

pytestmark = pytest.mark.slow

Item = TypeVar("Item")

RUN = f"""{FNC1_DATA}\
  labels: disagree<discuss<agree
measures: [accuracy, cem-ord, macro-f1]
score: {{}}
similarity: {{permutations: 20}}
stability: {{trials: 50, permutations: 50}}
"""
COMMANDS = {
    "score": ("score", *FNC1, "-f", "json", "-o", "result.json"),
    "stability": ("stability", *FNC1, "--workers", "2", "--trials", "300", "-f", "json", "-o", "result.json"),
    "run": ("run", "c.yaml", "--output-dir", "out"),
    "report": ("report", "earlier.json", "-o", "page.html"),
    "check": ("check", "earlier.json", "--fail-if", "scores.*.accuracy < 0", "-f", "json", "-o", "result.json"),
}
ENDLESS = (*COMMANDS["stability"], "--trials", "1000000")
MOMENTS = 3
"""For each command, spread over the calls of functions that it takes."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the commands read."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "c.yaml").write_text(RUN)
    assert call(folder, "score", *FNC1, "-m", "accuracy", "-q", "-f", "json", "-o", "earlier.json").returncode == 0
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_an_interrupt_at_any_time_leaves_nothing_half_done(command: str, files: Path, tmp_path: Path) -> None:
    # The folder does not matter if the name is the same.
    whole = _with_inputs(tmp_path / "whole", files)
    code, message = run_until(NEVER, whole, *COMMANDS[command])
    assert code == 0, message
    calls = int(message.split()[-1])
    for moment in range(1, MOMENTS + 1):
        folder = _with_inputs(tmp_path / str(moment), files)
        at = Moment(SIGINT, calls=calls * moment // (MOMENTS + 1))
        code, message = run_until(at, folder, *COMMANDS[command])
        assert code == 130, message
        assert "Traceback" not in message
        assert "Exception" not in message
        assert message.endswith("Interrupted.\n")
        _check_whole(folder, whole)


@pytest.mark.parametrize("at", [("map_blocks", 1), ("work", 1), ("work", 6)], ids=str)
def test_who_is_asked_to_terminate_ends_as_one_who_is_interrupted(
    at: tuple[str, int], files: Path, tmp_path: Path
) -> None:
    folder, temporary = _with_inputs(tmp_path / "here", files), tmp_path / "temporary"
    temporary.mkdir()
    function, calls = at
    code, message = run_until(Moment(SIGTERM, calls, function), folder, *ENDLESS, temporary=temporary)
    assert (code, message.splitlines()[-1:]) == (143, ["Interrupted."])
    assert "Traceback" not in message
    assert not list(temporary.iterdir())
    assert not (folder / "result.json").exists()


def test_who_ignores_interrupts_is_terminated_all_the_same(files: Path) -> None:
    code, _ = run_until(Moment(SIGTERM, function="map_blocks"), files, *ENDLESS, before="trap '' INT")
    assert code in (-SIGTERM, 143)


def test_before_interrupts_are_handled_nothing_is_imported_that_takes_time() -> None:
    program = (
        "import json, sys; before = set(sys.modules); import metaeval.__main__;"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    light = {"__future__", "metaeval", "metaeval.__main__", "metaeval.version"}
    assert set(json.loads(done.stdout)) == light


def test_an_interrupt_of_the_first_import_is_one_word(files: Path) -> None:
    # The first call after `main` itself belongs to its first import.
    code, message = run_until(Moment(SIGINT, calls=2), files, *COMMANDS["score"])
    assert (code, message) == (130, "Interrupted.\n")


def _with_inputs(folder: Path, files: Path) -> Path:
    folder.mkdir()
    for name in ("c.yaml", "earlier.json"):
        (folder / name).write_bytes((files / name).read_bytes())
    return folder


def _check_whole(folder: Path, whole: Path) -> None:
    """Every file equals that of an uninterrupted call, except for an incomplete folder, which says so."""
    expected, files = contents(whole), contents(folder)
    if (folder / "out/INCOMPLETE").exists():
        files = {name: text for name, text in files.items() if not name.startswith(("out/INCOMPLETE", "out/.parts/"))}
        assert not [name for name in files if ".metaeval-" in name or ".waiting" in name]
    assert files.items() <= expected.items()


def test_nobody_waits_for_blocks_when_interrupted() -> None:
    begun: list[int] = []
    ended: list[int] = []
    going_on = threading.Event()

    def score(block: int) -> int:
        begun.append(block)
        # The first is done; the others last until the interrupt has been dealt with.
        if block:
            going_on.wait(PATIENCE)
        ended.append(block)
        return block

    def interrupted(items: Sequence[Item], description: str) -> Iterator[Item]:
        assert description == "Working"
        yield items[0]
        raise KeyboardInterrupt

    plan = Plan(tuple(range(1000)), score)
    with pytest.raises(KeyboardInterrupt):
        map_blocks(plan, lambda scored: scored, workers=2, progress=interrupted, description="Working")
    assert ended == [0]
    going_on.set()
    assert len(begun) <= 3
