"""The signature that results must have: a text, or that of earlier results in a file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from metaeval.errors import invalid, refuse
from metaeval.gates.conditions import Outcome, Verdict
from metaeval.io.files.source import open_source
from metaeval.io.report_file import read_report
from metaeval.model.report import SourceFile

_BEGINNING = "metaeval:"
"""How each signature begins."""

_FIELD = re.compile(r"\|(?=[a-z][\w.-]*:)")
"""What is between two fields."""

ANY = "*"
"""The value of a field that may have any, or be absent."""


@dataclass(frozen=True)
class FrozenSignature:
    """A signature that results must have; gold: SHA-256 of the gold files of the results that have it, else empty."""

    text: str
    gold: frozenset[str] = frozenset()


def gold_files(files: Iterable[SourceFile]) -> frozenset[str]:
    """The SHA-256 of the files of gold or of references."""
    return frozenset(file.sha256 for file in files if file.role == "gold")


def read_signature(text: str) -> FrozenSignature:
    """The signature in a text: itself, or that of a file, which is results or has it as its last such line."""
    if text.startswith(_BEGINNING):
        return FrozenSignature(text.strip())
    if not text:
        raise refuse(None, invalid("signature", "", f"one that begins with '{_BEGINNING}', or a file"))
    if not Path(text).is_dir():
        content = open_source(text, "signature").text().strip()
        if not content.startswith("{"):
            # Of Markdown and LaTeX, too.
            lines = [line for row in content.splitlines() if (line := row.strip(" `%")).startswith(_BEGINNING)]
            if not lines:
                hint = "name results of metaeval (JSON), or a file with the line under a table"
                expected = f"a line that begins with '{_BEGINNING}'"
                raise refuse((text, 1), invalid("signature", content.partition("\n")[0], expected, hint=hint))
            return FrozenSignature(lines[-1])
    report = read_report(text)
    return FrozenSignature(report.signature, gold_files(report.provenance.files))


def judge_signature(frozen: FrozenSignature, signature: str, files: Iterable[SourceFile] = ()) -> Outcome:
    """Whether a signature has all fields of a frozen one and no others, and gold is the same; the reason says what not.

    >>> frozen = FrozenSignature("metaeval:1|n:9|systems:*|seed:1")
    >>> judge_signature(frozen, "metaeval:1|n:8|systems:4|seed:1|on-missing:miss").reason
    'n is 8 instead of 9; on-missing is miss instead of absent'
    """
    parts = list(_differences(_fields(frozen.text), _fields(signature)))
    gold = gold_files(files)
    if frozen.gold and gold and frozen.gold != gold:
        parts.append("the files of gold have other contents")
    verdict, reason = (Verdict.FAILED, "; ".join(parts)) if parts else (Verdict.PASSED, "all fields are equal")
    return Outcome("signature", verdict, math.nan, math.nan, reason)


def _fields(signature: str) -> dict[str, str]:
    pairs = (field.partition(":") for field in _FIELD.split(signature))
    return {name: value for name, _, value in pairs}


def _differences(frozen: Mapping[str, str], current: Mapping[str, str]) -> Iterator[str]:
    """The fields that differ, as texts."""
    for name in dict.fromkeys((*frozen, *current)):
        if frozen.get(name) not in (ANY, current.get(name)):
            yield f"{name} is {current.get(name, 'absent')} instead of {frozen.get(name, 'absent')}"
