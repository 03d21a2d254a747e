"""Small files that want to become large, and files that want to run something."""

import gzip
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import CommandLine, Write
from faults.fuzz import SECONDS, within

from metaeval.errors import InputError
from metaeval.io.files import source
from metaeval.io.files.source import open_source
from metaeval.io.files.yaml import MAX_VALUES

GOLD = "id,label\n1,a\n2,b\n"
MEGABYTE = 1 << 20
ZEROS = gzip.compress(bytes(16 * MEGABYTE), compresslevel=1)


def resident_and_message(*arguments: object) -> tuple[int, str]:
    """The peak memory of a call of metaeval, in MB, and its output.

    The process itself tells it: what `wait4` tells includes the process that it was forked from.
    """
    program = (
        "import atexit, sys; from pathlib import Path; from metaeval.cli import main\n"
        "peak = lambda: Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0]\n"
        "atexit.register(lambda: print(peak())); main(sys.argv[1:])"
    )
    command = [sys.executable, "-c", program, *map(str, arguments)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 2, finished.stderr
    return int(finished.stdout) // 1024, finished.stderr


@pytest.mark.slow
@pytest.mark.parametrize("run", ["run.csv.gz", "run.csv"])
def test_a_line_of_a_gigabyte_is_refused_before_it_is_read(write: Write, run: str) -> None:
    gold = write("gold.csv", GOLD)
    with Path(run).open("wb") as file:
        file.write(ZEROS * 64) if run.endswith("gz") else file.truncate(1 << 30)
    resident, message = resident_and_message("score", "--gold", gold, run)
    assert f"{run}: text cannot be read (a line of more than 256 MB)" in message
    assert resident < 800


@pytest.mark.parametrize(
    ("limit", "megabytes", "suffix", "role"),
    [("MAX_UNPACKED", 40, "csv", "run"), ("SMALL_UNPACKED", 1, "csv", "run"), ("SMALL_UNPACKED", 1, "jsonl", "gold")],
)
def test_files_that_unpack_to_much_more_are_refused_and_a_way_out_is_told(
    write: Write, monkeypatch: pytest.MonkeyPatch, limit: str, megabytes: int, suffix: str, role: str
) -> None:
    monkeypatch.setattr(source, limit, megabytes * MEGABYTE)
    lines = b"1,a\n" * (MEGABYTE // 4)
    at_most = write(f"at-most.{suffix}.gz", gzip.compress(lines * megabytes))
    assert len(open_source(at_most, role).content) == megabytes * MEGABYTE
    more = write(f"more.{suffix}.gz", gzip.compress(lines * (megabytes + 3)))
    remedy = rf"\.gz file cannot be read \(more than {megabytes} MB unpacked\); .*\nWhat to do: .* gunzip"
    with pytest.raises(InputError, match=remedy):
        open_source(more, role)


def test_objects_with_keys_of_their_own_are_refused(
    metaeval: CommandLine, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("metaeval.io.files.json.SPARSE_CELLS", 10_000)
    lines = (f'{{"system": "s", "item": "i{k}", "m{k}": 1}}\n' for k in range(400))
    parts = ("402 different keys, but 400 objects have 1,200 values", "a row for each score")
    metaeval.refuses_with(parts, "score", "--task", "table", write("own.jsonl", "".join(lines)))


def test_lines_of_any_number_and_a_line_of_the_limit_are_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_LINE", MEGABYTE)
    monkeypatch.setattr(source, "_AT_ONCE", 1000)
    longest = b"x" * MEGABYTE
    for content in (b"a\n" * 2 * MEGABYTE, longest, b"a\n" + longest + b"\n" + longest):
        assert open_source(write("run.csv", content), "run").content == content
    for content in (longest + b"x", b"a\n" + longest + b"x\nb", b"a\n" + longest + b"\n" + longest + b"x"):
        with pytest.raises(InputError, match="a line of more than 1 MB"):
            open_source(write("run.csv", content), "run")


def test_too_little_memory_is_told(metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_arguments: object, **_more: object) -> None:
        raise MemoryError

    monkeypatch.setattr("metaeval.info.measures_report", exhausted)
    assert "not enough memory" in metaeval.refuses("measures")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("data: !!python/object/apply:os.system ['touch run']", "c.yaml:1: "),
        ("data: !!python/name:os.system\nscore: {}", "c.yaml:1: "),
        ("seed: !!python/object/new:os.system ['touch run']", "c.yaml:1: "),
        ("a: &a [x]\n" + "b: &b [*a, *a]\n", "key 'a': an unknown key"),
        ("a: [" + "[a], " * 1000 + "]", "key 'a': an unknown key"),
        ("a: &a [*a]", "YAML cannot be read (nested too deeply)"),
        ("a: &a {b: *a}", "YAML cannot be read (nested too deeply)"),
        ("a: " + "[" * 100_000, "YAML cannot be read (nested too deeply)"),
        ("a: " + "{a: " * 100_000, "YAML cannot be read (nested too deeply)"),
        ("- " * 100_000, "YAML cannot be read (nested too deeply)"),
        *(
            (text, "'a\\x00b'; expected a text without NUL")
            for text in (
                'data: {gold: "a\\0b"}\nscore: {}',
                'data: {gold: x, runs: ["a\\0b"]}\nscore: {}',
                'output: {output-dir: "a\\0b"}',
                'score: {per-item: "a\\0b"}',
            )
        ),
    ],
)
def test_yaml_runs_nothing_and_ends(metaeval: CommandLine, write: Write, text: str, problem: str) -> None:
    with within(SECONDS):
        message = metaeval.refuses("run", write("c.yaml", text))
    assert problem in message
    assert not Path("run").exists()


def test_a_name_of_a_file_has_no_nul() -> None:
    with pytest.raises(InputError, match="file name cannot be read"):
        open_source("a\0b", "gold")


def test_aliases_of_aliases_are_not_followed_for_ever(metaeval: CommandLine, write: Write) -> None:
    laughs = "a0: &a0 [lol, lol]\n" + "".join(
        f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 30)
    )
    begun = time.process_time()
    message = metaeval.refuses("run", write("c.yaml", laughs))
    assert f"more than {MAX_VALUES:,} values" in message
    assert "write out only the values that are needed" in message
    assert time.process_time() - begun < SECONDS


@pytest.mark.parametrize(
    "declared",
    [
        '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
        '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE r SYSTEM "http://localhost/r.dtd">',
    ],
)
def test_settings_of_rouge_declare_nothing(metaeval: CommandLine, write: Write, declared: str) -> None:
    settings = write("s.xml", f'{declared}\n<ROUGE-EVAL version="1.5.5"><EVAL ID="&a;"></EVAL></ROUGE-EVAL>')
    message = metaeval.refuses("score", "--task", "texts", "--gold", settings)
    assert "s.xml:1: a document type (<!DOCTYPE …>)" in message
    assert "root:" not in message


def test_labels_of_too_many_classes_for_memory_are_refused(metaeval: CommandLine, write: Write) -> None:
    rows = [f"{item},c{item % 9000}\n" for item in range(45_000)]
    path = write("gold.csv", "id,label\n" + "".join(rows))
    error = metaeval.refuses("score", "--gold", path, f"run={path}", "-m", "accuracy")
    assert "9,000 classes, with confusion matrices of 81,000,000 cells for 1 system" in error
    assert "merge rare classes" in error
