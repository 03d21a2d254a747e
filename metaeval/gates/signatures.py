"""The signature that results must have: a text, or that of earlier results in a file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from metaeval.errors import invalid, refuse
from metaeval.gates.conditions import Outcome, Verdict
from metaeval.io.files.source import open_source
from metaeval.io.report_file import read_report

_BEGINNING = "metaeval:"
"""How each signature begins."""

_FIELD = re.compile(r"\|(?=[a-z][\w.-]*:)")
"""What is between two fields."""

ANY = "*"
"""The value of a field that may have any, or be absent."""


def read_signature(text: str) -> str:
    """The signature in a text: itself, or that of a file, which has it as its only line or is results."""
    if text.startswith(_BEGINNING):
        return text.strip()
    if not text:
        raise refuse(None, invalid("signature", "", f"one that begins with '{_BEGINNING}', or a file"))
    if not Path(text).is_dir():
        content = open_source(text, "signature").text().strip()
        if not content.startswith("{"):
            if not content.startswith(_BEGINNING) or "\n" in content:
                hint = "name results of metaeval (JSON), or a file with the line under a table"
                expected = f"a line that begins with '{_BEGINNING}'"
                raise refuse((text, 1), invalid("signature", content.partition("\n")[0], expected, hint=hint))
            return content
    return read_report(text).signature


def judge_signature(frozen: str, signature: str) -> Outcome:
    """Whether a signature has all fields of a frozen one and no others; the reason names those that differ.

    >>> judge_signature("metaeval:1|n:9|systems:*|seed:1", "metaeval:1|n:8|systems:4|seed:1|on-missing:miss").reason
    'n is 8 instead of 9; on-missing is miss instead of absent'
    """
    parts = list(_differences(_fields(frozen), _fields(signature)))
    verdict, reason = (Verdict.FAILED, "; ".join(parts)) if parts else (Verdict.PASSED, "all fields are equal")
    return Outcome("signature", verdict, math.nan, math.nan, reason)


def _fields(signature: str) -> dict[str, str]:
    pairs = (field.partition(":") for field in _FIELD.split(signature))
    return {name: value for name, _, value in pairs}


def _differences(frozen: Mapping[str, str], found: Mapping[str, str]) -> Iterator[str]:
    """The fields that differ, as texts."""
    for name in dict.fromkeys((*frozen, *found)):
        if frozen.get(name) not in (ANY, found.get(name)):
            yield f"{name} is {found.get(name, 'absent')} instead of {frozen.get(name, 'absent')}"
