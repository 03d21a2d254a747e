"""The program of a worker process, and the messages between it and its parent; see `processes`.

A message is a pickle and the buffers of its arrays, each after its length, so that arrays are never copied. A call is
(spelling of settings, function, arguments, keywords), where a function of None is that of the previous call. An answer
is (True, result, "") or (False, error, its traceback).
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import FileIO
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any

from metaeval.errors import spell_settings

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
        written = 0
        while written < len(part):
            written += pipe.write(part[written:])


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
