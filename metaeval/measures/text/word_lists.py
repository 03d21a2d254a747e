"""Word lists in text files: stop words and irregular forms."""

from __future__ import annotations

from io import TextIOWrapper
from pathlib import Path

from metaeval.errors import InputError, Problem
from metaeval.steps import opened


def read_stopwords(path: str | Path) -> frozenset[str]:
    """Stop words from a UTF-8 file, one per line; blank lines are ignored."""
    return frozenset(word for line in lines_of(path) if (word := line.strip()))


def read_exceptions(*paths: str | Path) -> dict[str, str]:
    """Base forms of irregular forms, from UTF-8 files with a form and its base form on each line.

    WordNet's files *.exc have this format. Further fields of a line are ignored; the last line of a form counts.
    Raises InputError with every line of one field.
    """
    forms: dict[str, str] = {}
    problems = []
    for path in paths:
        for number, line in enumerate(lines_of(path), start=1):
            fields = line.split()
            if len(fields) == 1:
                problems.append(Problem(f"{line.strip()!r}", "a form and its base form", str(path), number))
            elif fields:
                forms[fields[0]] = fields[1]
    if problems:
        raise InputError(problems, hints=["write one irregular form per line, for example 'mice mouse'"])
    return forms


def lines_of(path: str | Path) -> list[str]:
    """The lines of a UTF-8 file without line ends and byte order mark; an unreadable file is an `InputError`."""
    try:
        # Not splitlines, for which U+2028 and other characters end a line, too.
        with TextIOWrapper(opened(path), encoding="utf-8-sig") as file:
            return file.read().split("\n")
    except FileNotFoundError:
        raise InputError.at(path, found="no such file", expected="a file that exists", hint="check the path") from None
    except OSError as error:
        found = f"it cannot be read ({error.strerror or error})"
        raise InputError.at(path, found=found, expected="a readable file", hint="check the path") from None
    except UnicodeDecodeError as error:
        raise InputError.at(path, found=f"it cannot be read ({error})", expected="a UTF-8 text file") from None
