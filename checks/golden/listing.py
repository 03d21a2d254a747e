"""Reads the list of commands."""

from pathlib import Path
from typing import NamedTuple

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
