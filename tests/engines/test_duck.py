"""DuckDB within its limits, and the errors if they are too narrow."""

import os
import re
from collections.abc import Sequence

import pytest

from metaeval.engines.duck import Limits, connected
from metaeval.errors import InputError

LEAST = Limits(128 << 20)


def _run(queries: Sequence[str]) -> None:
    with connected(LEAST) as connection:
        for query in queries:
            list(connection.batches(query, 100)) if query.startswith("SELECT") else connection.execute(query)


def _refusal(*queries: str) -> str:
    with pytest.raises(InputError) as refused:
        _run(queries)
    return str(refused.value)


def test_what_duckdb_can_not_do_is_told_with_a_way_out() -> None:
    message = _refusal("SELECT list(range) FROM range(100_000_000)")
    assert "128 MB of memory for DuckDB" in message
    assert message.endswith("What to do: increase the limit, as in memory='256MB'.")
    assert "SET " not in message
    spilling = "CREATE TABLE t AS SELECT hash(range) AS a, hash(range + 1) AS b FROM range(30_000_000)"
    message = _refusal("SET max_temp_directory_size = '1MB'", spilling)
    assert "no disk space for temporary files" in message
    assert "TMPDIR" in message
    failing = "SELECT CASE WHEN range > 3_000_000 THEN error('boom') END AS a FROM range(4_000_000)"
    assert re.search(r"Parquet cannot be read \(.*boom", _refusal(failing))


def test_shares_of_memory_have_a_thread_each_or_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert [Limits(share << 20).threads for share in (128, 300, 2048)] == [1, 2, 8]
    with connected(Limits(300 << 20)) as connection:
        assert connection.execute("SELECT current_setting('threads')").fetchall() == [(2,)]
    whole = Limits(4 << 30)
    share = whole.share(4)
    assert (share.bytes, share.threads) == (1 << 30, 1)
    assert Limits().share(2).bytes == Limits().bytes // 2
    with connected(share) as connection:
        assert connection.execute("SELECT current_setting('memory_limit')").fetchall() == [("1.0 GiB",)]
    message = "100 MB of memory for DuckDB for each of 4 workers.*use memory='512MB' or more, or fewer workers"
    with pytest.raises(InputError, match=re.compile(message, re.DOTALL)):
        Limits(400 << 20).share(4).check()
    Limits(512 << 20).share(4).check()
