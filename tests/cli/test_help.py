"""Help texts: short, lazy, and with examples that run."""

import re
import shlex
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
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
    assert [words[0] for words in examples(text)] == [name, name]
    assert metaeval.succeeds(name, "-h").out == text


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_screen_and_names_every_option(
    metaeval: CommandLine, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text, complete = metaeval.succeeds(name, "--help").out, metaeval.succeeds(name, "--help-all").out
    assert len(text.splitlines()) <= 45
    prose = EXAMPLE.sub("", text)
    assert max(map(len, prose.splitlines())) <= 80
    flags = [option.opts for option in command_named(name).params if isinstance(option, click.Option)]
    assert [spellings for spellings in flags if spellings[-1] not in text] == []
    for option in command_named(name).params:
        if isinstance(option, click.Option):
            assert option.help
            assert " ".join(option.help.split()) in " ".join(complete.split()).replace("- ", "-")
    monkeypatch.setenv("COLUMNS", "150")
    assert max(map(len, metaeval.succeeds(name, "--help-all").out.splitlines())) > 100


def test_long_descriptions_are_shortened_in_the_help_and_not_in_all_of_it(metaeval: CommandLine) -> None:
    text, complete = (metaeval.succeeds("correlate", flag).out for flag in ("--help", "--help-all"))
    assert " …\n" in text
    assert " …\n" not in complete
    assert "Correlations of each measure with human scores" in complete


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("score --task rumoureval2017", "rumoureval2017"),
        ("score --preset stan", "stance-nine"),
        ("score -f mark", "markdown"),
        ("correlate --coefficient kendall-", "kendall-b kendall-c kendall-a"),
        ("correlate --table correlation_p", "correlation_p_values"),
        ("run --table stability_c", "stability_curve"),
        ("explain cem", "cem-ord"),
        ("recommend --official cem", "cem-ord"),
        ("measures cem", "cem-ord"),
    ],
)
def test_a_shell_completes_values(typed: str, values: str) -> None:
    *arguments, incomplete = typed.split()
    completions = ShellComplete(command_line, {}, "metaeval", "").get_completions(arguments, incomplete)
    assert [item.value for item in completions] == values.split()


def test_a_shell_completes_files() -> None:
    for typed in ("score sample", "score --gold sample", "run conf", "correct sample"):
        *arguments, incomplete = typed.split()
        (item,) = ShellComplete(command_line, {}, "metaeval", "").get_completions(arguments, incomplete)
        assert (item.type, item.value) == ("file", incomplete)


def command_named(name: str) -> click.Command:
    """The command of a name."""
    command = command_line.get_command(click.Context(command_line), name)
    assert command is not None
    return command


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_of_the_shipped_data_runs(
    metaeval: CommandLine, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """From a copy of the repository, because some examples write files."""
    for entry in repository.iterdir():
        (tmp_path / entry.name).symlink_to(entry)
    monkeypatch.chdir(tmp_path)
    options = {option.name for option in command_named(name).params}
    # That an example runs takes no more than a few resamples.
    few = [word for option in ("resamples", "permutations") if option in options for word in (f"--{option}", "20")]
    for words in examples(metaeval.succeeds(name, "--help").out):
        before = set(tmp_path.iterdir())
        assert metaeval.succeeds(*words, *few).out or set(tmp_path.iterdir()) > before


def test_the_help_of_presets_names_all_that_are_accepted() -> None:
    options = (parameter for parameter in command_named("score").params if isinstance(parameter, click.Option))
    (text,) = (option.help for option in options if option.name == "preset")
    assert text is not None
    assert re.split(r": |, | or ", text.rstrip("."))[1:] == list(PRESET_NAMES)
