"""Texts of all kinds of files, encoded in batches or in other processes: the same data sets and the same messages."""

import gzip
import os
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from command_line import Write
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from text_reading import content_of, outcome, read, row

from metaeval.io.texts import rows as text_encoder
from metaeval.measures.text.vocabulary import Vocabulary, vocabulary_of

SLOW = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_encoder, "SECONDS_BEFORE_PARALLEL", 1e-9)
    monkeypatch.setattr(text_encoder, "BATCH_CHARACTERS", 10)


GOLD = row("1", "A cat. It sat!") + row("2", "") + row("3", "Dogs bark") + row("1", "A dog.", reference="B")

READ: dict[str, str | bytes] = {
    "no line end": row(1, "a") + row(2, "b").strip(),
    "mark": b"\xef\xbb\xbf" + row(1, "é 猫").encode(),
    "cp1252": row(1, "a" * 50).encode() + row(2, "déjà vu").encode("cp1252") + row(3, "€").encode("cp1252"),
    "two gzips": gzip.compress(row(1, "a").encode(), mtime=0) + gzip.compress(row(2, "b").encode(), mtime=0),
}
REFUSED: dict[str, str | bytes] = {
    "broken": row(1, "a") + '{"item\n' + row(2, "b") + '{"item": 2}\n[1]\n{"item": [1], "text": ""}\n',
    "cut": row(1, "a") + '{"item": 2, "te',
    "empty": "",
    "nul": row(1, "a" * 30).encode() + b"\x00\n",
    "no encoding": row(1, "a" * 50).encode() + row(2, "ß猫").encode() + b'{"item": "\x81"}\n',
    "cut letter": row(1, "a" * 50).encode() + "猫".encode()[:2],
    "ragged": "item,text\n1,a,b\n\n2\n3,c\n",
    "gzip cut": gzip.compress(row(1, "a" * 99).encode(), mtime=0)[:-9],
}


@pytest.mark.parametrize("name", [*READ, *REFUSED])
def test_faults_are_faults_and_the_rest_is_read(write: Write, name: str) -> None:
    result = outcome(write("gold.jsonl", GOLD), write("r.jsonl", (READ | REFUSED)[name]))
    assert isinstance(result, dict) == (name in READ)


def test_a_pipe_is_read_once(write: Write) -> None:
    gold = write("gold.jsonl", row(1, "a"))
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
@given(texts=TEXTS)
@example(texts=[("1", "s", ""), ("2", "s", " "), ("1", "t", [])])
def test_texts_in_batches_are_the_same(write: Write, texts: list[tuple[str, str, object]]) -> None:
    gold = write("gold.jsonl", GOLD)
    run = write("run.jsonl", "".join(row(item, text, system=system) for item, system, text in texts))
    whole = outcome(gold, run)
    with ThreadPoolExecutor(2) as executor, pytest.MonkeyPatch.context() as patched:
        assert outcome(gold, run, executor=executor) == whole
        patched.setattr(text_encoder, "BATCH_CHARACTERS", 1 << 20)
        assert outcome(gold, run) == whole


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        yield executor


@pytest.mark.slow
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
        content_of(read(gold, run, encoder=vocabulary, executor=executor))
        for vocabulary, executor in zip(vocabularies, (None, processes), strict=True)
    )
    assert here == there


class Counting(ThreadPoolExecutor):
    """Counts its calls."""

    calls = 0

    def submit(self, *arguments: object, **more: object):  # type: ignore[no-untyped-def]
        self.calls += 1
        return super().submit(*arguments, **more)  # type: ignore[arg-type]


def test_what_takes_no_time_is_encoded_here(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = "".join(row(number, "a b c") for number in range(20))
    gold, run = write("gold.jsonl", texts), write("run.jsonl", texts)
    for seconds, shared in ((1000, False), (1e-9, True)):
        monkeypatch.setattr(text_encoder, "SECONDS_BEFORE_PARALLEL", seconds)
        with Counting(1) as executor:
            read(gold, run, executor=executor)
            assert bool(executor.calls) == shared


def test_an_encoder_that_no_process_can_make_stays_here(write: Write) -> None:
    gold, run = write("gold.jsonl", GOLD), write("run.jsonl", row(1, "a b " * 9))
    with Counting(1) as executor:
        dataset = read(gold, run, encoder=Vocabulary(str.split), executor=executor)
        assert executor.calls == 0
    assert len(dataset.runs.outputs[0].codes) == 18
