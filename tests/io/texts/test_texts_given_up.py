"""Reading of texts that fails: one message, and no other output."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from command_line import CommandLine, Write, refusal
from text_reading import outcome, read, row

from metaeval.errors import InputError, refuse
from metaeval.io.files import delimited
from metaeval.io.texts import rows as text_encoder
from metaeval.io.texts import rows as text_rows
from metaeval.io.texts import summaries


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
        message = str(outcome(gold, write(name, good + line * lines)))
        assert message.startswith(f"{min(lines, 5)} problems\n")
        assert (f"fix these first: {name} was read up to line 6." in message) == (lines > 4)


class Refusing(ThreadPoolExecutor):
    """Has no process for anybody."""

    def submit(self, *_arguments: object, **_more: object):  # type: ignore[no-untyped-def]
        return super().submit(_refused)


def _refused() -> None:
    raise refuse(None, "a worker process that ended", "enough memory")


def test_want_of_processes_or_of_memory_is_no_fault_of_a_file(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither are the texts that were not read missed, nor is the next file read."""
    monkeypatch.setattr(text_encoder, "SECONDS_BEFORE_PARALLEL", 0)
    gold = write("gold.jsonl", "".join(row(number, "a b c") for number in range(100)))
    run, bad = write("run.jsonl", "".join(row(number, "a") for number in range(50))), write("bad.jsonl", "x")
    with Refusing(1) as executor, pytest.raises(InputError) as ended:
        read(gold, run, bad, executor=executor)
    assert str(ended.value) == "a worker process that ended; expected enough memory"
    monkeypatch.setattr(text_encoder, "BATCH_CHARACTERS", 10)
    assert refusal(read, gold, run, bad, memory=100).startswith("the words of all texts need more than")


def test_texts_and_files_beyond_memory_are_refused_with_what_they_need(
    write: Write, metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = row(1, "a b c " * 900_000)
    gold, run = write("gold.jsonl", many), write("run.jsonl", many)
    call = ("score", "--task", "texts", "--gold", gold, run, "-m", "rouge-l", "-q", "--memory", "16MB")
    parts = (
        "the words of all texts need more than 16 MB of memory",
        "use --memory 32MB if this machine has it, or evaluate fewer systems or items",
    )
    metaeval.refuses_with(parts, *call)
    assert len(read(gold, run, memory=32 << 20).runs.outputs[0].codes) == 2_700_000
    monkeypatch.setattr(summaries, "_LARGE", 1 << 20)
    parts = (
        "gold.jsonl: the texts of a file of 5 MB need more than 16 MB of memory",
        "use --memory 21MB if this machine has it, or write each system to a file of its own",
    )
    metaeval.refuses_with(parts, *call)
