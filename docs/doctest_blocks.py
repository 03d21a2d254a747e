"""Examples in docstrings become code blocks on the site; to Markdown `>>>` is a quotation in a quotation."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\n).+)*", re.MULTILINE)


class DoctestBlocks(griffe.Extension):
    """Puts a fence around every run of lines that begins with `>>>`."""

    def on_instance(self, *, obj: griffe.Object, **_others: Any) -> None:
        """Called by griffe for whatever has a docstring."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    r"""The docstring with its examples in blocks.

    >>> fenced("Twice.\n\n>>> twice(2)\n4")
    'Twice.\n\n```pycon\n>>> twice(2)\n4\n```'
    """
    return _EXAMPLE.sub(lambda match: f"```pycon\n{match[0]}\n```", docstring)
