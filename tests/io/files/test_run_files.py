"""What a RUN argument means."""

import os
import threading
from pathlib import Path

import pytest
from command_line import CommandLine, Write

from metaeval.errors import InputError
from metaeval.io.files.run_files import find_run_files, system_name

TIDY = "id,label\na,x\nb,y\n"


def systems(*arguments: str, gold: str | None = None) -> dict[str, str]:
    files, _ = find_run_files(arguments, gold=gold)
    return {file.system: file.path for file in files}


def test_folders_and_patterns_mean_their_files_but_not_gold(write: Write) -> None:
    for name in ("f/b.csv", "f/a.JSON", "f/c.tsv.gz", "f/.hidden.csv", "f/gold.csv", "f/notes.md", "f/deeper/d.csv"):
        write(name, TIDY)
    files, notes = find_run_files(["f"], gold="f/../f/gold.csv")
    assert [file.path for file in files] == ["f/a.JSON", "f/b.csv", "f/c.tsv.gz"]
    assert [file.system for file in files] == ["a", "b", "c"]
    assert notes == ("f: ignored .hidden.csv, deeper, notes.md",)
    for name in ("r/b1.csv", "r/b0.csv", "r/deep/b2.csv", "r/x.csv"):
        write(name, TIDY)
    assert list(systems("r/b*.csv")) == ["b0", "b1"]
    assert list(systems("r/**/b*.csv")) == ["b0", "b1", "b2"]
    for name in ("s/a.csv", "s/gold.csv"):
        write(name, TIDY)
    assert systems("s/*.csv", gold="s/gold.csv") == {"a": "s/a.csv"}
    assert systems("s/gold.csv", gold="s/gold.csv") == {"gold": "s/gold.csv"}


def test_a_name_can_be_given_and_equals_signs_may_stand_in_paths(write: Write) -> None:
    plain, odd = write("runs/a.csv", TIDY), write("k=5/lr=1.csv", TIDY)
    assert systems(f"mine={plain}") == {"mine": plain}
    assert systems(odd) == {"lr=1": odd}
    assert systems(f"mine={odd}") == {"mine": odd}
    assert systems("k=5") == {"lr=1": odd}
    assert systems("k=5/*.csv") == {"lr=1": odd}
    assert systems("mine=k=5/*.csv") == {"mine": odd}


@pytest.mark.parametrize("argument", ["=", "a=", "=a.csv", ""])
def test_half_a_name_is_refused(write: Write, argument: str) -> None:
    write("a.csv", TIDY)
    with pytest.raises(InputError, match=r"^run '|^no name of a run"):
        find_run_files([argument], gold=None)


@pytest.mark.parametrize("argument", ["nothing*.csv", "empty"])
def test_a_pattern_or_folder_without_a_run_is_refused(write: Write, argument: str) -> None:
    write("empty/.hidden.csv", TIDY)
    with pytest.raises(InputError, match=r"no file that matches the pattern|no run in this folder"):
        find_run_files([argument], gold=None)


def test_standard_input_can_be_named_once() -> None:
    with pytest.raises(InputError, match="file 'standard input' again"):
        find_run_files(["-", "x=-"], gold=None)


@pytest.mark.parametrize(
    ("path", "system"),
    [("a/b.csv", "b"), ("b.v1.2.csv.gz", "b.v1.2"), ("b.v1.2", "b.v1.2"), ("B.JSONL", "B"), ("-", "stdin")],
)
def test_the_name_of_a_system_is_the_stem_without_endings_of_format(path: str, system: str) -> None:
    assert system_name(path) == system


@pytest.mark.parametrize("files", [("gold.csv", "fifo"), ("fifo", "run.csv")])
def test_gold_and_a_run_may_be_pipes_and_are_read_once(
    metaeval: CommandLine, write: Write, files: tuple[str, str]
) -> None:
    write("gold.csv", TIDY)
    write("run.csv", TIDY)
    os.mkfifo("fifo")
    feeder = threading.Thread(target=lambda: Path("fifo").write_text(TIDY))
    feeder.start()
    outcome = metaeval.succeeds("score", "-m", "accuracy", "-f", "csv", "-q", "--gold", *files)
    feeder.join()
    assert outcome.column("accuracy") == {files[1].removesuffix(".csv"): 1.0}


def test_file_names_that_are_no_text_are_shown_escaped(metaeval: CommandLine, write: Write) -> None:
    gold, run, other = write("gold.csv", TIDY), write("b\udcff.csv", TIDY), write("c.csv", TIDY)
    for kind in ("csv", "json", "table", "markdown", "latex"):
        # The table of a single system does not name it.
        outcome = metaeval.succeeds("score", "-m", "accuracy", "-f", kind, "--gold", gold, run, other)
        assert "udcff" in outcome.out
    for words in ((gold, "s\udcff=gold.csv"), (run, gold)):
        for folder in ("o", "o\udcff"):
            metaeval.succeeds("score", "-m", "accuracy", "--gold", *words, "--output-dir", folder)
            page = metaeval.succeeds("report", folder, "-o", "page.html")
            assert page.err == ""
        assert r"\\udcff" in Path(folder, "provenance.json").read_text()
    assert r"nob\udcff.csv: no such file" in metaeval.refuses("score", "--gold", gold, "nob\udcff.csv")


@pytest.mark.parametrize("name", ["b.csv", "b.pipe"])
def test_a_pipe_in_a_folder_of_runs_is_refused(metaeval: CommandLine, write: Write, name: str) -> None:
    gold, run = write("gold.csv", TIDY), write("runs/a.csv", TIDY)
    os.mkfifo(Path(run).with_name(name))
    for runs in ("runs", "runs/*"):
        message = metaeval.refuses("score", "--gold", gold, runs)
        assert f"runs/{name}: a pipe or a device in a folder of runs" in message


@pytest.mark.parametrize("name", ["systems/x/2.txt", "systems/x/pipe", "systems/2.txt", "references/2.txt"])
def test_a_pipe_in_a_folder_of_texts_is_refused(metaeval: CommandLine, write: Write, name: str) -> None:
    write("references/1.txt", "a b")
    write("systems/x/1.txt", "a b")
    if name.startswith("systems/x"):
        Path("systems/x/1.txt").unlink()
    os.mkfifo(name)
    message = metaeval.refuses("score", "--task", "texts", "--gold", "references", "systems")
    assert f"{name}: a pipe or a device in a folder of runs" in message
