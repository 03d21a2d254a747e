"""Sample data to be changed."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def sample(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sample data and its configurations, as the working folder, to be changed."""
    for folder in ("sample_data", "configs"):
        shutil.copytree(repository / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    return tmp_path
