"""Errors that the user can fix.

The library raises them; only the command line exits.

    MetaevalError
    ├── InputError     files, ids, labels: where, what was found, what was expected, what to do
    │   └── ConfigError    the same for a key of a YAML file
    └── UnknownName    a measure, preset, task or class that does not exist, and the most similar names
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TypeAlias

    Where: TypeAlias = str | Path | tuple[str | Path | None, int | None] | None
    """A file as the user wrote it, or a file and a line."""

ProblemKind = Literal[
    "other",
    "empty",
    "missing",
    "unknown",
    "invalid",
    "repeated",
    "ambiguous",
    "conflict",
    "count",
    "type",
    "unreadable",
    "memory",
]
"""The kinds of problems.

empty: a cell, table or file without content. missing: a column, key, file or setting that is needed. unknown: a name
that does not exist. invalid: a value that cannot be read, such as a text that is no number. repeated: an id, name or
file that occurs again. ambiguous: two columns for one thing. conflict: values or settings that exclude each other.
count: another number of cells, rows or files than expected. type: a value of another type. unreadable: broken content.
memory: data that need more memory than there is.
"""

MEGABYTE = 1 << 20

SHOWN_AT_MOST = 20
"""Number of problems in one message; the others are counted."""

GROUPED_FROM = 4
"""Number of problems with the same text from which one line counts them."""

HINTS_AT_MOST = 3
"""Number of remedies of single problems in one message."""

LONGEST_SHOWN = 60
"""Maximum length of a label in a message."""

LONGEST_VALUE = 500
"""Maximum length of the value of a setting in a message."""

LONGEST_PART = 2000
"""Maximum length of the two parts of a problem; a cell of a table may have millions of characters."""

BIDIRECTIONAL = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Control characters that reorder the rest of a line."""

# Ratios of `SequenceMatcher`: 'rde' is similar to 'red', and 'kapa' to 'kappa' but not to 'alpha'.
_MIN_SIMILARITY = 0.65
_MAX_DIFFERENCE_FROM_BEST = 0.15


class MetaevalError(Exception):
    """Base of all errors of metaeval."""

    def __reduce__(self) -> tuple[Callable[..., MetaevalError], tuple[object, ...]]:
        # By default an exception is unpickled by calling its class with the message.
        return _unpickle, (type(self), self.args, self.__dict__)


def _unpickle(kind: type[MetaevalError], arguments: tuple[object, ...], state: dict[str, object]) -> MetaevalError:
    """An error of another process."""
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


class UnknownName(MetaevalError):
    """A name that does not exist.

    Parameters
    ----------
    kind
        What the name stands for, such as 'measure'.
    name
        Unknown name.
    known
        Names that exist.

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
        return f"Known: {first_of(self.known, SHOWN_AT_MOST)}."


class ReaderGone(Exception):
    """The reader of the output closed its pipe."""


@dataclass(frozen=True)
class Problem:
    """One problem of the input, and its remedy. path: the file as the user wrote it. line: counted from 1."""

    found: str
    expected: str = ""
    path: str | None = None
    line: int | None = None
    kind: ProblemKind = "other"
    hint: str = ""

    def at(self, path: str | Path | None, line: int | None = None, hint: str = "") -> Problem:
        """The problem in a file, with another remedy if one is given."""
        return replace(self, path=None if path is None else str(path), line=line, hint=hint or self.hint)

    @property
    def text(self) -> tuple[str, str]:
        """What was found and what was expected."""
        return self.found, self.expected

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.path, self.line) if part is not None)
        found = shortened(self.found, LONGEST_PART)
        text = f"{found}; expected {shortened(self.expected, LONGEST_PART)}" if self.expected else found
        # An id may contain a line break, as headlines do, but a problem is one line.
        return visible(f"{where}: {text}" if where else text)


@dataclass(frozen=True)
class InvalidRun:
    """A system whose run has problems. problems: their number. details: all of them, if they are of this run alone."""

    system: str
    first: Problem
    problems: int
    details: tuple[Problem, ...] = ()

    @property
    def file(self) -> str:
        """The file of the first problem, '' without one."""
        return self.first.path or ""

    @property
    def reason(self) -> str:
        """The first problem without its file."""
        line = f"line {self.first.line}: " if self.first.line is not None else ""
        return line + str(self.first.at(None))

    @property
    def listing(self) -> list[str]:
        """Lines that list the problems."""
        return _problem_lines(self.details) if self.details else [self.reason]

    def plus(self, other: InvalidRun) -> InvalidRun:
        """The same run with further problems."""
        return replace(self, problems=self.problems + other.problems, details=(*self.details, *other.details))


class ByExample(str):
    """A remedy with one of several things as an example; of those that differ in it alone, a message has the first."""

    remedy: str

    @classmethod
    def of(cls, remedy: str, example: str) -> ByExample:
        """The remedy, and how to do it for the example."""
        hint = cls(f"{remedy}, as with {example}")
        hint.remedy = remedy
        return hint


class InputError(MetaevalError):
    """Problems of the input, and what to do about them.

    Parameters
    ----------
    problems
        One or more problems.
    hints
        Remedies, besides those of the problems.
    invalid_runs
        Runs whose problems they are, if all problems are those of runs and other runs may be valid.

    Examples
    --------
    >>> from metaeval.errors import refuse
    >>> print(refuse(("runs/a.csv", 12), "label 'agre'", "agree or disagree", "correct it"))
    runs/a.csv:12: label 'agre'; expected agree or disagree
    What to do: correct it.
    """

    def __init__(
        self, problems: Sequence[Problem], *, hints: Sequence[str] = (), invalid_runs: Sequence[InvalidRun] = ()
    ) -> None:
        self.problems = tuple(problems)
        self.invalid_runs = tuple(invalid_runs)
        remedies = list(dict.fromkeys(filter(None, (problem.hint for problem in problems))))[:HINTS_AT_MOST]
        by_remedy: dict[str, str] = {}
        for hint in [*remedies, *filter(None, hints)]:
            by_remedy.setdefault(hint.remedy if isinstance(hint, ByExample) else hint, hint)
        self.hints = tuple(by_remedy.values())
        super().__init__(self.problems)

    @property
    def path(self) -> str | None:
        """The file of the first problem."""
        return self.problems[0].path

    @property
    def line(self) -> int | None:
        """The line of the first problem."""
        return self.problems[0].line

    def __str__(self) -> str:
        # Not when the error is made: every column of a broken table has one, and only all together are shown.
        lines = self.listing()
        hints = (visible(shortened(hint, LONGEST_PART)) for hint in self.hints)
        lines += [f"What to do: {hint}" + ("" if hint.endswith("?") else ".") for hint in hints]
        return "\n".join(lines)

    def listing(self) -> list[str]:
        """The only problem; or the number of problems, and lines that list them."""
        lines = _problem_lines(self.problems)
        if len(self.problems) == 1:
            return lines
        files = len({problem.path for problem in self.problems})
        heading = f"{len(self.problems):,} problems" + (f" in {files} files" if files > 1 else "")
        return [heading, *(f"  {line}" for line in lines)]


def _problem_lines(problems: Sequence[Problem]) -> list[str]:
    """Lines that list problems: those with a text that is often, counted; and the first others of each file."""
    files: dict[str | None, list[Problem]] = {path: [] for path in dict.fromkeys(problem.path for problem in problems)}
    for problem in sorted(problems, key=lambda problem: math.inf if problem.line is None else problem.line):
        files[problem.path].append(problem)
    by_text: dict[tuple[str, str], list[Problem]] = {}
    for problem in chain.from_iterable(files.values()):
        by_text.setdefault(problem.text, []).append(problem)
    often = sorted((same for same in by_text.values() if len(same) >= GROUPED_FROM), key=len, reverse=True)
    lines = [_group_line(same) for same in often[:SHOWN_AT_MOST]]
    rest = sum(map(len, often[SHOWN_AT_MOST:]))
    seldom = {
        path: others
        for path, file_problems in files.items()
        if (others := [problem for problem in file_problems if len(by_text[problem.text]) < GROUPED_FROM])
    }
    quota, line_count = SHOWN_AT_MOST // len(seldom or files) or 1, len(often)
    for path, others in seldom.items():
        if line_count >= SHOWN_AT_MOST:
            rest += len(others)
            continue
        lines += map(str, others[:quota])
        line_count += len(others[:quota])
        if len(others) > quota:
            lines.append(f"and {len(others) - quota:,} more" + (f" in {visible(path)}" if path else ""))
    return [*lines, f"and {rest:,} more" + (" in other files" if len(seldom) > 1 else "")] if rest else lines


def _group_line(same: Sequence[Problem]) -> str:
    """Problems of the same text as the first, with their number."""
    files = len({problem.path for problem in same})
    times = f"{len(same):,} times" + (f" in {files} files" if files > 1 else "")
    return f"{times}, first {same[0]}" if same[0].path else f"{times}: {same[0]}"


class ConfigError(InputError):
    """An invalid key or value of an experiment file.

    Parameters
    ----------
    path
        Path of the file as the user wrote it.
    key
        Dotted path of the key, such as `data.labels`.
    line
        Line number, starting at 1.
    found
        What was found.
    expected
        What was expected instead.
    hint
        Remedy.
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
    """Collects the input errors of several files, so that the user sees all of them at once.

    ignored_runs: those left out, whose errors are not collected. required_runs: those that cannot be left out.

    >>> problems = Gathered()
    >>> for path in ("a.csv", "b.csv"):
    ...     with problems.errors():
    ...         raise refuse(path, "the file is empty")
    >>> problems.raise_any()
    Traceback (most recent call last):
    metaeval.errors.InputError: 2 problems in 2 files
      a.csv: the file is empty
      b.csv: the file is empty
    """

    def __init__(self, ignored_runs: Iterable[str] = (), required_runs: Iterable[str] = ()) -> None:
        self._errors: list[InputError] = []
        self._ignored_runs = frozenset(ignored_runs)
        self._required_runs = frozenset(("", *required_runs))
        self._runs: tuple[str, ...] = ()

    @contextmanager
    def errors(self, *runs: str) -> Iterator[None]:
        """Collect an `InputError` that is raised within; runs: the systems whose errors are raised or kept within."""
        before, self._runs = self._runs, runs or self._runs
        try:
            yield
        except InputError as error:
            self.keep(error)
        finally:
            self._runs = before

    def keep(self, *errors: InputError, runs: Sequence[str] | None = None) -> None:
        """Add errors; runs: the systems whose errors they are, by default those of the context."""
        names = [name for name in (self._runs if runs is None else runs) if name not in self._required_runs]
        for error in errors:
            # The frames of a traceback would keep all that was read in memory.
            error.__traceback__ = error.__context__ = None
            if names and not error.invalid_runs:
                problems = error.problems
                error.invalid_runs = tuple(InvalidRun(name, problems[0], len(problems), problems) for name in names)
            if not error.invalid_runs or not self._ignored_runs.issuperset(run.system for run in error.invalid_runs):
                self._errors.append(error)

    @property
    def errors_so_far(self) -> tuple[InputError, ...]:
        """The collected errors, in order."""
        return tuple(self._errors)

    def raise_any(self, systems: Iterable[str] | None = None) -> None:
        """Raise the collected errors, if there are any, as one `InputError` with each problem once.

        systems: all that were read; if each is invalid, none can be left out.
        """
        if not self._errors:
            return
        union = self._errors[0]
        if len(self._errors) > 1:
            union = InputError(
                # A file may be gold and a run at the same time.
                list(dict.fromkeys(problem for error in self._errors for problem in error.problems)),
                hints=[hint for error in self._errors for hint in error.hints],
                invalid_runs=joined_runs(self._errors),
            )
        if systems is not None and {run.system for run in union.invalid_runs}.issuperset(systems):
            union.invalid_runs = ()
        raise union


def joined_runs(errors: Sequence[InputError]) -> tuple[InvalidRun, ...]:
    """The invalid runs of several errors, each once; none if some error is that of no run."""
    runs: dict[str, InvalidRun] = {}
    for run in chain.from_iterable(error.invalid_runs for error in errors):
        before = runs.get(run.system)
        runs[run.system] = run if before is None else before.plus(run)
    return tuple(runs.values()) if all(error.invalid_runs for error in errors) else ()


def refuse(
    where: Where, found: str | Problem, expected: str = "", hint: str = "", *, kind: ProblemKind = "other"
) -> InputError:
    """The error for a single problem; found: what was found, or a problem that is worded already.

    >>> print(refuse(("runs/a.csv", 12), unknown("label", "agre", ["agree", "disagree"])))
    runs/a.csv:12: label 'agre'; expected one of agree, disagree
    What to do: did you mean 'agree'?
    """
    problem = found if isinstance(found, Problem) else Problem(found, expected, kind=kind)
    path, line = where if isinstance(where, tuple) else (where, None)
    return InputError([problem.at(path, line, hint)])


def raise_any(problems: Sequence[Problem], *hints: str) -> None:
    """Raise the problems of a file as one error, if there are any."""
    if problems:
        raise InputError(problems, hints=hints)


def empty(noun: str, expected: str = "one in every row", hint: str = "") -> Problem:
    """The problem of a row, a cell or a member without a value."""
    return Problem(f"no {noun}", expected, kind="empty", hint=hint)


def no_rows(content: str = "a header and no rows") -> Problem:
    """The problem of a table or file without rows."""
    return Problem(content, "data", kind="empty", hint="check that it was written completely")


def none_left(noun: str, reason: str, hint: str) -> Problem:
    """The problem of data from which everything is left out."""
    return Problem(f"no {noun} is left: {reason}", "at least one", kind="empty", hint=hint)


def no_common_item(
    path: str, noun: str, fewest: str = "", *, policy: str = "on_missing", otherwise: str = ""
) -> InputError:
    """The error for items of which each lacks a value of some system.

    path: the file of the system with the fewest values, or of gold. noun: of a value, such as 'prediction'. fewest:
    that system, if known. policy: the setting that drops items. otherwise: another remedy.
    """
    example = f", as by {setting('exclude_systems', fewest)}" if fewest else ""
    hint = f"leave out the systems with the fewest {noun}s{example}, or choose another {setting(policy)} than drop"
    return refuse(path, none_left("item", f"each lacks a usable {noun} of some system", hint + otherwise))


def not_given(noun: str, option: str, where: str = "") -> Problem:
    """The problem of a setting that is needed; noun: what it names. where: besides which it is needed."""
    return Problem(f"no {noun}{where}", "at least one", kind="missing", hint=f"name it with {setting(option)}")


def conflict(one: str, other: str, expected: str = "one of both", hint: str = "") -> Problem:
    """The problem of settings or values that exclude each other."""
    return Problem(f"{one} with {other}", expected, kind="conflict", hint=hint)


def bad_setting(name: str, value: str, expected: str, hint: str = "") -> Problem:
    """The problem of the value of a setting."""
    return Problem(f"{name} {value}", expected, kind="invalid", hint=hint)


def too_few(count: int, noun: str, reason: str, hint: str) -> Problem:
    """The problem of fewer than two items, systems or clusters."""
    return Problem(pluralize(count, noun), f"at least two, because {reason}", kind="count", hint=hint)


def name_in_use(noun: str, name: str, owner: str, hint: str = "") -> Problem:
    """The problem of a name that stands for something else already; owner: what has it, such as 'a column'."""
    return Problem(f"{noun} '{shortened(name)}', the name of {owner}", "another name", kind="repeated", hint=hint)


def not_installed(noun: str, package: str, extra: str, otherwise: str = "") -> Problem:
    """The problem of something that needs a package; otherwise: what to do instead."""
    hint = f"pip install 'metaeval[{extra}]'{otherwise}"
    return Problem(f"{noun} without {package}", package, kind="missing", hint=hint)


@contextmanager
def importing(noun: str, package: str, extra: str, otherwise: str = "", *, path: str | None = None) -> Iterator[None]:
    """Turn what an import within the context raises into an `InputError`: the package is missing or broken.

    noun, package, extra, otherwise: as in `not_installed`. path: of the file that needs the package.
    """
    try:
        yield
    except (MetaevalError, MemoryError):
        raise
    except ModuleNotFoundError:
        raise refuse(path, not_installed(noun, package, extra, otherwise)) from None
    except Exception as error:
        reason = f"importing {package} fails ({type(error).__name__}: {error})"
        hint = f"pip install --force-reinstall 'metaeval[{extra}]'{otherwise}"
        raise refuse(path, excluded(noun, reason, f"a working {package}", hint)) from None


def too_many(found: str, most: int, hint: str) -> Problem:
    """The problem of more things than an analysis takes."""
    return Problem(found, f"at most {most:,}", kind="count", hint=hint)


def unordered(found: str, labels: str, otherwise: str = "") -> Problem:
    """The problem of something that needs an order of the classes; labels: an example of one."""
    hint = f"declare the order, as in {setting('labels', labels)}{otherwise}"
    return Problem(f"{found} of classes without an order", "an ordered scale", kind="conflict", hint=hint)


def leave_out(name: str) -> str:
    """The remedy of a setting or value that does not apply."""
    return f"leave out {name}"


def unwritable(path: str, error: OSError) -> InputError:
    """The error for a file or folder that cannot be written."""
    found = f"it cannot be written ({error.strerror or error})"
    return refuse(path, found, "a file in a folder that exists", "check the path and its permissions")


def missing_column(header: Iterable[str], name: str, hint: str) -> Problem:
    """The problem of a table without a column."""
    found = f"header '{shortened(','.join(header))}'"
    return Problem(found, f"a column '{name}'", kind="missing", hint=hint)


def missing_key(keys: Sequence[str], names: Sequence[str], hint: str) -> Problem:
    """The problem of an object without a key, which has one of some names."""
    found = f"keys {', '.join(repr(shortened(key)) for key in keys[:6])}" if keys else "an empty object"
    return Problem(found, f"the key {' or '.join(map(repr, names))}", kind="missing", hint=hint)


def unknown(noun: str, name: str, names: Sequence[str], where: str = "") -> Problem:
    """The problem of a name that does not exist; an empty one is missing. where: such as a column."""
    return invalid(noun, name, one_of(names), where, did_you_mean(shortened(name), names) if name else "")


def invalid(noun: str, text: str, expected: str, where: str = "", hint: str = "") -> Problem:
    """The problem of a text that cannot be read, or of an empty one; where: such as a column."""
    if not text:
        return Problem(f"no {noun}{where}", expected, kind="empty", hint=hint)
    return Problem(f"{noun} '{shortened(text)}'{where}", expected, kind="invalid", hint=hint)


def repeated(
    noun: str, name: str, first: int | str | None = None, *, where: str = "", hint: str = "remove the duplicates"
) -> Problem:
    """The problem of a name that occurs again; first: the line, or where, it occurs first. where: such as an object."""
    before = "" if first is None else f", first {f'on line {first}' if isinstance(first, int) else first}"
    found = f"{noun} '{shortened(name)}' again{where}{before}"
    return Problem(found, f"every {noun} once", kind="repeated", hint=hint)


def ambiguous(one: str, other: str, option: str = "") -> Problem:
    """The problem of two columns, or keys, for one thing; option: the setting that names the one to read."""
    use = f"name the one to read, as in {setting(option, one)}, or remove the other" if option else ""
    hint = use or "rename or remove one of them"
    return Problem(f"both '{one}' and '{other}'", "one of them", kind="ambiguous", hint=hint)


def excluded(one: str, reason: str, expected: str = "", hint: str = "") -> Problem:
    """The problem of a setting or a value that the data, or another setting, exclude for a reason."""
    return Problem(f"{one}, but {reason}", expected, kind="conflict", hint=hint)


def too_large(noun: str, size: int, available: int, hint: str = "") -> Problem:
    """The problem of data that need more bytes of memory than there are; hint: another remedy than more memory."""
    more = setting("memory", f"{-(-size // MEGABYTE)}MB")
    remedy = f"use {more} if this machine has it, or {hint or 'evaluate fewer systems or items'}"
    return Problem(f"{noun} need more than {available // MEGABYTE:,} MB of memory", kind="memory", hint=remedy)


def wrong_type(value: str, where: str, expected: str, hint: str = "") -> Problem:
    """The problem of a value of another type; value: what it is, such as 'a list'."""
    return Problem(f"{value}{where}", expected, kind="type", hint=hint)


def wrong_count(count: int, noun: str, expected: int, reason: str, *, where: str = "", hint: str = "") -> Problem:
    """The problem of another number of cells, rows or labels; reason: of the number that is expected."""
    return Problem(f"{pluralize(count, noun)}{where}", f"{expected:,}{reason}", kind="count", hint=hint)


def unreadable(noun: str, reason: object, hint: str = "") -> Problem:
    """The problem of broken content."""
    return Problem(f"{noun} cannot be read ({reason})", f"readable {noun}", kind="unreadable", hint=hint)


def one_of(names: Sequence[str]) -> str:
    """`one of a, b, c`, shortened if there are many names."""
    return f"one of {first_of([*map(shortened, names)], SHOWN_AT_MOST)}"


def first_of(names: Sequence[str], most: int) -> str:
    """The first names, and how many others there are.

    >>> first_of(["a", "b", "c", "d"], 2), first_of(["a", "b"], 2)
    ('a, b and 2 more', 'a, b')
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def nearest(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names most similar to `name`, ignoring case: at most two, and none that differs in all of several digits.

    >>> nearest("kapa", ["kappa", "alpha", "mcc"]), nearest("class11", ["class00", "class1"]), nearest("fnc2", ["fnc1"])
    (('kappa',), ('class1',), ('fnc1',))
    """
    return _nearest(name, tuple(names))


@lru_cache
def _nearest(name: str, names: tuple[str, ...]) -> tuple[str, ...]:
    from difflib import SequenceMatcher

    ratios = {
        other: SequenceMatcher(a=other.casefold(), b=name.casefold()).ratio()
        for other in names
        if not _have_other_numbers(name, other)
    }
    threshold = max(_MIN_SIMILARITY, max(ratios.values(), default=0.0) - _MAX_DIFFERENCE_FROM_BEST)
    by_ratio = sorted(ratios, key=lambda other: -ratios[other])
    return tuple(other for other in by_ratio[:2] if ratios[other] >= threshold)


def _have_other_numbers(one: str, other: str) -> bool:
    """Whether names differ in all of several digits; a single one may be a mistake in typing."""
    digits, others = (list(filter(str.isdecimal, name)) for name in (one, other))
    return bool(digits and others) and len(digits + others) > 2 and set(digits).isdisjoint(others)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """The question whether a similar name was meant; '' where there is none."""
    matches = nearest(name, names)
    return f"did you mean {' or '.join(map(repr, matches))}?" if matches else ""


def visible(text: str) -> str:
    r"""The text on one line: control characters are escaped.

    >>> print(visible("two\nlines"), visible("\x1b[31m"))
    two\nlines \x1b[31m
    """
    if text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode("ascii") if _is_disruptive(character) else character
        for character in text
    )


def _is_disruptive(character: str) -> bool:
    import unicodedata

    return unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} or character in BIDIRECTIONAL


def pluralize(number: int, noun: str, plural: str = "") -> str:
    """A number and its noun. plural: by default the noun with an s.

    >>> pluralize(1, "system"), pluralize(1000, "system"), pluralize(0, "class", "classes")
    ('1 system', '1,000 systems', '0 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def join_all(texts: Sequence[str], word: str = "and") -> str:
    """All texts as a list, however many they are; word: before the last.

    >>> join_all(["a"]), join_all(["a", "b"], "or"), join_all(list("abcdef"))
    ('a', 'a or b', 'a, b, c, d, e and f')
    """
    return f" {word} ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def shortened(text: str, longest: int = LONGEST_SHOWN) -> str:
    """The beginning of a text; labels are whole texts if the wrong column was chosen."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def describe(value: object) -> str:
    """An unexpected value, for a message.

    >>> describe(None), describe("yes"), describe(0.5), describe([1, 2])
    ('None', "the text 'yes'", 'the number 0.5', 'a value of type list')
    """
    if value is None:
        return "None"
    if isinstance(value, str):
        return f"the text '{shortened(value)}'"
    from numbers import Number

    if isinstance(value, Number):
        return f"the number {value}"
    shape = getattr(value, "shape", None)
    return f"a value of type {type(value).__name__}" + (f" and shape {shape}" if shape is not None else "")


def _in_python(name: str, value: object) -> str:
    return name if value == "" else f"{name}={value!r}"


_spell: Callable[[str, object], str] = _in_python


def setting(name: str, value: object = "") -> str:
    """The spelling of a setting in messages: a keyword in Python, an option on the command line.

    >>> setting("on_missing", "drop"), setting("sizes"), setting("resamples", 999)
    ("on_missing='drop'", 'sizes', 'resamples=999')
    """
    return _spell(name, shortened(value, LONGEST_VALUE) if isinstance(value, str) else value)


def settings_spelling() -> Callable[[str, object], str]:
    """The function that spells settings in messages, for processes that work for this one."""
    return _spell


def spell_settings(spell: Callable[[str, object], str]) -> None:
    """Change how messages spell settings from now on. spell: a function of the name and the value."""
    global _spell
    _spell = spell


@contextmanager
def settings_spelled(spell: Callable[[str, object], str]) -> Iterator[None]:
    """Change how messages spell settings within the context. spell: a function of the name and the value."""
    before = settings_spelling()
    spell_settings(spell)
    try:
        yield
    finally:
        spell_settings(before)
