"""Whatever is done to a file, it is read or refused: no traceback, no endless work, one message."""

import contextlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.forms import outcomes
from faults.fuzz import READERS, lay_out, read_or_refused, run_apart
from faults.mutation import mutated
from faults.option_pairs import lay_out as lay_out_samples
from faults.option_pairs import random_call
from faults.readers import GATE, LABELS, readers
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metaeval.io.labels.tasks import TASKS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def quiet_input() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        yield


@pytest.fixture(scope="module", params=READERS)
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a reader, its files in the working folder."""
    name: str = request.param
    folder = tmp_path_factory.mktemp("files")
    with contextlib.chdir(folder):
        lay_out(readers()[name])
        yield name


def test_every_task_has_a_file_to_be_broken() -> None:
    def reader_of(task: str) -> object:
        read = getattr(TASKS[task], "read", task)
        return getattr(read, "func", read)

    commands = [reader.command for reader in readers().values()]
    tasks = {command[command.index("--task") + 1] for command in commands if "--task" in command}
    assert {reader_of(task) for task in TASKS} == {reader_of(task) for task in {*tasks, "labels"}}


def test_what_is_whole_is_read(reader: str) -> None:
    (Path(readers()[reader].broken)).write_bytes(readers()[reader].files[readers()[reader].broken])
    assert read_or_refused(*readers()[reader].command) == 0


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_what_is_broken_is_read_or_refused(reader: str, seed: int) -> None:
    case = readers()[reader]
    Path(case.broken).write_bytes(mutated(case.files[case.broken], seed))
    read_or_refused(*case.command)


@pytest.mark.parametrize(
    ("name", "seed"),
    [("wide", 1821), ("clusters", 8014), ("human", 3419), ("verdicts", 9094), ("lm-eval m/samples_arc.jsonl", 12202)],
    ids=["many columns", "gzip", "nested lists", "nested objects", "an object for a name"],
)
def test_what_once_broke_a_reader_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, seed: int
) -> None:
    monkeypatch.chdir(tmp_path)
    lay_out(readers()[name], seed)
    assert read_or_refused(*readers()[name].command) == 2


@settings(max_examples=8, deadline=None)
@given(content=st.binary(max_size=200))
def test_bytes_of_any_kind_are_read_or_refused(reader: str, content: bytes) -> None:
    case = readers()[reader]
    Path(case.broken).write_bytes(content)
    read_or_refused(*case.command)


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 1 << 32))
@example(seed=0)
def test_conditions_of_any_kind_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    condition = mutated(GATE, seed).decode("utf-8", "replace").replace("\0", "0")
    folder = tmp_path_factory.getbasetemp()
    (folder / "gold.csv").write_bytes(LABELS)
    (folder / "run.csv").write_bytes(LABELS)
    files = ("--gold", str(folder / "gold.csv"), str(folder / "run.csv"))
    read_or_refused("score", "-q", "-m", "accuracy", "--fail-if", condition, *files)


def test_a_terminal_without_data_is_refused(tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        lay_out(readers()["tidy"])
        assert read_or_refused("score", "--gold", "gold.csv", "run=-", run=run_apart) == 2


def test_pairs_of_options_compute_something_or_are_refused(tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        lay_out_samples(tmp_path)
        codes = [read_or_refused(*random_call(seed)) for seed in range(12)]
    # Refusals alone would test no analysis.
    assert codes.count(2) <= 6


@pytest.mark.parametrize("seed", range(40))
def test_every_form_of_a_data_set_has_the_same_result_or_error(seed: int, tmp_path: Path) -> None:
    results = outcomes(seed, tmp_path)
    assert set(results.values()) == {results["csv"]}
    assert results["csv"][0] in (0, 2)
