"""Replaces what must differ between two recordings; everything else in an output counts."""

import hashlib
import html
import json
import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from .listing import Command

PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    # The version of metaeval changes with a release, those of libraries with the environment.
    (re.compile(r"metaeval:\d+\.\d+\.\d+(?=\|)"), "metaeval:@VERSION@"),
    (re.compile(r"(\bmetaeval(?:, version)? )\d+\.\d+\.\d+\b"), r"\1@VERSION@"),
    (re.compile(r'("version": )"[^"]*"'), r'\1"@VERSION@"'),
    (re.compile(r'("versions": )\{[^{}]*\}'), r'\1"@VERSIONS@"'),
    # Pages name the versions of libraries in a list.
    (re.compile(r'(<dt>[\w-]+</dt><dd dir="auto">)\d+\.\d+[.\w]*(?=</dd>)'), r"\1@VERSION@"),
    # A local cluster takes any port that is free.
    (re.compile(r"\b(tcp|inproc)://[\w.]+:\d+"), r"\1://@ADDRESS@"),
    # Names of temporary files, and of processes.
    (re.compile(r"@TEMPORARY@/[\w.-]+"), "@TEMPORARY@/@NAME@"),
)
"""What is replaced by what, and why."""

BINARY = (".png", ".pdf", ".gz", ".parquet")
"""Files that are compared by their SHA-256, as they are no text."""


class Normaliser:
    """Replaces paths, versions, the text of a command and the hashes of configurations.

    folders: the name that stands for each folder, innermost folders first. configurations: experiment files, whose
    SHA-256 may change with the spelling of a setting.
    """

    def __init__(self, folders: Mapping[str, Path], configurations: Iterable[Path] = ()) -> None:
        self.folders = [(str(path), f"@{name}@") for name, path in folders.items()]
        self.hashes = [(hashlib.sha256(path.read_bytes()).hexdigest(), path.name) for path in configurations]

    def __call__(self, text: str, command: Command) -> str:
        """The text as it is compared."""
        for typed in _typed(command.line):
            text = text.replace(typed, "@COMMAND@")
        for path, name in self.folders:
            text = text.replace(path, name)
        for digest, name in self.hashes:
            text = text.replace(digest, f"@SHA256 of {name}@")
        for pattern, replacement in PATTERNS:
            text = pattern.sub(replacement, text)
        return text

    def content(self, data: bytes, name: str, command: Command) -> str:
        """What is compared of a file: its text, or the hash of a file that is no text."""
        if not name.endswith(BINARY):
            try:
                return self(data.decode(), command)
            except UnicodeDecodeError:
                pass
        return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}\n"


def _typed(line: str) -> list[str]:
    """The calls of metaeval in a line, as provenance shows them: plain, in JSON and in HTML; the longest first."""
    calls: list[list[str]] = [[]]
    for word in shlex.shlex(line, posix=True, punctuation_chars=True):
        if set(word) <= set("&|;<>"):
            calls.append([])
        else:
            calls[-1].append(word)
    texts = [shlex.join(call) for call in calls if call[:1] == ["metaeval"] and len(call) > 2]
    forms = {form for text in texts for form in (text, json.dumps(text, ensure_ascii=False)[1:-1], html.escape(text))}
    return sorted(forms, key=len, reverse=True)
