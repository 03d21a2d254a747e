import pytest

from metaeval.errors import UnknownName
from metaeval.registry import Registry


def colours() -> Registry[str]:
    registry = Registry[str]("colour")
    registry.register("red", "#f00")
    registry.register("blue", "#00f")
    registry.register("azure", "#0ff")
    return registry


def test_entries_keep_the_order_of_registration_and_are_found_by_name() -> None:
    assert list(colours()) == ["red", "blue", "azure"]
    assert colours().values() == ("#f00", "#00f", "#0ff")
    assert len(colours()) == 3
    assert colours()["blue"] == "#00f"
    assert "blue" in colours()
    assert "bleu" not in colours()
    with pytest.raises(UnknownName, match=r"unknown colour 'bleu'\. Did you mean 'blue'\?"):
        colours()["bleu"]


def test_a_second_entry_of_a_name_is_refused_and_the_first_stays() -> None:
    registry = colours()
    with pytest.raises(ValueError, match="colour 'red' is registered twice"):
        registry.register("red", "#e00")
    assert registry["red"] == "#f00"
