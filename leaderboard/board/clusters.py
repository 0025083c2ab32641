"""Questions that stand and fall together: a paired test flips them with one sign (spec § 0, R7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leaderboard.benchmarks.questions import Benchmark, Question
from leaderboard.metrics.musique_ids import parse_musique_id


def clusters(benchmarks: Sequence[Benchmark]) -> tuple[int, ...]:
    """Return a cluster's number for each question of the benchmarks, in their order.

    Questions with one wording are a cluster, and those of MuSiQue that share a single-hop question, directly or
    through others (spec § 7.6).
    """
    questions = [(benchmark.name, question) for benchmark in benchmarks for question in benchmark.questions]
    root = list(range(len(questions)))

    def find(place: int) -> int:
        while root[place] != place:
            root[place] = place = root[root[place]]
        return place

    first: dict[tuple[str, str], int] = {}
    for place, (name, question) in enumerate(questions):
        for tie in _ties(name, question):
            one, two = find(first.setdefault(tie, place)), find(place)
            root[max(one, two)] = min(one, two)
    return tuple(map(find, range(len(questions))))


def _ties(benchmark: str, question: Question) -> Iterator[tuple[str, str]]:
    """Yield what ties a question to every other that has the same."""
    yield "wording", question.text
    if benchmark == "musique":
        try:
            parts = parse_musique_id(question.id).parts
        except ValueError:  # an id of another form names no single hops
            return
        yield from (("hop", part) for part in parts)
