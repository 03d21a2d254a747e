"""Work in blocks on a Dask cluster: processes of this machine, or of many; extra `distributed`.

What is to be done with a block goes to every worker once; then block after block goes to whoever is free. A block is
worked on from its own seed alone, so that it does not matter who does it, and how often it has to be begun.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from metaeval.config import LOCAL_SCHEDULER, ExperimentConfig
from metaeval.errors import InputError, MetaevalError, counted
from metaeval.experiment.blocks import spread_over
from metaeval.experiment.connection import connected
from metaeval.experiment.parcels import Parcel
from metaeval.io.dataset import Track

if TYPE_CHECKING:
    from distributed import Client, Future

Block = TypeVar("Block")
Result = TypeVar("Result")

_RETRIES = 2
"""How often a block is tried again of which a worker says that something went wrong."""

_MERGED_AT_ONCE = 8
"""Results that are merged together: few enough to lie on one worker."""

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
    with connected(config.scheduler, processes=config.workers) as client:
        name = "the processes of --scheduler local" if config.scheduler == LOCAL_SCHEDULER else config.scheduler
        with spread_over(Cluster(client, name)):
            yield


@dataclass(frozen=True)
class Cluster:
    """A cluster that works on blocks: `blocks.Elsewhere`. name: what messages call it."""

    client: Client
    name: str

    def results(
        self, work: Callable[[Block], Result], blocks: Sequence[Block], *, track: Track, doing: str
    ) -> list[Result]:
        """The result of every block, in their order; progress is told in the order in which they are done."""
        done = dict(result for _, result in zip(track(blocks, doing), self._as_done(work, blocks), strict=True))
        return [done[place] for place in range(len(blocks))]

    def merged(
        self,
        work: Callable[[Block], Result],
        blocks: Sequence[Block],
        *,
        merge: Callable[[Sequence[Result]], Result],
        track: Track,
        doing: str,
    ) -> Result:
        """The results of all blocks merged into one, some at a time on the workers: only the last comes here.

        Where merging gives the same in whatever groups it is done, as sums of counts do, the number of workers does not
        matter.
        """
        for _ in range(_ROUNDS):
            for outcome in self._merged_once(work, blocks, merge, track(blocks, doing)):
                if isinstance(outcome, MetaevalError):
                    raise outcome
                merged: Result = outcome
                return merged
        raise _lost(self.name)

    def _merged_once(
        self,
        work: Callable[[Block], Result],
        blocks: Sequence[Block],
        merge: Callable[[Sequence[Result]], Result],
        progress: Iterable[object],
    ) -> list[Any]:
        """The results of all blocks merged, or an error that a reader should mend; empty where it was lost."""
        with self._told():
            sent = self.client.scatter(Parcel(work), broadcast=True, hash=False)
            sent_merge = self.client.scatter(Parcel(merge), broadcast=True, hash=False)
            done = [self.client.submit(_do, sent, block, pure=False, retries=_RETRIES) for block in blocks]
            layer = done
            while len(layer) > 1:
                several = [layer[begin : begin + _MERGED_AT_ONCE] for begin in range(0, len(layer), _MERGED_AT_ONCE)]
                layer = [self.client.submit(_merge, sent_merge, group, pure=False) for group in several]
            self._watch(done, progress)
        return self._outcome(layer[0])

    def _watch(self, futures: Sequence[Future], progress: Iterable[object]) -> None:
        """Show how many are done."""
        from distributed import as_completed

        for _ in zip(progress, as_completed(list(futures), loop=self.client.loop), strict=True):
            pass

    def _as_done(self, work: Callable[[Block], Result], blocks: Sequence[Block]) -> Iterator[tuple[int, Result]]:
        """Places of blocks and their results; what was lost with the last worker that had the work is sent again."""
        left = dict(enumerate(blocks))
        for _ in range(_ROUNDS):
            for place, result in self._round(work, dict(left)):
                del left[place]
                yield place, result
            if not left:
                return
        raise _lost(self.name)

    def _round(self, work: Callable[[Block], Result], blocks: Mapping[int, Block]) -> Iterator[tuple[int, Result]]:
        """Places and results of blocks as they come; those that were lost do not."""
        from distributed import as_completed

        futures: dict[Future, int] = {}
        try:
            with self._told():
                sent = self.client.scatter(Parcel(work), broadcast=True, hash=False)
                for place, block in blocks.items():
                    futures[self.client.submit(_do, sent, block, pure=False, retries=_RETRIES)] = place
            for future in as_completed(list(futures), loop=self.client.loop):
                for outcome in self._outcome(future):
                    if isinstance(outcome, MetaevalError):
                        raise outcome
                    yield futures.pop(future), outcome
        finally:
            # Whoever is interrupted wants nothing more; of what is done the cluster need not keep the results.
            if futures and self.client.status == "running":
                self.client.cancel(list(futures), force=True)

    def _outcome(self, future: Future) -> list[Any]:
        """The result of a block, or an error that a reader should mend; empty where it was lost."""
        if future.status in ("cancelled", "lost"):
            return []
        try:
            with self._told():
                return [future.result()]
        except CancelledError:
            return []

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell what is wrong with the cluster as an `InputError`."""
        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        try:
            yield
        except KilledWorker as error:
            raise InputError.at(
                found=f"a block of work on {self.name} of which {counted(error.allowed_failures + 1, 'worker')} died",
                expected="workers with enough memory for a block",
                hint="give the workers more memory, or say less with --memory",
            ) from None
        except FileNotFoundError as error:
            raise InputError.at(
                error.filename,
                found="a file that a worker can't see",
                expected="a folder that all machines of the cluster share",
                hint="put the data and the temporary folder (TMPDIR) there, or leave --scheduler out",
            ) from None
        except (OSError, RuntimeError) as error:
            # Of a worker's own trouble the client is none the wiser.
            if not isinstance(error, (TimeoutError, CommClosedError)) and self._answers():
                raise
            raise _lost(self.name) from None

    def _answers(self) -> bool:
        """Whether the scheduler is there; that it went the client may be late to notice."""
        if self.client.status != "running":
            return False
        try:
            self.client.run_on_scheduler(int)
        except (OSError, RuntimeError):
            return False
        return True


def _lost(name: str) -> InputError:
    return InputError.at(
        found=f"the cluster {name} gone in the middle of the work",
        expected="a scheduler that stays, and at least one worker",
        hint="look at what the scheduler and the workers say, and start again",
    )


def _merge(
    merge: Callable[[Sequence[Result]], Result],
    results: Sequence[Result | MetaevalError | Parcel[Result | MetaevalError]],
) -> Parcel[Result | MetaevalError]:
    """On a worker: merge results, or pass an error on."""
    sound: list[Result] = []
    for result in results:
        # What was made on this worker was never unpacked.
        content = result.content if isinstance(result, Parcel) else result
        if isinstance(content, MetaevalError):
            return Parcel(content)
        sound.append(content)
    return Parcel(merge(sound))


def _do(work: Callable[[Block], Result], block: Block) -> Parcel[Result | MetaevalError]:
    """On a worker: work on a block. What a reader should mend is no failure of the worker, to be tried again."""
    try:
        return Parcel(work(block))
    except MetaevalError as error:
        return Parcel(error)
