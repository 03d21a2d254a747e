"""Texts that do not fit into memory: it stays bounded, and the disk is left as it was."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from worker_processes import PATIENCE

from metaeval.errors import InputError
from metaeval.io.labels.policies import Policies
from metaeval.io.labels.raw_labels import Columns
from metaeval.io.texts.summaries import read_texts
from metaeval.measures.text.vocabulary import vocabulary_of

pytestmark = pytest.mark.slow

MEGABYTE = 1 << 20
READ = """
import resource, sys
from metaeval.errors import InputError
from metaeval.io.labels.raw_labels import Columns
from metaeval.io.labels.policies import Policies
from metaeval.io.texts.summaries import read_texts
from metaeval.measures.text.vocabulary import vocabulary_of

def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

gold, run, memory = sys.argv[1:]
before = most()
try:
    runs = read_texts(
        gold, [run], encoder=vocabulary_of("whitespace"), columns=Columns(), policies=Policies(),
        progress=lambda items, description: items, memory=int(memory),
    ).runs
    print(most() - before, len(runs.references.codes), len(runs.outputs[0].codes))
except InputError as error:
    print(error)
"""


def texts(path: Path, items: list[int], words: int) -> str:
    """JSON lines with as many words an item, mostly of 12 letters."""
    text = [f"abcdefghij{word % 90 + 10}" for word in range(words)]
    with path.open("w") as file:
        for item in items:
            file.write(json.dumps({"item": item, "sentences": [" ".join(text[item % 7 :])] * 2}) + "\n")
    return str(path)


def reading(folder: Path, gold: str, run: str, memory: int, before: str = ":") -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["bash", "-c", f'{before}; exec "$@"', "-", sys.executable, "-c", READ, gold, run, str(memory)],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """For temporary files."""
    (tmp_path / "temporary").mkdir()
    return tmp_path / "temporary"


def test_memory_grows_with_no_file(tmp_path: Path, folder: Path) -> None:
    # In another order, so that the texts are copied.
    gold = texts(tmp_path / "gold.jsonl", list(range(200)), 100)
    run = texts(tmp_path / "run.jsonl", list(reversed(range(200))), 14_500)
    assert Path(run).stat().st_size > 70 * MEGABYTE
    said, _ = reading(folder, gold, run, 4 * MEGABYTE).communicate(timeout=PATIENCE)
    most, _, words = map(int, said.split())
    assert words > 5_000_000
    # The bytes alone, their letters and the codes would take 160 MB.
    assert most < 90
    assert list(folder.iterdir()) == []


def test_a_file_that_may_not_grow_is_told(tmp_path: Path, folder: Path) -> None:
    gold = texts(tmp_path / "gold.jsonl", list(range(20)), 100)
    run = texts(tmp_path / "run.jsonl", list(range(20)), 1000)
    said, _ = reading(folder, gold, run, 1000, before="ulimit -f 4").communicate(timeout=PATIENCE)
    assert said.startswith("a temporary file for the words of the texts cannot be written (File too large); expected ")
    assert "What to do: set the environment variable TMPDIR to a folder on a larger disk." in said
    assert list(folder.iterdir()) == []


def test_an_interrupt_leaves_no_temporary_file(tmp_path: Path, folder: Path) -> None:
    gold = texts(tmp_path / "gold.jsonl", list(range(20)), 100)
    process = reading(folder, gold, texts(tmp_path / "run.jsonl", list(range(20)), 100_000), 1000)
    until = time.monotonic() + PATIENCE
    # Python itself first tries out the folder, with a file that an interrupt leaves behind.
    while not list(folder.glob("metaeval-*")):
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    said, told = process.communicate(timeout=PATIENCE)
    assert (said, "KeyboardInterrupt" in told) == ("", True)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("words", [1000, 700])
def test_a_full_disk_is_told(tmp_path: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch, words: int) -> None:
    """It is full while the texts are read, or when they are put in order."""
    gold = texts(tmp_path / "gold.jsonl", list(range(20)), 10)
    run = texts(tmp_path / "run.jsonl", list(range(20)), words // 2)
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    with pytest.raises(InputError, match="No space left on device"):
        read_texts(
            gold, [run], encoder=vocabulary_of("whitespace"), columns=Columns(), policies=Policies(),
            progress=lambda items, _doing: items, memory=1000,
        )  # fmt: skip
    assert list(small_disk.iterdir()) == []
