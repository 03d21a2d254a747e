"""The names that Python users rely on."""

import importlib
import pkgutil
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

import metaeval


def test_public_names_are_there_and_documented() -> None:
    assert [name for name in metaeval.__all__ if not getattr(metaeval, name).__doc__] == []
    assert set(metaeval.__all__) <= set(dir(metaeval))


def test_no_public_name_is_hidden_by_a_module_of_that_name() -> None:
    for module in pkgutil.walk_packages(metaeval.__path__, "metaeval."):
        if module.name == "metaeval.__main__":
            continue
        importlib.import_module(module.name)
    hidden = [name for name in metaeval.__all__ if isinstance(getattr(metaeval, name), ModuleType)]
    assert not hidden


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'scoer'"):
        _ = metaeval.scoer


def test_importing_metaeval_imports_nothing_heavy() -> None:
    script = "import sys, metaeval; print([name for name in ('numpy', 'click', 'pandas') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_example_of_the_readme_works() -> None:
    gold, predicted = np.array([0, 1, 2, 1]), np.array([[0, 1, 2, 2], [1, 1, 1, 1]])
    scale = metaeval.ClassScale.parse("disagree<discuss<agree")
    counts = metaeval.count(gold, predicted, classes=3)
    scores = metaeval.measure("kappa:weights=linear")(counts, scale)
    assert scores[0] == pytest.approx(1 - 4 / 14)  # one step wrong, against 14/4 steps expected by chance
    assert scores[1] == 0
