"""HotpotQA in the distractor setting: the official rows, and a corpus of all their paragraphs."""

from __future__ import annotations

import html
from pathlib import Path

from leaderboard.benchmarks.native_files import only_file, read_native, shown
from leaderboard.benchmarks.questions import Benchmark, Breakdown, Defect, Question, Track, track_label
from leaderboard.benchmarks.supporting_facts import (
    CORPUS_ADVICE,
    all_rows,
    by_title,
    check_twins,
    context,
    corpus_of,
    gold,
    own_paragraphs,
    trimmed,
)

FILE = "hotpot_dev_distractor_v1.json"
SUPPORTING = (2,)
BREAKDOWNS = (
    Breakdown(
        "question_type",
        "Question type",
        ("bridge", "comparison"),
        "A bridge question reaches its answer over an entity that it doesn't name; a comparison question sets two"
        " entities against each other.",
    ),
)
_ADVICE = "Fetch the distractor dev set again (hotpotqa.github.io) and leave its file unchanged."


def load(folder: Path, track: Track, corpus: Path | None = None) -> Benchmark:
    """Load ``hotpot_dev_distractor_v1.json``, else the one ``distractor_dev_*.jsonl`` with a row a line.

    The corpus is ``corpus`` (passages with title and text), else every distinct paragraph of the file. The
    sentences of a paragraph are joined with nothing between them: published sentences begin with their own space.
    Documents and evidence are identified by ``paragraph_key``; the evidence is the supporting paragraphs, in the
    order of the supporting facts. Raises BenchmarkError.
    """
    file = read_native(only_file(folder, FILE, "distractor_dev_*.jsonl", _ADVICE), _ADVICE)
    sources = {file.name: file.digest}
    defects: list[Defect] = []
    rows = all_rows(file, _ADVICE)
    contexts = [context(row, "", defects) for row in rows]
    if corpus is None:
        documents = own_paragraphs(contexts)
    else:
        passages = read_native(corpus, CORPUS_ADVICE)
        sources[passages.name] = passages.digest
        documents = corpus_of(passages, defects)
    titles = by_title(documents.values())
    questions = []
    for row, paragraphs in zip(rows, contexts, strict=True):
        kind = row.text("type")
        if kind not in BREAKDOWNS[0].labels:
            row.refuse(f"a type of {', '.join(BREAKDOWNS[0].labels)}", shown(kind))
        text, answer = trimmed(row, "question", defects), trimmed(row, "answer", defects)
        evidence = gold(row, paragraphs, documents, titles, SUPPORTING, defects)
        questions.append(
            Question(row.text("_id"), text, answer, (), evidence, {"question_type": (kind,)}),
        )
    check_twins(rows, questions, defects)
    if escaped := sum(html.unescape(document.title) != document.title for document in documents.values()):
        problem = f"titles with an HTML entity such as &amp;: {escaped:,} of {len(documents):,}"
        defects.append(Defect(file.name, None, problem, "left as published"))
    return Benchmark(
        name="hotpotqa",
        label=track_label("HotpotQA", track),
        track=track,
        questions=tuple(questions),
        documents=tuple(documents.values()),
        breakdowns=BREAKDOWNS,
        chunked=False,
        defects=tuple(defects),
        sources=sources,
    )
