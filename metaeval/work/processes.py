"""Processes of this machine that share work: children which end with us, however we end.

They are begun as programs of their own, and not as copies of this one: a script or notebook is not run again in them,
and nothing of its state (threads, locks, open files) gets there.
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

from metaeval.errors import InputError, MetaevalError
from metaeval.work.worker import packed, receive, send, unpacked

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from metaeval.work.worker import main; main()"

_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
"""Each process is one of as many as are wanted; products of matrices are not to take more."""

_GRACE = 2.0
"""Seconds that a process without work has for its end."""


class WorkerProcesses(Executor):
    """An `Executor` of so many processes, none of which is begun before there is something for it to do.

    What is submitted has to be importable in another process: functions of modules, not of `__main__`, and what can be
    pickled. A function goes to each process once, as long as the same object is submitted again and again: what all
    calls need is best bound to it (`functools.partial`), and must not change. How much is submitted at a time is the
    caller's to bound.

    Errors come back as they were raised, with the traceback of the process as a note unless they are the user's to
    mend; a process that is ended from outside is an `InputError`. Left by an error, as Ctrl-C, the context ends the
    processes at once.

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
                raise RuntimeError("no work for processes that were told to end")
            self._calls.put(_Call(future, fn, args, kwargs))
            if len(self._threads) < self._workers:
                self._threads.append(Thread(target=self._drive, daemon=True))
                self._threads[-1].start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As of `Executor`; what was submitted is still done, unless it is cancelled before it has begun."""
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
        if wait:
            for thread in self._threads:
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
        """Hand calls to one process, which is begun with the first and again where it was lost."""
        child: _Child | None = None
        while (call := self._calls.get()) is not None:
            if not call.future.set_running_or_notify_cancel():
                continue
            try:
                child = child or self._begin()
                result = child.do(call)
            except BaseException as error:
                call.future.set_exception(error)
                if child is not None and not child.alive:
                    self._end(child)
                    child = None
            else:
                call.future.set_result(result)
                # Whoever waits for the next call need not keep what the last one was about.
                del result
            del call
        if child is not None:
            self._end(child)

    def _begin(self) -> _Child:
        with self._lock:
            if self._stopped:
                raise _ended("it was not wanted any more")
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
    """A worker process. alive: whether calls can be sent."""

    def __init__(self) -> None:
        if not sys.executable:
            # As where Python is part of another program.
            raise InputError.at(
                found="a Python that does not know its own program, and so can't begin worker processes",
                expected="its path in sys.executable",
                hint="set it, or say --workers 1",
            )
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, *sys.path],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **_ONE_THREAD},
                # What a terminal sends to us, as Ctrl-C, is not for them.
                start_new_session=True,
            )
        except OSError as error:
            raise InputError.at(
                found=f"a worker process that could not be begun ({error.strerror})",
                expected="room for one more process",
                hint="say fewer --workers",
            ) from None
        self._function: Callable[..., Any] | None = None
        self.alive = True

    def do(self, call: _Call) -> Any:
        """The result of a call; its error is raised."""
        known, self._function = call.function is self._function, None
        message = packed((None if known else call.function, call.arguments, call.keywords))
        # Whoever stops in the middle of a message, as for want of memory, can't go on with the next.
        self.alive = False
        try:
            send(cast(FileIO, self._process.stdin), message)
            answer = receive(cast(FileIO, self._process.stdout))
        except (EOFError, OSError):
            raise _ended(self._cause()) from None
        self.alive = True
        good, content, told = unpacked(answer)
        if not good:
            if not isinstance(content, MetaevalError):
                content.add_note(f"In a worker process:\n{told}")
            raise content
        self._function = call.function
        return content

    def _cause(self) -> str:
        """What ended the process."""
        try:
            code = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            return "it does not answer any more"
        return f"exit code {code}" if code >= 0 else f"signal {-code}"

    def kill(self) -> None:
        """End it in the middle of what it does."""
        self._process.kill()

    def end(self) -> None:
        """Let it go, and wait until it is gone."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _ended(cause: str) -> InputError:
    return InputError.at(
        found=f"a worker process that ended in the middle of its work ({cause})",
        expected="enough memory for all of them, and nobody who ends them",
        hint="say fewer --workers, or less with --memory",
    )
