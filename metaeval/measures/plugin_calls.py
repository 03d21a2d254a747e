"""Plugins that define measures, and calls of their functions, whose errors and wrong results are reported."""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TextIO

import numpy as np

from metaeval.arrays import Floats
from metaeval.errors import InputError, MetaevalError, refuse

CORRECT = "correct the plugin, or leave it out"

_TOLERANCE = 1e-9
"""Scores may exceed the declared bounds by this, relative to the larger one: it is rounding."""


@dataclass(frozen=True)
class Plugin:
    """A file or an installed package that defines measures.

    name: of the package, or of the file without its suffix. version: '' where there is none. path: as the user wrote
    it. sha256: of the file, or of all Python files of the package. load_again: loads the same plugin in another
    process, or raises an `InputError`. file: absolute path; '' for packages.
    """

    name: str
    version: str
    path: str
    sha256: str
    load_again: Callable[[Plugin], None] = field(compare=False, repr=False)
    file: str = ""

    def __str__(self) -> str:
        return f"{self.name}{f'-{self.version}' if self.version else ''}@{self.sha256[:8]}"


LOADING: list[Plugin] = []
"""The plugins that are being loaded, the innermost one last."""


def loading_plugin() -> Plugin | None:
    """The plugin that is being loaded, to which new measures belong."""
    return LOADING[-1] if LOADING else None


class _ResultsAlone:
    """While plugins run, standard output is standard error; in any number of threads, which begin and end as they like.

    `contextlib.redirect_stdout` would restore what another thread had set.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._running = 0
        self._results: TextIO = sys.stdout

    def __enter__(self) -> None:
        with self._lock:
            if self._running == 0:
                self._results, sys.stdout = sys.stdout, sys.stderr
            self._running += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._running -= 1
            if self._running == 0:
                sys.stdout = self._results


RESULTS_ALONE = _ResultsAlone()
"""Keeps standard output for results."""


def line_of(error: BaseException, path: str) -> int | None:
    """The last line of a file in which an error was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == path), None)


def call_plugin(
    measure: str,
    function: Callable[..., Any],
    shape: tuple[int, ...],
    bounds: tuple[float, float] | None,
    *data: object,
    **arguments: object,
) -> Floats:
    """What a function of a plugin returns; an `InputError` where it raises anything or returns something else.

    shape: expected one; the function is not called for a batch of nothing. bounds: lowest and highest score; None for
    other numbers. NaN stands for undefined; 0/0 needs no care. Arrays are handed out read-only.
    """
    if 0 in shape:
        return np.empty(shape)
    try:
        with np.errstate(divide="ignore", invalid="ignore"), RESULTS_ALONE:
            returned = np.asarray(function(*map(_read_only, data), **arguments))
            # A copy, since the function may return a part of what it got.
            scores = np.array(returned, dtype=np.float64) if not np.iscomplexobj(returned) else None
    except (MetaevalError, KeyboardInterrupt):
        raise
    except BaseException as error:  # also SystemExit
        line = line_of(error, place_of(function)[0])
        found = f"raises {type(error).__name__}" + (f": {error}" if str(error) else "")
        raise broken(measure, function, found, "scores", line=line) from error
    if scores is None:
        raise broken(measure, function, "returns complex numbers", "real numbers")
    if scores.shape != shape:
        raise broken(measure, function, f"returns an array of shape {scores.shape}", f"shape {shape}, that of its data")
    if bounds is None:
        return scores
    if np.isinf(scores).any():
        raise broken(measure, function, "returns an infinite score", "finite scores, or NaN where it is undefined")
    low, high = bounds
    slack = _TOLERANCE * max((abs(bound) for bound in bounds if np.isfinite(bound)), default=1.0)
    outside = scores[(scores < low - slack) | (scores > high + slack)]
    if outside.size:
        found, expected = f"returns the score {outside.flat[0]:g}", f"scores from {low:g} to {high:g}, as it declares"
        raise broken(measure, function, found, expected)
    return scores


def _read_only(data: object) -> object:
    """An array that cannot be written to, or other data as they are."""
    if not isinstance(data, np.ndarray):
        return data
    view = data.view()
    view.flags.writeable = False
    return view


def broken(
    measure: str, function: Callable[..., Any], found: str, expected: str, *, line: int | None = None
) -> InputError:
    """The error of a function of a plugin."""
    path, first = place_of(function)
    name = getattr(function, "__qualname__", repr(function))
    return refuse((path, line or first), f"measure '{measure}': its function {name}() {found}", expected, CORRECT)


def place_of(function: Callable[..., Any]) -> tuple[str, int | None]:
    """The file and the first line of a function."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return ("plugin", None) if code is None else (code.co_filename, code.co_firstlineno)
