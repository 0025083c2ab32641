"""A-RAG's two searches over the same passages, with vectors worked out by hand (spec § 4.4)."""

import pytest

from leaderboard.benchmarks.questions import Document
from leaderboard.retrieval.chunking import chunk
from leaderboard.retrieval.dense import DenseRetriever
from leaderboard.retrieval.keyword_sentence import KeywordSentenceLog, open_keyword_sentence
from leaderboard.retrieval.passages import Passage
from tests.retrieval.word_encoder import WordEncoder

STAR = Document("star", "Star", "The paper had a publisher. The publisher was Douglass. It cost a cent. No.")
NELL = Document("nell", "Nell", "Nell was a writer. The paper was read in Boston.")
HALL = Document("hall", "Hall", "A hall of stone stands there.")
ENCODER = WordEncoder("paper", "publisher", "douglass", "writer", "boston")


@pytest.fixture
def opened(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path))

    def open_(*documents, recorded=(), passages=None):
        passages = passages or [Passage.whole(document) for document in documents or (STAR, NELL, HALL)]
        return KeywordSentenceLog(
            open_keyword_sentence(passages, lambda sentences: DenseRetriever(sentences, ENCODER)), recorded
        )

    return open_


def test_a_passage_counts_as_much_as_its_best_sentence(opened):
    # "paper publisher" · ("paper publisher") = 1; · ("publisher douglass") = ½; · ("paper boston") = ½.
    star, nell = opened().by_sentences("paper publisher", 2)
    assert (star.passage.id, star.score) == ("star", 1.0)
    assert star.sentences == ("The paper had a publisher.", "The publisher was Douglass.")
    assert (nell.passage.id, nell.score) == ("nell", 0.5)
    # With k = 2 six sentences are looked at, and this one has a cosine of 0.
    assert nell.sentences == ("Nell was a writer.", "The paper was read in Boston.")


def test_of_the_best_three_sentences_a_passage_each_is_named_once(opened):
    [only] = opened().by_sentences("publisher", 1)
    assert (only.passage.id, only.score) == ("star", round(0.5**0.5, 6))
    assert only.sentences == ("The paper had a publisher.", "The publisher was Douglass.")


def test_matching_sentences_stand_in_the_order_of_the_text(opened):
    [star] = opened().by_sentences("douglass", 1)
    assert star.sentences[-1] == "The publisher was Douglass."


def test_ten_characters_are_no_sentence(opened):
    log = opened(Document("a", "A", "Paper one. Paper two was read."))
    [found] = log.by_sentences("paper", 1)
    assert found.sentences == ("Paper two was read.",)


def test_keywords_bring_up_to_five_sentences_that_hold_one(opened):
    log = opened(Document("a", "A", " ".join(f"The gate {n} is shut." for n in range(7)) + " A wall stands."))
    [found] = log.by_keywords(["Gate"], 3)
    assert found.score == 28.0
    assert found.sentences == tuple(f"The gate {n} is shut." for n in range(5))
    [titled] = log.by_keywords(["a wall stands"], 1)
    assert titled.sentences == ("A wall stands.",)


def test_a_keyword_in_the_title_alone_brings_the_passage_without_a_sentence(opened):
    [found] = opened(Document("a", "Zell", "It is a town.")).by_keywords(["zell"], 1)
    assert (found.score, found.sentences) == (4.0, ())


def test_chunks_are_numbered_in_the_order_of_their_document(opened):
    text = " ".join(f"Sentence number {n} stands here in full." for n in range(30))
    passages = [*chunk(Document("b", "B", text), 16), *chunk(Document("a", "A", "A paper was short."), 16)]
    log = opened(passages=list(reversed(passages)))
    assert log.numbered[0].document == "a"
    assert [passage.text[:17] for passage in log.numbered[1:4]] == [
        "Sentence number 0",
        "Sentence number 2",
        "Sentence number 4",
    ]


def test_a_sentence_of_two_overlapping_passages_belongs_to_the_first(opened):
    text = "The paper was read. The publisher was Douglass. The writer was in Boston."
    document = Document("d", "D", text)
    first, second = Passage.slice(document, 0, 47), Passage.slice(document, 20, 73)
    [found] = opened(passages=[first, second]).by_sentences("publisher douglass", 1)
    assert found.passage == first


def test_what_was_recorded_answers_in_place_of_the_indexes(opened):
    log = opened()
    log.by_keywords(["publisher"], 3)
    log.by_sentences("publisher", 1)
    keyword, sentence = log.rows()
    assert (keyword.query, keyword.ids, keyword.scores) == ("publisher", ("star",), (18.0,))
    assert (sentence.query, sentence.k, len(sentence.ids)) == ("publisher", 3, 3)
    altered = [
        type(row)(
            **{**{name: getattr(row, name) for name in row.__slots__}, "scores": (0.25,) * len(row.ids)}
        )
        for row in (keyword, sentence)
    ]
    replayed = opened(recorded=altered)
    assert [found.score for found in replayed.by_keywords(["publisher"], 3)] == [0.25]
    assert [found.score for found in replayed.by_sentences("publisher", 1)] == [0.25]
