"""Processes of this machine that share work: what comes back from them, and that none is ever left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest
import worker_processes as work

from metaeval.errors import InputError, settings_spelled
from metaeval.work.processes import Message, WorkerProcesses

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="nowhere to look for processes")


@pytest.fixture
def processes() -> Iterator[WorkerProcesses]:
    """Two of them."""
    before = work.children_of(os.getpid())
    with WorkerProcesses(2) as begun:
        yield begun
    assert work.children_of(os.getpid()) == before


@pytest.mark.slow
def test_none_is_begun_before_there_is_work_and_no_more_than_there_is_work_for() -> None:
    before = work.children_of(os.getpid())
    with WorkerProcesses(5) as processes:
        assert work.children_of(os.getpid()) == before
        one = processes.submit(work.process).result()
        assert work.children_of(os.getpid()) - before == {one}
    assert work.children_of(os.getpid()) == before


def test_work_is_shared(processes: WorkerProcesses) -> None:
    calls = [processes.submit(work.process_after, 0.1) for _ in range(20)]
    assert len({call.result() for call in calls} - {os.getpid()}) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "array",
    [
        np.arange(3_000_000, dtype=np.float64),
        np.zeros(0, dtype=np.int32),
        np.arange(24, dtype=np.int16).reshape(2, 3, 4),
        np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        np.arange(100)[::3],
        np.array([np.nan, -0.0, np.inf]),
    ],
    ids=["larger than a pipe", "empty", "with axes", "by columns", "with gaps", "odd numbers"],
)
def test_arrays_come_back_as_they_were(processes: WorkerProcesses, array: np.ndarray[Any, Any]) -> None:
    answer = processes.submit(work.given_back, {"array": array, "others": [array, "é"]}).result()
    assert isinstance(answer, dict)
    for copy in (answer["array"], answer["others"][0]):
        assert (copy.dtype, copy.shape, copy.tobytes()) == (array.dtype, array.shape, array.tobytes())
        assert copy.flags.writeable
        assert copy.flags.f_contiguous == array.flags.f_contiguous or not array.flags.forc


@pytest.mark.slow
def test_a_function_is_sent_once_to_each_process(processes: WorkerProcesses) -> None:
    counted, other = work.Counted(), work.Counted()
    results = [processes.submit(counted, number) for number in range(40)]
    assert [result.result() for result in results] == list(range(1, 41))
    assert counted.sent <= 2
    # Each call is of the function that it names, whatever the one before was of.
    one_process = WorkerProcesses(1)
    with one_process:
        mixed = [one_process.submit(function, 1) for function in (counted, other, work.given_back, other, other)]
        assert [result.result() for result in mixed] == [2, 2, 1, 2, 2]
    assert other.sent == 2


@pytest.mark.slow
def test_what_the_user_can_mend_arrives_as_it_is(processes: WorkerProcesses) -> None:
    with pytest.raises(InputError) as raised:
        processes.submit(work.refused).result()
    assert str(raised.value) == "gold.csv:3: a label; expected another\nWhat to do: correct it."
    assert raised.value.line == 3
    assert not hasattr(raised.value, "__notes__")


@pytest.mark.slow
def test_errors_spell_settings_as_in_this_process(processes: WorkerProcesses) -> None:
    with settings_spelled(work.shouted), pytest.raises(InputError, match=r"^MEMORY 5$"):
        processes.submit(work.refused_setting).result()
    for _ in range(4):
        with pytest.raises(InputError, match=r"^memory=5$"):
            processes.submit(work.refused_setting).result()


@pytest.mark.slow
def test_other_errors_say_where_they_were_raised(processes: WorkerProcesses) -> None:
    with pytest.raises(ZeroDivisionError, match="nothing left") as raised:
        processes.submit(work.failing).result()
    (note,) = raised.value.__notes__
    assert "in failing" in note
    with pytest.raises(RuntimeError, match="TwoParts: 1 and 2"):
        processes.submit(work.failing_oddly).result()


@pytest.mark.slow
def test_what_cannot_be_sent_is_an_error_and_the_process_goes_on() -> None:
    with WorkerProcesses(1) as processes:
        process = processes.submit(work.process).result()
        for call in (
            processes.submit(work.unspeakable),
            processes.submit(work.given_back, threading.Lock()),
            processes.submit(lambda: 1),
        ):
            with pytest.raises(Exception, match="pickle"):
                call.result()
        assert processes.submit(work.process).result() == process


@pytest.mark.slow
def test_a_function_of_the_main_program_alone_is_an_error(processes: WorkerProcesses) -> None:
    function = FunctionType(work.process.__code__, {"os": os}, "only_here")
    function.__module__, function.__qualname__ = "__main__", "only_here"
    main = sys.modules["__main__"]
    main.only_here = function  # type: ignore[attr-defined]
    try:
        with pytest.raises(AttributeError, match="only_here"):
            processes.submit(function).result()
    finally:
        del main.only_here


@pytest.mark.slow
def test_a_process_that_is_killed_is_told_and_replaced() -> None:
    with WorkerProcesses(1) as processes:
        first = processes.submit(work.process).result()
        with pytest.raises(InputError, match=r"was killed by signal 9.*\n.*reduce workers"):
            processes.submit(work.killed).result()
        assert processes.submit(work.process).result() not in (first, os.getpid())


@pytest.mark.slow
def test_an_answer_that_finds_no_room_costs_its_process_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with WorkerProcesses(1) as processes:
        first = processes.submit(work.process).result()
        with monkeypatch.context() as patched:

            def no_room(_pipe: object) -> Message:
                raise MemoryError

            patched.setattr("metaeval.work.processes.receive", no_room)
            with pytest.raises(MemoryError):
                processes.submit(work.given_back, np.zeros(1_000_000)).result()
        assert processes.submit(work.process).result() != first
        work.wait_until_gone({first})


@pytest.mark.slow
def test_a_program_that_does_not_begin_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with WorkerProcesses(1) as processes:
        monkeypatch.setattr(sys, "executable", "/bin/false")
        with pytest.raises(InputError, match="exit code 1"):
            processes.submit(work.process).result()
        monkeypatch.setattr(sys, "executable", str(tmp_path))
        with pytest.raises(InputError, match="could not be started"):
            processes.submit(work.process).result()


@pytest.mark.slow
@pytest.mark.parametrize("program", ["", None])
def test_a_python_without_a_program_is_told(monkeypatch: pytest.MonkeyPatch, program: str | None) -> None:
    monkeypatch.setattr(sys, "executable", program)
    with WorkerProcesses(1) as processes, pytest.raises(InputError, match=r"Python in sys\.executable"):
        processes.submit(work.process).result()


@pytest.mark.slow
def test_an_exit_is_an_error_of_the_call() -> None:
    with WorkerProcesses(1) as processes:
        process = processes.submit(work.process).result()
        with pytest.raises(SystemExit):
            processes.submit(work.leaving).result()
        assert processes.submit(work.process).result() == process


@pytest.mark.slow
def test_an_interrupt_is_not_for_them(processes: WorkerProcesses) -> None:
    process = processes.submit(work.interrupted).result()
    assert process != os.getpid()
    assert os.getsid(process) != os.getsid(0)


@pytest.mark.slow
def test_they_have_no_input_and_print_nowhere(processes: WorkerProcesses, capfd: pytest.CaptureFixture[str]) -> None:
    assert processes.submit(work.noisy).result() == 0
    assert processes.submit(work.given_back, 5).result() == 5
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_each_multiplies_matrices_by_itself(processes: WorkerProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        assert processes.submit(work.setting, name).result() == "1"


@pytest.mark.slow
@pytest.mark.parametrize("kind", [KeyboardInterrupt, ValueError])
def test_an_error_ends_them_in_the_middle_of_their_work(kind: type[BaseException]) -> None:
    before = work.children_of(os.getpid())
    begun = time.monotonic()
    calls: list[Future[int]] = []

    def left_by_an_error() -> None:
        with WorkerProcesses(2) as processes:
            calls.extend(processes.submit(work.process_after, 0.0 if number < 2 else 600.0) for number in range(10))
            calls[0].result()
            raise kind

    with pytest.raises(kind):
        left_by_an_error()
    assert time.monotonic() - begun < 30
    assert work.children_of(os.getpid()) == before
    assert all(call.done() for call in calls)


@pytest.mark.slow
def test_what_was_submitted_is_done_before_they_end() -> None:
    with WorkerProcesses(2) as processes:
        calls = [processes.submit(work.process_after, 0.05) for _ in range(8)]
    assert all(call.done() and not call.cancelled() for call in calls)
    with pytest.raises(RuntimeError, match="after shutdown"):
        processes.submit(work.process)


PROGRAM = """\
import sys
import worker_processes as work
from metaeval.work.processes import WorkerProcesses
processes = WorkerProcesses(2)
calls = [processes.submit(work.computing, path) for path in sys.argv[1:]]
{then}
"""


@pytest.mark.slow
@pytest.mark.parametrize("then", ["calls[0].result()", "", "raise SystemExit(0)"])
def test_none_is_left_when_the_program_is_killed_or_ends_without_a_word(tmp_path: Path, then: str) -> None:
    paths = [tmp_path / "one", tmp_path / "other"]
    waiting = (
        f"import pathlib, time\nwhile not all(pathlib.Path(p).exists() for p in sys.argv[1:]): time.sleep(.01)\n{then}"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(then=waiting), *map(str, paths)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
    )
    children = {int(work.wait_for(path)) for path in paths}
    if then.startswith("calls"):
        assert all(map(work.is_running, children))
        program.send_signal(signal.SIGKILL)
    _, errors = program.communicate(timeout=work.PATIENCE)
    work.wait_until_gone(children)
    assert errors == b""
