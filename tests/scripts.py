"""Scripts of the project that are in no package."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def script(path: Path) -> ModuleType:
    """A file of Python as a module."""
    spec = importlib.util.spec_from_file_location(f"script_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
