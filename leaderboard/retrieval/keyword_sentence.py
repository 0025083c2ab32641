"""The two searches of A-RAG over the same passages: by keywords, and by single sentences (spec § 4.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leaderboard.results.records import RetrievalCall
from leaderboard.retrieval.chunking import sentences
from leaderboard.retrieval.keyword import KeywordIndex, folded, keyword_query
from leaderboard.retrieval.passages import Hit, Passage, Retriever, offset_of
from leaderboard.retrieval.recorded import RetrievalLog

SENTENCES_A_PASSAGE = 3
"""So many times the wanted passages is the number of sentences that are looked at."""
MOST_SENTENCES = 5
"""Most sentences of a passage that a keyword search shows."""
SHORTEST_SENTENCE = 11
"""Shorter sentences, in characters, are not searched."""


class Found(NamedTuple):
    """A passage that a tool found: its score, and the sentences in it that matched, in the passage's order."""

    passage: Passage
    score: float
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeywordSentenceIndex:
    """What is searched. ``keyword`` ranks passages, ``sentence`` single sentences; ``passage_of`` leads from those to these.

    ``numbered`` holds the passages in the order of documents and of their places in them: programs name a passage by
    its number, from 1, so that neighbours in a document are ±1.
    """

    keyword: Retriever
    sentence: Retriever
    passage_of: Mapping[str, Passage]
    numbered: Sequence[Passage]


def open_keyword_sentence(
    passages: Iterable[Passage], sentence_index: Callable[[Iterable[Passage]], Retriever]
) -> KeywordSentenceIndex:
    """Return both indexes over ``passages``; ``sentence_index`` makes the one of their sentences.

    A sentence is embedded as every text here: its document's title, a line feed, its text. Where passages overlap it
    belongs to the first that holds it.
    """
    numbered = sorted(passages, key=place)
    found: dict[str, tuple[Passage, Passage]] = {}
    for passage in numbered:
        for span in sentences(passage.text):
            if span.end - span.start >= SHORTEST_SENTENCE:
                sentence = passage.part(span.start, span.end)
                found.setdefault(sentence.id, (sentence, passage))
    return KeywordSentenceIndex(
        keyword=KeywordIndex(numbered),
        sentence=sentence_index(sentence for sentence, _ in found.values()),
        passage_of={key: passage for key, (_, passage) in found.items()},
        numbered=numbered,
    )


class KeywordSentenceLog:
    """Both searches of one run, recorded: what ``recorded`` calls hold is answered from there."""

    def __init__(self, index: KeywordSentenceIndex, recorded: Iterable[RetrievalCall] = ()) -> None:
        calls = list(recorded)
        self._keyword = RetrievalLog(index.keyword, calls)
        self._sentence = RetrievalLog(index.sentence, calls)
        self._passage_of = index.passage_of
        self.numbered = index.numbered

    def by_keywords(self, keywords: Iterable[str], k: int) -> list[Found]:
        """Return the k best passages, each with up to five sentences that hold a keyword."""
        query = keyword_query(keywords)
        words = query.split("\n")
        return [
            Found(hit.passage, hit.score, _matching(hit.passage, words))
            for hit in self._keyword.search(query, k)
        ]

    def by_sentences(self, query: str, k: int) -> list[Found]:
        """Return the passages of the 3·k best sentences, k at most: score of the best sentence, ties by the ranking."""
        found: dict[str, list[Hit]] = {}
        for hit in self._sentence.search(query, SENTENCES_A_PASSAGE * k):
            found.setdefault(self._passage_of[hit.passage.id].id, []).append(hit)
        return [
            Found(self._passage_of[hits[0].passage.id], hits[0].score, tuple(_in_order(hits)))
            for hits in list(found.values())[:k]
        ]

    def rows(self) -> list[RetrievalCall]:
        """Return the searches made, by keywords first, each kind ordered by query and k."""
        return [*self._keyword.rows(), *self._sentence.rows()]


def _matching(passage: Passage, keywords: Sequence[str]) -> tuple[str, ...]:
    spans = (passage.text[span.start : span.end] for span in sentences(passage.text))
    matching = [text for text in spans if any(word in folded(text) for word in keywords)]
    return tuple(matching[:MOST_SENTENCES])


def _in_order(hits: Iterable[Hit]) -> list[str]:
    return [hit.passage.text for hit in sorted(hits, key=lambda hit: place(hit.passage))]


def place(passage: Passage) -> tuple[str, int]:
    """Return where a passage stands: its document's id, and the place of its first character there."""
    return passage.document, offset_of(passage)
