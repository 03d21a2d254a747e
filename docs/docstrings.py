"""Docstrings as the site shows them: complete where parameters are options, and with examples as blocks of code."""

from __future__ import annotations

import importlib
import re
from inspect import cleandoc
from typing import Any

import griffe

from metaeval.settings import documented_by, options_of
from metaeval.settings.options import Lazy

_EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\n).+)*", re.MULTILINE)
_SECTION = "Parameters\n----------"


class CompleteDocstrings(griffe.Extension):
    """Completes what griffe reads from files, where help texts stand only in declarations of options."""

    def on_function(self, *, func: griffe.Function, **_others: Any) -> None:
        """Called by griffe for every function."""
        if func.docstring and any("documented_by" in str(decorator.value) for decorator in func.decorators):
            func.docstring.value = cleandoc(_imported(func).__doc__)

    def on_class_members(self, *, cls: griffe.Class, **_others: Any) -> None:
        """Called by griffe for every class, when it knows the members."""
        if cls.docstring and any(str(base) in ("Settings", "AnalysisSettings") for base in cls.bases):
            settings, text = _imported(cls), cls.docstring.value
            # Other paragraphs of the docstring of an analysis are about its command.
            settings.__doc__ = text if _SECTION in text else f"{text.partition(chr(10))[0]}\n\n{_SECTION}"
            cls.docstring.value = documented_by(settings)(settings).__doc__
            for name, option in options_of(settings).items():
                if name in cls.attributes:
                    default = option.default.make() if isinstance(option.default, Lazy) else option.default
                    cls.attributes[name].value = repr(default)

    def on_object(self, *, obj: griffe.Object, **_others: Any) -> None:
        """Called by griffe for whatever may have a docstring; to Markdown `>>>` is a quotation in a quotation."""
        if obj.docstring and "Examples\n--------" not in obj.docstring.value:
            obj.docstring.value = _EXAMPLE.sub(lambda match: f"```pycon\n{match[0]}\n```", obj.docstring.value)


def _imported(described: griffe.Object) -> Any:
    return getattr(importlib.import_module(described.module.path), described.name)
