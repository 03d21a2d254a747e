"""Versions of packages that affect numbers, here and on the workers of a cluster; extra `distributed`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from metaeval.config import DataConfig, ExperimentConfig
from metaeval.errors import InputError, pluralize
from metaeval.io.labels.tasks import TASKS
from metaeval.io.parquet.files import parquet_bytes
from metaeval.model.data_kind import DataKind

if TYPE_CHECKING:
    from distributed import Client

Versions = Mapping[str, str | None]
"""Versions of Python and of packages; None for a missing package."""

_ALWAYS = ("metaeval", "numpy", "scipy")
_OF_KIND = {DataKind.TEXTS: ("snowballstemmer",), DataKind.DERIVATIONS: ("rapidfuzz",)}
_OF_PARQUET = ("duckdb", "pyarrow")


def deciding_packages(config: ExperimentConfig) -> tuple[str, ...]:
    """The packages that affect the numbers that workers compute for the data of an experiment.

    >>> deciding_packages(ExperimentConfig())
    ('metaeval', 'numpy', 'scipy')
    """
    kind = TASKS[config.data.task].data_kind
    return (*_ALWAYS, *(_OF_PARQUET if _is_parquet(config.data) else _OF_KIND.get(kind, ())))


def _is_parquet(data: DataConfig) -> bool:
    """Whether these are labels in Parquet, which workers may count."""
    if TASKS[data.task].data_kind is not DataKind.LABELS or data.gold is None or data.memory:
        return False
    return parquet_bytes(data.gold, data.runs) is not None


def versions_here(packages: Sequence[str]) -> Versions:
    """The versions in this process."""
    from distributed.versions import get_package_info

    versions = get_package_info(packages)
    python = ".".join(map(str, sys.version_info[:2]))
    return {"python": python, **{name: versions[name] for name in packages}}


def check_workers(client: Client, cluster: str, ours: Versions) -> None:
    """Raise an `InputError` where a worker has other versions than this process, and may compute other numbers.

    cluster: its name in messages. Dask asks the workers, which need not have metaeval to answer.
    """
    packages = [name for name in ours if name != "python"]
    theirs = {}
    for address, worker in client.get_versions(packages=packages)["workers"].items():
        if worker:
            python = ".".join(str(worker["host"]["python"]).split(".")[:2])
            theirs[address] = {"python": python, **{name: worker["packages"].get(name) for name in packages}}
    check_versions(cluster, ours, theirs)


def check_versions(cluster: str, ours: Versions, theirs: Mapping[str, Versions]) -> None:
    """Raise an `InputError` where versions differ; theirs: by address of the worker.

    A package that is missing in this process is not compared.
    """
    needed = {name: version for name, version in ours.items() if version is not None}
    wrong = {address: [name for name in needed if needed[name] != worker[name]] for address, worker in theirs.items()}
    wrong = {address: names for address, names in wrong.items() if names}
    for address, names in wrong.items():
        raise InputError.at(
            found=f"{pluralize(len(wrong), 'worker')} of {cluster} with other versions: "
            + ", ".join(f"{name} {theirs[address][name] or 'missing'}" for name in names)
            + f" on {address}",
            expected=", ".join(f"{name} {needed[name]}" for name in names) + " as here",
            hint="install the same versions on every machine, for example with one image or environment for all",
        )
