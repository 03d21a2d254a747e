"""Reading of texts that fails: one message, and no other output."""

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from command_line import Write
from text_reading import outcome, read, row, streaming

from metaeval.errors import InputError
from metaeval.io.files import delimited
from metaeval.io.texts import encoder as text_encoder
from metaeval.io.texts import rows as text_rows
from metaeval.io.texts.encoder import CodeArrays


@pytest.mark.parametrize(
    ("name", "line", "good"),
    [
        ("run.jsonl", '{"item": 1, "said": "a"}\n', row(1, "a")),
        ("run.csv", "1,a,b\n", "item,text\n"),
        ("run.csv", ",a\n", "item,text\n"),
    ],
)
def test_a_file_with_nothing_but_faults_is_not_read_to_its_end(
    write: Write, monkeypatch: pytest.MonkeyPatch, name: str, line: str, good: str
) -> None:
    monkeypatch.setattr(delimited, "MAX_FAULTS", 5)
    monkeypatch.setattr(text_rows, "MAX_FAULTS", 5)
    gold = write("gold.jsonl", row(1, "a"))
    for lines in (4, 5, 6000):
        said = str(outcome(gold, write(name, good + line * lines)))
        assert said.startswith(f"{min(lines, 5)} problems\n")
        assert (f"fix these first: {name} was read up to line 6." in said) == (lines > 4)


@pytest.mark.parametrize("change", [b"", b"\xe9\x81" * 999, b"item,text\n" + b"x\n" * 999])
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_file_that_changes_in_the_middle_of_reading_is_told_alone(
    write: Write, monkeypatch: pytest.MonkeyPatch, name: str, change: bytes
) -> None:
    """Whatever stands in it now; and of texts that were not read none is missed."""
    lines = [row(number, "a") if name == "a.jsonl" else f"{number},a\n" for number in range(500)]
    gold = write(name, "".join(lines) if name == "a.jsonl" else "".join(["item,text\n", *lines]))
    run = write("run.jsonl", "".join(row(number, "a") for number in range(500)))
    add = text_encoder.TextEncoder.add

    def change_and_add(encoder: text_encoder.TextEncoder, text: text_encoder.Text, arrays: CodeArrays) -> None:
        Path(gold).write_bytes(change)
        os.utime(gold, (1, 1))
        add(encoder, text, arrays)

    monkeypatch.setattr(text_encoder.TextEncoder, "add", change_and_add)
    with streaming(999), pytest.raises(InputError) as changed:
        read(gold, run)
    assert str(changed.value) == f"{gold}: it changed while it was read; expected a file that does not change"


class Refusing(ThreadPoolExecutor):
    """Has no process for anybody."""

    def submit(self, *_arguments: object, **_more: object):  # type: ignore[no-untyped-def]
        return super().submit(_refused)


def _refused() -> None:
    raise InputError.at(found="a worker process that ended", expected="enough memory")


def test_want_of_processes_or_of_room_is_no_fault_of_a_file(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither are the texts that were not read missed, nor is the next file read."""
    monkeypatch.setattr(text_encoder, "SECONDS_BEFORE_PARALLEL", 0)
    gold = write("gold.jsonl", "".join(row(number, "a b c") for number in range(100)))
    run, bad = write("run.jsonl", "".join(row(number, "a") for number in range(50))), write("bad.jsonl", "x")
    with Refusing(1) as executor, pytest.raises(InputError) as ended:
        read(gold, run, bad, executor=executor)
    assert str(ended.value) == "a worker process that ended; expected enough memory"
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(InputError) as full:
        read(gold, run, bad, memory=100)
    assert str(full.value).startswith("a temporary file for the words")
