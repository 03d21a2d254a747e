"""The works that measures come from, cited by key in their declarations."""

from __future__ import annotations

import json
from importlib.resources import files

SOURCES: dict[str, str] = json.loads((files(__package__) / "sources.json").read_text(encoding="utf-8"))
"""Full references by key."""
