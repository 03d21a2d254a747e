"""How far a cluster is, on a terminal; and Ctrl-C, typed there: 130, and nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from dask_clusters import STANCE, dask_cluster, wait_until
from worker_processes import PATIENCE

if TYPE_CHECKING:
    from distributed import Scheduler

pty = pytest.importorskip("pty")

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("repository")]


class Typed:
    """A command whose terminal is ours: it shows standard error, and Ctrl-C is typed into it."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "CI"}
        environment |= {"TMPDIR": str(folder), "TERM": "xterm"}
        self.master, terminal = pty.openpty()
        self.out = folder / "out"
        with self.out.open("wb") as out:
            # A session of its own, of which this is the terminal: Ctrl-C goes to all its processes.
            self.process = subprocess.Popen(
                [sys.executable, "-m", "metaeval", *arguments],
                stdin=terminal,
                stdout=out,
                stderr=terminal,
                env=environment,
                start_new_session=True,
                preexec_fn=_take_terminal,
            )
        os.close(terminal)
        self.shown = b""

    def read_until(self, holds: Callable[[bytes], bool]) -> None:
        """Read what is shown until something is there, or all is shown."""
        while not holds(self.shown):
            try:
                more = os.read(self.master, 4096)
            except OSError:
                # On Linux this reports the end.
                more = b""
            if not more:
                return
            self.shown += more

    def interrupt(self) -> int:
        """Type Ctrl-C; the exit code."""
        os.write(self.master, b"\x03")
        self.read_until(lambda _: False)
        code = self.process.wait(timeout=PATIENCE)
        os.close(self.master)
        return code


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _left_of(session: int) -> list[str]:
    """The processes of a session that are still there."""
    listed = subprocess.run(["ps", "-s", str(session), "-o", "stat="], capture_output=True, text=True, check=False)
    return [state for state in listed.stdout.split() if not state.startswith("Z")]


def _has_bar(shown: bytes) -> bool:
    return b"Split halves" in shown and b"%" in shown


LONG = ("stability", *STANCE, "--trials", "1000000", "--memory", "16MB")


def test_a_terminal_shows_how_far_local_processes_are_and_ctrl_c_ends_them(tmp_path: Path) -> None:
    typed = Typed(tmp_path, *LONG, "--scheduler", "local", "--workers", "2")
    typed.read_until(_has_bar)
    assert _has_bar(typed.shown)
    assert list(tmp_path.glob("metaeval-*"))
    assert typed.interrupt() == 130
    assert typed.shown.rstrip().endswith(b"Interrupted.")
    assert b"Traceback" not in typed.shown
    wait_until(lambda: not _left_of(typed.process.pid))
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert typed.out.read_bytes() == b""


def test_a_terminal_shows_how_far_a_cluster_is_and_ctrl_c_makes_it_forget(tmp_path: Path) -> None:
    from distributed import Client

    def tasks(dask_scheduler: Scheduler) -> int:
        return len(dask_scheduler.tasks)

    (tmp_path / "dask").mkdir()
    (tmp_path / "here").mkdir()
    with dask_cluster(tmp_path / "dask") as cluster:
        cluster.begin_worker()
        typed = Typed(tmp_path / "here", *LONG, "--scheduler", cluster.address)
        typed.read_until(_has_bar)
        assert _has_bar(typed.shown)
        with Client(cluster.address, set_as_default=False) as client:
            assert client.run_on_scheduler(tasks)
            assert typed.interrupt() == 130
            assert typed.shown.rstrip().endswith(b"Interrupted.")
            wait_until(lambda: not client.run_on_scheduler(tasks))
            assert len(client.nthreads()) == 1
    assert [path.name for path in (tmp_path / "here").iterdir()] == ["out"]


def test_an_interrupt_while_processes_begin_ends_with_130(repository: Path, tmp_path: Path) -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "metaeval", *LONG, "--scheduler", "local", "--workers", "2"],
        cwd=repository,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    # Running workers have their own folders, next to files.
    folders = "metaeval-*/dask-scratch-space/worker-*"
    wait_until(lambda: sum(path.is_dir() for path in tmp_path.glob(folders)) >= 2 or running.poll() is not None)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out, err.strip()) == (130, "", "Interrupted.")
    wait_until(lambda: not _left_of(running.pid))
    assert not list(tmp_path.glob("metaeval-*"))
