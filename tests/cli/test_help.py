"""Help texts: short, lazy, and with examples that run."""

import re
import shlex
from pathlib import Path

import click
import pytest
from command_line import CommandLine

from metaeval.cli import COMMANDS, command_line
from metaeval.measures.presets import PRESET_NAMES

EXAMPLE = re.compile(r"^  (metaeval (?:.*\\\n)*.*)$", re.MULTILINE)


def examples(help_text: str) -> list[list[str]]:
    """The words of the examples in a help text, without `metaeval` itself."""
    return [shlex.split(example.replace("\\\n", " "))[1:] for example in EXAMPLE.findall(help_text)]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_begins_with_the_line_of_the_list_and_holds_an_example(metaeval: CommandLine, name: str) -> None:
    text = metaeval.succeeds(name, "--help").out
    assert text.splitlines()[2].strip() == COMMANDS[name]
    assert examples(text)
    assert all(words[0] == name for words in examples(text))
    assert metaeval.succeeds(name, "-h").out == text


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_of_the_shipped_data_runs(
    metaeval: CommandLine, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """From a copy of the repository, because some examples write files."""
    for entry in repository.iterdir():
        (tmp_path / entry.name).symlink_to(entry)
    monkeypatch.chdir(tmp_path)
    command = command_line.get_command(click.Context(command_line), name)
    assert command is not None
    known = {option.name for option in command.params}
    # That an example runs takes no more than a few resamples.
    few = [word for option in ("resamples", "permutations") if option in known for word in (f"--{option}", "20")]
    for words in examples(metaeval.succeeds(name, "--help").out):
        before = set(tmp_path.iterdir())
        assert metaeval.succeeds(*words, *few).out or set(tmp_path.iterdir()) > before


def test_the_help_of_presets_names_all_that_are_accepted() -> None:
    command = command_line.get_command(click.Context(command_line), "score")
    assert command is not None
    (text,) = (each.help for each in command.params if isinstance(each, click.Option) and each.name == "preset")
    assert text is not None
    assert re.split(r": |, | or ", text.rstrip("."))[1:] == list(PRESET_NAMES)


def test_every_option_is_explained() -> None:
    for name in COMMANDS:
        command = command_line.get_command(click.Context(command_line), name)
        assert command is not None
        assert command.name == name
        options = [each for each in command.params if isinstance(each, click.Option)]
        assert [each.name for each in options if not each.help] == []
