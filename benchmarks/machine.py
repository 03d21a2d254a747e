"""What a run was made on: hardware and versions, without names; how fast memory and matrix products are."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

PACKAGES = (
    "metaeval",
    "numpy",
    "scipy",
    "pandas",
    "pyarrow",
    "duckdb",
    "click",
    "scikit-learn",
    "krippendorff",
    "rouge-score",
    "rapidfuzz",
    "nlpstats",
    "evalica",
    "ranx",
    "rouge-score-rs",
    "hyper-corr",
    "correlation-with-confidence",
)

TRIAD, MATRIX = 8_000_000, 1_536
"""Numbers of the triad, which no cache holds; rows and columns of the matrices."""


@dataclass(frozen=True)
class Rates:
    """What one thread of this machine does at best: bytes moved, and single-precision FLOPs, a second."""

    bytes: float
    flops: float


@dataclass(frozen=True)
class Machine:
    """Hardware and software of a run. load: how many processes wanted a core when it began, on average of a minute."""

    processor: str
    cores: int
    system: str
    python: str
    blas: str
    packages: dict[str, str]
    load: float
    rates: Rates


def look(*, triad: int = TRIAD, matrix: int = MATRIX, rounds: int = 7) -> Machine:
    """What there is, and its rates; triad, matrix: sizes of the work that they are measured with."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return Machine(
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        system=platform.system(),
        python=platform.python_version(),
        blas=f"{blas['name']} {blas['version']}",
        packages={name: version for name in PACKAGES if (version := _installed(name))},
        load=os.getloadavg()[0],
        rates=Rates(_bytes_a_second(triad, rounds), _flops_a_second(matrix, rounds)),
    )


def _processor() -> str:
    cpu = Path("/proc/cpuinfo")
    if cpu.exists():
        for line in cpu.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _bytes_a_second(size: int, rounds: int) -> float:
    """A triad a = b + s · c in numpy: c read, a written; a and b read, a written."""
    one, other, out = np.ones(size), np.full(size, 2.0), np.empty(size)

    def triad() -> None:
        np.multiply(other, 3.0, out=out)
        np.add(out, one, out=out)

    return 5 * out.nbytes / _least_seconds(triad, rounds)


def _flops_a_second(size: int, rounds: int) -> float:
    """The product of two square matrices in single precision."""
    random = np.random.default_rng(1)
    one, other = random.random((2, size, size), dtype=np.float32)
    out = np.empty_like(one)

    def product() -> None:
        np.matmul(one, other, out=out)

    return 2 * size**3 / _least_seconds(product, rounds)


def _least_seconds(work: Callable[[], None], rounds: int) -> float:
    work()
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)
