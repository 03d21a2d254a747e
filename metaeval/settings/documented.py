"""Docstrings of functions whose keywords are options, which are described by their declarations."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import TypeVar

from metaeval.settings import Settings, options_of

Function = TypeVar("Function", bound=Callable[..., object])


def documented_by(*settings: type[Settings], **others: str) -> Callable[[Function], Function]:
    """Add the help texts of options, and texts of others, to the `Parameters` of a numpydoc docstring."""

    def complete(function: Function) -> Function:
        text = inspect.cleandoc(function.__doc__ or "")
        texts = {name: option.help for each in settings for name, option in options_of(each).items()} | others
        rows = "".join(
            f"{name}\n    {texts[name]}.\n"
            for name in inspect.signature(function).parameters
            if name in texts and not re.search(rf"^(\w+, )*{name}(, \w+)*$", text, re.MULTILINE)
        )
        following = "\n\nRaises\n" if "\n\nRaises\n" in text else "\n\nExamples\n"
        before, _, after = text.partition(following)
        function.__doc__ = f"{before}\n{rows}{text[len(before) + 1 :]}" if after else f"{text}\n{rows}"
        return function

    return complete
