"""Ctrl-C within calls that would lose it, and outside of them."""

import signal
from collections.abc import Callable
from contextlib import suppress
from threading import Thread, Timer, main_thread

import pytest

from metaeval.engines.duck import Connection, Limits, connected
from metaeval.io.files.source import delayed_interrupts


@pytest.mark.parametrize("swallows", [True, False])
def test_an_interrupt_that_a_call_swallows_or_replaces_is_raised_after_it(swallows: bool) -> None:
    def interrupted() -> None:
        # What C++ does that imports a package in passing.
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        if not swallows:
            raise ValueError

    with delayed_interrupts() as interrupts, pytest.raises(KeyboardInterrupt):
        interrupts.call(interrupted)


def test_a_call_is_told_to_stop_at_once() -> None:
    events: list[str] = []

    def work() -> None:
        signal.raise_signal(signal.SIGINT)
        events.append("went on")

    with delayed_interrupts() as interrupts:
        interrupts.stop = lambda: events.append("stop")
        with pytest.raises(KeyboardInterrupt):
            interrupts.call(work)
    assert events == ["stop", "went on"]


def test_between_calls_an_interrupt_is_what_it_was() -> None:
    with delayed_interrupts() as interrupts:
        assert interrupts.call(sum, (1, 2)) == 3
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert interrupts.call(sum, (1, 2)) == 3


def test_the_handler_is_the_old_one_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT)
    with suppress(ValueError), delayed_interrupts():
        assert signal.getsignal(signal.SIGINT) is not before
        raise ValueError
    assert signal.getsignal(signal.SIGINT) is before


def test_whoever_ignores_interrupts_goes_on_doing_so() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with delayed_interrupts() as interrupts:
            interrupts.call(signal.raise_signal, signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_leaves_the_handler_alone() -> None:
    before = signal.getsignal(signal.SIGINT)
    results = []

    def read() -> None:
        with delayed_interrupts() as interrupts:
            results.append((signal.getsignal(signal.SIGINT), interrupts.call(sum, (1, 2))))

    thread = Thread(target=read)
    thread.start()
    thread.join()
    assert results == [(before, 3)]


def _batches(connection: Connection, query: str) -> object:
    return list(connection.batches(query, 10))


@pytest.mark.parametrize("fetch", [_batches, Connection.execute])
def test_an_interrupt_ends_a_query_that_would_take_long(fetch: Callable[[Connection, str], object]) -> None:
    main = main_thread().ident or 0
    timer = Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT))

    def begin_and_fetch(connection: Connection) -> None:
        # Should it come before the query has begun, the query never begins.
        timer.start()
        fetch(connection, "SELECT sum(hash(a.range) // 3) FROM range(10_000_000) a, range(1_000_000) b")

    with connected(Limits()) as connection, pytest.raises(KeyboardInterrupt):
        begin_and_fetch(connection)
