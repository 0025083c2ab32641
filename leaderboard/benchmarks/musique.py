"""MuSiQue-Ans: the official JSON lines, and a corpus of paragraphs (spec § 1.3 and § 1.5)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from leaderboard.benchmarks.native_files import (
    NativeFile,
    Row,
    json_items,
    json_lines,
    only_file,
    read_native,
    shown,
)
from leaderboard.benchmarks.questions import (
    Benchmark,
    Breakdown,
    Defect,
    Document,
    Evidence,
    Question,
    Track,
    paragraph_key,
    track_label,
)
from leaderboard.metrics.musique_ids import MusiqueId, parse_musique_id

POOL_FILE = "passages_pool.jsonl"
HIPPORAG_FILE, HIPPORAG_CORPUS = "musique.json", "musique_corpus.json"
PARAGRAPHS = 20
"""Paragraphs of an answerable row."""

SHAPES = {
    "2hop": "2hop: chain",
    "3hop1": "3hop1: chain",
    "3hop2": "3hop2: two independent facts joined",
    "4hop1": "4hop1: chain",
    "4hop2": "4hop2: join, then one more step",
    "4hop3": "4hop3: chain of two joined with an independent fact",
}
BREAKDOWNS = (
    Breakdown("hops", "Hops", ("2", "3", "4"), "Single-hop questions that the question is composed of."),
    Breakdown(
        "shape", "Composition", tuple(SHAPES.values()), "How the hops depend on each other, by the id's type."
    ),
)
_ADVICE = "Fetch MuSiQue-Ans v1.0 again (github.com/StonyBrookNLP/musique) and leave its files unchanged."
_TRAIN_ADVICE = "Fetch it with: leaderboard data fetch musique --optional"
_POOL_ADVICE = 'Each line is {"passage_id": …, "title": …, "text": …}; without the file, the questions\' paragraphs serve.'


def load(folder: Path, track: Track, corpus: Path | None = None) -> Benchmark:
    """Load the dev split: ``musique_ans_v1.0_dev.jsonl``, else the one ``musique_ans_v1.0_dev_*.jsonl``.

    Where neither is there, ``musique.json`` is read, the 1,000 dev questions that HippoRAG samples, with their corpus
    ``musique_corpus.json``. Else the corpus is ``corpus``, else ``passages_pool.jsonl`` in ``folder`` if it is there, else every distinct
    paragraph of the file. Documents and evidence are identified by ``paragraph_key``. Raises BenchmarkError.
    """
    return _load(folder, track, "dev", corpus)


def load_train(folder: Path, track: Track, corpus: Path | None = None) -> Benchmark:
    """Load the train split in the same way: the questions that programs are compiled on, never scored."""
    return _load(folder, track, "train", corpus)


def _load(folder: Path, track: Track, split: str, corpus: Path | None) -> Benchmark:
    stem = f"musique_ans_v1.0_{split}"
    hipporag = split == "dev" and (folder / HIPPORAG_FILE).exists() and not [*folder.glob(f"{stem}*.jsonl")]
    advice = _TRAIN_ADVICE if split == "train" else _ADVICE
    path = (
        folder / HIPPORAG_FILE if hipporag else only_file(folder, f"{stem}.jsonl", f"{stem}_*.jsonl", advice)
    )
    file = read_native(path, _ADVICE)
    sources = {file.name: file.digest}
    defects: list[Defect] = []
    rows = list(json_items(file, _ADVICE) if hipporag else json_lines(file, _ADVICE))
    own = folder / (HIPPORAG_CORPUS if hipporag else POOL_FILE)
    pool = corpus or (own if own.exists() else None)
    if pool is None:
        documents = _own_paragraphs(rows)
    else:
        passages = read_native(pool, _POOL_ADVICE)
        sources[passages.name] = passages.digest
        documents = _pool(passages, defects)
    questions = _questions(rows, documents, defects)
    return Benchmark(
        name="musique",
        label=track_label("MuSiQue", track),
        track=track,
        questions=questions,
        documents=tuple(documents.values()),
        breakdowns=BREAKDOWNS,
        chunked=False,
        defects=tuple(defects),
        sources=sources,
    )


def _questions(
    rows: Iterable[Row], documents: dict[str, Document], defects: list[Defect]
) -> tuple[Question, ...]:
    lines: dict[str, int] = {}
    wordings: dict[str, str] = {}
    questions = []
    for row in rows:
        question = _question(row, documents, defects)
        if (first := lines.setdefault(question.id, row.number)) != row.number:
            row.refuse("an id that stands once", f"{question.id}, which is on line {first} too")
        wording = " ".join(question.text.casefold().split()).rstrip(" ?")
        if (twin := wordings.setdefault(wording, question.id)) != question.id:
            problem = f"the question stands under another id too: {twin}"
            defects.append(row.defect(problem, "loaded under both"))
        questions.append(question)
    return tuple(questions)


def _question(row: Row, documents: dict[str, Document], defects: list[Defect]) -> Question:
    identity = row.text("id")
    try:
        parsed = parse_musique_id(identity)
    except ValueError:
        row.refuse("a MuSiQue id with one number a hop, such as 3hop1__1_2_3", shown(identity))
    if not row.boolean("answerable"):
        row.refuse("an answerable question", '"answerable": false', "Use the Ans variant, not the Full one.")
    texts = {}
    for name in ("question", "answer"):
        texts[name] = row.text(name).strip()
        if texts[name] != row.text(name):
            defects.append(row.defect(f"white space around the {name}", "trimmed"))
    aliases = row.texts("answer_aliases")
    if any(not alias.strip() for alias in aliases):
        defects.append(row.defect("an empty alias", "left out: it would match every empty answer"))
        aliases = tuple(alias for alias in aliases if alias.strip())
    evidence = tuple(
        Evidence(key, "paragraph", title, text, key if key in documents else "")
        for key, title, text in _supporting(row, parsed, defects)
    )
    for item in evidence:
        if not item.document:
            defects.append(row.defect(f"a gold paragraph that the corpus lacks: {item.key}", "stays gold"))
    groups = {"hops": (str(parsed.hops),), "shape": (SHAPES[parsed.shape],)}
    return Question(identity, texts["question"], texts["answer"], aliases, evidence, groups)


def _supporting(row: Row, parsed: MusiqueId, defects: list[Defect]) -> list[tuple[str, str, str]]:
    """Return key, title and text of the supporting paragraphs, one a hop, in decomposition order."""
    paragraphs = row.objects("paragraphs")
    if len(paragraphs) != PARAGRAPHS:
        problem = f"{len(paragraphs)} paragraphs where {PARAGRAPHS} are expected"
        defects.append(row.defect(problem, "loaded with those that are there"))
    supporting: dict[int, tuple[str, str, str]] = {}
    seen: set[int] = set()
    for paragraph in paragraphs:
        index, title, text = (
            paragraph.integer("idx"),
            paragraph.text("title"),
            paragraph.text("paragraph_text"),
        )
        if index in seen:
            paragraph.refuse("an idx that stands once in its question", shown(index))
        seen.add(index)
        if paragraph.boolean("is_supporting"):
            supporting[index] = (paragraph_key(title, text), title, text)
    if len(supporting) != parsed.hops:
        row.refuse(f"{parsed.hops} supporting paragraphs, one a hop", f"{len(supporting)}")
    if len({key for key, _, _ in supporting.values()}) != parsed.hops:
        row.refuse(f"{parsed.hops} different supporting paragraphs", "one of them twice")
    order = [step.integer("paragraph_support_idx") for step in row.objects("question_decomposition")]
    if sorted(order) != sorted(supporting):
        row.refuse(
            f"one step a supporting paragraph (idx {sorted(supporting)})", f"steps for idx {order}"[:200]
        )
    return [supporting[index] for index in order]


def _own_paragraphs(rows: Iterable[Row]) -> dict[str, Document]:
    documents: dict[str, Document] = {}
    for row in rows:
        for paragraph in row.objects("paragraphs"):
            title, text = paragraph.text("title"), paragraph.text("paragraph_text")
            key = paragraph_key(title, text)
            documents.setdefault(key, Document(key, title, text))
    return documents


def _pool(file: NativeFile, defects: list[Defect]) -> dict[str, Document]:
    documents: dict[str, Document] = {}
    lines: dict[str, int] = {}
    listed = file.text.lstrip().startswith("[")  # HippoRAG's: an array, whose passages have no id
    for row in json_items(file, _POOL_ADVICE) if listed else json_lines(file, _POOL_ADVICE):
        identity = str(row.number) if listed else row.text("passage_id")
        title, text = row.text("title"), row.text("text")
        if (first := lines.setdefault(identity, row.number)) != row.number:
            row.refuse("a passage_id that stands once", f"{shown(identity)}, which is on line {first} too")
        key = paragraph_key(title, text)
        if key in documents:
            defects.append(row.defect(f"a passage that stands under another id too: {identity}", "kept once"))
        documents.setdefault(key, Document(key, title, text))
    return documents
