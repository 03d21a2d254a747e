"""What tests of whole files and whole commands share."""

import math
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from metaeval.work import ONE_THREAD

# Before numpy reads them: the tests of the other process use the other core.
os.environ.update(ONE_THREAD)

from command_line import CommandLine, Write
from hypothesis import HealthCheck, settings

# The time of an example depends more on the load of the machine than on the code. In CI the same examples are drawn
# every time, so that a failure is of the change that it names; elsewhere every run tries new ones.
settings.register_profile(
    "metaeval", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("metaeval")

TESTS = Path(__file__).resolve().parent
WHOLE_COMMANDS = {
    "analyses", "api", "baselines", "cli", "docs", "faults", "gates", "io/parquet", "io/test_report_file.py",
    "io/texts/test_large_texts.py", "measures/text", "project", "scoring/test_texts.py",
    "stats/test_agreement.py", "stats/test_correlation_tests.py", "test_docs.py", "test_experiment_analyses.py",
    "test_people.py", "test_r4c_tables.py", "test_shared_tasks.py", "work",
}  # fmt: skip
"""Folders and files that `make test-fast` leaves out, besides tests that are marked as slow."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--fast`."""
    parser.addoption("--fast", action="store_true", help="leave out folders of whole commands, and many texts")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whether a folder or file is left out; None leaves it to others."""
    if not config.getoption("--fast") or not collection_path.is_relative_to(TESTS):
        return None
    return True if collection_path.relative_to(TESTS).as_posix() in WHOLE_COMMANDS else None


# A shell that starts the tests in the background makes them and their processes ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes files into a fresh folder, which is also the working one, and gives their relative paths back."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    return write


@pytest.fixture
def metaeval(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line."""
    return CommandLine(capsys, monkeypatch)


@pytest.fixture(autouse=True)
def no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of progress depend on the load of the machine; tests of progress set their own times."""
    monkeypatch.setattr("metaeval.cli.progress.EVERY", 1e6)
    monkeypatch.setattr("metaeval.cli.progress.LONG", math.inf)


@pytest.fixture(autouse=True)
def no_plugins_of_other_tests() -> Iterator[None]:
    """After a test, the measures of the plugins that it loaded are unknown again."""
    yield
    plugins = sys.modules.get("metaeval.measures.plugins")
    if plugins is not None:
        for plugin in list(plugins._files.values()):
            plugins._forget(plugin)


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The root of the repository, as the working folder."""
    root = Path(__file__).resolve().parents[1]
    monkeypatch.chdir(root)
    return root
