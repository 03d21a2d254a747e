"""Folders and ZIP archives of teams, whose runs have the names TEAM or TEAM/RUN, in every task."""

import gzip
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from command_line import CommandLine, Write

STEP = ["t", 0, ["a", "is", "b"]]
TASKS = {
    "labels": ("csv", "id,label\n1,yes\n2,no\n3,yes\n"),
    "texts": ("jsonl", '{"item": "1", "text": "a b"}\n{"item": "2", "text": "c d"}\n'),
    "distributions": ("csv", "item,no,yes\n1,.5,.5\n2,1,0\n"),
    "table": ("csv", "item,bleu\n1,.5\n2,.1\n"),
    "r4c": ("json", json.dumps({"re": {"1": [STEP]}})),
}
GOLD = {"table": "", "r4c": json.dumps({"1": [[STEP]]})}
REMARKS = ("A/README.txt", "A/paper.pdf", "A/.run.csv.swp", "B/metadata.csv", "B/metadata.json", "__MACOSX/A/run.csv")


def submissions(task: str) -> dict[str, str]:
    """The files of two teams, of which one has several runs, and what is beside them."""
    suffix, text = TASKS[task]
    runs = dict.fromkeys((f"A/v2/run.{suffix}", f"B/one.{suffix}", f"B/deep/two.{suffix}"), text)
    return runs | dict.fromkeys(REMARKS, "no run")


def archive(path: str, files: Mapping[str, str | bytes]) -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    return path


def as_folder(write: Write, files: Mapping[str, str]) -> str:
    for name, text in files.items():
        write(f"all/{name}", text)
    return "all"


def as_archives(_: Write, files: Mapping[str, str]) -> str:
    for team in ("A", "B", "__MACOSX"):
        team_files = {name.partition("/")[2]: text for name, text in files.items() if name.startswith(f"{team}/")}
        archive(f"all/{team}.zip" if team != "__MACOSX" else "all/__MACOSX/._A.zip", team_files)
    return "all"


def as_archive(_: Write, files: Mapping[str, str]) -> str:
    return archive("all.zip", files)


def as_archive_of_a_folder(_: Write, files: Mapping[str, str]) -> str:
    return archive("all.zip", {f"all/{name}": text for name, text in files.items()})


@pytest.mark.parametrize("make", [as_folder, as_archives, as_archive, as_archive_of_a_folder])
@pytest.mark.parametrize("task", TASKS)
def test_teams_are_systems(
    metaeval: CommandLine, write: Write, task: str, make: Callable[[Write, Mapping[str, str]], str]
) -> None:
    path = make(write, submissions(task))
    gold = GOLD.get(task, TASKS[task][1])
    data = ("--task", task, *(("--gold", write("gold", gold)) if gold else ()), path)
    report = metaeval.report("score", *data)
    assert sorted(row["system"] for row in report["tables"]["scores"]) == ["A", "B/one", "B/two"]
    (note,) = [note for note in report["notes"] if "ignored" in note]
    assert note.startswith(f"{path}: ignored ")
    assert len(note.split(", ")) == 5
    assert note.endswith("more")
    files = {file["path"] for file in report["provenance"]["files"] if file["role"] == "run"}
    archives = {"all.zip"} if path == "all.zip" else {"all/A.zip", "all/B.zip"} if make is as_archives else None
    assert files == (archives or {f"all/{name}" for name in submissions(task) if name not in REMARKS})


def test_names_in_folders_and_archives(metaeval: CommandLine, write: Write) -> None:
    text = TASKS["labels"][1]
    gold = write("gold.csv", text)
    for name in ("flat/a.csv", "flat/b.csv", "flat/old/c.csv", "twice/T/x/r.csv", "twice/T/y/r.csv", "one/run.csv"):
        write(name, text)
    archive("flat/C.zip", {"1.csv": text, "2.csv": text})
    archive("mine.zip", {"deep/run.csv": text, "README.md": "no run", "../out.csv": text, "/etc/out.csv": text})
    archive(
        "mixed.zip", {"gold.csv": text, "T/r.csv.gz": gzip.compress(text.encode()), "T/s.tsv": text.replace(",", "\t")}
    )
    expected = {
        "flat": ["C/1", "C/2", "a", "b"],
        "flat/C.zip": ["1", "2"],
        "flat/*.zip": ["1", "2"],
        "twice": ["T/x/r", "T/y/r"],
        "one": ["run"],
        "mine.zip": ["mine"],
        "me=mine.zip": ["me"],
        "mixed.zip/T/r.csv.gz": ["r"],
    }
    for path, systems in expected.items():
        scores = metaeval.tables("score", "--gold", gold, path)["scores"]
        assert [row["system"] for row in scores] == systems, path
    assert "flat: ignored old" in metaeval.succeeds("score", "--gold", gold, "flat").err
    scores = metaeval.tables("score", "--gold", "mixed.zip/gold.csv", "mixed.zip")["scores"]
    assert [row["system"] for row in scores] == ["T/r", "T/s"]


def test_folders_of_texts_keep_their_meaning_in_archives(metaeval: CommandLine, write: Write) -> None:
    texts = {"gold/1.txt": "a b", "gold/2.txt": "c d", "s/one/1.txt": "a b", "s/one/2.txt": "c", "s/two/1.txt": "a"}
    texts["s/two/2.txt"] = "x"
    for name, text in texts.items():
        write(name, text)
    expected = metaeval.tables("score", "--task", "texts", "--gold", "gold", "s")
    archive("gold.zip", {name.removeprefix("gold/"): text for name, text in texts.items() if name.startswith("gold/")})
    archive("s.zip", {name.removeprefix("s/"): text for name, text in texts.items() if name.startswith("s/")})
    assert metaeval.tables("score", "--task", "texts", "--gold", "gold.zip", "s.zip") == expected


def test_messages_name_the_files_in_archives(metaeval: CommandLine, write: Write) -> None:
    text = TASKS["labels"][1]
    gold = write("gold.csv", text)
    archive("answers.zip", {"T/run.csv": text, "U/run.csv": text.replace("2,no", "2,odd")})
    for words, part in {
        (gold, "answers.zip"): "answers.zip/U/run.csv:3: prediction 'odd'; expected one of no, yes",
        ("answers.zip", gold): "answers.zip: 2 files in a ZIP archive; expected 1",
        (gold, "answers.zip/T/rum.csv"): "answers.zip/T/rum.csv: no such file in the ZIP archive",
        (gold, archive("none.zip", {"README": "no run"})): "none.zip: 0 files in a ZIP archive; expected 1",
        (gold, write("torn.zip", Path("answers.zip").read_bytes()[:-40])): "torn.zip: ZIP archive cannot be read",
        (gold, archive("large.zip", dict.fromkeys(["a.csv", "b.csv"], "1" * (40 << 20)))): "more than 64 MB unpacked",
    }.items():
        assert part in metaeval.refuses("score", "--gold", *words)
    assert "name one of them, as in answers.zip/T/run.csv" in metaeval.refuses("score", "--gold", "answers.zip", gold)
    tables = metaeval.tables("score", "--gold", gold, "answers.zip", "--skip-invalid")
    assert [(row["system"], row["file"]) for row in tables["rejected"]] == [("U", "answers.zip/U/run.csv")]
