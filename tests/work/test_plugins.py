"""Workers load the plugins of the measures that they compute."""

import json
from pathlib import Path

import pytest
from command_line import CommandLine

from metaeval.measures import plugins
from metaeval.scoring import texts

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("repository")]

FILE = str(Path(__file__).parents[2] / "docs/examples/my_measures.py")
STANCE = (
    *("--task", "fnc1", "--gold", "sample_data/fnc1/gold.csv", "sample_data/fnc1/systems"),
    *("--labels", "disagree<discuss<agree", "-m", "cem-ord", "-m"),
)
NEWS = ("score", "--config", "configs/news.yaml", "--plugin", FILE, "-m", "first-word", "-m", "rouge-l")


def tables(metaeval: CommandLine, *words: str) -> object:
    return json.loads(metaeval.succeeds(*words, "-f", "json", "-q").out.replace("share-correct", "accuracy"))["tables"]


@pytest.mark.parametrize("analysis", [("stability", "--trials", "300"), ("merge-classes",), ("power",)], ids=str)
def test_a_cluster_computes_the_measures_of_a_file(
    metaeval: CommandLine, scheduler: str, analysis: tuple[str, ...]
) -> None:
    plugin_tables = tables(metaeval, *analysis, *STANCE, "share-correct", "--plugin", FILE, "--scheduler", scheduler)
    assert plugin_tables == tables(metaeval, *analysis, *STANCE, "accuracy")


def test_texts_are_scored_alike_by_threads_processes_and_a_cluster(
    metaeval: CommandLine, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = tables(metaeval, *NEWS)
    monkeypatch.setattr(texts, "WORDS_FOR_PROCESSES", 1)
    monkeypatch.setattr(texts, "WORDS_AT_ONCE", 50)
    assert tables(metaeval, *NEWS, "--workers", "2") == expected
    assert tables(metaeval, *NEWS, "--scheduler", scheduler) == expected


def test_a_worker_refuses_another_version_of_a_file(
    metaeval: CommandLine, scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin = tmp_path / "own.py"
    plugin.write_text(Path(FILE).read_text())
    words = ("stability", "--trials", "50", *STANCE, "share-correct", "--plugin", str(plugin), "--scheduler", scheduler)
    metaeval.succeeds(*words)
    # The file changes after this process has loaded it.
    loaded = plugins.load_plugin(str(plugin))
    plugin.write_text(Path(FILE).read_text() + "# another version\n")
    monkeypatch.setattr(plugins, "load_plugin", lambda path: loaded)
    outcome = metaeval(*words)
    assert outcome.code == 2
    assert "plugin own on a worker: version own-1.0@" in outcome.err
    assert f"expected {loaded} as here" in outcome.err
