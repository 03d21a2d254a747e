"""Where results and notes go, and what is never written over."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import CommandLine, Write

from metaeval.render.files import stream_of

GOLD = "id,label\na,yes\nb,no\nc,yes\n"
NOTE = "Note: the classes are the labels of gold, without an order: no,yes"


@pytest.fixture
def data(write: Write) -> tuple[str, ...]:
    return ("-m", "accuracy", "--gold", write("gold.csv", GOLD), write("run.csv", GOLD))


def test_a_symbolic_link_stays_and_what_it_leads_to_is_written(metaeval: CommandLine, data: tuple[str, ...]) -> None:
    Path("folder").mkdir()
    Path("folder/real").write_text("old")
    Path("link").symlink_to("folder/real")
    Path("chain").symlink_to("link")
    Path("dangling").symlink_to("folder/new")
    for name, target in (("chain", "folder/real"), ("dangling", "folder/new")):
        metaeval.succeeds("score", "-f", "csv", "-o", name, *data)
        assert Path(name).is_symlink()
        assert Path(target).read_text().startswith("system,accuracy\n")
    Path("loop").symlink_to("loop")
    assert "loop: it cannot be written" in metaeval.refuses("score", "-o", "loop", *data)
    assert Path("loop").is_symlink()


def test_a_descriptor_is_written_where_it_stands(metaeval: CommandLine, data: tuple[str, ...]) -> None:
    # As `{ echo before; metaeval … -o /dev/stdout; echo after; } >file`, but nothing here can harm /dev.
    with Path("log").open("w") as log:
        log.write("before\n")
        log.flush()
        metaeval.succeeds("score", "-f", "csv", "-q", "-o", f"/dev/fd/{log.fileno()}", *data)
        os.write(log.fileno(), b"after\n")
    assert Path("log").read_text() == "before\nsystem,accuracy\nrun,1.0\nafter\n"


def test_what_is_no_plain_file_is_a_stream(write: Write) -> None:
    plain = write("plain", "")
    os.mkfifo("fifo")
    Path("out").symlink_to("/dev/stdout")
    Path("pipe").symlink_to("fifo")
    assert [stream_of(path) for path in (plain, "new", "/dev/stdout", "/dev/stderr", "/dev/fd/9")] == [
        None, None, 1, 2, 9,
    ]  # fmt: skip
    # A file system may be mounted below /dev, too.
    assert stream_of("/dev/shm/new.json") is None
    assert (stream_of("out"), stream_of("fifo"), stream_of("pipe")) == (1, "fifo", "pipe")
    assert (stream_of("/proc/self/fd/4"), stream_of("/dev/null"), stream_of("/dev/../dev/tty")) == (
        4, "/dev/null", "/dev/../dev/tty",
    )  # fmt: skip


def test_warnings_about_the_input_go_to_standard_error_or_into_whole_results(
    metaeval: CommandLine, data: tuple[str, ...]
) -> None:
    for kind in ("table", "chart", "csv", "tsv", "markdown", "latex"):
        outcome = metaeval.succeeds("score", "-f", kind, *data)
        assert (NOTE in outcome.err, "Note" in outcome.out) == (True, False), kind
        assert metaeval.succeeds("score", "-q", "-f", kind, *data) == outcome._replace(err=""), kind
    for kind in ("json", "html"):
        outcome = metaeval.succeeds("score", "-f", kind, *data)
        assert (outcome.err, "the classes are the labels of gold" in outcome.out) == ("", True), kind


def test_findings_are_in_every_format_but_that_of_one_table_and_notes_where_they_are_asked_for(
    metaeval: CommandLine, write: Write, data: tuple[str, ...]
) -> None:
    write("other.csv", "id,label\na,no\nb,no\nc,no\n")
    data = (*data, "other.csv")
    finding = "has the best score"
    for kind in ("table", "chart", "markdown", "latex", "html", "json"):
        assert finding in metaeval.succeeds("score", "-f", kind, "-q", *data).out, kind
    for kind in ("csv", "tsv"):
        outcome = metaeval.succeeds("score", "-f", kind, *data)
        assert (finding in outcome.out, finding in outcome.err) == (False, True)
    for kind in ("table", "markdown", "latex"):
        assert "Note: the classes" in metaeval.succeeds("score", "-f", kind, "-q", "--notes", *data).out


def test_notes_follow_the_table_where_both_streams_are_one(data: tuple[str, ...]) -> None:
    program = "import sys; from metaeval.cli import main; main(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", program, "score", *data],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.index("metaeval:") < done.stdout.index(NOTE)


@pytest.mark.parametrize("target", ["gold.csv", "run.csv", "./run.csv", "link", "c.yaml"])
def test_a_result_is_not_written_over_what_it_was_made_from(
    metaeval: CommandLine, write: Write, data: tuple[str, ...], target: str
) -> None:
    config = write("c.yaml", "seed: 1\n")
    Path("link").symlink_to("gold.csv")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    message = metaeval.refuses("score", "--config", config, *data, "-o", target, "--output-dir", "tables")
    assert f"{target.removeprefix('./')}: the file that was read as" in message
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


@pytest.mark.parametrize("folder", ["missing/..", "./missing/deeper/../..", "dangling/.."])
def test_no_way_through_a_folder_that_is_missing_leads_to_files_that_are_there(
    metaeval: CommandLine, data: tuple[str, ...], folder: str
) -> None:
    Path("dangling").symlink_to("nowhere")
    Path("scores.csv").write_text("mine")
    metaeval.succeeds("score", *data, "-q", "-f", "json", "-o", "results.json")
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    for words in (
        ("score", *data, "-f", "csv", "-o", f"{folder}/gold.csv"),
        ("score", *data, "--output-dir", folder),
        ("report", "results.json", "-o", f"{folder}/results.json"),
    ):
        assert "'..' after a folder that does not exist" in metaeval.refuses(*words)
    assert {path: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before
    Path("there").mkdir()
    metaeval.succeeds("score", *data, "-f", "csv", "-o", "there/../new.csv")


def test_a_preset_is_told_from_a_measure(metaeval: CommandLine) -> None:
    parts = (
        "measure 'rumour-six', which is a preset",
        "accuracy, macro-f1, gmr, wauc, weighted-f:beta=1, weighted-f:beta=2",
    )
    metaeval.refuses_with(parts, "measures", "rumour-six")


def test_gold_alone_can_be_validated_and_scored_with_trivial_systems(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", GOLD)
    report = metaeval.report("validate", "--gold", gold)
    assert report["tables"]["files"] == [{"system": "gold", "file": gold, "items": 3, "no": 1, "yes": 2}]
    assert "|systems:0|" in report["signature"]
    assert metaeval.succeeds("validate", "-q", "--gold", gold).out.startswith("Gold alone: how often")
    trivial = metaeval.succeeds("score", "--trivial", "-m", "accuracy", "-q", "--gold", gold).out
    assert trivial.startswith("Trivial systems on 3 items")
    assert "|systems:0|" in trivial
    assert "no run beside gold" in metaeval.refuses("score", "--gold", gold)
    numeric = ("--task", "scores", "--labels", "no<yes", "--gold", gold)
    assert metaeval.succeeds("validate", *numeric).out.startswith("Gold (no 1, yes 2) alone")
    assert metaeval.succeeds("score", "--trivial", *numeric).code == 0


def test_tables_of_other_results_in_a_folder_are_told(metaeval: CommandLine, data: tuple[str, ...]) -> None:
    folder = ("--output-dir", "results")
    alone = metaeval.succeeds("score", *data, *folder)
    again = metaeval.succeeds("score", *data, *folder)
    other = metaeval.succeeds("robustness", *data, *folder)
    assert "also contains" not in alone.err + again.err
    assert (
        "Note: results also contains scores.csv, ranks.csv, intervals.csv, confusions.csv of other results\n"
        in other.err
    )
    assert Path("results/scores.csv").is_file()
    # They still belong to metaeval when others have been written twice.
    metaeval.succeeds("robustness", *data, *folder)
    metaeval.succeeds("score", *data, *folder)


def test_files_of_others_are_replaced_where_asked(metaeval: CommandLine, data: tuple[str, ...]) -> None:
    folder = Path("results")
    folder.mkdir()
    for name in ("scores.csv", "other.csv", "provenance.json"):
        (folder / name).write_text("mine")
    call = ("score", *data, "--output-dir", folder)
    message = metaeval.refuses(*call)
    assert "or move these files away; --overwrite replaces those with the names of results" in message
    done = metaeval.succeeds(*call, "--overwrite")
    assert "Note: provenance.json, scores.csv in results, which metaeval had not written, were replaced\n" in done.err
    assert (folder / "other.csv").read_text() == "mine"
    assert (folder / "scores.csv").read_text().startswith("system,")
    # What is left of others is refused again; what was replaced is ours now.
    assert "other.csv: a file that metaeval" in metaeval.refuses(*call)
    assert "were replaced" not in metaeval.succeeds(*call, "--overwrite").err
    scores = ("--task", "table", folder / "scores.csv")
    assert "the file that was read" in metaeval.refuses("score", *scores, "--output-dir", folder, "--overwrite")


@pytest.mark.parametrize("name", ["scores.csv", "other.csv", "provenance.json", "mine.txt", "folder/mine.txt"])
def test_files_of_others_in_a_folder_are_kept(metaeval: CommandLine, data: tuple[str, ...], name: str) -> None:
    folder = Path("results")
    call = ("score", *data, "--output-dir", folder)
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text("mine")
    (folder / ".gitkeep").touch()
    # A file of this name elsewhere is not one in the folder.
    message = metaeval.refuses(*call, "-o", Path(name).name)
    assert f"results/{name.partition('/')[0]}: a file that metaeval did not write there" in message
    assert {path.name for path in folder.iterdir()} == {Path(name).parts[0], ".gitkeep"}
    assert (folder / name).read_text() == "mine"
    (folder / name).unlink()
    if "/" in name:
        (folder / name).parent.rmdir()
    metaeval.succeeds(*call, "-f", "csv", "-o", folder / "all.csv")
    metaeval.succeeds(*call, "-f", "csv", "-o", folder / "all.csv")
    assert (folder / ".gitkeep").is_file()


@pytest.mark.parametrize("command", ["measures", "demo", "doctor", "reproduce"])
def test_listings_overwrite_nothing_and_have_gates(metaeval: CommandLine, tmp_path: Path, command: str) -> None:
    file = tmp_path / "notes.csv"
    file.write_text("mine")
    message = metaeval.refuses(command, "-f", "csv", "--output-dir", str(tmp_path))
    assert f"{file}: a file that metaeval did not write there" in message
    assert file.read_text() == "mine"
    assert "'no', which is no table of the results" in metaeval.refuses(command, "--fail-if", "no.such < 1")


@pytest.mark.parametrize("name", [".parts", ".waiting", "INCOMPLETE"])
@pytest.mark.parametrize("kind", ["a file of another", "a link"])
@pytest.mark.parametrize("options", [(), ("--overwrite",)])
def test_what_stands_in_place_of_working_files_is_kept(
    metaeval: CommandLine, data: tuple[str, ...], write: Write, name: str, kind: str, options: tuple[str, ...]
) -> None:
    target = Path("results", name)
    target.parent.mkdir()
    victim = Path("elsewhere", "keep.txt") if name != "INCOMPLETE" else Path("elsewhere")
    if kind == "a link":
        target.symlink_to(Path("..", "elsewhere"))
    elif name != "INCOMPLETE":
        target.mkdir()
        victim = target / "keep.txt"
    else:
        victim = target
    victim.parent.mkdir(exist_ok=True)
    victim.write_text("mine")
    config = write("c.yaml", "data: {gold: gold.csv, runs: [run.csv]}\nmeasures: [accuracy]\nscore: {}\n")
    for call in (("score", *data), ("run", config), ("run", config, "--resume")):
        assert f"results/{name}: a file that metaeval did not" in metaeval.refuses(
            *call, "--output-dir", "results", *options
        )
        assert victim.read_text() == "mine"
        assert [path.name for path in Path("results").iterdir()] == [name]


def test_incomplete_results_do_not_open_the_folder(
    metaeval: CommandLine, data: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = Path("c.yaml")
    config.write_text("data: {gold: gold.csv, runs: [run.csv]}\nmeasures: [accuracy]\nscore: {}\n")

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("metaeval.cli.output.write_tables", interrupt)
        assert metaeval("run", config, "--output-dir", "results").code == 130
    Path("results/scores.csv").write_text("mine")
    Path("results/.parts/keep.txt").write_text("mine")
    assert "results/.parts: a file" in metaeval.refuses("run", config, "--output-dir", "results", "--resume")
    Path("results/.parts/keep.txt").unlink()
    for call in (("run", config, "--resume"), ("run", config), ("score", *data)):
        assert "results/scores.csv: a file" in metaeval.refuses(*call, "--output-dir", "results")
    assert Path("results/scores.csv").read_text() == "mine"
    metaeval.succeeds("run", config, "--resume", "--overwrite", "--output-dir", "results")
    assert {path.name for path in Path("results").iterdir()} == {
        "scores.csv", "ranks.csv", "intervals.csv", "confusions.csv", "provenance.json",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["scores.csv", "provenance.json"])
def test_a_link_in_a_folder_of_results_is_replaced_and_not_its_target(
    metaeval: CommandLine, data: tuple[str, ...], name: str
) -> None:
    Path("results").mkdir()
    Path("victim").write_text("mine")
    Path("victim").chmod(0o600)
    Path("results", name).symlink_to("../victim")
    call = ("score", *data, "--output-dir", "results")
    assert f"results/{name}: a file that metaeval did not" in metaeval.refuses(*call)
    metaeval.succeeds(*call, "--overwrite")
    assert Path("victim").read_text() == "mine"
    assert not Path("results", name).is_symlink()
    assert Path("results", name).stat().st_mode == Path("results/ranks.csv").stat().st_mode


@pytest.mark.parametrize("name", ["scores.csv", "provenance.json"])
def test_what_cannot_be_replaced_by_results_changes_nothing(
    metaeval: CommandLine, data: tuple[str, ...], name: str
) -> None:
    for make in (Path.mkdir, os.mkfifo):
        Path("results").mkdir(exist_ok=True)
        make(Path("results", name))
        message = metaeval.refuses("score", *data, "--output-dir", "results", "--overwrite")
        assert f"results/{name}: a file that metaeval did not write there" in message
        assert [path.name for path in Path("results").iterdir()] == [name]
        shutil.rmtree("results")


def test_a_dash_is_standard_output(metaeval: CommandLine, data: tuple[str, ...]) -> None:
    shown = metaeval.succeeds("score", *data, "-f", "csv").out
    done = subprocess.run(
        [sys.executable, "-m", "metaeval", "score", *data, "-f", "csv", "-q", "-o", "-"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == shown
    for words in (("score", "--output-dir"), ("score", "--bibtex")):
        assert "write ./- for the name -" in metaeval.refuses(*words, "-", *data)
    config = Path("c.yaml")
    config.write_text("data: {gold: gold.csv, runs: [run.csv]}\nmeasures: [accuracy]\nscore: {}\n")
    for option in ("--save-baseline", "--junit"):
        assert "file '-' for the " in metaeval.refuses("check", config, option, "-")
    assert not Path("-").exists()


def test_any_table_can_be_printed_in_every_format(metaeval: CommandLine, data: tuple[str, ...]) -> None:
    shares = "0.5000"
    Path("other.csv").write_text(GOLD.replace("c,yes", "c,no"))
    for form in ("table", "chart", "csv", "tsv", "json", "markdown", "latex", "html"):
        assert "confusions" not in metaeval.succeeds("score", "-f", "csv", *data, "other.csv").out
        out = metaeval.succeeds("score", "--table", "confusions", "-f", form, *data, "other.csv").out
        assert "gold" in out
        assert "predicted" in out
        assert (shares in out) or ("0.5" in out and form in ("csv", "tsv", "json"))
    rows = metaeval.succeeds("score", "--table", "ranks", "-f", "csv", *data, "other.csv").out.splitlines()
    assert rows == ["system,accuracy", "run,1", "other,2"]
    message = metaeval.refuses("score", "--table", "confusion", *data)
    assert "unknown table 'confusion'" in message
    assert "confusions" in message


def test_measures_have_their_titles_or_their_names(metaeval: CommandLine, data: tuple[str, ...]) -> None:
    latex = ("score", "--no-interval", "-f", "latex", *data)
    assert "system & Accuracy" in metaeval.succeeds(*latex).out
    assert "system & accuracy" in metaeval.succeeds(*latex, "--names", "code").out
    assert "Accuracy" in metaeval.succeeds("score", "--names", "title", *data).out
    assert "Accuracy" not in metaeval.succeeds("score", *data).out
