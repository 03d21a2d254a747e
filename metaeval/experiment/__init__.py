"""The use cases: read, score, analyse, report. The only package that knows everyone.

A use case is imported when it is asked for, so that a command waits for no other.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from metaeval.analyses import is_declared

if TYPE_CHECKING:
    from metaeval.info.measures import measures
    from metaeval.info.samples import samples
    from metaeval.reproduction import reproduce
    from metaeval.runner.several import run
    from metaeval.runner.validate import validate

_HOME_OF = {
    "measures": "info.measures",
    "reproduce": "reproduction",
    "run": "runner.several",
    "samples": "info.samples",
    "validate": "runner.validate",
}

__all__ = [
    "measures",
    "reproduce",
    "run",
    "samples",
    "validate",
]


def __getattr__(name: str) -> Any:
    if is_declared(name):
        from metaeval.runner.one import use_case

        return use_case(name)
    if name not in _HOME_OF:
        raise AttributeError(f"module 'metaeval.experiment' has no attribute '{name}'")
    return getattr(importlib.import_module(f"metaeval.{_HOME_OF[name]}"), name)
