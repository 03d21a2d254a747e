"""Work in blocks on a Dask cluster: processes of this machine, or of many; extra `distributed`.

What is to be done with a block goes to every worker once; then block after block goes to whoever is free. A block is
worked on from its own seed alone, so that it does not matter who does it, and how often it has to be begun.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from metaeval.config import LOCAL_SCHEDULER, ExperimentConfig
from metaeval.errors import InputError, MetaevalError, counted
from metaeval.io.dataset import Track
from metaeval.work.connection import connected, lost
from metaeval.work.executor import use_executor
from metaeval.work.pickling import Parcel, unpacked
from metaeval.work.versions import Versions, check_versions, check_workers, deciding_packages, versions_here

if TYPE_CHECKING:
    from distributed import Client, Future

Block = TypeVar("Block")
Result = TypeVar("Result")

_RETRIES = 2
"""How often a block is tried again of which a worker says that something went wrong."""

_TASKS_A_WORKER = 32
"""Tasks that each worker gets, if there are so many blocks: few enough that handing them out costs little beside them,
many enough that nobody waits long for the last."""

_REDUCED_AT_ONCE = 8
"""Results that are reduced together: few enough for the memory of one worker."""

_ROUNDS = 3
"""How often work is sent out, where all workers that had it are lost."""


@contextmanager
def at_work(config: ExperimentConfig) -> Iterator[None]:
    """Blocks go to the cluster that a configuration names, as long as it lasts; without one all stays as it is.

    A cluster that can't be reached, has no worker or other versions of what numbers depend on is an `InputError`.
    """
    if config.scheduler is None:
        yield
        return
    _require_dask(config.scheduler)
    versions = versions_here(deciding_packages(config))
    name = "the processes of --scheduler local" if config.scheduler == LOCAL_SCHEDULER else config.scheduler
    with (
        connected(config.scheduler, processes=config.workers, versions=versions) as client,
        use_executor(DaskExecutor(client, name, versions)),
    ):
        yield


def _require_dask(scheduler: str) -> None:
    try:
        import distributed  # noqa: F401 (what the rest takes)
    except ImportError:
        raise InputError.at(
            found=f"--scheduler {scheduler}, and no package that talks to clusters",
            expected="dask and distributed",
            hint="pip install 'metaeval[distributed]'",
        ) from None


@dataclass(frozen=True)
class DaskExecutor:
    """A Dask cluster as a `ClusterExecutor`. name: what messages call it. versions: those its workers must have."""

    client: Client
    name: str
    versions: Versions

    def map(self, function: Callable[[Block], Result], blocks: Iterable[Block]) -> Generator[Result, None, None]:
        """See `Executor.map`."""
        done: dict[int, Result] = {}
        following = 0
        with closing(self._as_done(function, list(blocks))) as results:
            for place, result in results:
                done[place] = result
                while following in done:
                    yield done.pop(following)
                    following += 1

    def map_reduce(
        self,
        function: Callable[[Block], Result],
        blocks: Sequence[Block],
        *,
        reduce: Callable[[Sequence[Result]], Result],
        track: Track,
        doing: str,
    ) -> Result:
        """See `ClusterExecutor.map_reduce`: a few results at a time are reduced on the workers, and one comes here.

        Where reducing gives the same in whatever groups it is done, as sums of counts do, the number of workers does
        not matter.
        """
        for _ in range(_ROUNDS):
            for outcome in self._reduced_once(function, blocks, reduce, track(blocks, doing)):
                if isinstance(outcome, MetaevalError):
                    raise outcome
                reduced: Result = outcome
                return reduced
        raise lost(self.name)

    def _reduced_once(
        self,
        function: Callable[[Block], Result],
        blocks: Sequence[Block],
        reduce: Callable[[Sequence[Result]], Result],
        progress: Iterable[object],
    ) -> list[Any]:
        """The results of all blocks reduced to one, or an error for the user to fix; empty where it was lost."""
        from distributed import as_completed

        with self._told():
            sent, sent_reduce = self._sent(function), self._sent(reduce)
            done = [self.client.submit(_do, sent, block, pure=False, retries=_RETRIES) for block in blocks]
            layer = done
            while len(layer) > 1:
                several = [layer[begin : begin + _REDUCED_AT_ONCE] for begin in range(0, len(layer), _REDUCED_AT_ONCE)]
                layer = [self.client.submit(_reduce, sent_reduce, group, pure=False) for group in several]
            # The first to finish may be any, but so many are done.
            for _ in zip(progress, as_completed(list(done), loop=self.client.loop), strict=True):
                pass
        return self._outcome(layer[0])

    def _sent(self, work: Callable[[Block], Result]) -> Future:
        """What is to be done, on every worker, and with which versions.

        It arrives as what Python itself has: a worker of another kind has to hold it to be able to refuse.
        """
        order = SimpleNamespace(work=Parcel(work), cluster=self.name, versions=dict(self.versions), checked_by="")
        return self.client.scatter(order, broadcast=True, hash=False)

    def _as_done(
        self, work: Callable[[Block], Result], blocks: Sequence[Block]
    ) -> Generator[tuple[int, Result], None, None]:
        """Places of blocks and their results; what was lost with the last worker that had the work is sent again."""
        left = dict(enumerate(blocks))
        for _ in range(_ROUNDS):
            with closing(self._round(work, dict(left))) as results:
                for place, result in results:
                    del left[place]
                    yield place, result
            if not left:
                return
        raise lost(self.name)

    def _round(
        self, work: Callable[[Block], Result], blocks: Mapping[int, Block]
    ) -> Generator[tuple[int, Result], None, None]:
        """Places and results of blocks as they come; those that were lost do not."""
        from distributed import as_completed

        futures: dict[Future, list[int]] = {}
        try:
            with self._told():
                sent = self._sent(partial(_each, work))
                size = -(-len(blocks) // (_TASKS_A_WORKER * max(1, len(self.client.nthreads()))))
                places = list(blocks)
                for begin in range(0, len(places), size):
                    several = places[begin : begin + size]
                    task = [blocks[place] for place in several]
                    futures[self.client.submit(_do, sent, task, pure=False, retries=_RETRIES)] = several
            for future in as_completed(list(futures), loop=self.client.loop):
                for outcome in self._outcome(future):
                    if isinstance(outcome, MetaevalError):
                        raise outcome
                    yield from zip(futures.pop(future), outcome, strict=True)
        finally:
            # Whoever is interrupted wants nothing more; of what is done the cluster need not keep the results.
            if futures and self.client.status == "running":
                with suppress(Exception):
                    self.client.cancel(list(futures), force=True)

    def _outcome(self, future: Future) -> list[Any]:
        """The result of a block, or an error that a reader should mend; empty where it was lost."""
        with self._told():
            try:
                return [] if future.cancelled() else [unpacked(future.result())]
            except Exception:
                # While it was on its way here, the workers that had it died, or the scheduler began anew.
                if future.cancelled():
                    return []
                raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell what is wrong with the cluster as an `InputError`; what is wrong with the work stays as it is.

        When a scheduler goes, Dask may raise about anything, from asyncio's `RuntimeError` to an `AttributeError`. So
        it is not asked what was raised, but how the cluster is.
        """
        try:
            yield
        except Exception as error:
            self._check()
            problem = _problem(error, self.name)
            if problem is None:
                raise
            raise problem from None

    def _check(self) -> None:
        """Raise an `InputError` where the scheduler is gone, or workers came that have other versions.

        Of them, nothing but what they have can be said: they may be too different to take a block, or to refuse it.
        """
        try:
            if self.client.status != "running":
                raise lost(self.name)
            check_workers(self.client, self.name, self.versions)
        except MetaevalError:
            raise
        except Exception:
            raise lost(self.name) from None


def _problem(error: Exception, cluster: str) -> InputError | None:
    """What a reader should mend, where an error is about the workers or the way to them."""
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    if isinstance(error, KilledWorker):
        return InputError.at(
            found=f"a block of work on {cluster} of which {counted(error.allowed_failures + 1, 'worker')} died",
            expected="workers with enough memory for a block",
            hint="give the workers more memory, or say less with --memory",
        )
    if isinstance(error, FileNotFoundError):
        return InputError.at(
            error.filename,
            found="a file that a worker can't see",
            expected="a folder that all machines of the cluster share",
            hint="put the data and the temporary folder (TMPDIR) there, or leave --scheduler out",
        )
    return lost(cluster) if isinstance(error, (TimeoutError, CommClosedError, CancelledError)) else None


def _each(work: Callable[[Block], Result], blocks: Sequence[Block]) -> list[Result]:
    """On a worker: the results of some blocks."""
    return [work(block) for block in blocks]


def _reduce(order: SimpleNamespace, results: Sequence[Parcel[Any] | partial[Any]]) -> Parcel[Any]:
    """On a worker: reduce results to one, or pass an error on."""
    contents = [unpacked(result) for result in results]
    for content in contents:
        if isinstance(content, MetaevalError):
            return Parcel(content)
    return _do(order, contents)


def _do(order: SimpleNamespace, block: Any) -> Parcel[Any]:
    """On a worker: work on a block. What a reader should mend is no failure of the worker, to be tried again.

    order: as of `DaskExecutor._sent`, the same object for all blocks.
    """
    from distributed import get_worker

    try:
        here = get_worker().address
        if order.checked_by != here:
            # Of those that come later nobody has asked. Once is enough, but not for whoever has it from here.
            packages = [name for name in order.versions if name != "python"]
            check_versions(order.cluster, order.versions, {here: versions_here(packages)})
            order.checked_by = here
        # Opened once; what it was packed in is not kept.
        order.work = Parcel(unpacked(order.work))
        return Parcel(order.work.content(block))
    except MetaevalError as error:
        return Parcel(error)
