"""Worker processes on this machine, which end with this process, however it ends.

They are started as new programs, not forked: a script or notebook is not run again in them, and they do not share
threads, locks or open files with this process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, cast

from metaeval.errors import InputError, MetaevalError, setting, settings_spelling
from metaeval.work.worker import packed, receive, send, unpacked

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from metaeval.work.worker import main; main()"

_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
"""Matrix products in a worker process use one thread, because the other processes use the other cores."""

_GRACE = 2.0
"""Seconds in which an idle process has to end."""


class WorkerProcesses(Executor):
    """An `Executor` of worker processes, each of which starts when there is work for it.

    Functions must be importable in another process (from modules, not from `__main__`) and picklable. A function is
    sent to each process once while the same object is submitted; data that all calls share are best bound to it with
    `functools.partial`, and must not change. The caller limits how much is submitted at a time.

    Errors are raised as they were in the process, with its traceback as a note unless they are `MetaevalError`s; a
    killed process is an `InputError`. An exception in the context, such as Ctrl-C, ends the processes at once.

    >>> with WorkerProcesses(2) as processes:
    ...     [processes.submit(pow, 2, exponent).result() for exponent in (3, 5)]
    [8, 32]
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._lock = Lock()
        self._threads: list[Thread] = []
        self._children: list[_Child] = []
        self._closed = False
        self._stopped = False

    def submit(
        self, fn: Callable[Parameters, Result], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Future[Result]:
        future: Future[Result] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("cannot submit work after shutdown")
            self._calls.put(_Call(future, fn, args, kwargs))
            if len(self._threads) < self._workers:
                self._threads.append(Thread(target=self._drive, daemon=True))
                self._threads[-1].start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes after the submitted work, or after the running calls with `cancel_futures`."""
        with self._lock:
            self._closed = True
        if cancel_futures:
            with suppress(Empty):
                while True:
                    call = self._calls.get_nowait()
                    if call is not None:
                        call.future.cancel()
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads if wait else ():
            # An interrupt may have come before it was started.
            if thread.is_alive():
                thread.join()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            with self._lock:
                self._stopped = True
                for child in self._children:
                    child.kill()
        self.shutdown(cancel_futures=kind is not None)

    def _drive(self) -> None:
        """Send calls to one process, which starts with the first call and again after it was killed."""
        child: _Child | None = None
        while (call := self._calls.get()) is not None:
            if not call.future.set_running_or_notify_cancel():
                continue
            try:
                child = child or self._start()
                result = child.do(call)
            except BaseException as error:
                call.future.set_exception(error)
                if child is not None and not child.alive:
                    self._end(child)
                    child = None
            else:
                call.future.set_result(result)
                # While this thread waits for the next call, it must not keep the last result in memory.
                del result
            del call
        if child is not None:
            self._end(child)

    def _start(self) -> _Child:
        with self._lock:
            if self._stopped:
                raise _lost("was stopped")
            child = _Child()
            self._children.append(child)
        return child

    def _end(self, child: _Child) -> None:
        child.end()
        with self._lock:
            self._children.remove(child)


@dataclass(frozen=True)
class _Call:
    future: Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


class _Child:
    """A worker process. alive: whether it can take calls."""

    def __init__(self) -> None:
        # It is empty where Python is embedded in another program.
        if not sys.executable:
            raise InputError.at(
                found="a Python without the path of its program, which cannot start worker processes",
                expected="its path in sys.executable",
                hint=f"set it, or use {setting('workers', 1)}",
            )
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, *sys.path],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **_ONE_THREAD},
                # A terminal sends Ctrl-C to all processes of its session.
                start_new_session=True,
            )
        except OSError as error:
            raise InputError.at(
                found=f"a worker process that could not be started ({error.strerror})",
                expected="permission and memory for one more process",
                hint=f"reduce {setting('workers')}",
            ) from None
        self._function: Callable[..., Any] | None = None
        self.alive = True

    def do(self, call: _Call) -> Any:
        """The result of a call; its error is raised."""
        known, self._function = call.function is self._function, None
        message = packed((settings_spelling(), None if known else call.function, call.arguments, call.keywords))
        # After an error in the middle of a message, such as a MemoryError, no other message can follow.
        self.alive = False
        try:
            send(cast(FileIO, self._process.stdin), message)
            answer = receive(cast(FileIO, self._process.stdout))
        except (EOFError, OSError):
            raise _lost(self._cause()) from None
        self.alive = True
        succeeded, content, text = unpacked(answer)
        if not succeeded:
            if not isinstance(content, MetaevalError):
                content.add_note(f"In a worker process:\n{text}")
            raise content
        self._function = call.function
        return content

    def _cause(self) -> str:
        """Why the process does not answer."""
        try:
            code = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            return "stopped responding"
        return f"ended with exit code {code}" if code >= 0 else f"was killed by signal {-code}, probably out of memory"

    def kill(self) -> None:
        """End it during a call."""
        self._process.kill()

    def end(self) -> None:
        """Close its pipes, and wait until it has ended."""
        for pipe in (self._process.stdin, self._process.stdout):
            cast(FileIO, pipe).close()
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _lost(cause: str) -> InputError:
    return InputError.at(
        found=f"a worker process {cause}",
        expected="enough memory for all worker processes",
        hint=f"reduce {setting('workers')} or {setting('memory')}",
    )
