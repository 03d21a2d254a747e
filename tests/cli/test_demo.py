"""`metaeval demo`: where the samples are, and commands that run."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import CommandLine

from metaeval.errors import InputError
from metaeval.info import NOT_SHIPPED, samples_report

EXTRAS = ["sudachipy", "rapidfuzz", "snowballstemmer", "wn", "pyarrow", "openpyxl", "matplotlib", "duckdb", "dask"]
CONFIGS = sorted((Path(__file__).resolve().parents[2] / "configs").glob("*.yaml"))


def rows(metaeval: CommandLine, *arguments: object) -> dict[str, dict[str, str]]:
    return {row["name"]: row for row in metaeval.succeeds("demo", "-q", "-f", "csv", *arguments).rows()}


def test_every_experiment_is_listed_with_its_own_words(metaeval: CommandLine, repository: Path) -> None:
    listed = rows(metaeval)
    assert set(listed) == {path.stem for path in (repository / "configs").glob("*.yaml")}
    for name, row in listed.items():
        comment = (repository / f"configs/{name}.yaml").read_text(encoding="utf-8").replace("\n# ", " ")
        assert comment.startswith(f"# {row['shows']}. ")


def test_what_is_needed_first_is_told(metaeval: CommandLine) -> None:
    needs = {name: row["needs"] for name, row in rows(metaeval).items()}
    assert needs["stance"] == needs["news"] == needs["judges"] == ""
    assert needs["tsc3"] == "[ja]"
    assert needs["r4c"] == "[text]"
    assert needs["rumour2019"] == "its files"
    legend = "[text]: pip install 'metaeval[text]'; its files: not included, see the experiment\n"
    assert legend in metaeval.succeeds("demo").out


@pytest.mark.slow
@pytest.mark.parametrize("name", [path.stem for path in CONFIGS])
@pytest.mark.usefixtures("repository")
def test_a_sample_needs_the_extra_that_is_listed_and_no_other(name: str) -> None:
    (sample,) = (row for row in samples_report().main.records() if row["name"] == name)
    without = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS})); from metaeval.cli import main; main()"
    words = shlex.split(str(sample["command"]))[1:]
    done = subprocess.run([sys.executable, "-c", without, *words, "-q"], capture_output=True, text=True, check=False)
    if sample["needs"] == "":
        assert done.returncode == 0, done.stderr
    elif sample["needs"] != NOT_SHIPPED:
        assert (done.returncode, f"pip install 'metaeval{sample['needs']}'" in done.stderr) == (2, True), done.stderr


@pytest.mark.usefixtures("repository")
def test_one_line_a_sample_that_fits_a_terminal(metaeval: CommandLine) -> None:
    _, _, header, rule, *lines = metaeval.succeeds("demo", "-q").out.splitlines()
    assert header.split() == ["name", "shows", "needs", "command"]
    assert len(rule) <= 80
    listed = lines[: lines.index("")]
    assert [line.split()[0] for line in listed] == list(rows(metaeval))
    assert [line for line in listed if "metaeval run configs/" not in line] == []


def test_a_command_names_a_file_that_is_there_from_anywhere(
    metaeval: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, row in rows(metaeval).items():
        words = shlex.split(row["command"])
        assert words[0] == "metaeval"
        assert [Path(word).is_file() for word in words if word.endswith(f"{name}.yaml")] == [True]


def test_a_copy_runs_without_the_original(
    metaeval: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    listed = rows(metaeval, "--copy", "my samples")
    words = shlex.split(listed["ordinal"]["command"])
    assert words == ["metaeval", "run", "my samples/configs/ordinal.yaml"]
    assert "perfect_order" in metaeval.succeeds(*words[1:], "-q").out
    assert not list(Path("my samples").rglob("*.py"))
    notes = [metaeval.report("demo", *more)["notes"] for more in ((), ("--copy", "b"))]
    assert [any("--copy" in note for note in texts) for texts in notes] == [True, False]


def test_a_copy_overwrites_nothing(metaeval: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "sample_data").mkdir()
    assert "sample_data: it already exists" in metaeval.refuses("demo", "--copy", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["sample_data"]
    (tmp_path / "file").write_text("")
    assert "file: it cannot be written" in metaeval.refuses("demo", "--copy", tmp_path / "file")
    assert "no folder for --copy" in metaeval.refuses("demo", "--copy", "")


def test_an_installation_without_samples_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "metaeval").mkdir()
    monkeypatch.setattr("metaeval.info.__file__", str(tmp_path / "metaeval/info.py"))
    with pytest.raises(InputError, match="no samples in this installation"):
        samples_report()
