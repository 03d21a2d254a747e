"""Runs the commands of the list, each in a process and a folder of its own, and records what they leave behind."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from metaeval.work import ONE_THREAD

from . import samples
from .listing import HERE, Command
from .normalise import Normaliser

AT_ONCE = 2
LONGEST = 180
"""Seconds after which a command is ended; the exit code is then recorded as 'timeout'."""

COPIED = ("metaeval", "configs", "sample_data")
"""What commands need of a checkout."""

Stamp = tuple[int, int]


class Workshop:
    """A scratch folder that holds a copy of a checkout, the data, and a folder for each command.

    checkout: the repository to run. It is copied, so that paths in outputs have one length wherever it lies and edits
    during a recording do no harm.
    """

    def __init__(self, scratch: Path, checkout: Path) -> None:
        self.checkout, self.data, self.temporary = scratch / "checkout", scratch / "data", scratch / "temporary"
        self.home, self.programs, self.work = scratch / "home", scratch / "bin", scratch / "work"
        for folder in (self.home, self.programs, self.temporary, self.work):
            folder.mkdir(parents=True)
        for name in COPIED:
            shutil.copytree(checkout / name, self.checkout / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in COPIED[1:]:
            shutil.copytree(self.checkout / name, self.data / name)
        shutil.copytree(HERE / "configs", self.data / "golden")
        self._write_programs()
        samples.write(self.data / "made", self.data / "sample_data")
        self._warm_up()
        folders = {"CHECKOUT": self.checkout, "DATA": self.data, "TEMPORARY": self.temporary, "HOME": self.home}
        configurations = [path for folder in ("configs", "golden") for path in (self.data / folder).glob("*.yaml")]
        self.normalise = Normaliser({**folders, "PYTHON": Path(sys.prefix), "SCRATCH": scratch}, configurations)

    def environment(self) -> dict[str, str]:
        """A plain environment: no terminal, no colours, one thread of BLAS, none of the user's settings."""
        return {
            "PATH": f"{self.programs}{os.pathsep}{os.defpath}",
            "PYTHONPATH": str(self.checkout),
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "COLUMNS": "100",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            **ONE_THREAD,
            "OMP_NUM_THREADS": "1",
        }

    def run(self, command: Command, recordings: Path) -> None:
        """Run one command and record it under its name."""
        folder = self.work / command.name
        shutil.copytree(self.data, folder)
        before = _stamps(folder)
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", command.line],
                cwd=folder, env=self.environment(), capture_output=True, timeout=LONGEST, stdin=subprocess.DEVNULL,
                check=False,
            )  # fmt: skip
            code, out, err = str(done.returncode), done.stdout, done.stderr
        except subprocess.TimeoutExpired as expired:
            code, out, err = "timeout", expired.stdout or b"", expired.stderr or b""
        written = [name for name, stamp in _stamps(folder).items() if before.get(name) != stamp]
        self._record(command, recordings / command.name, {
            "command": f"{command.line}\n".encode(), "exit": f"{code}\n".encode(), "stdout": out, "stderr": err,
            **{f"files/{name}": (folder / name).read_bytes() for name in written},
        })  # fmt: skip
        shutil.rmtree(folder)

    def _record(self, command: Command, recording: Path, contents: dict[str, bytes]) -> None:
        for name, data in contents.items():
            path = recording / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = data.decode() if name == "command" else self.normalise.content(data, name, command)
            path.write_text(text.replace(str(self.work / command.name), "@FOLDER@"), encoding="utf-8", newline="")

    def _write_programs(self) -> None:
        """The commands `metaeval` and `python`, of this interpreter and the copied checkout."""
        for name, arguments in (("metaeval", "-m metaeval "), ("python", "")):
            program = self.programs / name
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments}"$@"\n')
            program.chmod(0o755)
        shutil.copy(HERE / "calls.py", self.programs)

    def _warm_up(self) -> None:
        """Compile the checkout, install the small wordnet, and have matplotlib make its cache of fonts."""
        program = (
            "import compileall, wn, matplotlib.font_manager\n"
            f"assert compileall.compile_dir({str(self.checkout / 'metaeval')!r}, quiet=1)\n"
            f"wn.add({str(self.data / 'made' / 'wordnet.xml')!r}, progress_handler=None)\n"
        )
        subprocess.run(
            [sys.executable, "-c", program], env=self.environment(), cwd=self.home, check=True, capture_output=True
        )


def run_all(workshop: Workshop, commands: Sequence[Command], recordings: Path, say: Callable[[str], None]) -> None:
    """Run commands, two at a time."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for number, _ in enumerate(pool.map(lambda command: workshop.run(command, recordings), commands), 1):
            if number % 25 == 0:
                say(f"{number} of {len(commands)} commands have run")


def _stamps(folder: Path) -> dict[str, Stamp]:
    """Size and time of change of every file below a folder."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}
