"""`python -m metaeval`, and the program `metaeval`: the command line in a process of its own.

What belongs to a process and not to a call is here: Ctrl-C ends it quietly at any time, also while it imports or ends,
and so does whoever asks it to terminate, as a scheduler of jobs whose time is up.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

INTERRUPTED, TERMINATED = 130, 143
_SHORTLY = 0.01
"""Seconds after which a lost interrupt comes again."""


def main() -> None:
    """Run metaeval with the arguments of the process, and exit."""
    ending = _Ending()
    try:
        sys.unraisablehook = _tell
        ending.as_interrupted()
        from metaeval.cli import main as call

        call()
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        _end_at_once(ending.code)
    except SystemExit as end:
        # All is written, or said not to be; what Python does at its end is not to be interrupted.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if end.code == INTERRUPTED:
            _end_at_once(ending.code)
        raise


class _Ending:
    """How the process was asked to end; code: what it exits with where it was."""

    code = INTERRUPTED

    def as_interrupted(self) -> None:
        """From now on SIGTERM does what Ctrl-C does: files are whole, temporary ones gone, workers ended.

        Where Ctrl-C is ignored, as for what a script runs in the background, it ends the process at once as ever.
        """
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGTERM, self._terminate)

    def _terminate(self, _number: int, _frame: FrameType | None) -> None:
        self.code = TERMINATED
        signal.raise_signal(signal.SIGINT)


def _end_at_once(code: int) -> None:
    """End as an interrupted program does, without waiting for threads.

    Python would end by the signal itself where it came while code was evaluated from a text, as dataclasses are.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, AttributeError):
            # It was closed, or there is none.
            continue
    os._exit(code)


def _tell(lost: sys.UnraisableHookArgs) -> None:
    """Send an interrupt again that came where Python can't raise it, as in a destructor; it would be lost otherwise."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    import _thread
    import threading

    threading.Timer(_SHORTLY, _thread.interrupt_main).start()


if __name__ == "__main__":
    main()
