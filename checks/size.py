"""How large the packages are: `make size`."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SEAMS = ("judges", "papers", "engines")
LIMITS = {
    "lines of metaeval": 76_800,
    "code lines of metaeval": 52_000,
    "files of metaeval": 366,
    "lines of metaeval without its seams": 65_350,
    "lines of tests": 50_400,
    "fmt: skip outside tables of data": 2,
    "values multiplied by a truth value": 0,
    "calls with more than five positional arguments": 0,
    "private functions with sections in their docstrings": 0,
}
"""What a test holds; a limit may only fall."""

_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


class Size(NamedTuple):
    """Lines, lines that are neither blank nor a comment nor part of a docstring, and files."""

    lines: int = 0
    code: int = 0
    files: int = 0

    def plus(self, other: Size) -> Size:
        return Size(self.lines + other.lines, self.code + other.code, self.files + other.files)


def size_of_text(text: str) -> Size:
    """The size of one file."""
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            code.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            code.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return Size(len(text.splitlines()), len(code), 1)


def texts_by_path(folder: str, root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """The Python files below a folder, by paths relative to the root."""
    for path in sorted((root / folder).rglob("*.py")):
        yield path.relative_to(root), path.read_text(encoding="utf-8")


def sizes_by_package(root: Path = ROOT) -> dict[str, Size]:
    """The size of each subpackage, of tests and of checks, and of what is summed from them."""
    sizes: dict[str, Size] = {}
    for folder in ("metaeval", "tests", "checks"):
        for path, text in texts_by_path(folder, root):
            size = size_of_text(text)
            names = {folder, "/".join(path.parts[:2]) if folder == "metaeval" and len(path.parts) > 2 else folder}
            if folder == "metaeval" and path.parts[1] not in SEAMS:
                names.add("metaeval without its seams")
            for name in names:
                sizes[name] = sizes.get(name, Size()).plus(size)
    return sizes


def main() -> None:
    """Print the table."""
    print(f"{'package':<30} {'lines':>8} {'code':>8} {'files':>6}")
    for name, size in sorted(sizes_by_package().items()):
        print(f"{name:<30} {size.lines:>8,} {size.code:>8,} {size.files:>6,}")


if __name__ == "__main__":
    main()
