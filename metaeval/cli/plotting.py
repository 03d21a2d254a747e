"""`--plot FILE`: the main table of a report, drawn into a file."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from metaeval.errors import InputError
from metaeval.model.report import Report


def check_plot(path: str) -> None:
    """Raise where no plot could be drawn into a file of this name: an ending that none has, or no matplotlib."""
    from metaeval.render.plots import SUFFIXES

    if _suffix(path) not in SUFFIXES:
        raise InputError.at(
            found=f"--plot '{path}'",
            expected=f"a file called {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}",
            hint="as in --plot similarity.svg",
        )
    if importlib.util.find_spec("matplotlib") is None:
        raise InputError.at(
            found="--plot without matplotlib",
            expected="matplotlib, which draws",
            hint="pip install 'metaeval[plots]', or see the terminal's own charts with -f chart",
        )


def plot(report: Report, path: str) -> bytes:
    """What the file of a plot holds, in the form that its ending names; an `InputError` where no table can be drawn."""
    from metaeval.render.plots import main_drawing

    return main_drawing(report).to_bytes(_suffix(path))


def _suffix(path: str) -> str:
    return Path(path).suffix.lower()
