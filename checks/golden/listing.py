"""The golden commands: those of the list, and those that derive from the declarations of the commands."""

import re
from pathlib import Path
from typing import NamedTuple

from metaeval import registry

HERE = Path(__file__).resolve().parent
COMMANDS = HERE / "commands.txt"


class Command(NamedTuple):
    """A line of the list: recordings are compared by name, and so the spelling of an option may change."""

    name: str
    line: str


def read_commands(path: Path = COMMANDS) -> list[Command]:
    """The commands of a list: `NAME: LINE` each; empty lines and lines that begin with # are passed over."""
    commands: dict[str, Command] = {}
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not text.strip() or text.startswith("#"):
            continue
        name, colon, line = text.partition(":")
        if not colon or not line.strip() or not name.replace("-", "").isalnum():
            raise ValueError(f"{path}:{number}: expected 'name: command', found {text!r}")
        if name in commands:
            raise ValueError(f"{path}:{number}: the name {name!r} occurs twice")
        commands[name] = Command(name, line.strip())
    return list(commands.values())


def golden_commands(path: Path = COMMANDS) -> list[Command]:
    """The help of every command, the list, and the examples in the help of analyses that the list does not run."""
    listed = read_commands(path)
    names = [*registry.ANALYSES, *registry.COMMANDS]
    helps = [Command(f"help-{name}", f"metaeval {name} --help") for name in names]
    examples = [
        Command(f"example-{name}-{number}", line)
        for name in registry.ANALYSES
        if not any(re.search(rf"metaeval {name}\b", command.line) for command in listed)
        for number, line in enumerate(examples_of(registry.declaration(name).settings.__doc__), 1)
    ]
    return [*helps, *listed, *examples]


def examples_of(text: str) -> list[str]:
    r"""The commands in a help, which stand in the paragraph after a backspace.

    >>> examples_of("Why?\n\n\b\nmetaeval one \\\n    -m x\nmetaeval two\n")
    ['metaeval one -m x', 'metaeval two']
    """
    paragraph = re.sub(r"\\\n *", "", text.partition("\b\n")[2].partition("\n\n")[0])
    return [line.strip() for line in paragraph.splitlines() if line.strip()]
