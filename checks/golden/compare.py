"""Compares two folders of recordings."""

import difflib
import fnmatch
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

LINES = 60
"""Lines of the differences of one file that are shown."""
WIDTH = 160
"""Characters of a line; longer ones are broken."""


class Comparison(NamedTuple):
    """Names of commands that are equal, missing in the second folder or only there, and how others differ."""

    equal: list[str]
    different: dict[str, list[str]]
    missing: list[str]
    added: list[str]

    @property
    def passed(self) -> bool:
        """Whether both folders hold the same."""
        return not (self.different or self.missing or self.added)

    def summary(self) -> str:
        """The counts in one line."""
        return (
            f"{len(self.equal)} commands are equal, {len(self.different)} differ, "
            f"{len(self.missing)} are missing, {len(self.added)} are added"
        )

    def __str__(self) -> str:
        parts = ["\n".join([f"== {name}", *lines]) for name, lines in self.different.items()]
        parts += [f"== {name}\nrecorded before, missing now" for name in self.missing]
        parts += [f"== {name}\nnot recorded before, added now" for name in self.added]
        return "\n\n".join([*parts, self.summary()])


def compare(before: Path, after: Path, *, only: str = "*") -> Comparison:
    """Compare the recordings of two folders by the names of the commands; only: a pattern of these names."""
    old, new = (
        {path.name for path in folder.iterdir() if path.is_dir() and fnmatch.fnmatch(path.name, only)}
        for folder in (before, after)
    )
    changes = {name: list(_differences(before / name, after / name)) for name in sorted(old & new)}
    different = {name: [*_commands(before / name, after / name), *lines] for name, lines in changes.items() if lines}
    return Comparison([name for name in changes if not changes[name]], different, sorted(old - new), sorted(new - old))


def _commands(before: Path, after: Path) -> list[str]:
    """The command, or both where its spelling has changed."""
    old, new = (_text(folder / "command").strip() for folder in (before, after))
    return [f"   {old}"] if old == new else [f" - {old}", f" + {new}"]


def _differences(before: Path, after: Path) -> Iterator[str]:
    """What differs between two recordings; the spelling of the command does not count."""
    old, new = (_names(folder) for folder in (before, after))
    for name in sorted(old | new):
        if name not in new:
            yield f"{name}: no longer written"
        elif name not in old:
            yield f"{name}: written now, not before"
        else:
            texts = _text(before / name), _text(after / name)
            if texts[0] != texts[1]:
                yield from _shown(name, *texts)


def _shown(name: str, old: str, new: str) -> Iterator[str]:
    if name == "exit":
        yield f"exit code {old.strip()} has become {new.strip()}"
        return
    # Documents that differ in their layout alone are compared as texts.
    diff = _diff(_document(old), _document(new)) or _diff(old, new)
    yield f"{name}:"
    yield from (f"  {line}" for line in diff[:LINES])
    if len(diff) > LINES:
        yield "  and more"


def _diff(old: str, new: str) -> list[str]:
    lines = difflib.unified_diff(_lines(old), _lines(new), "before", "now", n=2, lineterm="")
    return list(islice(lines, LINES + 1))


def _document(text: str) -> str:
    """A JSON document with a line for each value; any other text as it is."""
    try:
        return json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    except ValueError:
        return text


def _lines(text: str) -> list[str]:
    """Lines with their ends visible where these are not a plain line feed; HTML and SVG are cut at their tags."""
    parts = [
        part.rstrip("\n").replace("\r", "␍")
        for line in text.splitlines(keepends=True)
        for part in (line.replace("><", ">\n<").split("\n") if len(line) > WIDTH else [line])
    ]
    return [part[begin : begin + WIDTH] for part in parts for begin in range(0, len(part) or 1, WIDTH)]


def _names(recording: Path) -> set[str]:
    files = (path.relative_to(recording).as_posix() for path in recording.rglob("*") if path.is_file())
    return {name for name in files if name != "command"}


def _text(path: Path) -> str:
    return path.read_bytes().decode()
