"""Work in a separate process, so that its memory can be measured."""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

GIGABYTE = 1 << 30


_LARGEST_CHILD = (
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)


@dataclass(frozen=True)
class Usage:
    """What work took: seconds of the processor, all threads together, and bytes at the peak of its process.

    waited: seconds on the clock, where several threads make them another number.
    """

    seconds: float
    bytes: int
    waited: float = math.nan


def apart(module: str, work: Mapping[str, object]) -> Usage:
    """What `python -m module` took for work, which it gets as JSON and answers with `tell`.

    A `ChildProcessError` where it fails; why, it says itself.
    """
    command = [sys.executable, "-m", module, json.dumps(work)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise ChildProcessError(f"{' '.join(command)} failed, exit code {done.returncode}")
    return Usage(**json.loads(done.stdout))


def tell(usage: Usage) -> None:
    """Answer the process that started this one."""
    print(json.dumps(asdict(usage)))


def peak() -> int:
    """Bytes of this process at its peak.

    Linux counts for `getrusage` what the process that started this one took, too; so it is asked elsewhere.
    """
    status = Path("/proc/self/status")
    if status.exists():
        fields = dict(line.split(":", 1) for line in status.read_text(encoding="utf-8").splitlines() if ":" in line)
        return int(fields["VmHWM"].split()[0]) * 1024
    return _bytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def peak_of(command: Sequence[str], env: Mapping[str, str]) -> int:
    """Bytes of the largest process of a command, those that it starts and waits for among them.

    A small process starts it: Linux counts for a new process what the one that started it took (see `peak`), and the
    benchmarks hold much.
    """
    starter = [sys.executable, "-c", _LARGEST_CHILD, *command]
    return _bytes(int(subprocess.run(starter, check=True, stdout=subprocess.PIPE, env=env, text=True).stdout))


def allocated(work: Callable[[], object]) -> int:
    """Bytes that a call holds at its peak beyond what was there before it: objects of Python, arrays of numpy.

    What compiled code allocates past the allocators of Python and numpy is not seen.
    """
    tracemalloc.start()
    try:
        initial_bytes, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        work()
        return tracemalloc.get_traced_memory()[1] - initial_bytes
    finally:
        tracemalloc.stop()


def _bytes(most: int) -> int:
    """`ru_maxrss`, which macOS tells in bytes and others in units of 1,024 bytes."""
    return most if sys.platform == "darwin" else most * 1024
