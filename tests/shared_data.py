"""Where the public shared-task files and the golden values lie, and how a test that needs them is skipped."""

import os
from pathlib import Path

import pytest

SHARED_DATA = Path(
    os.environ.get("METAEVAL_SHARED_DATA") or Path(__file__).resolve().parents[1].parent / "shared" / "data"
)
"""A folder next to the checkout, unless the environment names another."""

needs_shared_data = pytest.mark.skipif(
    not SHARED_DATA.is_dir(), reason=f"the shared-task files are not there: {SHARED_DATA}"
)

FNC1 = (
    *("--labels", "disagree<discuss<agree", "--drop-gold", "unrelated", "--on-unknown", "worst"),
    *("--gold", str(SHARED_DATA / "fnc1/gold.csv"), str(SHARED_DATA / "fnc1/systems")),
)
"""Options that name the systems of FNC-1 on the three classes of related items."""
