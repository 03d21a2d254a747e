"""The benchmarks run at tiny sizes and write complete results. No test checks speed."""

import json
import math
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from benchmarks import big, command, page
from benchmarks.apart import GIGABYTE, Usage, allocated, apart, peak_of
from benchmarks.big_labels import Labels, alike, made
from benchmarks.expensive import INPUTS
from benchmarks.fastest import COEFFICIENTS
from benchmarks.floors import Work
from benchmarks.jobs import BIG, CLUSTER, EXPENSIVE, JOBS, PROCESSES, STUDIES, Job
from benchmarks.machine import Machine, Rates
from benchmarks.metrics_task import WORK
from benchmarks.paired import Comparison, alone, as_long, by_processes, faster
from benchmarks.results import Measured, Results
from benchmarks.scaling import CURVES, Curve, Growth, Point
from benchmarks.scaling import Job as ScalingJob
from benchmarks.scaling import run as run_scaling
from benchmarks.studies import COMMANDS

TINY = {
    "score-table": {"items": 60},
    "halves": {"trials": 4},
    "halves-numpy": {"trials": 20},
    "tau": {"pairs": 20},
    "tau-long": {"pairs": 10},
    "tukey": {"permutations": 20},
    "similarity": {"replicates": 20},
    "merges": {"replicates": 5},
    "power": {"resamples": 20},
    "letters": {"items": 300},
    "letters-many": {"systems": 5, "items": 300},
    "explain": {"items": 100},
    "esk": {"pairs": 40, "few": 3},
    "esk-grid": {"pairs": 40, "few": 3},
    "rouge-strings": {"pairs": 12},
    "rouge-rust": {"pairs": 12},
    "tau-compiled": {"pairs": 5},
    "tau-compiled-ties": {"pairs": 5},
    **{f"boot-{systems}-{name}": {"resamples": 200} for systems in (14, 100) for name in COEFFICIENTS},
    "rouge-codes": {"pairs": 12},
    "r4c-align": {"items": 10},
    "distributions": {"items": 20},
    "perm-both": {"resamples": 20, "their_resamples": 2},
    "perm-both-global": {"resamples": 20, "their_resamples": 2},
    "boot-both": {"resamples": 20, "their_resamples": 2},
    **{f"metrics-task-{work}": {"items": 12, "resamples": 20, "permutations": 20} for work in WORK},
    "alpha": {"units": 50},
    "preferences": {"verdicts": 400, "resamples": 5},
    "contrast": {"pairs": 200},
    "correct": {"items": 200},
    "alpha-evalica": {"units": 50},
    "randomisation": {"items": 40, "resamples": 500},
    "randomisation-ranx": {"items": 40, "resamples": 500},
    "patterns": {"items": 270_000},
    "pattern-halves": {"items": 270_000, "trials": 4},
    "help": {},
    "score": {"items": 300},
    "stability": {"items": 300},
    **{f"study-{command}": {"items": 60} for command in ("score", "run")},
    "task-leaderboard": {"systems": 3},
    **{f"input-{name}": {"size": 4} for name in INPUTS},
    "trials-cluster": {"trials": 200, "items": 300},
    "texts-workers": {"items": 5},
}
NOT_TINY = {
    *(f"study-{command}" for command in COMMANDS[1:]),
    "task-audit",
    "trials-cluster-one",
    "texts-cluster-one",
    "texts-cluster",
}
"""They are tried as `study-run`, `task-leaderboard`, `trials-cluster` and `texts-workers`."""

MACHINE = Machine("a processor", 2, "Linux", "3.11", "a BLAS 1", {"numpy": "2"}, 0.0, Rates(1e10, 1e11))
FASTER = Comparison(
    "some work", "a loop", "times faster", "≥ 10 times faster", (12.0, 9.0, 11.0), (0.01, 0.11), 3 << 19
)


def measured(comparison: Comparison = FASTER, work: Work | None = None) -> Results:
    return Results(MACHINE, False, [Measured("work", "A group", comparison, work)])


def test_every_job_is_tried_here_at_a_tiny_size() -> None:
    assert set(JOBS) == {*TINY, *NOT_TINY}


@pytest.fixture(scope="module")
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where jobs share the large data that they make."""
    return tmp_path_factory.mktemp("made")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TINY if not JOBS[name].missing])
def test_a_job_agrees_with_its_peer_and_is_timed(name: str, cache_folder: Path) -> None:
    comparison, work = JOBS[name].run(1, TINY[name], cache_folder=cache_folder)
    assert len(comparison.ratios) == 1
    assert comparison.ratio > 0
    assert comparison.seconds[0] > 0
    assert math.isnan(comparison.seconds[1]) == (not comparison.peer)
    assert (work is None) == (JOBS[name].group in (CLUSTER, PROCESSES, EXPENSIVE, STUDIES))
    assert comparison.bytes > 0
    assert comparison.whole == (JOBS[name].group in (BIG, CLUSTER, PROCESSES, EXPENSIVE, STUDIES))


@pytest.mark.parametrize("name", [name for name in JOBS if JOBS[name].floor])
def test_a_floor_counts_bytes_and_steps(name: str) -> None:
    count = JOBS[name].floor
    assert count is not None
    work = count(**JOBS[name].quick)
    assert work.counted
    assert work.bytes > 0
    assert work.flops > 0


def test_a_floor_is_the_longer_of_moving_and_computing_and_grows_with_the_work() -> None:
    count = JOBS["halves"].floor
    assert count is not None
    assert count(trials=2_000).flops == pytest.approx(2 * count(trials=1_000).flops)
    rates = Rates(bytes=10.0, flops=100.0)
    assert Work("much moved", 50, 100).seconds(rates) == 5
    assert Work("much computed", 50, 900).seconds(rates) == 9


@pytest.mark.parametrize("analysis", ["stability", "power"])
def test_a_point_of_a_curve_has_seconds_and_memory(analysis: str) -> None:
    point = run_scaling(ScalingJob(items=60, systems=4, trials=20, analysis=analysis))
    assert point.seconds > 0
    assert point.bytes > 1 << 20


def test_curves_vary_a_size_of_the_job() -> None:
    for curve in CURVES.values():
        assert hasattr(curve.base, curve.varied)
        assert len(curve.sizes) > 1
        assert len(curve.quick) != 1


def test_the_exponent_is_the_slope_on_logarithmic_axes() -> None:
    points = tuple(Point(size, 3e-6 * size**1.5, 1 << 29) for size in (10, 100, 1_000))
    growth = Growth("items", Curve("work", "items", (), (), steepest=1.5001, highest=0.4), points)
    assert growth.exponent == pytest.approx(1.5)
    assert growth.gigabytes == 0.5
    assert growth.meets_claim is False
    assert replace(growth, curve=replace(growth.curve, highest=0.6)).meets_claim
    assert replace(growth, curve=Curve("work", "items", (), ())).meets_claim is None


def test_a_promise_is_kept_by_the_median() -> None:
    assert FASTER.meets_claim
    assert replace(FASTER, claim="≥ 11.5 times faster").meets_claim is False
    assert replace(FASTER, claim="≤ 1,000 times as long").meets_claim
    assert replace(FASTER, claim="≤ 1.5 times as long").meets_claim is False
    assert replace(FASTER, claim="").meets_claim is None


def test_a_part_of_the_peers_work_is_extrapolated() -> None:
    calls = []
    comparison = faster(
        "nothing", lambda: None, peer="a sum", theirs=lambda: calls.append(sum(range(1_000))), claim="", rounds=3,
        share_of_their_work=1e-6,
    )  # fmt: skip
    assert len(calls) == 3
    assert comparison.seconds[1] > 1e-4


def test_a_row_has_ratio_and_promise() -> None:
    comparison = alone("nothing", lambda: None, claim="≤ 1 second", rounds=3)
    assert comparison.meets_claim
    assert " none " in page.markdown(measured(comparison))
    text = page.markdown(measured(work=Work("all of it", 1e7, 1e6)))
    assert "| some work | a loop | **11** times faster | ≥ 10: kept |" in text.splitlines()
    assert "≥ 20: **not kept**" in page.markdown(measured(replace(FASTER, claim="≥ 20 times faster")))
    quick = replace(measured(), quick=True)
    assert "| ≥ 10 |" in page.markdown(quick)
    assert quick.to_dict()["jobs"][0]["kept"] is None


def usage(seconds: float, gigabytes: float = 0.5) -> Usage:
    return Usage(seconds, int(gigabytes * GIGABYTE), seconds / 2)


def test_processes_tell_what_they_took_and_are_compared_round_by_round() -> None:
    ours, theirs = iter([usage(3.0), usage(8.0, 2.0)]), iter([usage(2.0), usage(2.0)])
    comparison = by_processes(
        "work", lambda: next(ours), peer="a query", theirs=lambda: next(theirs), claim="≤ 3 times as long", highest=8,
        rounds=2,
    )  # fmt: skip
    assert comparison.ratios == (1.5, 4.0)
    assert comparison.bytes == 2 * GIGABYTE
    assert comparison.meets_claim
    assert page.job_cells(measured(comparison), Measured("work", "A group", comparison, None))[1:6] == (
        "5.5 s (2.75 s waited), 2.00 GB",
        "a query",
        "2 s (1 s waited)",
        "**2.75** times as long",
        "≤ 3, ≤ 8 GB: kept",
    )


def test_the_memory_of_a_call_is_what_it_adds_at_its_peak() -> None:
    before = np.ones(10_000_000)

    def work() -> None:
        before.sum()
        np.ones(3_000_000)
        np.ones(1_000_000)

    assert allocated(work) == pytest.approx(24e6, rel=0.01)
    comparison = alone("nothing", work, claim="", rounds=1)
    assert page.memory(comparison) == "+22.9 MB"
    assert measured(comparison).to_dict()["jobs"][0]["bytes_of"] == "call"
    assert page.memory(replace(comparison, bytes=1_536)) == "+1.5 kB"
    assert page.memory(replace(comparison, bytes=3 * GIGABYTE)) == "+3 GB"


def test_the_memory_of_a_command_is_that_of_its_largest_process_and_not_of_the_one_that_measures_it() -> None:
    much = np.ones(40_000_000)
    small = [sys.executable, "-c", "pass"]
    large = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'bytes([1]) * 100_000_000'], check=True)"
    assert peak_of(small, os.environ) < 50e6 < much.nbytes
    assert 100e6 < peak_of([sys.executable, "-c", large], os.environ) < 200e6
    comparison = as_long("a start", small, peer="the same", theirs=small, claim="", rounds=1)
    assert comparison.whole
    assert page.memory(comparison) in ("0.01 GB", "0.02 GB", "0.03 GB", "0.04 GB")


def test_a_process_that_fails_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ChildProcessError, match="exit code 1"):
        apart("benchmarks.big", {"what": "no such work", "folder": ""})
    assert "no such work" in capfd.readouterr().err


def test_the_query_that_patterns_are_measured_by_finds_the_same(cache_folder: Path) -> None:
    folder = str(made(cache_folder, alike, items=270_000, systems=big.SYSTEMS))
    runs = big.read(folder)
    assert big.group_by(folder) == (len(runs.gold), 270_000)
    assert len(runs.items) == 270_000


def test_items_that_are_held_in_another_way_than_measured_are_refused(tmp_path: Path) -> None:
    folder = made(tmp_path, alike, items=50, systems=3)
    with pytest.raises(ValueError, match=r"codes in memory .*, and not patterns"):
        big.read(str(folder))


def test_large_data_are_made_once(tmp_path: Path) -> None:
    folder = made(tmp_path, alike, items=25, systems=3)
    table = pq.read_table(folder)
    assert table.column_names == ["id", "gold", "system_000", "system_001", "system_002"]
    assert sorted(table["id"].to_pylist()) == sorted(f"item-{item}" for item in range(25))
    written = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert len(written) > 1
    assert made(tmp_path, alike, items=25, systems=3) == folder
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == written


def test_data_that_are_half_made_are_not_taken_for_whole(tmp_path: Path) -> None:
    pieces = []

    def interrupted(random: np.random.Generator, items: int, systems: int) -> Iterator[Labels]:
        pieces.append(items)
        if len(pieces) == 3:
            raise KeyboardInterrupt
        return alike(random, items, systems)

    with pytest.raises(KeyboardInterrupt):
        made(tmp_path, interrupted, items=25, systems=3)
    assert pq.read_table(made(tmp_path, interrupted, items=25, systems=3)).num_rows == 25
    assert len(list(tmp_path.iterdir())) == 1


def test_the_results_go_between_the_marks_and_nothing_else_changes(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(f"# Title\n\n{page.BEGIN}\nold\n{page.END}\n\nEnd\n", encoding="utf-8")
    page.put(measured(), path)
    page.put(measured(), path)
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f"# Title\n\n{page.BEGIN}\n")
    assert text.endswith(f"{page.END}\n\nEnd\n")
    assert text.count("some work") == 1
    assert "old" not in text


@pytest.fixture
def tiny_jobs(monkeypatch: pytest.MonkeyPatch) -> dict[str, Job]:
    """Two jobs and no curve, on a machine that is not measured."""
    jobs = {
        "one": Job("A group", lambda rounds: replace(FASTER, ratios=FASTER.ratios[:rounds])),
        "absent": Job("A group", lambda rounds: FASTER, needs="no_such_package"),
    }
    monkeypatch.setattr(command, "JOBS", jobs)
    monkeypatch.setattr(command, "CURVES", {})
    monkeypatch.setattr(command, "look", lambda rounds: MACHINE)
    return jobs


@pytest.mark.usefixtures("tiny_jobs")
def test_a_run_writes_json_and_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target, twin = tmp_path / "page.md", tmp_path / "twin.json"
    target.write_text(f"{page.BEGIN}\n{page.END}\n", encoding="utf-8")
    assert command.main(["--quick", "--page", str(target), "--json", str(twin)]) == 0
    results = json.loads(twin.read_text(encoding="utf-8"))
    (job,) = results["jobs"]
    assert (job["median"], job["low"], job["high"]) == (10.5, 9.0, 12.0)
    assert results["left_out"] == ["absent, as no_such_package is not installed (`pip install no_such_package`)"]
    assert "Left out: absent" in target.read_text(encoding="utf-8")
    assert "some work" in capsys.readouterr().out


def test_a_job_that_fails_costs_its_own_row_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tiny_jobs: dict[str, Job]
) -> None:
    def breaks(rounds: int, **_: object) -> Comparison:
        raise ChildProcessError("the process failed")

    path = tmp_path / "page.md"
    path.write_text(f"{page.BEGIN}\n{page.END}\n", encoding="utf-8")
    tiny_jobs.update({"broken": Job("A group", breaks), **{"last": tiny_jobs["one"]}})
    assert command.main(["broken", "last", "--page", str(path)]) == 2
    assert "the process failed" in capsys.readouterr().err
    assert "broken, which failed" in path.read_text(encoding="utf-8")
    assert "some work" in path.read_text(encoding="utf-8")


def test_the_page_of_the_documentation_has_its_marks() -> None:
    text = (Path(__file__).parent.parent / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert text.index(page.BEGIN) < text.index(page.END)
