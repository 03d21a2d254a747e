"""The Python examples of a page: its blocks run one after the other in one program, each followed by what it prints.

`python docs/python_examples.py` writes into docs/python.md what its examples print today.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/python.md"

_BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n.*?^```\n)?", re.DOTALL | re.MULTILINE)


def refreshed(page: str) -> str:
    r"""The page with a ```text block below every ```python block that prints something; run from the repository.

    >>> print(refreshed("```python\nprint(1)\n```\n"), end="")
    ```python
    print(1)
    ```
    <BLANKLINE>
    ```text
    1
    ```
    """
    names: dict[str, Any] = {}
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        return _BLOCK.sub(lambda match: _rerun(match[1], names), page)
    finally:
        os.chdir(before)


def _rerun(code: str, names: dict[str, Any]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, str(PAGE), "exec"), names)
    below = "\n".join(line.rstrip() for line in printed.getvalue().splitlines())
    return f"```python\n{code}```\n" + (f"\n```text\n{below}\n```\n" if below else "")


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
