"""`--plot`: a plot in addition to the results, rejected before the work if it cannot be drawn."""

import importlib.util
from pathlib import Path

import pytest
from command_line import CommandLine, Write

GOLD = "id,label\na,yes\nb,no\nc,yes\nd,no\n"
RUN = "id,label\na,yes\nb,no\nc,no\nd,no\n"
OTHER = "id,label\na,no\nb,no\nc,yes\nd,yes\n"
STARTS = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}


@pytest.fixture
def data(write: Write) -> tuple[str, ...]:
    files = (write("one.csv", RUN), write("two.csv", OTHER), write("three.csv", GOLD))
    return ("-m", "accuracy", "-m", "macro-f1", "--labels", "yes,no", "--gold", write("gold.csv", GOLD), *files)


@pytest.mark.parametrize("suffix", [*STARTS, ".SVG"])
def test_the_ending_of_the_file_says_what_is_drawn(metaeval: CommandLine, data: tuple[str, ...], suffix: str) -> None:
    plain = metaeval.succeeds("score", "-q", "-f", "csv", *data)
    with_plot = metaeval.succeeds("score", "-q", "-f", "csv", "--plot", f"plot{suffix}", *data)
    assert with_plot == plain
    assert Path(f"plot{suffix}").read_bytes().startswith(STARTS[suffix.lower()])


def test_what_can_not_be_drawn_is_told_before_the_work(metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusal(name: str) -> str:
        # Were gold read first, the message would be about it.
        return metaeval.refuses("score", "--plot", name, "--gold", "nowhere.csv", "nowhere")

    for name in ("plot", "plot.jpg", "", "plot.svg.txt", "/dev/stdout"):
        assert f"--plot '{name}'; expected a file name that ends in .svg, .png or .pdf" in refusal(name)
    assert "missing/plot.svg: it cannot be written" in refusal("missing/plot.svg")
    monkeypatch.setattr(importlib.util, "find_spec", {"matplotlib": None}.get)
    assert "pip install 'metaeval[plots]'" in refusal("plot.svg")


def test_tables_without_a_plot_leave_the_file_as_it_was(metaeval: CommandLine, write: Write) -> None:
    write("kept.svg", "kept")
    assert "no plot of the tables" in metaeval.refuses("measures", "--plot", "kept.svg")
    assert Path("kept.svg").read_text() == "kept"


def test_a_plot_has_a_file_of_its_own(metaeval: CommandLine, data: tuple[str, ...]) -> None:
    Path("link.svg").symlink_to("plot.svg")
    message = metaeval.refuses("score", "-o", "plot.svg", "--plot", "link.svg", *data)
    assert "one file for the results and for the plot" in message
    assert not Path("plot.svg").exists()
    Path("gold.svg").symlink_to("gold.csv")
    assert "the file that was read as gold" in metaeval.refuses("score", "--plot", "gold.svg", *data)
    assert Path("gold.csv").read_text() == GOLD
