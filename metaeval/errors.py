"""What can go wrong, told so that the reader can mend it.

Every error of metaeval is a `MetaevalError`. The library raises; only the command line exits.

    MetaevalError
    ├── InputError     files, ids, labels: where, what was found, what was expected, what to do
    │   └── ConfigError    the same for a key of a YAML file
    └── UnknownName    a measure, preset, task or class that does not exist, with the nearest that do
"""

from __future__ import annotations

import difflib
import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Number
from pathlib import Path

SHOWN_AT_MOST = 20
"""Problems that one message spells out; the others are counted."""

LONGEST_SHOWN = 60
"""Letters of a label that a message repeats."""

LONGEST_PART = 2000
"""Characters of what was found, and of what was expected; a cell may have millions."""

BIDIRECTIONAL = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that would reorder the rest of a line, and with it other cells."""

# Shares of matching letters, by trial: 'rde' is still 'red'; 'kapa' is 'kappa' and not 'alpha' too.
_ALIKE = 0.65
_AS_GOOD_AS_BEST = 0.15


class MetaevalError(Exception):
    """Base of all errors that are the caller's to mend."""

    def __reduce__(self) -> tuple[Callable[..., MetaevalError], tuple[object, ...]]:
        # Exceptions are made again from their message, which is not what these are made of.
        return _made_again, (type(self), self.args, self.__dict__)


def _made_again(kind: type[MetaevalError], arguments: tuple[object, ...], state: dict[str, object]) -> MetaevalError:
    """An error as another process saw it."""
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


class UnknownName(MetaevalError):
    """A name that is not among the known ones.

    Parameters
    ----------
    kind
        What is named, as 'measure'.
    name
        The unknown name.
    known
        The names that exist.

    Examples
    --------
    >>> print(UnknownName("measure", "macrof1", ["macro-f1", "mcc"]))
    unknown measure 'macrof1'. Did you mean 'macro-f1'?
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        self.close_matches = nearest(name, self.known)
        super().__init__(f"unknown {kind} {name!r}. {self._remedy()}")

    def _remedy(self) -> str:
        if self.close_matches:
            return f"Did you mean {' or '.join(map(repr, self.close_matches))}?"
        if len(self.known) <= SHOWN_AT_MOST:
            return f"Known: {', '.join(self.known)}."
        return f"Known: {', '.join(self.known[:SHOWN_AT_MOST])} and {len(self.known) - SHOWN_AT_MOST} more."


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where, what was found, what was expected.

    path: the file as the user named it, or None where no file is involved.
    line: its physical line, counted from 1, or None where the whole file is meant.
    """

    found: str
    expected: str = ""
    path: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.path, self.line) if part is not None)
        found = _bounded(self.found)
        what = f"{found}; expected {_bounded(self.expected)}" if self.expected else found
        told = f"{where}: {what}" if where else what
        # An id may hold a line break (headlines do), but a problem is one line.
        return visible(told)


class InputError(MetaevalError):
    """Problems of the input, all at once, and what to do about them.

    Parameters
    ----------
    problems
        At least one.
    hints
        What to do about them.

    Examples
    --------
    >>> print(InputError.at("runs/a.csv", 12, found="label 'agre'", expected="agree or disagree", hint="correct it"))
    runs/a.csv:12: label 'agre'; expected agree or disagree
    What to do: correct it.
    """

    def __init__(self, problems: Sequence[Problem], *, hints: Sequence[str] = ()) -> None:
        self.problems = tuple(problems)
        self.hints = tuple(dict.fromkeys(hint for hint in hints if hint))
        super().__init__(self._message())

    @classmethod
    def at(
        cls,
        path: str | Path | None = None,
        line: int | None = None,
        *,
        found: str,
        expected: str = "",
        hint: str = "",
    ) -> InputError:
        """An error with a single problem.

        Parameters
        ----------
        path
            File as the user named it.
        line
            Line, from 1.
        found
            What was found.
        expected
            What was expected instead.
        hint
            What to do.
        """
        return cls([Problem(found, expected, None if path is None else str(path), line)], hints=[hint])

    @property
    def path(self) -> str | None:
        """The file of the first problem."""
        return self.problems[0].path

    @property
    def line(self) -> int | None:
        """The line of the first problem."""
        return self.problems[0].line

    def _message(self) -> str:
        lines = [str(self.problems[0])] if len(self.problems) == 1 else self._listing()
        lines += [f"What to do: {_bounded(hint)}" + ("" if hint.endswith("?") else ".") for hint in self.hints]
        return "\n".join(lines)

    def _listing(self) -> list[str]:
        files: dict[str | None, list[Problem]] = {}
        for problem in self.problems:
            files.setdefault(problem.path, []).append(problem)
        quota = max(1, SHOWN_AT_MOST // len(files))
        lines = [f"{len(self.problems)} problems" + (f" in {len(files)} files" if len(files) > 1 else "")]
        shown = told = 0
        for path, of_file in files.items():
            problems = sorted(of_file, key=_line_or_end)
            if shown >= SHOWN_AT_MOST:
                lines.append(f"  and {len(self.problems) - told} more in other files")
                break
            lines += [f"  {problem}" for problem in problems[:quota]]
            shown += len(problems[:quota])
            told += len(problems)
            if len(problems) > quota:
                lines.append(f"  and {len(problems) - quota} more" + (f" in {path}" if path else ""))
        return lines


def _bounded(text: str) -> str:
    return text if len(text) <= LONGEST_PART else text[:LONGEST_PART] + "…"


def _line_or_end(problem: Problem) -> float:
    return math.inf if problem.line is None else problem.line


class ConfigError(InputError):
    """A key or value of a configuration that cannot be used.

    Parameters
    ----------
    path
        File as the user named it.
    key
        Dotted path of the key, as `data.labels`.
    line
        Line, from 1.
    found
        What was found.
    expected
        What was expected instead.
    hint
        What to do.
    """

    def __init__(
        self,
        path: str | Path | None,
        key: str,
        line: int | None = None,
        *,
        found: str,
        expected: str = "",
        hint: str = "",
    ) -> None:
        self.key = key
        where = f"key '{key}': " if key else ""
        super().__init__([Problem(where + found, expected, None if path is None else str(path), line)], hints=[hint])


class Gathered:
    """Collects input errors of several files, so that the user sees all of them at once.

    >>> gathered = Gathered()
    >>> for path in ("a.csv", "b.csv"):
    ...     with gathered.errors():
    ...         raise InputError.at(path, found="the file is empty")
    >>> gathered.raise_any()
    Traceback (most recent call last):
    metaeval.errors.InputError: 2 problems in 2 files
      a.csv: the file is empty
      b.csv: the file is empty
    """

    def __init__(self) -> None:
        self._errors: list[InputError] = []

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Keep an `InputError` raised inside instead of letting it through."""
        try:
            yield
        except InputError as error:
            self.keep(error)

    def keep(self, error: InputError) -> None:
        """Take up an error that nobody raised."""
        self._errors.append(error)

    @property
    def errors_so_far(self) -> tuple[InputError, ...]:
        """What was collected, in order."""
        return tuple(self._errors)

    def raise_any(self) -> None:
        """Raise what was collected as one `InputError`, each problem once; return where nothing was."""
        if len(self._errors) == 1:
            raise self._errors[0]
        if self._errors:
            raise InputError(
                # A file may be named as gold and as a run, and is broken only once.
                list(dict.fromkeys(problem for error in self._errors for problem in error.problems)),
                hints=[hint for error in self._errors for hint in error.hints],
            )


def nearest(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """The names most like `name`, at most two; empty where none is near.

    Case is ignored: 'Agree' is nearest to 'agree'.

    >>> nearest("kapa", ["kappa", "alpha", "mcc"])
    ('kappa',)
    """
    sought = name.casefold()
    likeness = {other: difflib.SequenceMatcher(a=other.casefold(), b=sought).ratio() for other in known}
    best = max(likeness.values(), default=0.0)
    ranked = sorted(likeness, key=lambda other: -likeness[other])
    return tuple(other for other in ranked[:2] if likeness[other] >= max(_ALIKE, best - _AS_GOOD_AS_BEST))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A remedy sentence naming the nearest known names, or '' where none is near."""
    matches = nearest(name, known)
    return f"did you mean {' or '.join(map(repr, matches))}?" if matches else ""


def visible(text: str) -> str:
    r"""The text on one line, with characters that would move or break it written as escapes.

    >>> print(visible("two\nlines"), visible("\x1b[31m"))
    two\nlines \x1b[31m
    """
    if text.isprintable():
        return text
    return "".join(_escaped(character) if _is_disruptive(character) else character for character in text)


def _is_disruptive(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} or character in BIDIRECTIONAL


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number and its noun; plural: where it is not the noun with an s.

    >>> counted(1, "system"), counted(1000, "system"), counted(0, "class", "classes")
    ('1 system', '1,000 systems', '0 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def shortened(text: str) -> str:
    """A text as a message can hold it: where the wrong column is named, labels are whole texts."""
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def described(value: object) -> str:
    """What was found in place of something else, for a message.

    >>> described(None), described("yes"), described(0.5), described([1, 2])
    ('None', "the text 'yes'", 'the number 0.5', 'a value of type list')
    """
    if value is None:
        return "None"
    if isinstance(value, str):
        return f"the text '{shortened(value)}'"
    if isinstance(value, Number):
        return f"the number {value}"
    shape = getattr(value, "shape", None)
    return f"a value of type {type(value).__name__}" + (f" and shape {shape}" if shape is not None else "")


def _in_python(name: str, value: object) -> str:
    return name if value == "" else f"{name}={value!r}"


_spell: Callable[[str, object], str] = _in_python


def setting(name: str, value: object = "") -> str:
    """A setting as the reader of a message writes it: a keyword of Python, or an option on the command line.

    >>> setting("on_missing", "drop"), setting("strata"), setting("resamples", 999)
    ("on_missing='drop'", 'strata', 'resamples=999')
    """
    return _spell(name, value)


@contextmanager
def settings_spelled(spell: Callable[[str, object], str]) -> Iterator[None]:
    """Within it, messages spell settings in another way than Python's; spell: its name and value to text."""
    global _spell
    before, _spell = _spell, spell
    try:
        yield
    finally:
        _spell = before
