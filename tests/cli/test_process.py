"""The installed program in a process of its own: start, pipes, interrupts."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import zipapp
from pathlib import Path

import pytest
from worker_processes import PATIENCE

from metaeval import cli
from metaeval.cli import output
from metaeval.work import ONE_THREAD

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
METAEVAL = str(Path(sys.executable).with_name("metaeval"))
SAMPLE = ("--task", "fnc1", "--gold", "sample_data/fnc1/gold.csv", "sample_data/fnc1/systems")


def run(*words: object, folder: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process; environment: further variables."""
    return subprocess.run(
        [*map(str, words)], cwd=folder, env=os.environ | environment,
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip


def shell(command: str) -> subprocess.CompletedProcess[str]:
    return run("bash", "-c", f'set -o pipefail; metaeval() {{ "{METAEVAL}" "$@"; }}; {command}')


def exit_code(*words: str) -> int:
    """Of a call in this process."""
    with pytest.raises(SystemExit) as exit_of:
        cli.main(list(words))
    assert isinstance(exit_of.value.code, int)
    return exit_of.value.code


def imported_by(*arguments: str) -> set[str]:
    """The top-level packages that a call imports, `scipy.stats` too."""
    program = (
        "import json, sys\nfrom metaeval.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit as exit_of:\n    assert exit_of.code == 0\n"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    done = run(sys.executable, "-c", program, *arguments)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("score", "--help")])
def test_help_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    assert not imported_by(*arguments) & {"numpy", "pandas", "scipy", "rich", "yaml", "metaeval.study"}


@pytest.mark.parametrize(("threads", "used"), [(None, "1"), ("3", "3")])
def test_matrices_are_multiplied_in_one_thread_unless_others_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: str | None, used: str
) -> None:
    plugin = tmp_path / "plugin.py"
    plugin.write_text(
        "import os, sys\nimport metaeval\nprint(os.environ['OPENBLAS_NUM_THREADS'], file=sys.stderr)\n"
        "@metaeval.label_measure\ndef own(counts):\n    return counts[..., 0, 0]\n"
    )
    for name in ONE_THREAD:
        monkeypatch.delenv(name)
    if threads:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", threads)
    assert shell(f"metaeval measures --plugin {plugin} -q").stderr.split() == [used]


def test_scoring_csv_to_csv_imports_neither_pandas_nor_scipy_nor_rich() -> None:
    modules = imported_by("score", *SAMPLE, "--labels", "disagree<discuss<agree", "-f", "csv", "-q")
    assert "numpy" in modules
    assert not modules & {"pandas", "scipy.stats", "scipy.sparse", "rich", "yaml", "pyarrow"}


@pytest.mark.parametrize("arguments", [("measures", "-f", "json"), ("--help",), ("score", "--help")])
def test_a_reader_that_has_gone_is_no_error(arguments: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([METAEVAL, *arguments], stdout=writer, stderr=subprocess.PIPE, check=False, timeout=PATIENCE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("metaeval measures >&-", "standard output cannot be written (it is closed)"),
        ("metaeval measures >/dev/full", "standard output cannot be written (No space left on device)"),
        ("metaeval --help >/dev/full", "No space left on device"),
        ("metaeval score --gold - x.csv <&-", "standard input cannot be read (it is closed)"),
    ],
)
def test_streams_that_do_not_work_are_told(command: str, message: str) -> None:
    done = shell(command)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_standard_error_may_be_closed_and_errors_have_no_traceback() -> None:
    done = shell("metaeval score " + " ".join(SAMPLE) + " -m accuracy --labels 'disagree<discuss<agree' -f csv 2>&-")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 15)
    done = shell("metaeval score --gold nowhere.csv x.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nowhere.csv: no such file" in done.stderr
    assert "Traceback" not in done.stderr


def test_messages_that_cannot_be_written_change_no_exit_code(tmp_path: Path) -> None:
    data = f"data: {{task: fnc1, gold: {ROOT}/{SAMPLE[3]}, runs: [{ROOT}/{SAMPLE[4]}]}}"
    (tmp_path / "c.yaml").write_text(f"{data}\nmeasures: [accuracy]\nscore: {{}}\n")
    failing = "--fail-if 'scores.atlas_base.accuracy > 0'"
    for command, code in (
        (f"score --config {tmp_path}/c.yaml -f csv", 0),
        ("score --gold nowhere.csv x.csv", 2),
        ("no-such-command", 2),
        (f"check {tmp_path}/c.yaml --fail-if 'scores.atlas_base.accuracy < 0'", 0),
        (f"check {tmp_path}/c.yaml {failing}", 1),
    ):
        assert shell(f"metaeval {command} 2>/dev/full").returncode == code, command


def test_a_zip_archive_of_the_package_runs(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "metaeval", tmp_path / "app/metaeval", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "app/__main__.py").write_text("from metaeval.__main__ import main\nmain()\n")
    zipapp.create_archive(tmp_path / "app", tmp_path / "app.pyz")
    (tmp_path / "r.csv").write_text("id,label\n1,a\n2,b\n")
    for words in (
        "measures accuracy",
        "score --gold r.csv r.csv --preset all -f html",
        "axioms -m accuracy",
        "recommend --help",
    ):
        done = run(sys.executable, "-I", "app.pyz", *words.split(), folder=tmp_path)
        assert done.returncode == 0, done.stderr


NEEDING = {
    "pyarrow": ("score", "--gold", "gold.parquet", "r.csv"),
    "duckdb": ("score", "--gold", "gold.parquet", "gold.parquet", "--engine", "duckdb"),
    "matplotlib": ("score", "--gold", "r.csv", "r.csv", "--plot", "p.svg"),
    "snowballstemmer": ("score", "--config", f"{ROOT}/configs/news.yaml", "-m", "rouge-l:stem=porter"),
    "rapidfuzz": ("score", "--config", f"{ROOT}/configs/r4c.yaml", "-m", "r4c-align"),
    "sudachipy": ("score", "--config", f"{ROOT}/configs/tsc3.yaml"),
    "distributed": ("score", "--gold", "r.csv", "r.csv", "--scheduler", "local"),
}


@pytest.mark.parametrize("package", NEEDING)
@pytest.mark.parametrize(
    ("error", "problem", "remedy"),
    [
        ("ModuleNotFoundError()", "without ", "pip install 'metaeval["),
        ("ImportError('no libarrow.so')", "fails (ImportError: no libarrow.so)", "pip install --force-reinstall 'me"),
        ("AttributeError('_ARRAY_API')", "fails (AttributeError: _ARRAY_API)", "pip install --force-reinstall 'me"),
    ],
)
def test_a_package_that_is_missing_or_broken_is_named_with_a_remedy(
    tmp_path: Path, package: str, error: str, problem: str, remedy: str
) -> None:
    (tmp_path / f"{package}.py").write_text(f"raise {error}\n")
    (tmp_path / "r.csv").write_text("id,label\n1,a\n2,b\n")
    (tmp_path / "gold.parquet").write_bytes(b"PAR1")
    done = run(METAEVAL, *NEEDING[package], folder=tmp_path, PYTHONPATH=os.pathsep.join([str(tmp_path), str(ROOT)]))
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert all(part in done.stderr for part in (package, problem, remedy)), done.stderr


def test_process_substitution_and_a_pipe_can_be_read() -> None:
    gold, run = "sample_data/works/gold.csv", "sample_data/works/systems/article.csv"
    options = "score --task scores --labels 'G<F<E<D<C<B<A' -m pearson -f csv -q"
    plain = shell(f"metaeval {options} --gold {gold} my={run}")
    assert plain.returncode == 0
    assert shell(f"metaeval {options} --gold <(cat {gold}) my=<(cat {run})").stdout == plain.stdout
    assert shell(f"cat {run} | metaeval {options} --gold {gold} my=-").stdout == plain.stdout


def test_the_package_runs_as_a_module() -> None:
    done = run(sys.executable, "-m", "metaeval", "--version")
    assert re.fullmatch(r"metaeval \d+\.\d+\.\d+\n", done.stdout)


@pytest.mark.parametrize("written", [True, False])
@pytest.mark.parametrize(
    "words", ["--gold fifo r.csv", "--gold r.csv fifo", "--gold r.csv r.csv --plugin fifo", "--config fifo"]
)
def test_waiting_for_a_pipe_is_said_and_can_be_interrupted(tmp_path: Path, words: str, written: bool) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "r.csv").write_text("id,label\n1,a\n2,b\n")
    process = subprocess.Popen(
        [METAEVAL, "score", "-q", *words.split()], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    # Standard error ends here only if the process ends in silence.
    assert process.stderr is not None
    assert process.stderr.readline() == "Waiting for 'fifo', a pipe to which nothing has been written yet\n"
    if written:
        (tmp_path / "fifo").write_text("")
    else:
        process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=PATIENCE)
    expected = (2, "Error: ") if written else (130, "\nInterrupted.\n")
    assert process.returncode == expected[0]
    assert expected[1] in complaint


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/urandom", "link"])
def test_a_device_is_no_file(tmp_path: Path, path: str) -> None:
    (tmp_path / "link").symlink_to("/dev/zero")
    (tmp_path / "r.csv").write_text("id,label\n1,a\n2,b\n")
    for words in (f"--gold {path} r.csv", f"--gold r.csv {path}", f"--gold r.csv r.csv --plugin {path}"):
        done = shell(f"cd {tmp_path} && metaeval score {words}")
        assert (done.returncode, done.stdout) == (2, "")
        assert f"{path}: " in done.stderr
        assert "it is a device" in done.stderr
    done = shell(f"cd {tmp_path} && metaeval score -q -m accuracy --gold /dev/stdin <(cat r.csv) <r.csv")
    assert done.returncode == 0, done.stderr


def test_a_working_folder_that_was_removed_is_told(tmp_path: Path) -> None:
    for command, problem in (("score --gold g.csv r.csv", "no such file"), ("demo", "an error of the system (")):
        folder = tmp_path / "gone"
        folder.mkdir()
        done = shell(f"cd {folder} && rmdir {folder} && metaeval {command}")
        assert (done.returncode, done.stdout) == (2, "")
        assert problem in done.stderr
        assert "Errno" not in done.stderr
        assert done.stderr.endswith("the working folder does not exist any more; change to another one.\n")


def test_an_unexpected_exception_is_one_line_and_a_code_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_settings: object) -> None:
        raise KeyError("two\nlines")

    monkeypatch.setattr(cli.command_line, "main", fail)
    for debug in ("", "1"):
        monkeypatch.setenv("METAEVAL_DEBUG", debug)
        code = exit_code("score")
        out, err = capsys.readouterr()
        assert (code, out) == (70, "")
        assert ("Traceback" in err) == bool(debug)
        assert err.splitlines()[-1].startswith(r"Error: KeyError: 'two\nlines'. This is a bug in metaeval")


def test_too_little_memory_to_import_a_package_is_no_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_settings: object) -> None:
        raise ImportError("libscipy_openblas.so: failed to map segment from shared object")

    monkeypatch.setattr(cli.command_line, "main", fail)
    assert exit_code("score") == 2
    assert capsys.readouterr().err.startswith("Error: not enough memory")


@pytest.mark.parametrize("error", [BrokenPipeError(32, "Broken pipe"), SystemExit(0)], ids=repr)
def test_an_exit_that_is_not_ours_is_no_success(
    error: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As of a plugin, or of a connection, while standard output is open."""

    def fail(*_arguments: object, **_settings: object) -> None:
        raise error

    monkeypatch.setattr(output, "write_report", fail)
    code = exit_code("measures")
    out, err = capsys.readouterr()
    assert (code, out) == (70, "")
    assert "This is a bug in metaeval" in err


@pytest.mark.parametrize("command", ["score", "report"])
def test_a_backend_that_does_not_exist_is_told(tmp_path: Path, command: str) -> None:
    pytest.importorskip("matplotlib")
    output = ("--plot", str(tmp_path / "p.svg")) if command == "score" else ("-o", str(tmp_path / "p.html"))
    arguments = SAMPLE if command == "score" else (str(tmp_path / "results.json"),)
    run(METAEVAL, "score", *SAMPLE, "-q", "-f", "json", "-o", tmp_path / "results.json")
    done = run(METAEVAL, command, *arguments, *output, MPLBACKEND="nope")
    assert (done.returncode, done.stdout) == (2, "")
    assert "settings of matplotlib cannot be read (Key backend: 'nope'" in done.stderr
    assert "MPLBACKEND" in done.stderr
