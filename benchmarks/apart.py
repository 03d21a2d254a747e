"""Work in a separate process, so that its memory can be measured."""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

GIGABYTE = 1 << 30


@dataclass(frozen=True)
class Taken:
    """What work took: seconds of the processor, all threads together, and bytes at the peak of its process.

    waited: seconds on the clock, where several threads make them another number.
    """

    seconds: float
    bytes: int
    waited: float = math.nan


def apart(module: str, work: Mapping[str, object]) -> Taken:
    """What `python -m module` took for work, which it gets as JSON and answers with `tell`.

    A `ChildProcessError` where it fails; why, it says itself.
    """
    command = [sys.executable, "-m", module, json.dumps(work)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise ChildProcessError(f"{' '.join(command)} failed, exit code {done.returncode}")
    return Taken(**json.loads(done.stdout))


def tell(taken: Taken) -> None:
    """Answer the process that started this one."""
    print(json.dumps(asdict(taken)))


def peak() -> int:
    """Bytes of this process at its peak.

    Linux counts for `getrusage` what the process that started this one took, too; so it is asked elsewhere.
    """
    status = Path("/proc/self/status")
    if status.exists():
        fields = dict(line.split(":", 1) for line in status.read_text(encoding="utf-8").splitlines() if ":" in line)
        return int(fields["VmHWM"].split()[0]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
