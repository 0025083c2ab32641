"""2WikiMultiHopQA: the official rows, HippoRAG's 1,000 of them with a corpus, and questions with titles alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from leaderboard.benchmarks.native_files import Row, json_lines, only_file, read_native, shown
from leaderboard.benchmarks.questions import (
    Benchmark,
    Breakdown,
    Defect,
    Evidence,
    Question,
    Track,
    track_label,
)
from leaderboard.benchmarks.supporting_facts import (
    CORPUS_ADVICE,
    Titles,
    all_rows,
    by_title,
    check_count,
    check_twins,
    context,
    corpus_of,
    gold,
    gold_by_title,
    own_paragraphs,
    quoted,
    trimmed,
)

FILE = "dev.json"
ALIASES_FILE = "id_aliases.json"
HIPPORAG_FILE, HIPPORAG_CORPUS = "2wikimultihopqa.json", "2wikimultihopqa_corpus.json"
QUESTION_TYPES = {
    "compositional": "compositional",
    "comparison": "comparison",
    "bridge_comparison": "bridge-comparison",
    "inference": "inference",
}
SUPPORTING = (2, 4)
BREAKDOWNS = (
    Breakdown(
        "question_type",
        "Question type",
        tuple(QUESTION_TYPES.values()),
        "A compositional question follows two relations, an inference question two that make a third (the father of"
        " the father); a bridge-comparison question compares what one relation leads to.",
    ),
)
_ADVICE = (
    f"Fetch {FILE} and {ALIASES_FILE} again (github.com/Alab-NII/2wikimultihop), or HippoRAG's {HIPPORAG_FILE} and"
    f" {HIPPORAG_CORPUS}, and leave the files unchanged."
)
_ALIASES_ADVICE = 'Each line is {"Q_id": …, "aliases": […], "demonyms": […]}.'

_Aliases = Mapping[str, tuple[str, ...]]
"""Wikidata id of an answer → its other names."""


def load(folder: Path, track: Track, corpus: Path | None = None) -> Benchmark:
    """Load the first of these that ``folder`` has, each with a corpus of its own unless ``corpus`` is given.

    ``dev.json``: official rows; the corpus is every distinct paragraph of the file.
    ``2wikimultihopqa.json``: official rows; the corpus is ``2wikimultihopqa_corpus.json``.
    The one ``questions_*.jsonl``: supporting titles without text; the corpus is the one ``corpus_*.jsonl``.

    The sentences of a paragraph are joined with a space. Documents and evidence are identified by ``paragraph_key``;
    the evidence is the supporting paragraphs, in the order in which the row first names them. Aliases are the
    row's own, and those that ``id_aliases.json`` has for its ``answer_id``. Raises BenchmarkError.
    """
    hipporag = folder / HIPPORAG_FILE
    official = (folder / FILE).exists() or not hipporag.exists()
    path = only_file(folder, FILE, "questions_*.jsonl", _ADVICE) if official else hipporag
    file = read_native(path, _ADVICE)
    sources = {file.name: file.digest}
    defects: list[Defect] = []
    rows = all_rows(file, _ADVICE)
    listed = path.suffix == ".jsonl"
    contexts = [() if listed else context(row, " ", defects) for row in rows]
    pool = corpus or _corpus_beside(path, listed)
    if pool is None:
        documents = own_paragraphs(contexts)
    else:
        passages = read_native(pool, CORPUS_ADVICE)
        sources[passages.name] = passages.digest
        documents = corpus_of(passages, defects)
    titles = by_title(documents.values())
    aliases = _aliases(folder, file.name, rows, sources, defects)
    questions = []
    for row, paragraphs in zip(rows, contexts, strict=True):
        if listed:
            evidence = _listed(row, titles, defects)
        else:
            evidence = gold(row, paragraphs, documents, titles, SUPPORTING, defects)
        questions.append(_question(row, "id" if listed else "_id", evidence, aliases, defects))
    check_twins(rows, questions, defects)
    if untyped := sum(not question.groups["question_type"] for question in questions):
        problem = f"{untyped:,} of {len(questions):,} questions have no type"
        defects.append(Defect(file.name, None, problem, "in no group of question types"))
    return Benchmark(
        name="two_wiki",
        label=track_label("2WikiMultiHopQA", track),
        track=track,
        questions=tuple(questions),
        documents=tuple(documents.values()),
        breakdowns=BREAKDOWNS,
        chunked=False,
        defects=tuple(defects),
        sources=sources,
    )


def _corpus_beside(questions: Path, listed: bool) -> Path | None:
    """Return the corpus that is published with a file of questions; None where their own paragraphs serve."""
    if listed:
        return only_file(questions.parent, "corpus.jsonl", "corpus_*.jsonl", CORPUS_ADVICE)
    return questions.parent / HIPPORAG_CORPUS if questions.name == HIPPORAG_FILE else None


def _question(
    row: Row, identity: str, evidence: tuple[Evidence, ...], aliases: _Aliases, defects: list[Defect]
) -> Question:
    kind = row.optional_text("type")
    if kind and kind not in QUESTION_TYPES:
        row.refuse(f"a type of {', '.join(QUESTION_TYPES)}, or null", shown(kind))
    text, answer = trimmed(row, "question", defects), trimmed(row, "answer", defects)
    own = _names(row, "answer_aliases", defects)
    names = dict.fromkeys((*own, *aliases.get(row.optional_text("answer_id"), ())))
    names.pop(answer, None)
    groups = {"question_type": (QUESTION_TYPES[kind],) if kind else ()}
    return Question(row.text(identity), text, answer, tuple(names), evidence, groups)


def _listed(row: Row, titles: Titles, defects: list[Defect]) -> tuple[Evidence, ...]:
    """Return the gold of a row that names its supporting paragraphs by title alone."""
    named = row.texts("supporting_titles")
    if not named:
        row.refuse("supporting titles", "an empty list")
    evidence: dict[str, Evidence] = {}
    for place, title in enumerate(named):
        row.checked_text(f"supporting_titles[{place}]", title)
        if title in named[:place]:
            problem = f"a supporting title that stands twice: {quoted(title)}"
            defects.append(row.defect(problem, "counted once"))
            continue
        item = gold_by_title(row, title, titles, (), defects)
        evidence.setdefault(item.key, item)
    check_count(row, len(evidence), SUPPORTING, defects)
    return tuple(evidence.values())


def _names(row: Row, name: str, defects: list[Defect]) -> tuple[str, ...]:
    """Return a list of names, () where it is absent or null, trimmed and without empty ones, which are reported."""
    if row.values.get(name) is None:
        return ()
    names = row.texts(name)
    if any(not one.strip() for one in names):
        defects.append(row.defect("an empty alias", "left out: it would match every empty answer"))
    if any(one.strip() and one != one.strip() for one in names):
        defects.append(row.defect("white space around an alias", "trimmed"))
    return tuple(one.strip() for one in names if one.strip())


def _aliases(
    folder: Path, questions: str, rows: Sequence[Row], sources: dict[str, str], defects: list[Defect]
) -> _Aliases:
    """Return the other names, demonyms included, of the answers that the rows name by id."""
    wanted = {row.optional_text("answer_id") for row in rows} - {""}
    if not wanted:
        return {}
    path = folder / ALIASES_FILE
    if not path.exists():
        problem = f"answers have ids, and there is no {ALIASES_FILE}"
        defects.append(Defect(questions, None, problem, "without aliases, unlike the official script"))
        return {}
    file = read_native(path, _ALIASES_ADVICE)
    sources[file.name] = file.digest
    aliases: dict[str, tuple[str, ...]] = {}
    for row in json_lines(file, _ALIASES_ADVICE):
        identity = row.text("Q_id")
        if identity not in wanted:
            continue
        if identity in aliases:
            defects.append(row.defect(f"a Q_id that stands twice: {quoted(identity)}", "both count"))
        names = (*_names(row, "aliases", defects), *_names(row, "demonyms", defects))
        aliases[identity] = aliases.get(identity, ()) + names
    return aliases
