"""Tables, notes, findings and plots of strengths, of leaderboards and of win rates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from metaeval.analyses.sentences import best_of, join_names
from metaeval.arrays import Bools
from metaeval.errors import pluralize, setting
from metaeval.grid import round_to_grid
from metaeval.judges.preferences.cells import (
    INTERVAL,
    dots,
    interval,
    names_by_pair,
    on_pair,
    stacked,
    than_others,
    value_cells,
)
from metaeval.judges.preferences.compute import Preferences
from metaeval.judges.preferences.groups import SIGNS
from metaeval.judges.preferences.leaderboards import Leaderboards
from metaeval.judges.preferences.strengths import Strengths, WinRates
from metaeval.judges.preferences.study import PEOPLE
from metaeval.model.report import Note, Table, count, counts, score, scores, table, text
from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import distinct, extremes, has, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, not_shown, plot
from metaeval.render.plots.matrix import Heat, draw_heats
from metaeval.stats.correlation_tests import holm
from metaeval.stats.rank import best_first


def tables_of_strengths(result: Preferences) -> list[Table]:
    """Strengths by people, or else by judges; those by judges beside people; agreement of leaderboards; win rates."""
    main = result.strengths or result.strengths_of_judges
    tables = [_ranking("strengths", main), stacked(main, _head_to_head)]
    if result.strengths and result.strengths_of_judges:
        tables.append(_ranking("judge_strengths", result.strengths_of_judges))
    if result.strengths and not _obstacle(result.strengths)[0]:
        (one,) = result.strengths
        human_scores = table(
            "human_scores",
            "Strengths as human scores of the systems, for correlate",
            text("system", one.systems),
            score("strength", one.values),
            order=best_first(one.values),
            detail=True,
        )
        tables.append(human_scores)
    if result.leaderboards:
        tables.append(stacked(result.leaderboards, _leaderboard, judges=True))
    if result.win_rates:
        tables.append(stacked(result.win_rates, _win_rates))
    return tables


def _ranking(name: str, results: Sequence[Strengths]) -> Table:
    """The table of strengths; without strengths of all systems, wins and losses say why."""
    complete = not any(np.isnan(one.values).any() for one in results)
    grouped = any(len(one.members) > 1 for one in results)
    by_judges = name == "judge_strengths"
    by = "each judge" if by_judges or len({one.by for one in results}) > 1 else results[0].by
    head = name, f"Strengths of the systems by the verdicts of {by} (Davidson)"
    make = partial(_strengths, head=head, grouped=grouped, complete=complete, detail=by_judges)
    return stacked(results, make, judges=by_judges)


def _strengths(one: Strengths, *, head: tuple[str, str], grouped: bool, complete: bool, detail: bool) -> Table:
    rank_low, rank_high = one.rank_sets
    results = (one.wins.sum(axis=1), one.tied.sum(axis=1), one.wins.sum(axis=0))
    mean = "with mean 0" if complete and not grouped else "with mean 0 where known; no end of an interval: no bound"
    return table(
        *head,
        *([count("group", one.group + 1, about="systems that were compared, each group by itself")] if grouped else []),
        text("system", one.systems),
        score("strength", one.values, about=f"log odds of being preferred, {mean}", interval=("low", "high")),
        *scores(("low", "high"), (one.low, one.high), about=INTERVAL),
        count("rank", np.nan_to_num(one.ranks), where=~np.isnan(one.ranks), interval=("rank_low", "rank_high")),
        count("rank_low", rank_low, about=INTERVAL),
        count("rank_high", rank_high, about=INTERVAL),
        *counts(("wins", "ties", "losses"), results, detail=complete),
        order=one.best_first,
        detail=detail,
    )


def _head_to_head(one: Strengths) -> Table:
    """The verdicts on each pair of systems, the stronger one first."""
    order = np.array(one.best_first, dtype=np.intp)
    wins, tied = one.wins[np.ix_(order, order)], one.tied[np.ix_(order, order)]
    verdicts = wins + wins.T + tied
    first, second = np.nonzero(np.triu(verdicts, 1))
    total = verdicts[first, second]
    return table(
        "head_to_head",
        "Verdicts on each pair of systems",
        text("system", [one.systems[index] for index in order[first]]),
        text("other", [one.systems[index] for index in order[second]]),
        *counts(("wins", "ties", "losses"), (wins[first, second], tied[first, second], wins[second, first])),
        score(
            "share",
            (wins[first, second] + tied[first, second] / 2) / total,
            about="share of the verdicts that system wins; a tie is half a win",
        ),
        detail=True,
    )


_BOUNDS = "tau if pairs without significant orders by both are all ordered in opposite ways, or all in the same"


def _leaderboard(one: Leaderboards) -> Table:
    """The agreement of a judge's leaderboard with that of people."""
    exchanged = f"pairs of systems that the judge and {one.people} order in opposite ways, both significantly"
    interval = f"{INTERVAL} if true strengths are spread normally"
    return table(
        "leaderboards",
        f"Agreement of each judge's leaderboard with that of {one.people}",
        score("tau", one.tau.value, about="Kendall's tau between the strengths", interval=("low", "high")),
        *scores(("low", "high"), one.tau[1:3], about=interval),
        *scores(("bound_low", "bound_high"), one.bounds, about=_BOUNDS),
        count("exchanged", one.exchanged, about=exchanged),
        count("same", one.same, about="pairs that both order significantly in the same way"),
        count("pairs", one.pairs, about="pairs of systems"),
        order=[0],
        detail=True,
    )


def _win_rates(one: WinRates) -> Table:
    rates = np.array(one.rates).T
    return table(
        "win_rates",
        f"Win rates against {one.baseline}",
        text("system", one.systems),
        *value_cells("win_rate", (*rates, holm(rates[3])), "test that the win rate is 0.5; by Holm for all systems"),
        count("verdicts", one.verdicts, detail=True),
        order=best_first(rates[0]),
    )


def on_win_rates(results: Sequence[WinRates]) -> list[str]:
    """The system with the highest win rate, by the first verdicts."""
    if not results:
        return []
    one = results[0]
    values = np.array([rate.value for rate in one.rates])
    best = best_of(one.systems, round_to_grid(values))
    by = "" if one.by == PEOPLE else f", by the verdicts of {one.by}"
    if len(best) > 1:
        return [f"{join_names(best)} have the highest win rate against {one.baseline} ({values.max():.0%}{by})"]
    rate = one.rates[int(np.argmax(values))]
    value = f"{rate.value:.0%}, 95 % interval {rate.low:.0%} to {rate.high:.0%}{by}"
    return [f"{best[0]} has the highest win rate against {one.baseline}{on_pair(one.language_pair)} ({value})"]


def on_leaderboards(results: Sequence[Leaderboards]) -> list[str]:
    """How many pairs of systems the leaderboard of each judge would exchange."""
    if not results:
        return []
    if len(results) == 1:
        (one,) = results
        value = "undefined" if np.isnan(one.tau.value) else f"{one.tau.value:.2f}"
        tau = f"tau {value}, {interval(one.tau.low, one.tau.high)}"
        exchanged = f"exchange {one.exchanged or 'none'} of {pluralize(one.pairs, 'pair')} of systems significantly"
        return [f"A leaderboard by {one.by} would {exchanged} ({tau})"]
    sums: dict[str, tuple[int, int]] = {}
    for one in results:
        before, all_before = sums.get(one.by, (0, 0))
        sums[one.by] = before + one.exchanged, all_before + one.pairs
    names = join_names([f"{by} {exchanged} of {pairs:,}" for by, (exchanged, pairs) in sums.items()])
    return [f"Pairs of systems that a leaderboard by a judge would exchange significantly: {names}"]


def on_strengths(results: Sequence[Strengths]) -> list[str]:
    """The strongest system, or that of each language pair or judge."""
    by = "" if results[0].by == PEOPLE else f" by the verdicts of {results[0].by}"
    if len(results) == 1:
        (one,) = results
        if len(one.members) > 1:
            return [f"{_in_groups(one)}: each group is ranked by itself"]
        if (index := _strongest(one)) is None:
            return []
        value = f"{one.values[index]:.2f}, {interval(float(one.low[index]), float(one.high[index]))}"
        if np.isnan(one.values[index]):
            least = f"; 95 % interval from {one.low[index]:.2f} on" if np.isfinite(one.low[index]) else ""
            verb = "won or tied" if one.tied[index].any() else "won"
            value = f"it {verb} every verdict against the others{least}"
        than = than_others(int(one.better[index].sum()), len(one.systems) - 1, "stronger")
        return [f"{one.systems[index]} is the strongest system{by}{on_pair(one.language_pair)} ({value}){than}"]
    several = len({one.by for one in results}) > 1
    if several and any(one.language_pair for one in results):
        return []
    strongest = {
        (f"the verdicts of {one.by}" if several else one.language_pair): (one, index)
        for one in results
        if len(one.members) == 1 and (index := _strongest(one)) is not None
    }
    if not strongest:
        return []
    names = {key: [one.systems[index]] for key, (one, index) in strongest.items()}
    all_ahead = sum(int(one.better[index].sum()) == len(one.systems) - 1 for one, index in strongest.values())
    preposition, noun = ("by", "judge") if several else ("on", "language pair")
    of = f"{all_ahead or 'none'} of {pluralize(len(strongest), noun)}"
    than = f"significantly stronger than all others {preposition} {of}"
    return [f"{names_by_pair(names, 'is the strongest system', 'The strongest systems are')}, {than}"]


def _strongest(one: Strengths) -> int | None:
    """The only system that wins every verdict against the core, or else the strongest of the core.

    Without a core, that which is significantly stronger than all others; None without one.
    """
    above = np.flatnonzero(np.isposinf(one.high) & np.isfinite(one.low))
    if np.isnan(one.values).all():
        above = np.flatnonzero(one.better.sum(axis=1) == len(one.systems) - 1)
    if len(above) or np.isnan(one.values).all():
        return int(above[0]) if len(above) == 1 else None
    best = best_of(one.systems, round_to_grid(one.values))
    return one.systems.index(best[0]) if len(best) == 1 and len(one.systems) > 1 else None


def _in_groups(one: Strengths) -> str:
    names = [join_names([one.systems[index] for index in members]) for members in one.members]
    groups = f"{len(names)} groups, which were never compared with each other ({'; '.join(names)})"
    return f"The systems are in {groups}"


def _obstacle(results: Sequence[Strengths]) -> tuple[str, str]:
    """Why there are no human scores of all systems, and the remedy; '' if there are."""
    one = results[0]
    if len(results) > 1:
        why = f"strengths are of {len(results):,} language pairs"
        return why, "analyse the verdicts of a language pair by themselves"
    if len(one.members) > 1:
        why = _in_groups(one)
        return why[0].lower() + why[1:], "add verdicts on systems of different groups"
    if not one.wins.any():
        return "all verdicts are ties", "add verdicts that prefer an output"
    if np.isnan(one.values).any():
        return _without_ends(one), "add verdicts on these systems, or leave them out"
    return "", ""


def _without_ends(one: Strengths) -> str:
    """Which systems have no strength."""

    def names(mask: Bools) -> str:
        return join_names([one.systems[index] for index in np.flatnonzero(mask)])

    if np.isnan(one.values).all():
        return "no two systems have verdicts for either of them"
    above, below = np.isposinf(one.high), np.isneginf(one.low)
    rest = np.isnan(one.values) & ~above & ~below
    kinds = {"won": above, "lost": below, "have no order with": rest}
    parts = [
        f"{names(mask)} {verb} {'the others' if mask is rest else 'every verdict against the others'}"
        for verb, mask in kinds.items()
        if mask.any()
    ]
    return ", and ".join(parts)


def notes_on_strengths(result: Preferences) -> list[Note | str]:
    """How intervals and ranks are made, and which strengths have no end, or are missing."""
    main = result.strengths or result.strengths_of_judges
    tests = f"tests of all pairs of systems, by {SIGNS:,} random signs of clusters"
    notes: list[Note | str] = []
    if any(not np.isnan(one.values).all() for one in main):
        notes = [
            f"intervals of strengths are by Student's t, those of ranks from {tests}",
            "a difference in strength of 1 stands for odds of 2.7 of being preferred",
        ]
    for one in main:
        if one.wins.any() and np.isnan(one.values).any() and not np.isnan(one.values).all():
            by = f" by {one.by}" if len({strengths.by for strengths in main}) > 1 else ""
            notes.append(f"no strength{on_pair(one.language_pair)}{by}: {_without_ends(one)}")
    if result.leaderboards and not all(one.bounds[0] == one.bounds[1] for one in result.leaderboards):
        widest = min(result.leaderboards, key=lambda board: board.bounds[0])
        wide = f"if a judge reverses nearly equal systems, tau may be {widest.bounds[0]:.2f} to {widest.bounds[1]:.2f}"
        of = f" ({widest.by}{on_pair(widest.language_pair)})" if len(result.leaderboards) > 1 else ""
        notes.append(f"the interval of tau in leaderboards takes true strengths to be normal; {wide}{of}")
    if result.strengths:
        why, remedy = _obstacle(result.strengths)
        if why:
            nothing = "no strengths and no" if np.isnan(result.strengths[0].values).all() else "no"
            notes.append(Note(f"{nothing} human_scores: {why}", absent="human_scores", remedy=remedy))
    elif main:
        remedy = f"name people with {setting('humans')}, or add their verdicts"
        notes.append(Note("no human_scores: no verdict is by people", absent="human_scores", remedy=remedy))
    return notes


@plot(
    "strengths",
    title="Strengths of the systems by their verdicts",
    example="preferences sample_data/preferences/verdicts.csv --judge juno --judge kite",
)
def strengths(tables: Tables) -> Picture | None:
    """The strength of each system, on each language pair or by each judge, with its interval."""
    table = tables["strengths"]
    first = "judge" if has(table, "judge") else "language_pair"
    return dots(table, first, texts(table, "system"), "strength", "Strength (log odds)")


MAX_SYSTEMS, MAX_MATRICES = 40, 6
"""Numbers of systems and of language pairs above which shares of verdicts are not drawn."""


@plot(
    "win_matrix",
    title="Share of verdicts that each system wins against each other",
    needs=("strengths", "head_to_head"),
    example="preferences sample_data/preferences/verdicts.csv --judge juno --judge kite",
)
def win_matrix(tables: Tables) -> Picture | None:
    """A matrix for each language pair: the share of the verdicts that the row wins against the column."""
    table = tables["head_to_head"]
    names = distinct(texts(tables["strengths"], "system"))
    sides, shares = (texts(table, "system"), texts(table, "other")), numbers(table, "share")
    key = next((name for name in ("language_pair", "judge") if has(table, name)), "")
    language_pairs = texts(table, key) if key else [""] * len(shares)
    if np.isnan(shares).all() or len(names) > MAX_SYSTEMS:
        return None
    values = {
        language_pair: np.full((len(names), len(names)), np.nan)
        for language_pair in distinct(language_pairs)[:MAX_MATRICES]
    }
    for language_pair, one, other, share in zip(language_pairs, *sides, shares, strict=True):
        if language_pair in values:
            first, second = names.index(one), names.index(other)
            values[language_pair][first, second], values[language_pair][second, first] = share, 1 - share
    what = "share of the verdicts that the row wins against the column (a tie is half a win)"
    heats = {
        language_pair: Heat(rows=names, columns=names, values=matrix, limits=(0.0, 1.0), what=what)
        for language_pair, matrix in values.items()
    }
    hidden = not_shown((len(set(language_pairs)) - len(heats), "more language pair"))
    parts = []
    for language_pair, matrix in values.items():
        _, (row, column) = extremes(matrix)
        on = f"{language_pair}: " if language_pair else ""
        parts.append(f"{on}{names[row]} against {names[column]} {number(matrix[row, column])}")
    alt = f"Matrix of the share of verdicts that each of {pluralize(len(names), 'system')} wins against each other. "
    alt += f"Highest: {'; '.join(parts)}. {hidden}"
    return Picture(alt.strip(), lambda palette, title: draw_heats(palette, title, heats, remark=hidden))
