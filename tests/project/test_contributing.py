"""The recipes of CONTRIBUTING.md are true: their code runs, and the files that they name exist."""

import re
from pathlib import Path
from textwrap import dedent

from command_line import CommandLine, Write

from metaeval.io.labels.tasks import TASKS
from metaeval.io.scores import formats
from metaeval.measures import REGISTRY, agreement
from metaeval.testing import check_measure

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MEASURE, FORMAT = map(dedent, re.findall(r"^ {8}@.*\n(?: {8}.*\n)+", TEXT, re.MULTILINE))


def test_the_measure_is_what_it_declares() -> None:
    exec(MEASURE, vars(agreement).copy())
    check_measure("my-measure")
    REGISTRY.remove("my-measure")


def test_the_format_is_read(metaeval: CommandLine, write: Write) -> None:
    exec(FORMAT, vars(formats).copy())
    out = metaeval.succeeds("score", "--task", "mytool", write("a.txt", "bm25 map 0.5\n"), "-f", "csv")
    TASKS.remove("mytool")
    assert out.column("map") == {"bm25": 0.5}


def test_the_files_that_it_names_exist() -> None:
    paths = set(re.findall(r"`((?:[\w-]+/)+[\w.-]*|[\w-]+\.(?:py|json|md|txt))`", TEXT))
    files = [str(path) for folder in ("metaeval", "tests", "checks", "docs") for path in (ROOT / folder).rglob("*")]
    existing = {path for path in paths if any(file.endswith("/" + path.rstrip("/")) for file in files)}
    assert paths - existing == {"CHANGELOG.md", "constraints.txt", "metaeval/engines/myengine.py"}
