"""Is this tree ready to be released? `make release-check`.

Builds the sdist, and the wheel from it, into dist/, and checks their metadata, the links of the description, the
version, and the placeholders that are left. Prints what is wrong, and exits with 1 if anything is.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
PLACEHOLDER = re.compile(r"\bOWNER\b[./]|\bCONTACT@|metaeval has not been released|まだ公開リリースされていない")
BY_HAND = {"pyproject.toml", "README.md", "README.ja.md"}
"""Files whose placeholders are replaced by hand."""

NOT_CHECKED = {"checks/release.py", "tests/project/test_release.py", "docs/lists.py"}
"""Files that speak of placeholders."""


def main() -> int:
    """Build, check, and print the problems; 1 if there are any."""
    shutil.rmtree(DIST, ignore_errors=True)
    run("build", "--no-isolation", "--outdir", str(DIST))
    run("twine", "check", "--strict", *map(str, sorted(DIST.iterdir())))
    (sdist,), (wheel,) = DIST.glob("*.tar.gz"), DIST.glob("*.whl")
    with tarfile.open(sdist) as archive:
        files = {name.partition("/")[2] for name in archive.getnames()}
    description = description_of(wheel)
    version = sdist.name.removesuffix(".tar.gz").rpartition("-")[2]
    problems = [*link_problems(description, version, files), *version_problems(version, ROOT), *placeholders(ROOT)]
    for problem in problems:
        print(problem)
    print(f"{len(problems)} to do before the release of {version}" if problems else f"{version} can be released")
    return 1 if problems else 0


def run(*command: str) -> None:
    """Run a module of this environment, and end with its code if it fails."""
    finished = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    if finished.returncode:
        sys.exit(f"{finished.stdout}{finished.stderr}\npython -m {' '.join(command)}: exit code {finished.returncode}")


def description_of(wheel: Path) -> str:
    """The description that a package index shows."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name)).get_payload(decode=True).decode()  # type: ignore[union-attr]


def link_problems(description: str, version: str, files: set[str]) -> Iterator[str]:
    """Links of the description that are relative, or that name a file that the sdist has not."""
    address = project()["urls"]["Repository"]
    for target in re.findall(r"\]\(([^)]+)\)", description):
        path = re.fullmatch(rf"{re.escape(address)}/(?:blob|raw)/v{re.escape(version)}/([^#]+)(?:#.*)?", target)
        if path is not None and path[1] not in files:
            yield f"README.md: the sdist has no {path[1]}"
        elif path is None and not re.match(r"https?://|#", target):
            yield f"README.md: the link to {target} is relative on a package index"


def version_problems(version: str, root: Path) -> Iterator[str]:
    """Places that name another version, or no date."""
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    recipe = (root / "packaging/recipe.yaml").read_text(encoding="utf-8")
    entry = re.search(r"^## (?P<version>\S+)(?: \((?P<date>[^)]*)\))?$", changelog, re.MULTILINE)
    date = entry["date"] if entry is not None else None
    if entry is None or entry["version"] != version or not re.fullmatch(r"\d{4}-\d\d-\d\d", date or ""):
        yield f"CHANGELOG.md: the first entry is not '## {version} (YYYY-MM-DD)'"
    elif f"date-released: {date}\n" not in citation:
        yield f"CITATION.cff: it has no 'date-released: {date}', the date of CHANGELOG.md"
    if f"version: {version}\n" not in citation:
        yield f"CITATION.cff: it has no 'version: {version}'"
    if f'version: "{version}"\n' not in recipe:
        yield f"packaging/recipe.yaml: it has no 'version: \"{version}\"'"


def placeholders(root: Path) -> Iterator[str]:
    """The lines with a placeholder in files written by hand, then the files that `make docs` makes."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    for name in sorted(names, key=lambda name: (name not in BY_HAND, name)):
        path = root / name
        if name in NOT_CHECKED or not path.is_file() or path.is_symlink():
            continue
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        matches = [(number, line.strip()) for number, line in enumerate(lines, 1) if PLACEHOLDER.search(line)]
        if name in BY_HAND:
            yield from (f"{name}:{number}: a placeholder: {line}" for number, line in matches)
        elif matches:
            yield f"{name}:{matches[0][0]}: a placeholder (lines: {len(matches)}), which `make docs` replaces"


def project() -> dict[str, dict[str, str]]:
    """The table `project` of pyproject.toml."""
    table: dict[str, dict[str, str]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


if __name__ == "__main__":
    sys.exit(main())
