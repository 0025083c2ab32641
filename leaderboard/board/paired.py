"""A system against the one it is based on: differences over the same questions, each score with its paired test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.board.aggregate import column, plain_mean, shown
from leaderboard.board.clusters import clusters
from leaderboard.board.rows import CellScores, System
from leaderboard.board.tables import Column, Row, Table, Value
from leaderboard.calls.spending import Price
from leaderboard.scoring.declared import BY_KEY
from leaderboard.scoring.metric import Metric
from leaderboard.scoring.score import Scores
from leaderboard.statistics.intervals import bootstrap_seed
from leaderboard.statistics.paired import (
    cluster_sums,
    difference_interval,
    mcnemar,
    paired_bootstrap,
    sign_flip,
)

Prices = Mapping[str, Price]
"""The board's price table: model → price. A model that isn't in it has no known price."""

_Values = npt.NDArray[np.float64]
_COSTS = ("prompt_tokens", "completion_tokens", "usd", "calls", "retrieved_tokens", "evidence_recall")
_SEARCHING = ("fact_recall_10", "mrr_10", "map_10")
_SUFFIX = "_difference"
_USD = Column(
    key="usd" + _SUFFIX,
    label="Δ US dollars",
    hint="Difference of the mean cost a question: tokens times the board's price table. Unknown without a price.",
    decimals=5,
    percent=False,
    higher_is_better=False,
    source="spec § 0, rule R11",
    unit="a question",
    range=(None, None),
)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A benchmark on which both systems are complete, with the scores of both."""

    benchmark: Benchmark
    mine: Scores
    other: Scores

    @property
    def repeats(self) -> int:
        """How often the one that was run less often was run."""
        return min(self.mine.run.run.repeats, self.other.run.run.repeats)

    @property
    def single(self) -> bool:
        """Whether both were run once, so that each question is right or wrong."""
        return self.mine.run.run.repeats == self.other.run.run.repeats == 1

    def differences(self, metric: Metric) -> _Values:
        """Return mine less the other's a question, NaN where either is unknown or does not apply."""
        values: _Values = self.mine.of(metric) - self.other.of(metric)
        return values


def against_parent(
    system: System, parent: System, ranked: Sequence[Benchmark], also: Sequence[Benchmark], prices: Prices
) -> Table | None:
    """Return what changes from ``parent`` to ``system``, a row a benchmark on which both are complete.

    ``ranked`` are the benchmarks of Overall, which has a row where both are complete on all of them. ``None`` where
    there is no such benchmark, and where only one of the two asks a model: they have no score in common.
    """
    if system.asks_model is not parent.asks_model:
        return None
    headline = BY_KEY["match" if system.asks_model else "all_gold_10"]
    keys = _COSTS if system.asks_model else _SEARCHING
    pairs = [pair for one in (*ranked, *also) if (pair := _pair(one, system, parent))]
    if not pairs:
        return None
    rows = [_row(pair, headline, keys, prices) for pair in pairs]
    if (
        system.asks_model
        and len(ranked) > 1
        and [pair.benchmark for pair in pairs[: len(ranked)]] == [*ranked]
    ):
        rows.insert(0, _overall(pairs[: len(ranked)], rows[: len(ranked)], headline, keys))
    return Table(
        key=f"{system.key}-parent",
        title=f"{_heading(system, parent)}: {parent.name}",
        caption=_caption(system.asks_model),
        row_heading="Benchmark",
        columns=(*_score_columns(headline), *(_column(key) for key in keys)),
        rows=tuple(rows),
    )


def _heading(system: System, parent: System) -> str:
    compiled = system.compiled and not parent.compiled
    return "Against its uncompiled parent" if compiled else "Against the system it is based on"


def _caption(asks_model: bool) -> str:
    said = "This system less the other, over the same questions. In brackets, the 95 % interval where there is one."
    tests = (
        " p is two-sided: exact McNemar on a benchmark, paired sign-flip on Overall and on means of several runs. It "
        "holds for these questions, and isn't corrected for the number of rows."
    )
    single = " A single run doesn't measure how much a model varies from run to run."
    return said + tests + (single if asks_model else "")


def _pair(benchmark: Benchmark, system: System, parent: System) -> _Pair | None:
    mine, other = (_complete(one.at(benchmark.name)) for one in (system, parent))
    return _Pair(benchmark, mine, other) if mine and other else None


def _complete(cell: CellScores | None) -> Scores | None:
    return cell.scores if cell and cell.cell.state == "complete" else None


def _row(pair: _Pair, headline: Metric, keys: Sequence[str], prices: Prices) -> Row:
    differences = pair.differences(headline)
    known = ~np.isnan(differences)
    moved = differences[known]
    n, wins, losses = len(moved), int((moved > 0).sum()), int((moved < 0).sum())
    seed = _seed([pair.benchmark])
    if pair.single:
        p, interval = mcnemar(wins, losses), difference_interval(wins, losses, n)
    else:
        tied = np.array(clusters([pair.benchmark]))[known].tolist()
        p = sign_flip(cluster_sums(moved.tolist(), tied), seed=seed)
        mine, other = (scores.of(headline)[known].tolist() for scores in (pair.mine, pair.other))
        interval = paired_bootstrap(mine, other, seed=seed)
    values = _score(float(moved.mean()) if n else None, wins, losses, p, n)
    if interval and n:
        values["difference"] = values["difference"].model_copy(update={"interval": shown(interval)})
    for key in keys:
        values[key + _SUFFIX] = _cost(pair, prices) if key == "usd" else _mean(pair, BY_KEY[key])
    return Row(key=pair.benchmark.name, label=pair.benchmark.label, marks=_marks([pair]), values=values)


def _overall(pairs: Sequence[_Pair], rows: Sequence[Row], headline: Metric, keys: Sequence[str]) -> Row:
    """Return the row of Overall: the unweighted means of the benchmarks' differences, tested by sign-flip (R7)."""
    weighted = [pair.differences(headline) / (len(pairs) * len(pair.mine.scored)) for pair in pairs]
    benchmarks = [pair.benchmark for pair in pairs]
    p = sign_flip(
        cluster_sums(np.concatenate(weighted).tolist(), clusters(benchmarks)), seed=_seed(benchmarks)
    )
    wins, losses = (sum(int(row.values[key].value or 0) for row in rows) for key in ("wins", "losses"))
    n = sum(row.values["difference"].n for row in rows)
    difference = plain_mean([row.values["difference"] for row in rows]).value
    values = _score(difference, wins, losses, p, n)
    for key in keys:
        values[key + _SUFFIX] = plain_mean([row.values[key + _SUFFIX] for row in rows])
    return Row(key="overall", label="Overall", marks=_marks(pairs), values=values)


def _score(difference: float | None, wins: int, losses: int, p: float, n: int) -> dict[str, Value]:
    note = "" if n else "does not apply"
    found = {"difference": difference, "wins": float(wins), "losses": float(losses), "p": p}
    return {key: Value(value=value if n else None, n=n, note=note) for key, value in found.items()}


def _mean(pair: _Pair, metric: Metric) -> Value:
    """Return the mean paired difference of a metric over the questions it applies to; unknown if one of them is."""
    if not (pair.mine.knows(metric) and pair.other.knows(metric)):
        return Value(value=None, n=0, note="does not apply to both")
    applying = np.array([metric.applies(question) for question in pair.benchmark.questions], dtype=np.bool_)
    return _mean_of(pair, pair.mine.of(metric)[applying], pair.other.of(metric)[applying])


def _cost(pair: _Pair, prices: Prices) -> Value:
    """Return the mean paired difference of cost in US dollars by the price table (rule R11)."""
    found = []
    for scores in (pair.mine, pair.other):
        model = scores.cell.submission.document.model
        if model not in prices:
            return Value(value=None, n=0, note=f"unknown: {model} has no price in leaderboard.toml")
        usage = [scores.of(BY_KEY[key]) for key in ("prompt_tokens", "cached_tokens", "completion_tokens")]
        known = [
            [None if np.isnan(count) else float(count) for count in one] for one in zip(*usage, strict=True)
        ]
        costs = [prices[model].of(prompt, cached, completion) for prompt, cached, completion in known]
        found.append(np.array([np.nan if cost is None else cost for cost in costs], dtype=np.float64))
    return _mean_of(pair, *found)


def _mean_of(pair: _Pair, mine: _Values, other: _Values) -> Value:
    unknown = int(np.isnan(mine - other).sum())
    if unknown or not len(mine):
        note = f"unknown for {unknown} of {len(mine)} questions" if len(mine) else "does not apply"
        return Value(value=None, n=0, note=note)
    interval = paired_bootstrap(mine.tolist(), other.tolist(), seed=_seed([pair.benchmark]))
    return Value(
        value=float((mine - other).mean()), n=len(mine), interval=shown(interval) if interval else None
    )


def _marks(pairs: Sequence[_Pair]) -> tuple[str, ...]:
    """Return what a row's reader should know: how often the systems were run, and with which revision."""
    marks = []
    if pairs[0].mine.cell.program.asks_model:
        repeats = min(pair.repeats for pair in pairs)
        marks.append("single run" if repeats == 1 else f"mean of {repeats} runs")
    if any(scores.cell.stale_parts for pair in pairs for scores in (pair.mine, pair.other)):
        marks.append("older revision")
    return tuple(marks)


def _seed(benchmarks: Sequence[Benchmark]) -> int:
    return bootstrap_seed([question.id for one in benchmarks for question in one.questions])


def _score_columns(headline: Metric) -> tuple[Column, ...]:
    right = "right" if headline.key == "match" else f"with {headline.label}"
    return (
        _column(headline.key).model_copy(update={"key": "difference"}),
        _counted("wins", f"Only this {right}", f"Questions {right} in this system alone"),
        _counted("losses", f"Only the other {right}", f"Questions {right} in the other system alone"),
        Column(
            key="p",
            label="p",
            hint="Two-sided p of the paired test: how often chance alone, with neither system better, would show a "
            "difference as large.",
            decimals=4,
            percent=False,
            higher_is_better=None,
            source="spec § 0, rule R7",
            small=True,
        ),
    )


def _counted(key: str, label: str, hint: str) -> Column:
    return Column(
        key=key,
        label=label,
        hint=f"{hint}; of several runs, those with the higher mean.",
        decimals=0,
        percent=False,
        higher_is_better=None,
        source="spec § 7.3",
        unit="questions",
        range=(0.0, None),
    )


def _column(key: str) -> Column:
    if key == "usd":
        return _USD
    metric = BY_KEY[key]
    one = column(metric, key=key + _SUFFIX, label=f"Δ {metric.label}", hint=f"Difference. {metric.hint}")
    unit = "points" if metric.percent else metric.unit
    return one.model_copy(update={"unit": unit, "range": (-1.0, 1.0) if metric.percent else (None, None)})
