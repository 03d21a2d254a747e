"""The page on Python shows what happens."""

from inspect import isclass
from pathlib import Path
from types import ModuleType

import pytest
from scripts import script

import metaeval as api

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def python_examples() -> ModuleType:
    return script(ROOT / "docs/python_examples.py")


def test_every_example_prints_what_stands_below_it(python_examples: ModuleType) -> None:
    assert python_examples.refreshed(PAGE) == PAGE, "run `python docs/python_examples.py`"


def test_a_page_that_says_otherwise_would_be_told(python_examples: ModuleType) -> None:
    page = "```python\nprint(1)\n```\n\n```text\n2\n```\n\nand\n\n```python\nx = 3\n```\n"
    assert python_examples.refreshed(page) == page.replace("2", "1")


@pytest.mark.parametrize(
    "name", ["from_labels", "from_frame", "from_texts", "from_distributions", "from_scores", "read"]
)
def test_every_way_to_data_is_shown(name: str) -> None:
    assert f"metaeval.{name}(" in PAGE


@pytest.mark.parametrize("name", api.__all__)
def test_every_function_of_a_command_is_named(name: str) -> None:
    value = getattr(api, name)
    is_command = not isclass(value) and value.__module__.startswith("metaeval.api.")
    assert not is_command or f"`{name}`" in PAGE or f".{name}(" in PAGE
