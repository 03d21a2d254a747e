"""A full disk and folders without write permission: one message, unchanged old files, no leftovers."""

import os
from pathlib import Path

import pytest
from faults.processes import FNC1, FNC1_DATA, call, contents

pytestmark = pytest.mark.slow

SMALL = "ulimit -f 4"
"""A file may have 4 kB, as on a disk that is nearly full; root is not spared."""

SCORE = ("score", *FNC1, "--labels", "disagree<discuss<agree", "-q")
OLD = {
    "result.json": b"old",
    "page.html": b"old",
    "plot.svg": b"old",
    "out/scores.csv": b"old",
    "out/provenance.json": b'{"layout": {"scores": {}}}',
    "out/.mine": b"mine",
}
COMMANDS = {
    "a file": (*SCORE, "-f", "json", "-o", "result.json"),
    "a folder": (*SCORE, "--output-dir", "out"),
    "a plot": ("similarity", *FNC1, "--permutations", "0", "-q", "--plot", "plot.svg"),
    "a page": ("report", "results.json", "-o", "page.html"),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("results")
    assert call(folder, *SCORE, "-f", "json", "-o", "results.json").returncode == 0
    return (folder / "results.json").read_bytes()


def filled(folder: Path, results: bytes) -> Path:
    for name, content in {**OLD, "results.json": results}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_what_does_not_fit_is_told_and_nothing_has_changed(command: str, tmp_path: Path, results: bytes) -> None:
    before = contents(filled(tmp_path, results))
    done = call(tmp_path, *COMMANDS[command], before=SMALL)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("Error: ") == 1
    assert "it cannot be written (File too large)" in done.stderr
    assert contents(tmp_path) == before
    assert [path.name for path in (tmp_path / "out").iterdir() if path.is_dir()] == []


def test_a_run_goes_on_when_there_is_room_again(tmp_path: Path) -> None:
    sections = "measures: [accuracy, macro-f1]\nscore: {}\nsimilarity: {permutations: 20}\n"
    (tmp_path / "c.yaml").write_text(FNC1_DATA + sections)
    run = ("run", "c.yaml", "-q", "--output-dir", "out")
    done = call(tmp_path, *run, before="ulimit -f 6")
    assert done.returncode == 2
    assert "it cannot be written (File too large)" in done.stderr
    assert (tmp_path / "out/INCOMPLETE").is_file()
    done = call(tmp_path, *run, "--resume")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "out/.parts").exists()
    assert not (tmp_path / "out/INCOMPLETE").exists()


def test_samples_are_copied_whole_or_not_at_all(small_disk: Path) -> None:
    (small_disk / "mine").mkdir()
    for folder in ("demo", "mine"):
        done = call(small_disk, "demo", "--copy", folder)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"Error: {folder}: it cannot be written (No space left on device)")
        assert contents(small_disk) == {}
    assert [path.name for path in small_disk.iterdir()] == ["mine"]


@pytest.mark.parametrize("words", [("-o", "file/x.csv"), ("--output-dir", "file/out"), ("--output-dir", "file")])
def test_a_place_that_can_be_no_folder_is_told(words: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    done = call(tmp_path, *SCORE, *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: {words[1]}: it can")
    assert contents(tmp_path) == {"file": b"old"}


@pytest.mark.skipif(os.geteuid() == 0, reason="no permission stops root")
@pytest.mark.parametrize("words", [("-o", "closed/x.csv"), ("--output-dir", "closed"), ("--output-dir", "closed/out")])
def test_a_folder_without_permission_is_told(words: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o555)
    done = call(tmp_path, *SCORE, *words)
    assert done.returncode == 2
    assert "(Permission denied)" in done.stderr
    assert contents(tmp_path) == {}
