"""One question through a real program: what it becomes, whatever the model does."""

from __future__ import annotations

import dspy
import pytest

from leaderboard.benchmarks.questions import Document, Evidence, Question
from leaderboard.calls.spending import Ledger, Price, Spent
from leaderboard.calls.store import CallStore, CallStoreError
from leaderboard.catalog import programs as catalog
from leaderboard.models.engine import Engine, open_lm
from leaderboard.models.providers import BadResponse, Refused
from leaderboard.programs.answering import adapter
from leaderboard.programs.opening import open_program
from leaderboard.programs.task import Task
from leaderboard.results.records import Outcome
from leaderboard.retrieval.bm25 import BM25Retriever
from leaderboard.retrieval.gold import GoldPassages
from leaderboard.retrieval.passages import Passage
from leaderboard.running.questions import answer_question
from tests.scripted import ScriptedProvider, answer, said

BRIDGE = Document(
    "bridge", "Saltgate Bridge", "Saltgate Bridge was designed by Rowan Thackvale. It opened in 1881."
)
RIVER = Document("river", "River Oskane", "The River Oskane rises on Mount Hask and ends at Mawbrough.")
FERRY = Document("ferry", "Little Obstinate", "The Little Obstinate is a ferry. Nobody knows its age.")
QUESTION = Question(
    id="q1",
    text="Who designed Saltgate Bridge?",
    answer="Rowan Thackvale",
    aliases=(),
    evidence=(
        Evidence("bridge", "article", "Saltgate Bridge", "", "bridge"),
        Evidence("river", "article", "River Oskane", "", "river"),
    ),
    groups={},
)
SINGLE_STEP = catalog.SingleStep(kind="single_step", passages=2)


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Run one program on the question with a scripted model; return the record."""
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))
    store = CallStore(tmp_path / "calls")
    retriever = BM25Retriever([Passage.whole(document) for document in (BRIDGE, RIVER, FERRY)])

    def run(script, parameters=SINGLE_STEP, ledger=None, **options):
        provider = ScriptedProvider(script if callable(script) else lambda _: script)
        defaults = {"model": "m", "mode": "live", "ledger": ledger or Ledger(None, Spent())}
        lm = open_lm(Engine(provider, store, **{**defaults, **options}), temperature=0.0, max_tokens=64)
        task = Task(QUESTION, retriever=retriever, gold_hits=GoldPassages((BRIDGE, RIVER, FERRY)).hits)
        with dspy.context(lm=lm, adapter=adapter(), disable_history=True):
            record = answer_question(open_program(parameters), task).record
        run.requests = provider.requests
        return record

    yield run
    store.close()


def test_an_answer_is_recorded_with_what_was_returned_and_shown(ask):
    record = ask(answer("Rowan Thackvale"))
    assert (record.outcome, record.raw_answer, record.final_answer) == (
        Outcome.ANSWERED,
        "Rowan Thackvale",
        "Rowan Thackvale",
    )
    assert [(r.passage, r.rank, r.round, r.query, r.evidence) for r in record.returned] == [
        ("bridge", 1, 1, QUESTION.text, (0,))
    ]
    assert [(s.passage, s.tokens, s.truncated, s.evidence) for s in record.shown] == [
        ("bridge", 13, False, (0,))
    ]
    assert (record.prompt_tokens, record.completion_tokens, record.retrieved_tokens) == (10, 5, 13)
    assert record.rounds == 1
    assert record.question_digest == QUESTION.digest
    assert len(record.calls) == 1
    assert record.trace[0] == {"step": "search", "round": 1, "query": QUESTION.text, "passages": ["bridge"]}


def test_the_prompt_holds_the_passages_numbered_with_titles_before_the_question(ask):
    ask(answer("x"))
    prompt = ask.requests[0]["messages"][-1]["content"]
    assert "[1] Saltgate Bridge\nSaltgate Bridge was designed by Rowan Thackvale." in prompt
    assert prompt.index("[1] Saltgate") < prompt.index(QUESTION.text)


def test_closed_book_sees_no_document(ask):
    record = ask(answer("x"), catalog.ClosedBook(kind="closed_book"))
    assert (record.returned, record.shown, record.rounds, record.retrieved_tokens) == ((), (), 0, 0)
    assert "Thackvale" not in str(ask.requests)


def test_gold_context_shows_the_gold_in_its_order(ask):
    record = ask(answer("x"), catalog.GoldContext(kind="gold_context"))
    assert [(s.passage, s.evidence) for s in record.shown] == [("bridge", (0,)), ("river", (1,))]


def test_the_context_budget_cuts_the_last_passage_and_records_it(ask):
    parameters = catalog.GoldContext(kind="gold_context").model_copy(update={"context_tokens": 17})
    record = ask(answer("x"), parameters)
    assert [(s.passage, s.tokens, s.truncated) for s in record.shown] == [
        ("bridge", 13, False),
        ("river", 4, True),
    ]
    assert record.trace[-1] == {"step": "context_truncated", "passage": "river", "tokens": 4}
    prompt = ask.requests[0]["messages"][-1]["content"]
    assert "The River Oskane rises" in prompt and "Mount Hask" not in prompt
    assert record.retrieved_tokens == 17


def test_a_budget_used_up_by_the_first_passage_shows_nothing_more(ask):
    parameters = catalog.GoldContext(kind="gold_context").model_copy(update={"context_tokens": 13})
    record = ask(answer("x"), parameters)
    assert [s.passage for s in record.shown] == ["bridge"]
    assert record.trace[-1] == {"step": "context_truncated", "passage": "river", "tokens": 0}


@pytest.mark.parametrize(
    ("text", "final"),
    [
        ("Rowan Thackvale", "Rowan Thackvale"),
        ("[[ ## answr ## ]]\nRowan Thackvale", "Rowan Thackvale"),
        ("I think so.\nAnswer: Rowan Thackvale", "Rowan Thackvale"),
        ("{]]}{ nonsense \x00 \ufffd", "{]]}{ nonsense \x00 \ufffd"),
    ],
)
def test_an_output_without_the_protocol_is_taken_as_the_answer_and_counted(ask, text, final):
    record = ask(text)
    assert (record.outcome, record.final_answer, record.parse_repairs) == (Outcome.ANSWERED, final, 1)


@pytest.mark.parametrize("text", ["", "   \n", "[[ ## answer ## ]]", answer(""), answer("  ")])
def test_an_output_that_holds_no_answer_is_unparsed_and_scored(ask, text):
    record = ask(text)
    assert (record.outcome, record.final_answer) == (Outcome.UNPARSED, "")
    assert record.outcome.scored


def test_a_hundred_thousand_characters_are_kept_and_the_final_answer_is_cut(ask):
    record = ask(answer("word " * 20_000))
    assert record.outcome == Outcome.ANSWERED
    assert len(record.raw_answer) > 99_000
    assert (len(record.final_answer.split()), record.overlong) == (40, True)


def test_an_answer_cut_at_the_token_limit_is_truncated_and_still_scored(ask):
    record = ask(said(answer("Rowan Thack"), "length"))
    assert (record.outcome, record.final_answer, record.finish_reason) == (
        Outcome.TRUNCATED,
        "Rowan Thack",
        "length",
    )
    assert ask(lambda _: said("", "length")).outcome in (Outcome.TRUNCATED,)


def test_a_filtered_answer_is_filtered(ask):
    assert ask(said("", "content_filter")).outcome == Outcome.FILTERED


def test_the_submissions_limit_without_an_answer_is_the_systems_doing(ask):
    record = ask(answer("x"), calls_per_question=0)
    assert (record.outcome, record.calls, record.outcome.scored) == (Outcome.LIMIT, (), True)


def test_an_endpoint_that_fails_is_not_an_answer(ask):
    record = ask(Refused("scripted answers 404: no such model"))
    assert (record.outcome, record.raw_answer, record.final_answer) == (Outcome.FAILED, "", "")
    assert record.error == "scripted answers 404: no such model"
    assert not record.outcome.scored


def test_an_error_text_never_grows_without_bound(ask):
    assert len(ask(Refused("x" * 10_000)).error) == 500


def test_half_a_json_twice_is_a_failure_that_says_so(ask, monkeypatch):
    monkeypatch.setattr("leaderboard.fetching.retrying.FIRST_WAIT_S", 0.0)
    record = ask(BadResponse("scripted: half a JSON"))
    assert (record.outcome, record.error) == (Outcome.FAILED, "scripted: half a JSON")
    assert len(ask.requests) == 2


def test_a_ceiling_of_the_board_is_unpaid(ask):
    record = ask(answer("x"), ledger=Ledger(Price(1, 1, 1), Spent(), most_usd=0.0))
    assert record.outcome == Outcome.UNPAID
    assert "ceiling of 0.00 USD" in record.error


def test_a_missing_recording_is_uncached(ask):
    assert ask(answer("x"), mode="replay").outcome == Outcome.UNCACHED


def test_a_bug_in_a_program_is_a_failure_not_a_wrong_answer(ask):
    record = ask(answer("x"), SINGLE_STEP.model_copy(update={"passages": "two"}))
    assert record.outcome == Outcome.FAILED
    assert record.error.startswith("TypeError")


def test_a_store_that_cannot_keep_responses_stops_the_run(ask, monkeypatch):
    def full(self, call):
        raise CallStoreError("the disk is full")

    monkeypatch.setattr(CallStore, "put", full)
    with pytest.raises(CallStoreError, match="the disk is full"):
        ask(answer("x"))
