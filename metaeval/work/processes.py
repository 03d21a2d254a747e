"""Worker processes on this machine, which end with this process, and what is sent to them.

They are started as new programs, not forked: a script or notebook is not run again in them, and they do not share
threads, locks or open files with this process.

The program of a worker process, and the messages between it and its parent; see `processes`.

A message is a pickle and the buffers of its arrays, each after its length, so that arrays are never copied. A call is
(spelling of settings, function, arguments, keywords), where a function of None is that of the previous call. An answer
is (True, result, "") or (False, error, its traceback).

Pickles for clusters, in which arrays keep the order of their axes in memory; extra `distributed`.

numpy before 2.4 pickles arrays in C or Fortran order only. Sums over an axis would then add in another order, with
other last bits.
"""

from __future__ import annotations

import gc
import io
import os
import pickle
import signal
import struct
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import FileIO
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numpy as np

from metaeval.errors import InputError, MetaevalError, empty, refuse, setting, settings_spelling, spell_settings
from metaeval.work import ONE_THREAD

Message = Sequence[bytearray]
"""A pickle, and the buffers of its arrays."""

_SIZE = struct.Struct("<Q")


def packed(content: object) -> Sequence[memoryview]:
    """The parts of a message to write; raises whatever pickling raises."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(content, protocol=5, buffer_callback=buffers.append)
    parts = [memoryview(pickled), *(buffer.raw() for buffer in buffers)]
    sizes = b"".join(_SIZE.pack(number) for number in (len(parts), *map(len, parts)))
    return [memoryview(sizes), *parts]


def unpacked(message: Message) -> Any:
    """The content of a message; raises whatever unpickling raises."""
    return pickle.loads(message[0], buffers=message[1:])


def send(pipe: FileIO, parts: Sequence[memoryview]) -> None:
    """Write a packed message."""
    for part in parts:
        offset = 0
        while offset < len(part):
            offset += pipe.write(part[offset:])


def receive(pipe: FileIO) -> Message:
    """Read a message; `EOFError` at the end."""
    (parts,) = _SIZE.unpack(_read(pipe, _SIZE.size))
    sizes = [size for (size,) in _SIZE.iter_unpack(_read(pipe, parts * _SIZE.size))]
    return [_read(pipe, size) for size in sizes]


def _read(pipe: FileIO, size: int) -> bytearray:
    content = bytearray(size)
    begin = 0
    while begin < size:
        read = pipe.readinto(memoryview(content)[begin:])
        if not read:
            raise EOFError
        begin += read
    return content


def main() -> None:
    """Answer calls until the parent ends."""
    # Ctrl-C goes to the parent, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # As in the command line: messages have many small objects, and no cycles.
    gc.set_threshold(1_000_000)
    calls, answers = FileIO(os.dup(0), "rb"), FileIO(os.dup(1), "wb")
    # Functions that read or print must not disturb the messages.
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    inbox: SimpleQueue[Message] = SimpleQueue()
    Thread(target=_listen, args=(calls, inbox), daemon=True).start()
    worker = _Worker()
    # Where the parent reads no answers any more, `_listen` ends the process.
    with suppress(OSError):
        while True:
            send(answers, worker.answer(inbox.get()))
    Event().wait()


def _listen(calls: FileIO, inbox: SimpleQueue[Message]) -> None:
    """Receive calls; when the parent ends, end this process at once."""
    try:
        while True:
            inbox.put(receive(calls))
    except (EOFError, OSError):
        os._exit(0)


class _Worker:
    """Executes calls."""

    _function: Callable[..., object]

    def answer(self, call: Message) -> Sequence[memoryview]:
        """The result of a call or its error, packed."""
        try:
            spelling, function, arguments, keywords = unpacked(call)
            spell_settings(spelling)
            self._function = function or self._function
            return packed((True, self._function(*arguments, **keywords), ""))
        except BaseException as error:
            return packed((False, _picklable(error), traceback.format_exc()))


def _picklable(error: BaseException) -> BaseException:
    """The error, or a `RuntimeError` with its message where it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from metaeval.work.processes import main; main()"

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
                raise _worker_error("was stopped")
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
            noun = "path of Python in sys.executable, to start worker processes"
            raise refuse(None, empty(noun, f"one, or {setting('workers', 1)}"))
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, *sys.path],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **ONE_THREAD, "OMP_NUM_THREADS": "1"},
                # A terminal sends Ctrl-C to all processes of its session.
                start_new_session=True,
            )
        except OSError as error:
            raise _worker_error(f"could not be started ({error.strerror})") from None
        self._function: Callable[..., Any] | None = None
        self.alive = True

    def do(self, call: _Call) -> Any:
        """The result of a call; its error is raised."""
        same_function, self._function = call.function is self._function, None
        message = packed((settings_spelling(), None if same_function else call.function, call.arguments, call.keywords))
        # After an error in the middle of a message, such as a MemoryError, no other message can follow.
        self.alive = False
        try:
            send(cast(FileIO, self._process.stdin), message)
            answer = receive(cast(FileIO, self._process.stdout))
        except (EOFError, OSError):
            raise _worker_error(self._cause()) from None
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


def _worker_error(cause: str) -> InputError:
    hint = f"reduce {setting('workers')} or {setting('memory')}"
    return refuse(None, f"a worker process {cause}", "enough memory for all worker processes", hint)


Content = TypeVar("Content")


@dataclass(frozen=True)
class Parcel(Generic[Content]):
    """An object, also a function without a name, that arrives pickled and is unpickled by `unpacked_parcel`.

    Dask fails where a worker cannot unpickle what arrives; a parcel always can be, even without this package.

    >>> arrived = pickle.loads(pickle.dumps(Parcel(lambda: "hello")))
    >>> unpacked_parcel(arrived)()
    'hello'
    """

    content: Content

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return partial, (pickle.loads, _pickled(self.content))


def unpacked_parcel(parcel: Parcel[Content] | partial[Content]) -> Content:
    """The content of a parcel, before or after it was sent."""
    return parcel.content if isinstance(parcel, Parcel) else parcel()


def _pickled(content: object) -> bytes:
    from cloudpickle import Pickler

    class _Pickler(Pickler):  # type: ignore[misc]
        def reducer_override(self, value: object) -> Any:
            if type(value) is np.ndarray and value.ndim > 1 and not value.flags.forc:
                order = np.argsort([-abs(stride) for stride in value.strides], kind="stable")
                return np.transpose, (np.ascontiguousarray(value.transpose(order)), np.argsort(order).tolist())
            return super().reducer_override(value)

    file = io.BytesIO()
    _Pickler(file, protocol=pickle.HIGHEST_PROTOCOL).dump(content)
    return file.getvalue()
