"""The three benchmarks at their published sizes, of invented words, and what reading and searching them takes.

``python -m tests.performance.full_size`` writes the files into a temporary folder and prints a line a benchmark and
retriever: seconds to load, to index from nothing, to open the index again, to search for every question; peak memory.
Each is measured in a process of its own.
"""

from __future__ import annotations

import csv
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from leaderboard.benchmarks.frames import HEADER, REASONING_TYPES
from leaderboard.wikipedia.corpus_file import Article, article_digest, write_corpus

VOCABULARY = 60_000
ZIPF = 1.05
"""The exponent of the words' frequencies, that of English text."""

MUSIQUE_TYPES = (
    ("2hop", 2, 1252),
    ("3hop1", 3, 568),
    ("3hop2", 3, 192),
    ("4hop1", 4, 246),
    ("4hop2", 4, 64),
    ("4hop3", 4, 95),
)
MULTIHOP_TYPES = (
    ("inference_query", 816),
    ("comparison_query", 856),
    ("temporal_query", 583),
    ("null_query", 301),
)


class Words:
    """An endless stream of invented words, some frequent and most rare, the same for one seed."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        letters = "abcdefghijklmnopqrstuvwxyz"
        self._words = ["".join(chance.choices(letters, k=chance.randint(2, 10))) for _ in range(VOCABULARY)]
        weights = 1 / np.arange(1, VOCABULARY + 1) ** ZIPF
        self._reached = np.cumsum(weights / weights.sum())
        self._drawn = np.random.default_rng(seed)

    def take(self, count: int) -> list[str]:
        """Return the next ``count`` words."""
        places = np.searchsorted(self._reached, self._drawn.random(count), side="right")
        return [self._words[min(place, VOCABULARY - 1)] for place in places]

    def sentences(self, count: int, length: int = 20) -> list[str]:
        """Return the next ``count`` sentences of ``length`` words and a full stop."""
        words = self.take(count * length)
        return [
            " ".join(words[start : start + length]).capitalize() + "."
            for start in range(0, len(words), length)
        ]


def write_frames(folder: Path, share: float = 1.0) -> None:
    """Write 824 questions and 2,600 articles of some 3,000 tokens; 2 to 15 gold articles a question."""
    words, chance = Words(1), random.Random(1)
    articles = int(2600 * share)
    titles = [f"{' '.join(words.take(2)).title()} {number}" for number in range(articles)]
    keys = [f"en.wikipedia.org|{title}" for title in titles]
    texts = ("\n".join(" ".join(words.sentences(5)) for _ in range(29)) for _ in titles)
    frozen = [
        Article(
            key,
            title,
            number,
            number,
            "2024-08-01T00:00:00Z",
            "",
            text,
            (),
            article_digest(title, text),
            (key,),
        )
        for number, (key, title, text) in enumerate(zip(keys, titles, texts, strict=True), start=1)
    ]
    write_corpus(folder / "articles.parquet", frozen, {"before": "2024-09-01T00:00:00Z"})
    with (folder / "test.tsv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        table.writerow(HEADER)
        for number in range(int(824 * share)):
            gold = chance.sample(titles, min(11, 2 + int(chance.expovariate(0.8))))
            links = [f"https://en.wikipedia.org/wiki/{title.replace(' ', '_')}" for title in gold]
            columns = [*links[:10], *[""] * (10 - len(links)), *(links[10:] or [""])]
            prompt = f"Which {' '.join(words.take(40))} of {gold[0]}?"
            types = " | ".join(t for t in REASONING_TYPES if chance.random() < 0.4) or REASONING_TYPES[0]
            table.writerow([number, prompt, " ".join(words.take(3)), *columns, types, repr(links)])


def write_musique(folder: Path, share: float = 1.0) -> None:
    """Write 2,417 questions of 20 paragraphs each, 48,340 in all and no two alike."""
    words, chance = Words(2), random.Random(2)
    number = 0
    with (folder / "musique_ans_v1.0_dev.jsonl").open("w", encoding="utf-8") as file:
        for name, hops, count in MUSIQUE_TYPES:
            for _ in range(int(count * share)):
                number += 1
                supporting = sorted(chance.sample(range(20), hops))
                paragraphs = [
                    {
                        "idx": idx,
                        "title": f"{' '.join(words.take(2)).title()} {number} {idx}",
                        "paragraph_text": " ".join(words.sentences(4)),
                        "is_supporting": idx in supporting,
                    }
                    for idx in range(20)
                ]
                steps = [
                    {
                        "id": idx,
                        "question": " ".join(words.take(6)),
                        "answer": "x",
                        "paragraph_support_idx": idx,
                    }
                    for idx in supporting
                ]
                row = {
                    "id": f"{name}__" + "_".join(str(number * 10 + hop) for hop in range(hops)),
                    "paragraphs": paragraphs,
                    "question": f"{' '.join(words.take(12))} {paragraphs[supporting[0]]['title']}?",
                    "question_decomposition": steps,
                    "answer": " ".join(words.take(2)),
                    "answer_aliases": [],
                    "answerable": True,
                }
                file.write(json.dumps(row) + "\n")


def write_multihop_rag(folder: Path, share: float = 1.0) -> None:
    """Write 2,556 queries of 0 or 2 to 4 facts, and 609 articles of some 2,046 tokens that hold them."""
    words, chance = Words(3), random.Random(3)
    articles, facts = [], []
    for number in range(int(609 * share)):
        sentences = words.sentences(97)
        title, url = f"{' '.join(words.take(6)).title()} {number}", f"https://news.example/{number}"
        articles.append(
            {"title": title, "author": "", "source": "News", "published_at": "2023-11-01", "category": "c", "url": url, "body": " ".join(sentences)}
        )  # fmt: skip
        facts += [{"fact": fact, "title": title, "url": url, "author": "", "source": "News", "category": "c", "published_at": "x"} for fact in chance.sample(sentences, 5)]  # fmt: skip
    queries = []
    for kind, count in MULTIHOP_TYPES:
        for _ in range(int(count * share)):
            evidence = [] if kind == "null_query" else chance.sample(facts, chance.choice((2, 2, 3, 3, 4)))
            subject = " ".join(item["fact"][:60] for item in evidence) or " ".join(words.take(20))
            queries.append(
                {"query": f"{' '.join(words.take(20))} {subject}?", "answer": "Yes" if evidence else "Insufficient information.", "question_type": kind, "evidence_list": evidence}
            )  # fmt: skip
    (folder / "corpus.json").write_text(json.dumps(articles), encoding="utf-8")
    (folder / "MultiHopRAG.json").write_text(json.dumps(queries), encoding="utf-8")


WRITERS: dict[str, Callable[[Path, float], None]] = {
    "frames": write_frames,
    "musique": write_musique,
    "multihop_rag": write_multihop_rag,
}


def write(data_dir: Path, share: float = 1.0) -> None:
    """Write a folder a benchmark into ``data_dir``, ``share`` of the published size."""
    for name, writer in WRITERS.items():
        (data_dir / name).mkdir(parents=True)
        writer(data_dir / name, share)


def measured(data_dir: Path, benchmark: str, retriever: str, cache: Path) -> dict[str, float | str]:
    """Measure one benchmark with one retriever in a process of its own, from an empty cache."""
    environment = {**os.environ, "LEADERBOARD_CACHE_DIR": str(cache / f"{benchmark}-{retriever}")}
    command = [sys.executable, "-m", "tests.performance.full_size", str(data_dir), benchmark, retriever]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    values: dict[str, float | str] = json.loads(done.stdout)
    return values


def _measure(data_dir: Path, name: str, kind: str) -> dict[str, float | str]:
    from leaderboard.benchmarks.registry import load_benchmark
    from leaderboard.catalog.encoders import BUILT_IN
    from leaderboard.catalog.retrievers import BM25, Dense, Hybrid
    from leaderboard.retrieval.opening import open_retriever

    started = time.perf_counter()
    benchmark = load_benchmark(name, "full", data_dir)
    load_s = time.perf_counter() - started
    parameters = {"bm25": BM25, "dense": Dense, "hybrid": Hybrid}[kind](
        kind=kind, unit="passage", chunk_tokens=256
    )
    encoder = None if kind == "bm25" else BUILT_IN[parameters.encoder]
    times = []
    for _ in range(2):
        started = time.perf_counter()
        retriever = open_retriever(parameters, benchmark, encoder)
        times.append(time.perf_counter() - started)
    assert retriever is not None
    started = time.perf_counter()
    for question in benchmark.questions:
        retriever.search(question.text, 10)
    search_s = time.perf_counter() - started
    return {
        "benchmark": name,
        "retriever": kind,
        "questions": len(benchmark.questions),
        "documents": len(benchmark.documents),
        "load_s": load_s,
        "index_s": times[0],
        "open_again_s": times[1],
        "search_s": search_s,
        "questions_per_s": len(benchmark.questions) / search_s,
        "peak_mb": _peak_mb(),
    }


def _peak_mb() -> float:
    """Return this program's own peak: the kernel's count of a process starts with that of its parent."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _all() -> Iterator[dict[str, float | str]]:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "data")
        for name in WRITERS:
            for kind in ("bm25", "dense", "hybrid"):
                yield measured(Path(folder) / "data", name, kind, Path(folder) / "cache")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(json.dumps(_measure(Path(sys.argv[1]), sys.argv[2], sys.argv[3])))
    else:
        for values in _all():
            print(
                "  ".join(f"{k} {v:.2f}" if isinstance(v, float) else str(v) for k, v in values.items()),
                flush=True,
            )
