"""Texts and derivations scored by worker processes: the same bits as by one, and no process left, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
import pytest
import worker_processes as work
from command_line import CommandLine

from metaeval.config import ExperimentConfig
from metaeval.measures import measure
from metaeval.measures.spec import REGISTRY
from metaeval.measures.text.words import TOKENIZERS, NamedTokenizer
from metaeval.model.runs import DerivationRuns, Step, TextRuns, TokenizedTexts, Word
from metaeval.scoring import texts
from metaeval.scoring.evaluation import Pieces, Plan
from metaeval.scoring.texts import plan_derivations, plan_texts
from metaeval.study import items as item_study
from metaeval.study.study import no_progress
from metaeval.work import processes
from metaeval.work.blocks import iter_blocks, map_blocks
from metaeval.work.processes import WorkerProcesses

pytestmark = pytest.mark.slow

Item = TypeVar("Item")

ROOT = Path(__file__).resolve().parents[2]
TSC3 = ("--config", str(ROOT / "configs/tsc3.yaml"))
R4C = ("--config", str(ROOT / "configs/r4c.yaml"))


class Watched(WorkerProcesses):
    """Worker processes, and how many calls were submitted to any of them."""

    calls: ClassVar[list[int]] = []

    def submit(self, *arguments: Any, **keywords: Any) -> Future[Any]:
        self.calls.append(self._workers)
        return super().submit(*arguments, **keywords)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Small blocks, that are worth processes; and of how many processes each was."""
    monkeypatch.setattr(texts, "WORDS_FOR_PROCESSES", 0)
    monkeypatch.setattr(texts, "WORDS_AT_ONCE", 200)
    monkeypatch.setattr(texts, "STEPS_FOR_PROCESSES", 0)
    monkeypatch.setattr(texts, "STEPS_AT_ONCE", 10)
    monkeypatch.setattr(processes, "WorkerProcesses", Watched)
    monkeypatch.setattr(Watched, "calls", [])
    before = work.children_of(os.getpid())
    yield Watched.calls
    assert work.children_of(os.getpid()) == before


@pytest.mark.parametrize("arguments", [(*TSC3, "rouge"), (*TSC3, "tsc3"), (*R4C, "r4c"), (*R4C, "r4c-alignment")])
def test_processes_change_no_bit_of_any_item(
    metaeval: CommandLine, calls: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    def score(workers: int) -> tuple[str, bytes]:
        items = tmp_path / "items.csv"
        options = ("--per-item", items, "-f", "csv", "--workers", workers)
        return metaeval.succeeds("score", *arguments[:-1], "--preset", arguments[-1], *options).out, items.read_bytes()

    expected = score(1)
    assert not calls
    assert score(3) == expected
    assert set(calls) == {3}
    assert len(calls) > 3
    calls.clear()
    monkeypatch.setattr(texts, "WORDS_FOR_PROCESSES", 1 << 60)
    monkeypatch.setattr(texts, "STEPS_FOR_PROCESSES", 1 << 60)
    assert score(2) == expected
    assert not calls


@pytest.mark.parametrize(
    "arguments",
    [
        ("references", *TSC3, "-m", "rouge-l", "--trials", "20"),
        ("robustness", *R4C, "-m", "r4c-align"),
        ("sensitivity", *TSC3, "-m", "wsk", "--grid", "lambda=0,0.5"),
    ],
    ids=["references", "robustness", "sensitivity"],
)
def test_processes_change_nothing_of_an_analysis(
    metaeval: CommandLine, calls: list[int], arguments: tuple[str, ...]
) -> None:
    alone, shared = (metaeval.tables(*arguments, "--workers", workers) for workers in (1, 2))
    assert shared == alone
    assert set(calls) == {2}


def _runs(items: int = 50, *, file: Path | None = None) -> TextRuns:
    random = np.random.default_rng(4)

    def made(count: int) -> TokenizedTexts:
        lengths = random.integers(0, 12, size=3 * count)
        codes = random.integers(0, 30, size=int(lengths.sum())).astype(np.int32)
        if file is not None:
            lying = np.memmap(file.with_suffix(f".{count}.{len(codes)}"), dtype=np.int32, mode="w+", shape=codes.shape)
            lying[:] = codes
            codes = lying
        return TokenizedTexts(codes, lengths, np.full(count, 3))

    counts = random.integers(1, 4, size=items)
    return TextRuns(
        tuple(f"i{item}" for item in range(items)),
        ("one", "two"),
        (made(items), made(items)),
        made(int(counts.sum())),
        counts,
        tuple(Word(f"word{code}") for code in range(30)),
    )


MEASURES = tuple(map(measure, ("rouge-l", "rouge-n:n=2,refs=best", "wsk:d=3")))


@pytest.mark.usefixtures("calls")
def test_pieces_hold_their_part_of_the_data_alone_and_score_as_the_block(tmp_path: Path) -> None:
    runs, lying = _runs(), _runs(file=tmp_path / "codes")
    plan, others = plan_texts(runs, MEASURES), plan_texts(lying, MEASURES)
    assert plan.pieces is not None
    assert others.pieces is not None
    assert len(plan.blocks) > 5
    words = 0
    for block in plan.blocks:
        piece, other = plan.pieces.cut(block), others.pieces.cut(block)
        np.testing.assert_array_equal(plan.pieces.score(piece), plan.score(block))
        np.testing.assert_array_equal(plan.pieces.score(other), plan.score(block))
        (texts, written), (mapped, _) = piece, other
        assert written is None
        assert type(mapped.references.codes) is np.ndarray
        words += sum(len(part.codes) for part in (texts.references, *texts.outputs))
    assert words == sum(len(part.codes) for part in (runs.references, *runs.outputs))


def test_processes_are_for_much_work_only(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = _runs()
    words = sum(len(part.codes) for part in (runs.references, *runs.outputs))
    for least, large in ((words, True), (words + 1, False)):
        monkeypatch.setattr(texts, "WORDS_FOR_PROCESSES", least)
        pieces = plan_texts(runs, MEASURES).pieces
        assert pieces is not None
        assert pieces.large is large


@pytest.mark.usefixtures("calls")
def test_measures_that_only_this_process_knows_stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def local_function(*compared: Any, **arguments: Any) -> Any:
        return entry.function(*compared, **arguments)

    steps = ((Step("A", "is", "red"),),) * 5
    cases: tuple[tuple[str, Callable[..., Plan[slice, Any]], TextRuns | DerivationRuns], ...] = (
        ("rouge-l", plan_texts, _runs()),
        ("r4c-align", plan_derivations, DerivationRuns(tuple("abcde"), ("one",), (steps,), (steps,) * 5)),
    )
    for name, plan_of, runs in cases:
        plan = plan_of(runs, [measure(name)])
        assert plan.pieces is not None
        assert plan.pieces.large
        entry = REGISTRY[name]
        changed = {field: getattr(entry, field) for field in entry.__dataclass_fields__} | {"function": local_function}
        monkeypatch.setitem(REGISTRY._items, name, type(entry)(**changed))
        plan = plan_of(runs, [measure(name)])
        assert plan.pieces is not None
        assert not plan.pieces.large


def test_tokenizers_that_only_this_process_knows_stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    processes = item_study._tokenizing(ExperimentConfig(workers=2))
    assert isinstance(processes, WorkerProcesses)
    with item_study._tokenizing(ExperimentConfig()) as alone:
        assert alone is None
    tokenizer = NamedTokenizer("rouge", "a script's own", lambda: str.split)
    monkeypatch.setitem(TOKENIZERS._items, "rouge", tokenizer)
    with item_study._tokenizing(ExperimentConfig(workers=2)) as executor:
        assert executor is None


def test_progress_is_told_and_results_come_in_order(calls: list[int]) -> None:
    messages: list[tuple[int, str]] = []

    def progress(items: Sequence[Item], description: str) -> Iterator[Item]:
        for number, item in enumerate(items):
            messages.append((number, description))
            yield item

    plan = plan_texts(_runs(), MEASURES)
    results = map_blocks(plan, lambda scored: scored, workers=2, progress=progress, description="Comparing")
    assert len(calls) == len(plan.blocks)
    assert messages == [(number, "Comparing") for number in range(len(plan.blocks))]
    for block, scored in zip(plan.blocks, results, strict=True):
        np.testing.assert_array_equal(scored, plan.score(block))


def test_few_pieces_are_away_at_a_time(calls: list[int]) -> None:
    cut: list[int] = []

    def piece(block: int) -> int:
        cut.append(block)
        return block

    plan = Plan.in_pieces(range(100), Pieces(piece, work.given_back, large=True))
    results = iter_blocks(plan, lambda scored: scored, workers=2, progress=no_progress, description="")
    for number in range(50):
        assert next(results) == number
        assert len(cut) <= number + 4
    results.close()
    assert len(calls) <= 54


SCRIPT = f"""\
import metaeval
from metaeval.scoring import texts
texts.WORDS_FOR_PROCESSES, texts.WORDS_AT_ONCE = 0, 300
print("begun")
print(metaeval.score(r"{ROOT / "configs/tsc3.yaml"}", ["rouge-l", "esk"], workers=WORKERS).to_pandas())
"""


def test_a_script_needs_no_guard_of_its_main_program(tmp_path: Path) -> None:
    outputs = set()
    for workers in (1, 2):
        script = tmp_path / f"script{workers}.py"
        script.write_text(SCRIPT.replace("WORKERS", str(workers)))
        done = subprocess.run(
            [sys.executable, script], capture_output=True, text=True, timeout=work.PATIENCE, check=True
        )
        assert done.stderr == ""
        assert done.stdout.count("begun") == 1
        outputs.add(done.stdout)
    assert len(outputs) == 1


PROGRAM = """\
import sys
from metaeval.scoring import texts
from metaeval.work.processes import WorkerProcesses
texts.WORDS_FOR_PROCESSES, texts.WORDS_AT_ONCE = 0, 300
submit, calls = WorkerProcesses.submit, 0

def counting(*arguments):
    global calls
    call = submit(*arguments)
    calls += 1
    if calls == MOMENT:
        sys.stdout.write("reached\\n")
        sys.stdout.flush()
    return call

WorkerProcesses.submit = counting
from metaeval.__main__ import main
main()
"""
COMMAND = ("references", *TSC3, "--preset", "tsc3", "--trials", "5", "--workers", "2", "-q", "-f", "csv")


def _begun(calls: int = 1) -> subprocess.Popen[str]:
    """A command that has made this number of calls of its processes."""
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.replace("MOMENT", str(calls)), *COMMAND],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert program.stdout is not None
    assert program.stdout.readline() == "reached\n"
    return program


def _children(program: subprocess.Popen[str]) -> set[int]:
    """The processes of a command, once there are any."""
    until = time.monotonic() + work.PATIENCE
    while not (children := work.children_of(program.pid)):
        assert time.monotonic() < until
        assert program.poll() is None
        time.sleep(0.005)
    return children


@pytest.mark.parametrize("calls", [1, 4, 12])
def test_an_interrupt_ends_a_command_and_its_processes(calls: int) -> None:
    program = _begun(calls)
    # From when a process is being begun to when much of the work is done, and as a terminal does: to all of them.
    children = _children(program) if calls > 1 else set()
    os.killpg(program.pid, signal.SIGINT)
    out, errors = program.communicate(timeout=work.PATIENCE)
    assert (program.returncode, out, errors.lstrip()) == (130, "", "Interrupted.\n")
    work.wait_until_gone(children)
