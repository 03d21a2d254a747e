"""`python -m metaeval`, and the program `metaeval`: the command line in a process of its own.

What belongs to a process and not to a call is here: Ctrl-C ends it quietly at any time, also while it imports or ends.
"""

from __future__ import annotations

import os
import signal
import sys

INTERRUPTED = 130
_SHORTLY = 0.01
"""Seconds after which a lost interrupt comes again."""


def main() -> None:
    """Run metaeval with the arguments of the process, and exit."""
    try:
        sys.unraisablehook = _tell
        from metaeval.cli import main as call

        call()
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        _end_at_once()
    except SystemExit as end:
        # All is written, or said not to be; what Python does at its end is not to be interrupted.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if end.code == INTERRUPTED:
            _end_at_once()
        raise


def _end_at_once() -> None:
    """End as an interrupted program does, without waiting for threads.

    Python would end by the signal itself where it came while code was evaluated from a text, as dataclasses are.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, AttributeError):
            # It was closed, or there is none.
            continue
    os._exit(INTERRUPTED)


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
