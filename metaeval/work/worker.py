"""The program of a worker process, and the messages between it and whoever began it; see `processes`.

A message is a pickle behind its length, and arrays behind theirs as they lie in memory, so that nobody copies them. A
call is (function, arguments, keywords), the function None where it is that of the call before; the answer is (whether
it went well, result or error, the traceback of an error).
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

Message = Sequence[bytearray]
"""A pickle, and the buffers of its arrays."""

_PROTOCOL = 5
_SIZE = struct.Struct("<Q")


def packed(content: object) -> Sequence[memoryview]:
    """What is to be written for a message; raises whatever pickling raises."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(content, protocol=_PROTOCOL, buffer_callback=buffers.append)
    parts = [memoryview(pickled), *(buffer.raw() for buffer in buffers)]
    sizes = b"".join(_SIZE.pack(number) for number in (len(parts), *map(len, parts)))
    return [memoryview(sizes), *parts]


def send(pipe: FileIO, parts: Sequence[memoryview]) -> None:
    """Write a packed message."""
    for part in parts:
        written = 0
        while written < len(part):
            written += pipe.write(part[written:])


def receive(pipe: FileIO) -> Message:
    """Read a message; `EOFError` where there is none any more."""
    (parts,) = _SIZE.unpack(_read(pipe, _SIZE.size))
    sizes = [size for (size,) in _SIZE.iter_unpack(_read(pipe, parts * _SIZE.size))]
    return [_read(pipe, size) for size in sizes]


def _read(pipe: FileIO, size: int) -> bytearray:
    content = bytearray(size)
    there = 0
    while there < size:
        read = pipe.readinto(memoryview(content)[there:])
        if not read:
            raise EOFError
        there += read
    return content


def unpacked(message: Message) -> Any:
    """The content of a message; raises whatever unpickling raises."""
    return pickle.loads(message[0], buffers=message[1:])


def main() -> None:
    """Answer one call after another, until nobody can send one any more."""
    # Ctrl-C is for whoever began this process, who will end it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # As in the command line: what is sent has many small parts, and no cycles.
    gc.set_threshold(1_000_000)
    calls, answers = FileIO(os.dup(0), "rb"), FileIO(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    # Nobody else is to read calls, or to print amid answers.
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    inbox: SimpleQueue[Message] = SimpleQueue()
    Thread(target=_listen, args=(calls, inbox), daemon=True).start()
    worker = _Worker()
    # Where nobody takes an answer any more, `_listen` ends the process.
    with suppress(OSError):
        while True:
            send(answers, worker.answer(inbox.get()))
    Event().wait()


def _listen(calls: FileIO, inbox: SimpleQueue[Message]) -> None:
    """Take calls in, and end the process when there will be no other, whatever it is in the middle of."""
    try:
        while True:
            inbox.put(receive(calls))
    except (EOFError, OSError):
        os._exit(0)


class _Worker:
    """Does what it is called for."""

    def __init__(self) -> None:
        self._function: Callable[..., object] | None = None

    def answer(self, call: Message) -> Sequence[memoryview]:
        """The result of a call, or its error, packed."""
        try:
            return packed((True, self._result(call), ""))
        except BaseException as error:
            return packed((False, _sendable(error), traceback.format_exc()))

    def _result(self, call: Message) -> object:
        function, arguments, keywords = unpacked(call)
        self._function = function or self._function
        assert self._function is not None
        return self._function(*arguments, **keywords)


def _sendable(error: BaseException) -> BaseException:
    """The error, or one that says the same where it can't be sent."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
