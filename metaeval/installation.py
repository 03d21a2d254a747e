"""The installation: the packages that metaeval and its extras need, and which of them are missing or broken.

The packages come from the metadata of the installation, which are those of pyproject.toml. Only the standard library
is needed until all packages of metaeval itself are known to work.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Literal

from metaeval.errors import Problem, join_all, raise_any, refuse
from metaeval.version import __version__

if TYPE_CHECKING:
    from metaeval.model.report import Report

State = Literal["works", "missing", "too old", "broken"]
STATES: tuple[State, ...] = ("works", "missing", "too old", "broken")

FOR_DEVELOPERS = frozenset({"dev", "docs"})
"""Extras of which users need none."""

CORE = "metaeval"
"""What needs a package that no extra brings."""

_REQUIREMENT = re.compile(
    r"""(?P<name>[\w.-]+)[^>;]*(?:>=(?P<floor>[\w.]+))?(?:.*extra == ["'](?P<extra>[\w-]+)["'])?"""
)

_PROBES = {
    "pyyaml": "import yaml",
    "dask": "import dask, distributed",
    "sudachidict-core": "from sudachipy import Dictionary; Dictionary(dict='core')",
}
"""What shows that a package works, unless it is an import of its name."""


@dataclass(frozen=True)
class Package:
    """A package and its state; a row of the table `packages`.

    needed_by: `CORE` or the extras. version: what is installed, or ''. floor: the oldest version that is enough.
    problem: the error of its import, or ''.
    """

    name: str
    needed_by: tuple[str, ...]
    version: str
    floor: str
    state: State
    problem: str = ""

    def to_problem(self) -> Problem:
        """The problem of a package that does not work."""
        reason = f": {self.problem}" if self.problem else ""
        return Problem(f"the package {self.name} is {self.state}{reason}", f"{self.name}>={self.floor}", kind="missing")


def working_packages() -> list[Package]:
    """Every package that metaeval or an extra for users needs, those of metaeval first.

    Raises InputError if one of metaeval itself is missing or broken.
    """
    needs: dict[str, tuple[str, list[str]]] = {}
    for line in _requirements():
        match = _REQUIREMENT.match(line)
        assert match is not None
        extra = match["extra"] or CORE
        if extra not in FOR_DEVELOPERS:
            needs.setdefault(match["name"].lower(), (match["floor"] or "0", []))[1].append(extra)
    with ThreadPoolExecutor() as pool:
        packages = list(pool.map(_package, needs, needs.values()))
    bad = [package for package in packages if CORE in package.needed_by and package.state != "works"]
    remedy = f"{sys.executable} -m pip install --force-reinstall {' '.join(package.name for package in bad)}"
    raise_any([package.to_problem() for package in bad], remedy)
    return packages


def doctor_report(packages: Sequence[Package], *, command_line: str = "") -> Report:
    """Python and the packages (table `packages`), and which extras work."""
    from metaeval.model.report import Finding, Provenance, Report, signature, table, text

    remedy = "missing: pip install 'metaeval[EXTRA]'; broken or too old: pip install --force-reinstall PACKAGE"
    rows = [Package("python", (CORE,), platform.python_version(), _python_floor(), "works"), *packages]
    main = table(
        "packages",
        "Packages that metaeval and its extras need",
        text("package", [package.name for package in rows]),
        text("version", [package.version for package in rows], about="installed"),
        text("needs", [f">={package.floor}" for package in rows]),
        text("for", [", ".join(package.needed_by) for package in rows], about="metaeval itself, or extras"),
        text("state", [package.state for package in rows], values=STATES, about=remedy),
        text("problem", [package.problem for package in rows], about="last line of the error", detail=True),
    )
    findings = tuple(Finding("doctor", sentence) for sentence in _findings(packages))
    line = signature(__version__, [("python", platform.python_version()), ("platform", sysconfig.get_platform())])
    return Report("doctor", line, (main,), (), Provenance(__version__, command_line), findings=findings)


def _metadata() -> metadata.PackageMetadata:
    try:
        return metadata.metadata("metaeval")
    except metadata.PackageNotFoundError:
        found = "metaeval runs from its source files and is not installed"
        raise refuse(None, found, "an installation, which says what metaeval needs", "pip install .") from None


def _requirements() -> list[str]:
    return _metadata().get_all("Requires-Dist", [])


def _python_floor() -> str:
    return _metadata()["Requires-Python"].removeprefix(">=")


def _package(name: str, needs: tuple[str, Sequence[str]]) -> Package:
    """A package as it is installed. It is imported in another process, which a broken one may end."""
    floor, extras = needs
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Package(name, tuple(extras), "", floor, "missing")
    if _numbers(version) < _numbers(floor):
        return Package(name, tuple(extras), version, floor, "too old")
    probe = _PROBES.get(name, f"import {name.replace('-', '_')}")
    finished = subprocess.run(
        [sys.executable, "-P", "-c", probe],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    if finished.returncode == 0:
        return Package(name, tuple(extras), version, floor, "works")
    lines = finished.stderr.decode(errors="replace").split("\n")
    texts = [line.strip() for line in lines if line.strip()]
    problem = texts[-1] if texts and finished.returncode > 0 else f"its import ended with code {finished.returncode}"
    return Package(name, tuple(extras), version, floor, "broken", problem=problem)


def _numbers(version: str) -> tuple[int, ...]:
    """The release of a version; '2.0rc1' is that of 2.0.

    >>> _numbers("2.10.0") > _numbers("2.9")
    True
    """
    release = re.match(r"[\d.]*\d|", version)
    return tuple(map(int, release[0].split("."))) if release and release[0] else ()


def _findings(packages: Sequence[Package]) -> Iterator[str]:
    """Sentences on the extras by their state; one works if all its packages do."""
    states: dict[str, list[State]] = {}
    for package in packages:
        for extra in package.needed_by:
            states.setdefault(extra, []).append(package.state)
    states.pop(CORE)
    works = [extra for extra, extra_states in states.items() if set(extra_states) == {"works"}]
    broken = [extra for extra, extra_states in states.items() if {"broken", "too old"} & set(extra_states)]
    missing = [extra for extra in states if extra not in {*works, *broken}]
    yield f"metaeval works, {f'with the extras {join_all(works)}' if works else 'without extras'}"
    if missing:
        yield f"Not installed: {join_all(missing)}"
    if broken:
        yield f"Installed but broken: {join_all(broken)}"
