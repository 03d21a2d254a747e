"""The description of the package: README.md with absolute links, which a package index needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?!https?:|#)(?P<path>[^)]+)\)")


class Description(MetadataHookInterface):
    """Sets the description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add `readme` to the metadata, with links to the tag of the version."""
        version = re.findall(
            r'^__version__ = "(.+)"$', Path(self.root, "metaeval/version.py").read_text(), re.MULTILINE
        )
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        address = metadata["urls"]["Repository"]
        metadata["readme"] = {"content-type": "text/markdown", "text": with_absolute_links(text, address, version[0])}


def with_absolute_links(text: str, address: str, version: str) -> str:
    """A page whose links to files are links to the repository.

    >>> with_absolute_links("[a](docs/a.md) ![b](b.svg) [c](https://c.org)", "https://host/m", "1.0")
    '[a](https://host/m/blob/v1.0/docs/a.md) ![b](https://host/m/raw/v1.0/b.svg) [c](https://c.org)'
    """

    def absolute(link: re.Match[str]) -> str:
        kind = "raw" if link["image"] else "blob"
        return f"{link['image']}[{link['text']}]({address}/{kind}/v{version}/{link['path']})"

    return _LINK.sub(absolute, text)
