"""`python -m metaeval` and the program `metaeval`, which Ctrl-C and SIGTERM end without a traceback at any time."""

from __future__ import annotations

import io
import os
import sys

# Before `main` can handle an interrupt, only modules are imported that Python itself has imported.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

INTERRUPTED, TERMINATED = 130, 143
_RESEND_DELAY = 0.01
"""Seconds after which a lost interrupt is sent again."""


def main() -> None:
    """Run metaeval with the arguments of the process, and exit."""
    try:
        import gc
        import signal

        # Reading files makes hundreds of thousands of small lists; collecting garbage would take a sixth of the time.
        gc.set_threshold(1_000_000)
        sys.unraisablehook = _resend_interrupt
        _Messages.install()
        _Termination.install()
        from metaeval.work import ONE_THREAD

        # Before numpy reads them; values that are set are kept.
        for name, threads in ONE_THREAD.items():
            os.environ.setdefault(name, threads)
        from metaeval.cli import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        _exit_at_once(_Termination.code)
    except SystemExit as end:
        # Everything is written; the shutdown of Python must not be interrupted.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if end.code == INTERRUPTED:
            _exit_at_once(_Termination.code)
        raise


class _Messages(io.RawIOBase):
    """Standard error; what cannot be written, as on a full disk, is lost and changes no exit code."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    @classmethod
    def install(cls) -> None:
        """Write messages through this class, unless standard error is closed."""
        try:
            buffer = io.BufferedWriter(cls(sys.stderr.fileno()))
        except (AttributeError, OSError):
            return
        sys.stderr = io.TextIOWrapper(buffer, "utf-8", "backslashreplace", line_buffering=True)

    def fileno(self) -> int:
        """The descriptor, which a terminal is recognised by."""
        return self._descriptor

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return os.isatty(self._descriptor)

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, message: Any) -> int:
        """Write as much as the system takes at once."""
        try:
            return os.write(self._descriptor, message)
        except OSError:
            return len(message)


class _Termination:
    """Handles SIGTERM as Ctrl-C. code: the exit code of an interrupted process."""

    code = INTERRUPTED

    @classmethod
    def install(cls) -> None:
        """Install the handler, unless Ctrl-C is ignored, as in background jobs of a script."""
        import signal

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGTERM, cls._terminate)

    @classmethod
    def _terminate(cls, _number: int, _frame: FrameType | None) -> None:
        import signal

        cls.code = TERMINATED
        signal.raise_signal(signal.SIGINT)


def _exit_at_once(code: int) -> None:
    """Exit without waiting for threads; Python itself would not use this code if `exec` was interrupted."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, AttributeError):
            continue  # it is closed
    os._exit(code)


def _resend_interrupt(unraisable: sys.UnraisableHookArgs) -> None:
    """Send an interrupt again that arrived where Python cannot raise it, such as in a destructor."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    import _thread
    import threading

    threading.Timer(_RESEND_DELAY, _thread.interrupt_main).start()


if __name__ == "__main__":
    main()
