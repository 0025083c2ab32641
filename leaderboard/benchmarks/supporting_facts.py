"""Rows of titled paragraphs with supporting facts, the format that HotpotQA and 2WikiMultiHopQA share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from leaderboard.benchmarks.native_files import NativeFile, Row, json_items, json_lines, shown
from leaderboard.benchmarks.questions import Defect, Document, Evidence, Question, paragraph_key

PARAGRAPHS = 10
"""Paragraphs of a row: the supporting ones and distractors."""

CORPUS_ADVICE = 'Fetch the corpus that belongs to the questions: each passage is {"title": …, "text": …}.'

Titles = Mapping[str, Sequence[Document]]
"""Case-folded title → the documents of that title, in the corpus's order."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of a question's context. ``text`` is what its sentences are, joined as the benchmark joins them."""

    key: str
    title: str
    text: str
    sentences: tuple[str, ...]


def all_rows(file: NativeFile, advice: str) -> list[Row]:
    """Return the rows of a JSON-lines file (``.jsonl``), or of a JSON array (any other name).

    Raises BenchmarkError for a file that is none, or that has no rows.
    """
    rows = list(json_lines(file, advice) if file.path.suffix == ".jsonl" else json_items(file, advice))
    if not rows:
        Row(file.name, 1, "item", {}).refuse("an object", "an empty array", advice)
    return rows


def quoted(title: str) -> str:
    """Return a title as a defect prints it: in quotation marks, at most 80 characters, no control characters."""
    printed = repr(title)
    return printed if len(printed) <= 80 else printed[:79] + "…"


def trimmed(row: Row, name: str, defects: list[Defect]) -> str:
    """Return a text field without white space around it, which is reported."""
    text = row.text(name)
    if text != text.strip():
        defects.append(row.defect(f"white space around the {name}", "trimmed"))
    return text.strip()


def check_twins(rows: Iterable[Row], questions: Iterable[Question], defects: list[Defect]) -> None:
    """Refuse an id that stands twice; report a question that stands under two ids. Raises BenchmarkError."""
    lines: dict[str, int] = {}
    wordings: dict[str, str] = {}
    for row, question in zip(rows, questions, strict=True):
        if (first := lines.setdefault(question.id, row.number)) != row.number:
            found = f"{shown(question.id)}, which is on {row.unit} {first} too"
            row.refuse("an id that stands once", found)
        wording = " ".join(question.text.casefold().split()).rstrip(" ?")
        if (twin := wordings.setdefault(wording, question.id)) != question.id:
            problem = f"the question stands under another id too: {twin}"
            defects.append(row.defect(problem, "loaded under both"))


def context(row: Row, joint: str, defects: list[Defect]) -> tuple[Paragraph, ...]:
    """Return the distinct paragraphs of a row's ``context``; ``joint`` stands between two sentences."""
    paragraphs: dict[str, Paragraph] = {}
    pairs = row.pairs("context", "title", "sentences")
    if len(pairs) != PARAGRAPHS:
        problem = f"{len(pairs)} paragraphs where {PARAGRAPHS} are expected"
        defects.append(row.defect(problem, "loaded with those that are there"))
    for pair in pairs:
        title, sentences = pair.text("title"), pair.texts("sentences")
        text = joint.join(sentences)
        key = paragraph_key(title, text)
        if not text.strip():
            defects.append(row.defect(f"a paragraph without text: {quoted(title)}", "kept for its title"))
        if key in paragraphs:
            problem = f"a paragraph that stands twice in its question: {quoted(title)}"
            defects.append(row.defect(problem, "kept once"))
        paragraphs.setdefault(key, Paragraph(key, title, text, sentences))
    return tuple(paragraphs.values())


def own_paragraphs(contexts: Iterable[Iterable[Paragraph]]) -> dict[str, Document]:
    """Return every distinct paragraph of all questions as a document, by its key."""
    return {
        paragraph.key: Document(paragraph.key, paragraph.title, paragraph.text)
        for paragraphs in contexts
        for paragraph in paragraphs
    }


def corpus_of(file: NativeFile, defects: list[Defect]) -> dict[str, Document]:
    """Return the passages of a corpus file, objects with ``title`` and ``text``, by their key."""
    documents: dict[str, Document] = {}
    for row in all_rows(file, CORPUS_ADVICE):
        title, text = row.text("title"), row.text("text", empty=True)
        key = paragraph_key(title, text)
        if not text.strip():
            defects.append(row.defect(f"a passage without text: {quoted(title)}", "kept for its title"))
        if key in documents:
            defects.append(row.defect(f"a passage that stands twice: {quoted(title)}", "kept once"))
        documents.setdefault(key, Document(key, title, text))
    return documents


def by_title(documents: Iterable[Document]) -> Titles:
    """Return the documents by case-folded title."""
    titles: dict[str, list[Document]] = {}
    for document in documents:
        titles.setdefault(document.title.casefold(), []).append(document)
    return titles


def gold(
    row: Row,
    paragraphs: Sequence[Paragraph],
    documents: Mapping[str, Document],
    titles: Titles,
    expected: tuple[int, ...],
    defects: list[Defect],
) -> tuple[Evidence, ...]:
    """Return the supporting paragraphs of a row, each once, in the order of its ``supporting_facts``.

    A paragraph is found in the row's context by its title and, where that stands there twice, by its sentences; in
    the corpus by its text, else by its title. What doesn't fit is reported. Raises BenchmarkError for a row without
    supporting facts.
    """
    evidence: dict[str, Evidence] = {}
    for title, sentences in _facts(row, defects).items():
        paragraph = _supporting(row, title, sentences, paragraphs, defects)
        if paragraph is not None and paragraph.key in documents:
            key = paragraph.key
            item = Evidence(key, "paragraph", paragraph.title, paragraph.text, key)
        else:
            said = () if paragraph is None else _said(paragraph, sentences)
            item = gold_by_title(row, title, titles, said, defects)
        evidence.setdefault(item.key, item)
    check_count(row, len(evidence), expected, defects)
    return tuple(evidence.values())


def gold_by_title(
    row: Row, title: str, titles: Titles, said: Sequence[str], defects: list[Defect]
) -> Evidence:
    """Return the corpus's passage of a title as gold; of several, the first that holds all of ``said``.

    Where the corpus has none, the title stays gold without a document. Each case but the plain one is reported.
    """
    found = titles.get(title.casefold(), ())
    named = [document for document in found if document.title == title] or found
    if not named:
        problem = f"a gold paragraph that the corpus lacks: {quoted(title)}"
        defects.append(row.defect(problem, "stays gold"))
        return Evidence(paragraph_key(title, ""), "paragraph", title, "", "")
    holding = [document for document in named if all(sentence in document.text for sentence in said)]
    chosen = (holding or named)[0]
    if len(named) > 1:
        problem = f"{len(named)} passages of the corpus have the supporting title {quoted(title)}"
        how = (
            "the first that holds the supporting sentences is gold"
            if said and holding
            else "the first is gold"
        )
        defects.append(row.defect(problem, how))
    elif said:
        problem = f"the corpus has another text under the supporting title {quoted(title)}"
        defects.append(row.defect(problem, "the corpus's text is gold"))
    elif chosen.title != title:
        problem = f"the corpus writes the supporting title {quoted(title)} in other letter case"
        defects.append(row.defect(problem, "taken as the same"))
    return Evidence(chosen.id, "paragraph", chosen.title, chosen.text, chosen.id)


def check_count(row: Row, found: int, expected: tuple[int, ...], defects: list[Defect]) -> None:
    """Report a number of supporting paragraphs that the benchmark doesn't know."""
    if found not in expected:
        known = " or ".join(map(str, expected))
        problem = f"supporting paragraphs: {found}, where {known} are known"
        defects.append(row.defect(problem, "loaded with those that are there"))


def _facts(row: Row, defects: list[Defect]) -> dict[str, list[int]]:
    """Return supporting title → indexes of its supporting sentences, in the row's order."""
    facts: dict[str, list[int]] = {}
    for fact in row.pairs("supporting_facts", "title", "sentence"):
        title, sentence = fact.text("title"), fact.integer("sentence")
        if sentence in facts.setdefault(title, []):
            problem = f"a supporting fact that stands twice: sentence {_number(sentence)} of {quoted(title)}"
            defects.append(row.defect(problem, "counted once"))
        else:
            facts[title].append(sentence)
    if not facts:
        row.refuse("supporting facts", "an empty list", "The test set has none: take the dev set.")
    return facts


def _supporting(
    row: Row, title: str, sentences: Sequence[int], paragraphs: Sequence[Paragraph], defects: list[Defect]
) -> Paragraph | None:
    """Return the paragraph of the context that a supporting title names, None where there is none."""
    named = [paragraph for paragraph in paragraphs if paragraph.title == title]
    if not named:
        named = [paragraph for paragraph in paragraphs if paragraph.title.casefold() == title.casefold()]
        problem = f"the supporting title {quoted(title)} isn't in the context"
        how = "the title in other letter case is taken" if named else "looked for in the corpus"
        defects.append(row.defect(problem, how))
        if not named:
            return None
    whole = [one for one in named if all(0 <= place < len(one.sentences) for place in sentences)]
    if len(named) > 1:
        problem = f"{len(named)} paragraphs of the context have the supporting title {quoted(title)}"
        how = "the first that has the supporting sentences is gold" if whole else "the first is gold"
        defects.append(row.defect(problem, how))
    if not whole:
        places = ", ".join(map(_number, sentences))[:80]
        problem = f"supporting sentences {places} of {quoted(title)}, which has {len(named[0].sentences)}"
        defects.append(row.defect(problem, "the paragraph stays gold"))
    return (whole or named)[0]


def _said(paragraph: Paragraph, sentences: Sequence[int]) -> tuple[str, ...]:
    """Return the supporting sentences that a paragraph has, its whole text where it has none of them."""
    there = [paragraph.sentences[place] for place in sentences if 0 <= place < len(paragraph.sentences)]
    return tuple(sentence.strip() for sentence in there) or (paragraph.text,)


def _number(value: int) -> str:
    return shown(value).removeprefix("a number ")
