"""Word lists in text files: stop words and irregular forms."""

from __future__ import annotations

from pathlib import Path

from metaeval.errors import InputError, Problem


def read_stopwords(path: str | Path) -> frozenset[str]:
    r"""Stop words from a UTF-8 file, one a line; blank lines are passed over.

    Raises InputError where the file can't be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "stopwords.txt"
    ...     _ = path.write_text("the\nof\n", encoding="utf-8")
    ...     sorted(read_stopwords(path))
    ['of', 'the']
    """
    return frozenset(word for line in lines_of(path) if (word := line.strip()))


def read_exceptions(*paths: str | Path) -> dict[str, str]:
    r"""Irregular forms from UTF-8 files: form and base form a line, between blanks; what follows them is ignored.

    WordNet's files *.exc are of this kind. Of a form that occurs twice the last line holds, over all files in the
    order given. Raises InputError with every line that has one field only, or where a file can't be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "noun.exc"
    ...     _ = path.write_text("mice mouse\naxes ax axis\n", encoding="utf-8")
    ...     read_exceptions(path)
    {'mice': 'mouse', 'axes': 'ax'}
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
        raise InputError(problems, hints=["write one irregular form a line, as 'mice mouse'"])
    return forms


def lines_of(path: str | Path) -> list[str]:
    r"""The lines of a UTF-8 file without their ends; a byte order mark is no part of the first.

    Raises InputError where the file can't be read or is not UTF-8.
    """
    try:
        # Not splitlines, which counts more lines than an editor does: U+2028 and others end one too.
        return Path(path).read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError.at(path, found=f"the file can't be read: {error}", expected="a UTF-8 text file") from error
