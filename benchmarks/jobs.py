"""Every job by its name: what it compares, how small it is in a quick run, and its floor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from benchmarks import (
    agreement,
    big,
    contrasting,
    correcting,
    correlations,
    derivations,
    distributed,
    distributions,
    expensive,
    explaining,
    fastest,
    floors,
    kernels,
    metrics_task,
    power,
    preferring,
    processes,
    rankings,
    resampling,
    rouge,
    score_table,
    studies,
    swapping,
    testing,
)
from benchmarks.floors import Work
from benchmarks.paired import Comparison
from metaeval.registry import Registry

Sizes = Mapping[str, int]

FASTEST = "Against the fastest peers: compiled code, and careful use of numpy and SciPy"
LABELS = "Labels: the reference job"
ANALYSES = "Labels: the analyses"
TEXTS = "Texts, derivations and distributions"
HUMAN = "Item scores and human scores"
BIG = "Beyond memory"
CLUSTER = "Processes that share work"
PROCESSES = "Whole processes"
STUDIES = "Large studies, each a whole process"
EXPENSIVE = "Small inputs that could be expensive"


@dataclass(frozen=True)
class Job:
    """A comparison of metaeval with a peer.

    compare: takes `rounds` and sizes by name. quick: sizes of a quick run, where the others would take too long. floor:
    the least that it must do, of the same sizes; None where the peer itself is the floor. rounds: at most so many.
    needs: a package that must be there, by the name it is installed and imported by. better_with: one that a loop
    stands for where it is not there. data: the real files it can take, 'fnc1' or 'r4c'. large: whether it makes data
    that are worth keeping, and takes `cache_folder`, a folder for them.
    """

    group: str
    compare: Callable[..., Comparison]
    floor: Callable[..., Work] | None = None
    quick: Sizes = field(default_factory=dict)
    rounds: int = 9
    needs: str = ""
    better_with: str = ""
    data: str = ""
    large: bool = False

    def run(
        self, rounds: int, sizes: Sizes, *, cache_folder: Path, data: Path | None = None
    ) -> tuple[Comparison, Work | None]:
        """Compare and count; sizes: those that differ from the full ones. cache_folder: where jobs put large
        data that they make, and find those of others. data: of the real files.
        """
        if data is not None:
            return self.compare(rounds, data=data, **sizes), None
        folder = {"cache_folder": cache_folder} if self.large else {}
        comparison = self.compare(min(rounds, self.rounds), **folder, **sizes)
        return comparison, self.floor(**sizes) if self.floor else None

    @property
    def missing(self) -> str:
        """The package without which there is nothing to compare with, if it is not installed."""
        return self.needs if self.needs and not find_spec(self.needs) else ""

    @property
    def wanting(self) -> str:
        """The package that something stands for, if it is not installed."""
        return self.better_with if self.better_with and not find_spec(self.better_with) else ""


JOBS = Registry[Job]("benchmark")

for _name, _job in {
    "rouge-rust": Job(
        FASTEST, fastest.compare_rouge, floors.rouge_from_strings, {"pairs": 80}, rounds=5, needs="rouge_score_rs"
    ),
    **{
        f"tau-compiled{name}": Job(
            FASTEST, partial(fastest.compare_tau, values), floors.long_tau, {"pairs": 100}, rounds=5, needs="hyper_corr"
        )
        for name, values in (("", 0), ("-ties", 20))
    },
    **{
        f"boot-{systems}-{coefficient}": Job(
            FASTEST,
            partial(fastest.compare_bootstrap, systems, coefficient),
            partial(floors.bootstrap_of_systems, systems),
            {"resamples": 1_000},
            rounds=5,
            needs="correlation_with_confidence",
        )
        for systems in (14, 100)
        for coefficient in fastest.COEFFICIENTS
    },
    "alpha-evalica": Job(FASTEST, agreement.compare_alpha_with_evalica, floors.alpha, needs="evalica"),
    "alpha": Job(FASTEST, agreement.compare_alpha, floors.alpha),
    "randomisation": Job(FASTEST, swapping.compare_with_scipy, floors.randomisation, {"resamples": 2_000}, rounds=5),
    "randomisation-ranx": Job(
        FASTEST, swapping.compare_with_ranx, floors.randomisation, {"resamples": 2_000}, rounds=5, needs="ranx"
    ),
    "halves-numpy": Job(FASTEST, resampling.compare_halves_with_numpy, floors.halves),
    "score-table": Job(LABELS, score_table.compare, floors.score_table),
    "halves": Job(LABELS, resampling.compare_halves, floors.halves),
    "tau": Job(LABELS, resampling.compare_tau, floors.tau, {"pairs": 2_000}),
    "tau-long": Job(LABELS, resampling.compare_long_tau, floors.long_tau, {"pairs": 100}),
    "tukey": Job(LABELS, resampling.compare_tukey, floors.tukey, {"permutations": 1_000}),
    "similarity": Job(ANALYSES, rankings.compare_similarity, floors.similarity, {"replicates": 300}, rounds=5),
    "merges": Job(ANALYSES, rankings.compare_merges, floors.merges, {"replicates": 100}, rounds=5),
    "power": Job(ANALYSES, power.compare_power, floors.power_of_measures, {"resamples": 500}, rounds=5),
    "letters": Job(ANALYSES, testing.compare_letters, floors.letters, {"items": 2_000}, rounds=5),
    "letters-many": Job(
        ANALYSES, testing.compare_letters_of_many, floors.letters_of_many, {"systems": 30, "items": 5_000}, rounds=3
    ),
    "explain": Job(ANALYSES, explaining.compare_explain, floors.explain),
    "esk": Job(TEXTS, kernels.compare_kernels, floors.kernel, {"pairs": 6_000, "few": 50}, rounds=5),
    "esk-grid": Job(TEXTS, kernels.compare_grid, floors.kernel_grid, {"pairs": 3_000, "few": 20}, rounds=5),
    "rouge-strings": Job(TEXTS, rouge.compare_strings, floors.rouge_from_strings, {"pairs": 80}, rounds=5),
    "rouge-codes": Job(TEXTS, rouge.compare_codes, floors.rouge_from_codes, {"pairs": 80}, rounds=5),
    "r4c-align": Job(TEXTS, derivations.compare_derivations, floors.alignment, {"items": 15}, rounds=5, data="r4c"),
    "distributions": Job(TEXTS, distributions.compare_distributions, floors.divergences, rounds=5),
    "perm-both": Job(
        HUMAN,
        correlations.compare_swaps,
        floors.swap_test,
        {"resamples": 2_000, "their_resamples": 9},
        rounds=5,
        better_with="nlpstats",
    ),
    "perm-both-global": Job(
        HUMAN,
        correlations.compare_global_swaps,
        floors.global_swap_tests,
        {"resamples": 2_000, "their_resamples": 9},
        rounds=5,
    ),
    "boot-both": Job(
        HUMAN,
        correlations.compare_bootstrap,
        floors.correlation_bootstrap,
        {"resamples": 2_000, "their_resamples": 9},
        rounds=5,
        better_with="nlpstats",
    ),
    **{
        f"metrics-task-{work}": Job(
            HUMAN,
            partial(metrics_task.compare_metrics_task, work),
            partial(floors.metrics_task, work),
            {"items": 150, "resamples": 200, "permutations": 200},
            rounds=2,
        )
        for work in metrics_task.WORK
    },
    "preferences": Job(HUMAN, preferring.compare, floors.preferences, {"resamples": 100}, rounds=5),
    "contrast": Job(HUMAN, contrasting.compare_contrast, floors.contrast, {"pairs": 4_000}, rounds=5),
    "correct": Job(HUMAN, correcting.compare_correct, floors.correct, {"items": 2_000}, rounds=5),
    "patterns": Job(
        BIG, big.compare_patterns, floors.patterns, {"items": 1_000_000}, rounds=3, needs="duckdb", large=True
    ),
    "pattern-halves": Job(
        BIG,
        big.compare_pattern_halves,
        floors.halves_of_patterns,
        {"items": 1_000_000, "trials": 200},
        rounds=2,
        needs="duckdb",
        large=True,
    ),
    "trials-cluster": Job(
        CLUSTER, distributed.compare_trials, quick={"trials": 2_000, "items": 2_000}, rounds=3, needs="distributed"
    ),
    "trials-cluster-one": Job(
        CLUSTER,
        distributed.compare_trials_with_one,
        quick={"trials": 2_000, "items": 2_000},
        rounds=3,
        needs="distributed",
    ),
    "texts-workers": Job(CLUSTER, distributed.compare_words, quick={"items": 100}, rounds=3),
    "texts-cluster": Job(CLUSTER, distributed.compare_texts, quick={"items": 10}, rounds=3, needs="distributed"),
    "texts-cluster-one": Job(
        CLUSTER, distributed.compare_texts_with_one, quick={"items": 10}, rounds=3, needs="distributed"
    ),
    "help": Job(PROCESSES, processes.compare_help),
    "score": Job(PROCESSES, processes.compare_score, quick={"items": 5_000}, data="fnc1"),
    "stability": Job(PROCESSES, processes.compare_stability, quick={"items": 5_000}, data="fnc1"),
    **{
        f"study-{command}": Job(STUDIES, partial(studies.compare_study, command), quick={"items": 2_000}, rounds=2)
        for command in (*studies.COMMANDS, "run")
    },
    **{
        f"task-{command}": Job(STUDIES, partial(studies.compare_submissions, command), quick={"systems": 20}, rounds=2)
        for command in studies.TASK_COMMANDS
    },
    **{
        f"input-{name}": Job(
            EXPENSIVE, partial(expensive.compare_input, name), quick={"size": max(3, size // 20)}, rounds=1
        )
        for name, (_, size, _) in expensive.INPUTS.items()
    },
}.items():
    JOBS.register(_name, _job)
