"""Texts too many for memory, or encoded in other processes: the same data sets and the same messages."""

import gzip
import hashlib
import io
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from command_line import Write
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from text_reading import outcome, read, row, streaming, told

from metaeval.errors import InputError
from metaeval.io.files import source
from metaeval.io.files.large_source import LargeSource, or_large
from metaeval.io.files.source import open_source
from metaeval.io.texts import encoder as text_encoder
from metaeval.io.texts import store
from metaeval.measures.text.vocabulary import vocabulary_of

SLOW = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_encoder, "SECONDS_BEFORE_PARALLEL", 1e-9)
    monkeypatch.setattr(text_encoder, "BATCH_CHARACTERS", 10)
    monkeypatch.setattr(store, "REORDER_NUMBERS", 3)


@pytest.fixture
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


GOLD = row("1", "A cat. It sat!") + row("2", "") + row("3", "Dogs bark") + row("1", "A dog.", reference="B")

SAID: dict[str, str | bytes] = {
    "whole": row(1, "A cat. It slept.") + row(2, "x") + row(3, "y z"),
    "pool": "".join(row(i, f"t{i} of {s}", system=s) for i in (3, 2, 1) for s in ("a", "b")),
    "no line end": row(1, "a") + row(2, "b").strip(),
    "blank lines": "\n \n\u00a0\n" + row(1, "a") + "\n\n" + row(1, "again") + "\n" * 40 + row(7, ""),
    "broken": row(1, "a") + '{"item\n' + row(2, "b") + '{"item": 2}\n[1]\n{"item": [1], "text": ""}\n',
    "cut": row(1, "a") + '{"item": 2, "te',
    "half of a surrogate pair": row(1, "a") + '{"item": 2, "text": "\\ud83d"}\n',
    "system now and then": row(1, "a", system="s") + row(2, "a") + row(3, "a"),
    "a list": '\n\n[{"item": 1}]',
    "over lines": ' \n{  \n"item": 1}',
    "an object": "{",
    "empty": "",
    "blanks": " \n\t\n" * 9,
    "other blanks": "\u00a0\n" * 9,
    "nul": row(1, "a" * 30).encode() + b"\x00\n",
    "mark": b"\xef\xbb\xbf" + row(1, "é 猫").encode(),
    "mark alone": b"\xef\xbb\xbf",
    "mark twice": b"\xef\xbb\xbf\xef\xbb\xbf" + row(1, "a").encode(),
    "cp1252": row(1, "a" * 50).encode() + row(2, "déjà vu").encode("cp1252") + row(3, "€").encode("cp1252"),
    "no encoding": row(1, "a" * 50).encode() + row(2, "ß猫").encode() + b'{"item": "\x81"}\n',
    "cut letter": row(1, "a" * 50).encode() + "猫".encode()[:2],
    "old mac": (row(1, "a b") + row(2, "é") + "{x\n" + row(3, "c")).replace("\n", "\r"),
    "windows": (row(1, "a b") + row(2, "é") + "{x\n" + row(3, "c")).replace("\n", "\r\n"),
    "mixed": row(1, "a") + "\r\r" + row(2, "b").replace("\n", "\r") + row(3, "c"),
    "table": 'item,text\n1,"a\nb"\n2,c\n,d\n3,"e"\n',
    "table of systems": "system\titem\ttext\n\t1\ta\ns\t2\tb\n",
    "ragged": "item,text\n1,a,b\n\n2\n3,c\n",
    "ragged at the end": "item,text\n1,a\n2,b\n3",
    "ragged at the end of many": "item,text\n1,a\n2,b\n3,c,d",
    "a column twice": "item,text,text\n1,a\n",
    "header alone": "\n\nitem,text\n\n",
    "no csv": 'item,text\n\n1,a\n2,"b"x\n',
    "carriage returns": 'item,text\r\n1,"a\rb"\r\n2,b\r3,c\r\n\r4,d',
    "unclosed": 'item,text\n1,a\n2,"b\n',
    "no table": "A cat sat.",
    "blank header": "\n\n  \nitem,text\n1,a\n",
    "settings": "\ufeff \n<ROUGE-EVAL/>",
    "gzip": gzip.compress((row(1, "a") + row(2, "b\nc") + "[]\n").encode(), mtime=0),
    "gzip cut": gzip.compress(row(1, "a" * 99).encode(), mtime=0)[:-9],
    "gzip and more": gzip.compress(row(1, "a" * 99).encode(), mtime=0) + b"x",
    "two gzips": gzip.compress(row(1, "a").encode(), mtime=0) + gzip.compress(row(2, "b").encode(), mtime=0),
}
FAULTS = {name: text if isinstance(text, bytes) else text.encode() for name, text in SAID.items()}


@pytest.mark.parametrize("stretch", [1, 7, 64])
@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_read_in_stretches_says_the_same(write: Write, fault: str, stretch: int) -> None:
    for name in ("run.jsonl", "run.txt", "run.tsv", "texts/1.txt"):
        write(name, FAULTS[fault])
        gold = write("gold.jsonl", GOLD)
        for files in ((gold, name.split("/")[0]), (name.split("/")[0], gold)):
            whole = outcome(*files)
            with streaming(stretch):
                assert outcome(*files) == whole
                assert outcome(*files, memory=0) == whole


def test_faults_are_faults_and_the_rest_is_read(write: Write) -> None:
    gold = write("gold.jsonl", GOLD)
    with streaming():
        read_well = {name for name, fault in FAULTS.items() if isinstance(outcome(gold, write("r.jsonl", fault)), dict)}
    assert read_well >= {"whole", "pool", "no line end", "mark", "cp1252", "two gzips"}
    assert not read_well & {"broken", "cut", "nul", "no encoding", "cut letter", "ragged", "gzip cut", "empty"}


CHANGES = st.lists(
    st.tuples(
        st.integers(0, 400),
        st.integers(0, 6),
        st.one_of(st.binary(max_size=4), st.sampled_from([*b'{}[]",:<>\n\r\0']).map(lambda byte: bytes([byte]))),
    ),
    max_size=6,
)


@SLOW
@given(
    base=st.sampled_from(["whole", "pool", "cp1252", "old mac", "windows", "table", "gzip"]),
    changes=CHANGES,
    stretch=st.integers(1, 40),
)
def test_bytes_of_any_kind_say_the_same_in_stretches(
    write: Write, base: str, changes: list[tuple[int, int, bytes]], stretch: int
) -> None:
    content = FAULTS[base]
    for at, length, new in changes:
        at %= len(content) + 1
        content = content[:at] + new + content[at + length :]
    gold, run = write("gold.jsonl", GOLD), write("run.jsonl", content)
    for files in ((gold, run), (run, gold)):
        whole = outcome(*files)
        with streaming(stretch):
            assert outcome(*files, memory=40) == whole


def test_a_large_file_is_what_it_is_as_a_whole(write: Write) -> None:
    content = "é\r\n".encode() * 1000
    for stored in (content, gzip.compress(content)):
        path = write("a.txt", stored)
        whole = open_source(path, "run")
        with streaming():
            large = or_large(open_source)(path, "run")
            assert isinstance(large, LargeSource)
            assert (large.text(), large.file, large.suffix) == (whole.text(), whole.file, whole.suffix)
            assert len(list(large.chunks())) > 100
    assert large.sha256 == hashlib.sha256(stored).hexdigest()
    assert not isinstance(or_large(open_source)(path, "run"), LargeSource)


def test_lines_and_bombs_have_the_same_limits(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_LINE", 100)
    monkeypatch.setattr(source, "MAX_UNPACKED", 1000)
    gold = write("gold.jsonl", row(1, "a"))
    for content in (row(1, "a" * 200).encode(), gzip.compress(row(1, "a").encode() * 100)):
        run = write("run.jsonl", content)
        whole = outcome(gold, run)
        assert "a line of more than" in str(whole) or ".gz file cannot be read" in str(whole)
        with streaming():
            assert outcome(gold, run) == whole


def test_a_file_that_changes_while_it_is_read_is_told(write: Write) -> None:
    path = write("a.jsonl", row(1, "a"))
    with streaming():
        large = or_large(open_source)(path, "run")
        write("a.jsonl", row(1, "a") + row(2, "b"))
        with pytest.raises(InputError, match="it changed while it was read"):
            large.text()


def test_what_is_no_file_is_read_once(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    gold = write("gold.jsonl", row(1, "a"))
    write("-", "not this")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(row(1, "b").encode())))
    with streaming():
        assert read(gold, "x=-").runs.systems == ("x",)
        os.mkfifo("pipe")
        with ThreadPoolExecutor(1) as other:
            writing = other.submit(Path("pipe").write_text, row(1, "b"))
            assert read(gold, "x=pipe").runs.systems == ("x",)
            writing.result()


TEXTS = st.lists(
    st.tuples(
        st.sampled_from("123456"),
        st.sampled_from(["s", "t"]),
        st.one_of(
            st.text("ab .!\n\u00a0é猫。", max_size=20), st.lists(st.text("ab \u3000é猫は", max_size=8), max_size=3)
        ),
    ),
    max_size=12,
    unique_by=lambda text: text[:2],
)


@SLOW
@given(texts=TEXTS, memory=st.sampled_from([0, 16, 100, 1 << 20]))
@example(texts=[("1", "s", ""), ("2", "s", " "), ("1", "t", [])], memory=0)
def test_texts_beyond_memory_and_in_batches_are_the_same(
    write: Write, texts: list[tuple[str, str, object]], memory: int
) -> None:
    gold = write("gold.jsonl", GOLD)
    run = write("run.jsonl", "".join(row(item, text, system=system) for item, system, text in texts))
    whole = outcome(gold, run)
    with ThreadPoolExecutor(2) as executor:
        for executed_by in (None, executor):
            assert outcome(gold, run, memory=memory, executor=executed_by) == whole


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        yield executor


@pytest.mark.parametrize(
    ("tokenizer", "lexicon"),
    [("rouge", None), ("whitespace", "lexicon.tsv"), ("characters", None), ("japanese", None), ("japanese", "sudachi")],
)
def test_processes_find_the_same_words(write: Write, processes: Executor, tokenizer: str, lexicon: str | None) -> None:
    write("lexicon.tsv", "cat\tPET\nsat.\tREST\n")
    sentences = ["A cat sat.", "医者は猫を見た。", "", "Dogs—and cats.", "  ", "猫は走らない。金がない", "naïve ™"]
    texts = [" ".join(sentences[number % 7 :: 1 + number % 3]) for number in range(40)]
    gold = write("gold.jsonl", "".join(row(number, text) for number, text in enumerate(texts)))
    run = write("run.jsonl", "".join(row(number, [text, text]) for number, text in enumerate(reversed(texts))))
    vocabularies = [vocabulary_of(tokenizer, lexicon) for _ in range(2)]
    here, there = (
        told(read(gold, run, encoder=vocabulary, executor=executor))
        for vocabulary, executor in zip(vocabularies, (None, processes), strict=True)
    )
    assert here == there
    assert vars(vocabularies[0])["_letters"] == vars(vocabularies[1])["_letters"] > 0
    assert vars(vocabularies[0])["_lost"] == vars(vocabularies[1])["_lost"]


class Counting(ThreadPoolExecutor):
    """Counts its calls."""

    asked = 0

    def submit(self, *arguments: object, **more: object):  # type: ignore[no-untyped-def]
        self.asked += 1
        return super().submit(*arguments, **more)  # type: ignore[arg-type]


def test_what_takes_no_time_is_encoded_here(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = "".join(row(number, "a b c") for number in range(20))
    gold, run = write("gold.jsonl", texts), write("run.jsonl", texts)
    for seconds, shared in ((1000, False), (1e-9, True)):
        monkeypatch.setattr(text_encoder, "SECONDS_BEFORE_PARALLEL", seconds)
        with Counting(1) as executor:
            read(gold, run, executor=executor)
            assert bool(executor.asked) == shared


def test_an_encoder_that_no_process_can_make_stays_here(write: Write) -> None:
    class Blanks:
        def __init__(self) -> None:
            self.vocabulary = vocabulary_of("whitespace")
            self.encode_all = self.vocabulary.encode_all
            self.words = self.vocabulary.words

    gold, run = write("gold.jsonl", GOLD), write("run.jsonl", row(1, "a b " * 9))
    with Counting(1) as executor:
        dataset = read(gold, run, encoder=Blanks(), executor=executor)
        assert executor.asked == 0
    assert len(dataset.runs.outputs[0].codes) == 18


class Broken(ThreadPoolExecutor):
    """Fails at the second batch."""

    asked = 0

    def submit(self, *arguments: object, **more: object):  # type: ignore[no-untyped-def]
        self.asked += 1
        if self.asked == 2:
            return super().submit(_interrupted)
        return super().submit(*arguments, **more)  # type: ignore[arg-type]


def _interrupted() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("memory", [0, 100])
def test_temporary_files_are_gone_with_the_texts(write: Write, temporary: Path, memory: int) -> None:
    texts = "".join(row(number, f"a b c{number}") for number in range(20))
    gold, run = write("gold.jsonl", texts), write("run.jsonl", texts)
    dataset = read(gold, run, memory=memory)
    assert isinstance(dataset.runs.outputs[0].codes, np.memmap)
    assert not dataset.runs.outputs[0].codes.flags.writeable
    assert list(temporary.iterdir()) == []
    assert told(dataset) == told(read(gold, run))
    with pytest.raises(InputError):
        read(gold, write("bad.jsonl", texts + "x"), memory=memory)
    with pytest.raises(KeyboardInterrupt), Broken(1) as executor:
        read(gold, run, memory=memory, executor=executor)
    assert list(temporary.iterdir()) == []


def test_texts_that_stay_in_memory_need_no_file(write: Write, temporary: Path) -> None:
    temporary.rmdir()
    texts = [row(number, f"a b c{number}") for number in range(20)]
    gold, run = write("gold.jsonl", "".join(texts)), write("run.jsonl", "".join(reversed(texts)))
    assert not isinstance(read(gold, run).runs.outputs[0].codes, np.memmap)
    with pytest.raises(InputError, match=r"cannot be written \(No such file or directory\)[^\0]*TMPDIR"):
        read(gold, run, memory=100)


def test_a_shelf_in_another_order_is_copied_into_a_file_where_memory_is_short(write: Write) -> None:
    texts = [row(number, "a b c") for number in range(20)]
    gold, run = write("gold.jsonl", "".join(texts)), write("run.jsonl", "".join(reversed(texts)))
    numbers = 2 * 20 * (3 + 1 + 1)
    runs = read(gold, run, memory=4 * numbers).runs
    assert not isinstance(runs.references.codes, np.memmap)
    assert isinstance(runs.outputs[0].codes, np.memmap)
    assert not isinstance(read(gold, run, memory=8 * numbers).runs.outputs[0].codes, np.memmap)
