"""Whatever is done to a file, it is read or refused: no traceback, no endless work, one message."""

import contextlib
import io
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.mutation import mutated
from faults.readers import GATE, LABELS, readers
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metaeval.cli import main
from metaeval.io.labels.tasks import TASKS

SECONDS = 20
"""For one small file, on a machine that has much else to do."""

LONGEST_MESSAGE = 100_000

# Pages are expensive, and read their results as `check` does.
READERS = [name for name in readers() if name != "results for a page"]


class TooLong(BaseException):
    """A call that did not end in time; no `except Exception` can hide it."""


@contextlib.contextmanager
def within(seconds: int) -> Iterator[None]:
    def late(_signal: int, _frame: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def read_or_refused(*command: str) -> int:
    """The exit code of a call; fails where it is not one of metaeval's, or the error message is missing or too long."""
    said, shown = io.StringIO(), io.StringIO()
    with within(SECONDS), contextlib.redirect_stdout(shown), contextlib.redirect_stderr(said):
        try:
            main(command)
        except SystemExit as end:
            code = end.code
    assert code in (0, 1, 2)
    assert "Traceback" not in said.getvalue()
    assert len(said.getvalue()) < LONGEST_MESSAGE
    if code == 2:
        assert said.getvalue().startswith("Error: ")
        assert said.getvalue().count("Error: ") == 1
        # A gate on valid results may still be undefined.
        assert shown.getvalue() == "" or "--fail-if" in command
    return code


@pytest.fixture(scope="module", autouse=True)
def quiet_input() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        yield


@pytest.fixture(scope="module", params=READERS)
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a reader, its files in the working folder."""
    name: str = request.param
    folder = tmp_path_factory.mktemp("files")
    for path, content in readers()[name].files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    with contextlib.chdir(folder):
        yield name


def test_every_task_has_a_file_to_be_broken() -> None:
    def reader_of(task: str) -> object:
        read = getattr(TASKS[task], "read", task)
        return getattr(read, "func", read)

    commands = [each.command for each in readers().values()]
    tasks = {command[command.index("--task") + 1] for command in commands if "--task" in command}
    assert {reader_of(task) for task in TASKS} == {reader_of(task) for task in {*tasks, "labels"}}


def test_what_is_whole_is_read(reader: str) -> None:
    (Path(readers()[reader].broken)).write_bytes(readers()[reader].files[readers()[reader].broken])
    assert read_or_refused(*readers()[reader].command) == 0


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_what_is_broken_is_read_or_refused(reader: str, seed: int) -> None:
    wanted = readers()[reader]
    Path(wanted.broken).write_bytes(mutated(wanted.files[wanted.broken], seed))
    read_or_refused(*wanted.command)


@settings(max_examples=8, deadline=None)
@given(content=st.binary(max_size=200))
def test_bytes_of_any_kind_are_read_or_refused(reader: str, content: bytes) -> None:
    wanted = readers()[reader]
    Path(wanted.broken).write_bytes(content)
    read_or_refused(*wanted.command)


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 1 << 32))
@example(seed=0)
def test_conditions_of_any_kind_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    condition = mutated(GATE, seed).decode("utf-8", "replace").replace("\0", "0")
    folder = tmp_path_factory.getbasetemp()
    (folder / "gold.csv").write_bytes(LABELS)
    (folder / "run.csv").write_bytes(LABELS)
    files = ("--gold", str(folder / "gold.csv"), str(folder / "run.csv"))
    read_or_refused("score", "-q", "-m", "accuracy", "--fail-if", condition, *files)
