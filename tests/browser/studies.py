"""Studies to look at: the shipped one, a large one, and one with difficult names."""

import tempfile
from pathlib import Path

import numpy as np

from metaeval import read_config
from metaeval.model.report import Report
from metaeval.runner.several import run_experiment

ROOT = Path(__file__).resolve().parents[2]


def shipped(more: str = "") -> Report:
    """The stance study of configs/; with more sections, trivial systems are scored as well."""
    path = ROOT / "configs/stance.yaml"
    if not more:
        return run_experiment(read_config(str(path)), command_line="metaeval run stance.yaml")
    text = path.read_text().replace("../sample_data", str(ROOT / "sample_data"))
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole.yaml")
        whole.write_text(text.replace("score: {}", "score: {trivial: true}") + more)
        return run_experiment(read_config(str(whole)), command_line="metaeval run whole.yaml")


def large(folder: Path, *, systems: int = 100, measures: int = 20, items: int = 60) -> Report:
    """Scores of many systems under many measures, as a table that another tool could have made."""
    rng = np.random.default_rng(20201)
    skill = rng.normal(size=(1, systems, 1))
    scores = skill + 0.5 * rng.normal(size=(measures, systems, 1)) + rng.normal(size=(measures, systems, items))
    lines = ["measure,system,item,value"]
    lines += [
        f"a-measure-with-a-name:number={measure},system_from_team_{system:03},item{item},{value:.4f}"
        for (measure, system, item), value in np.ndenumerate(scores)
    ]
    (folder / "scores.csv").write_text("\n".join(lines) + "\n")
    config = folder / "large.yaml"
    config.write_text(
        "data: {task: table, runs: [scores.csv]}\nscore: {}\nsimilarity: {permutations: 50}\n"
        "stability: {trials: 50, permutations: 50, sizes: [0.1, 0.2, 0.5]}\nsummary: {}\n"
    )
    return run_experiment(read_config(str(config)), command_line="metaeval run large.yaml")
