"""Compares two folders of recordings."""

import difflib
import fnmatch
import json
from collections.abc import Iterator
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, NamedTuple

SHOWN = 12
"""Differences of one JSON document that are shown."""
LINES = 60
"""Lines of one unified diff that are shown."""
WIDTH = 300
"""Characters of a line that are shown."""


class Difference(NamedTuple):
    """How the recordings of one command differ."""

    name: str
    lines: list[str]

    def __str__(self) -> str:
        return "\n".join([f"== {self.name}", *(line[:WIDTH] for line in self.lines)])


class Comparison(NamedTuple):
    """Names of commands that are equal, missing in the second folder or only there, and the differences of others."""

    equal: list[str]
    different: list[Difference]
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
        parts = [str(difference) for difference in self.different]
        parts += [f"== {name}\nrecorded before, missing now" for name in self.missing]
        parts += [f"== {name}\nnot recorded before, added now" for name in self.added]
        return "\n\n".join([*parts, self.summary()])


def compare(before: Path, after: Path, *, only: str = "*") -> Comparison:
    """Compare the recordings of two folders by the names of the commands; only: a pattern of these names."""
    old, new = (
        {path.name for path in folder.iterdir() if path.is_dir() and fnmatch.fnmatch(path.name, only)}
        for folder in (before, after)
    )
    equal, different = [], []
    for name in sorted(old & new):
        lines = list(_differences(before / name, after / name))
        if lines:
            different.append(Difference(name, [*_commands(before / name, after / name), *lines]))
        else:
            equal.append(name)
    return Comparison(equal, different, sorted(old - new), sorted(new - old))


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
    try:
        paths = list(islice(json_differences(json.loads(old), json.loads(new)), SHOWN + 1))
    except ValueError:
        paths = []
    if paths:
        yield f"{name} (JSON):"
        yield from (f"  {path}" for path in paths[:SHOWN])
        if len(paths) > SHOWN:
            yield "  and more"
        return
    diff = list(islice(difflib.unified_diff(_lines(old), _lines(new), "before", "now", n=1, lineterm=""), LINES + 1))
    yield f"{name}:"
    yield from (f"  {line}" for line in diff[:LINES])
    if len(diff) > LINES:
        yield "  and more"


def json_differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """The paths at which two JSON documents differ, with both values."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            below = f"{path}.{key}" if path else str(key)
            if key not in new:
                yield f"{below}: {_short(old[key])} is missing"
            elif key not in old:
                yield f"{below}: {_short(new[key])} is added"
            else:
                yield from json_differences(old[key], new[key], below)
        if old.keys() == new.keys() and list(old) != list(new):
            yield f"{path or 'document'}: keys in another order, {', '.join(new)}"
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{path}: {len(old)} entries have become {len(new)}"
        for place, (one, other) in enumerate(zip(old, new, strict=False)):
            yield from json_differences(one, other, f"{path}[{place}]")
    elif type(old) is not type(new) or repr(old) != repr(new):
        skipped = _common(old, new) if isinstance(old, str) and isinstance(new, str) else 0
        texts = [f"…{value[skipped:]}" if skipped else value for value in (old, new)]
        yield f"{path}: {_short(texts[0])} has become {_short(texts[1])}"


def _common(old: str, new: str) -> int:
    """How many characters of two long texts need not be shown, because both begin with them."""
    if max(len(old), len(new)) <= WIDTH // 3:
        return 0
    same = takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    return max(0, sum(1 for _ in same) - 20)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= WIDTH // 3 else f"{text[: WIDTH // 3]}…"


def _lines(text: str) -> list[str]:
    """Lines with their ends visible where these are not a plain line feed; HTML and SVG are cut at their tags."""
    return [
        part.rstrip("\n").replace("\r", "␍")
        for line in text.splitlines(keepends=True)
        for part in (line.replace("><", ">\n<").split("\n") if len(line) > WIDTH else [line])
    ]


def _names(recording: Path) -> set[str]:
    files = (path.relative_to(recording).as_posix() for path in recording.rglob("*") if path.is_file())
    return {name for name in files if name != "command"}


def _text(path: Path) -> str:
    return path.read_bytes().decode()
