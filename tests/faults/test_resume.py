"""A killed run leaves a folder that is complete or marked as incomplete, and can be resumed."""

import pickle
import shutil
from pathlib import Path
from signal import SIGKILL

import pytest
from command_line import CommandLine, Write
from faults.processes import FNC1_DATA, Moment, call, contents, run_until
from faults.soak import SCORES

from metaeval.cli import folder as folders

LABELS = f"""{FNC1_DATA}\
  labels: disagree<discuss<agree
measures: [accuracy, cem-ord, "kappa:weights=linear"]
score: {{trivial: true}}
similarity: {{permutations: 50}}
stability: {{trials: 100, permutations: 100, sizes: [0.1, 0.5]}}
merge-classes: {{permutations: 50}}
summary: {{}}
robustness: {{}}
output: {{output-dir: out}}
"""
TABLE = """\
data: {task: table, runs: [scores.csv], human: [human.csv]}
score: {per-item: items.csv}
similarity: {permutations: 5}
summary: {}
correlate: {resamples: 9, permutations: 9}
agreement: {by: cell}
output: {output-dir: out}
"""
MOMENTS = (
    *("INCOMPLETE", ".parts/score.pickle", ".parts/summary-similarity.pickle", ".parts/stability.pickle"),
    *(".waiting/ranks.csv", "provenance.json"),
)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an uninterrupted run, next to its configuration."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    (folder / "c.yaml").write_text(LABELS)
    done = call(folder, "run", "c.yaml", "-q")
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_run_is_marked_and_ends_as_if_it_had_not_been(
    moment: str, uninterrupted: Path, metaeval: CommandLine, write: Write
) -> None:
    write("c.yaml", LABELS)
    at = Moment(SIGKILL, path=str(Path("out", moment).absolute()))
    assert run_until(at, Path(), "run", "c.yaml", "-q")[0] == -SIGKILL
    assert Path("out/INCOMPLETE").is_file()
    metaeval.succeeds("run", "c.yaml", "-q", "--resume")
    assert contents(Path("out")) == contents(uninterrupted)


def interrupt(*_arguments: object, **_options: object) -> None:
    raise KeyboardInterrupt


@pytest.fixture
def interrupted(metaeval: CommandLine, write: Write, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all parts of a run that was interrupted before its tables were written; `whole` has them."""
    write("scores.csv", SCORES)
    write("human.csv", SCORES.replace("\nm,", "\nann,").replace("\nn,", "\nbob,"))
    write("c.yaml", TABLE)
    metaeval.succeeds("run", "c.yaml", "-q")
    shutil.copytree("out", "whole")
    with monkeypatch.context() as patch:
        patch.setattr("metaeval.cli.output.write_tables", interrupt)
        assert metaeval("run", "c.yaml", "-q").code == 130
    assert Path("out/INCOMPLETE").is_file()
    return Path("out")


def test_what_is_kept_is_not_found_again(
    metaeval: CommandLine, interrupted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def again(*_arguments: object, **_more: object) -> None:
        raise AssertionError

    for name in ("similarity", "stability", "correlate", "agreement"):
        monkeypatch.setattr(f"metaeval.analyses.{name}.compute.analyse", again)
    metaeval.succeeds("run", "c.yaml", "-q", "--resume")
    assert contents(interrupted) == contents(Path("whole"))


class _Call:
    """A pickle of it calls a function."""

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.mkdir, (Path("called"),)


@pytest.mark.parametrize("kind", ["short", "changed", "foreign", "calls"])
def test_a_damaged_part_is_computed_again(metaeval: CommandLine, interrupted: Path, kind: str) -> None:
    part = interrupted / ".parts" / "similarity.pickle"
    content = part.read_bytes()
    call = pickle.dumps(_Call())
    damaged = {
        "short": content[:-9],
        "changed": content[:-9] + b"\0" + content[-8:],
        "foreign": folders._CHECKPOINT + b"another version",
        "calls": folders._CHECKPOINT + folders._hash(call) + call,
    }
    part.write_bytes(damaged[kind])
    metaeval.succeeds("run", "c.yaml", "-q", "--resume")
    assert contents(interrupted) == contents(Path("whole"))
    assert not Path("called").exists()


def test_no_command_reads_a_folder_that_is_not_whole(metaeval: CommandLine, interrupted: Path) -> None:
    for command in (("report", "out", "-o", "page.html"), ("check", "out", "--fail-if", "scores.a.m < 0")):
        message = metaeval.refuses(*command)
        assert "out: a folder of results, but the file INCOMPLETE exists" in message
        assert "--resume" in message
    # Any command that writes its results there makes it whole.
    metaeval.succeeds("score", "--task", "table", "scores.csv", "--output-dir", "out", "-q")
    metaeval.succeeds("check", "out", "--fail-if", "scores.a.m < 0")
    assert not (interrupted / ".parts").exists()


def test_without_the_flag_a_run_begins_anew(
    metaeval: CommandLine, interrupted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "_read_part", lambda _path: pytest.fail("taken over"))
    metaeval.succeeds("run", "c.yaml", "-q")
    assert contents(interrupted) == contents(Path("whole"))


@pytest.mark.parametrize(
    ("path", "old", "new", "problem"),
    [
        ("c.yaml", "resamples: 9", "resamples: 8", "correlate.resamples: 8; expected 9, as at the start"),
        ("c.yaml", "{permutations: 5}", "{permutations: 5} # other", "config c.yaml (SHA-256)"),
        ("scores.csv", "m,a,0,0", "m,a,0,1", "run scores.csv (SHA-256)"),
        ("human.csv", "ann,a,0,0", "ann,a,0,1", "human human.csv (SHA-256)"),
    ],
)
def test_another_run_is_refused(
    metaeval: CommandLine, interrupted: Path, path: str, old: str, new: str, problem: str
) -> None:
    before = contents(interrupted)
    text = Path(path).read_text()
    assert old in text
    Path(path).write_text(text.replace(old, new))
    message = metaeval.refuses("run", "c.yaml", "-q", "--resume")
    assert problem in message
    assert "start again without --resume" in message
    assert contents(interrupted) == before


def test_another_seed_is_refused(metaeval: CommandLine, interrupted: Path) -> None:
    assert "seed: 7; expected 20201" in metaeval.refuses("run", "c.yaml", "--seed", "7", "--resume")
    assert interrupted.is_dir()


def test_a_file_that_only_a_section_reads_is_looked_at_again(
    metaeval: CommandLine, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("gold.csv", "id,label\n1,a\n2,b\n3,a\n")
    write("run.csv", "id,label\n1,a\n2,a\n3,a\n")
    write("ratings.csv", "item,annotator,value\n1,x,1\n1,y,2\n2,x,2\n2,y,2\n")
    write("weights.csv", "weights,a,b\none,.5,.5\n")
    write(
        "c.yaml",
        "data: {gold: gold.csv, runs: [run.csv, other=gold.csv], class-weights: {a: 1, b: 1}}\n"
        "measures: ['weighted-f:beta=1']\nsensitivity: {weights: weights.csv}\nmerge-classes: {}\n",
    )
    Path("out/.parts").mkdir(parents=True)
    assert "a merge of classes" in metaeval("run", "c.yaml", "--output-dir", "out").err
    write("c.yaml", Path("c.yaml").read_text().replace("merge-classes: {}\n", "robustness: {}\n"))

    with monkeypatch.context() as patch:
        patch.setattr("metaeval.cli.output.write_tables", interrupt)
        assert metaeval("run", "c.yaml", "--output-dir", "out", "-q").code == 130
    assert Path("out/.parts/sensitivity.pickle").is_file()
    write("weights.csv", "weights,a,b\none,.4,.6\n")
    message = metaeval.refuses("run", "c.yaml", "--output-dir", "out", "--resume")
    assert "weights.csv: the file has changed since it was read as" in message


def test_going_on_needs_a_folder_and_may_begin_in_an_empty_one(metaeval: CommandLine, write: Write) -> None:
    write("scores.csv", SCORES)
    config = write("c.yaml", "data: {task: table, runs: [scores.csv]}\nscore: {}\n")
    assert "no folder for --resume" in metaeval.refuses("run", config, "--resume")
    metaeval.succeeds("run", config, "--resume", "--output-dir", "new")
    assert sorted(path.name for path in Path("new").iterdir()) == ["provenance.json", "ranks.csv", "scores.csv"]
    assert "--resume" not in Path("new/provenance.json").read_text()
