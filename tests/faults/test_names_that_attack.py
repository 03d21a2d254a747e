"""Names that would run in a browser, all the way from files to the page."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.chromium import Browser, chromium
from command_line import CommandLine, Write

pytestmark = pytest.mark.slow

IMAGE = "<img src=x onerror=alert(1)>"
SCRIPT = "<script>document.title = 'attacked'</script>"
CLASS = "<b onmouseover=alert(2)>b"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def test_systems_classes_files_and_notes_are_text(metaeval: CommandLine, write: Write, browser: Browser) -> None:
    gold = "id,label\n" + "".join(f"{item},{CLASS if item % 2 else 'a'}\n" for item in range(8))
    write("gold.csv", gold)
    # A name of a file can hold anything but a slash and NUL.
    runs = [write(f"{IMAGE}.csv", gold), write(f"{SCRIPT.replace('/', '')}.csv", gold.replace("3,", "9,"))]
    data = ("--gold", "gold.csv", *runs, "--on-missing", "drop", "--on-extra", "drop")
    metaeval.succeeds("score", *data, "-m", "accuracy", "-m", "macro-f1", "-f", "json", "-o", "results.json")
    metaeval.succeeds("report", "results.json", "-o", "page.html")
    browser.complaints()
    browser.open(Path("page.html").resolve())
    assert browser.complaints() == []
    assert browser.overflow() == 0
    assert browser.ask("document.title") != "attacked"
    assert browser.ask("document.querySelectorAll('img[src=x], b[onmouseover], [onerror]').length") == 0
    assert browser.ask("document.scripts.length") == 1
    shown = browser.ask("document.body.textContent")
    for name in (IMAGE, CLASS, "<script>document.title = 'attacked'<script>"):
        assert name in shown
