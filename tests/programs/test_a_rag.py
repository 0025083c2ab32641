"""A-RAG played through: its tools' results in the prompt and in the record, and its three budgets."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.benchmarks.questions import Document
from leaderboard.catalog.tool_programs import ARAG
from leaderboard.metrics.tokens import count_tokens
from leaderboard.results.records import Outcome
from tests.programs.played import QUESTION, fields, said, section

NUMBERS = {"cafe": 1, "composer": 2, "ferry": 3, "harbour": 4, "opera": 5, "town": 6}
"""Chunks are numbered in the order of their documents' ids."""


NOTES = 4 * 24
"""Most tokens that headings and notes of one step's calls take beside what they brought."""


def a_rag(**parameters):
    return ARAG(kind="a_rag", **{"max_loops": 4, "top_k": 2, **parameters})


def acts(*texts, answer="Abel Tranter"):
    """A model that makes these calls, one text a step, and gives ``answer`` when it is forced to."""
    left = iter(texts)

    def write(request):
        return said(tool_call=next(left)) if fields(request) == ["tool_call"] else said(answer=answer)

    return write


def steps(played, call):
    """The transcript that the model saw before this call, counted from 0."""
    return section(played.requests[call], "steps").rstrip()


def test_a_chain_of_searches_and_reads_leads_to_the_answer(stage):
    played = stage.play(
        a_rag(),
        acts(
            'keyword_search("Salt Wedding")', 'semantic_search("brodrigh")', "read_chunk(2)", "Abel Tranter"
        ),
    )
    assert steps(played, 0) == "nothing yet"
    assert steps(played, 1) == (
        'Chunks with the words "Salt Wedding":\n'
        "[5] The Salt Wedding: The Salt Wedding is an opera by Livia Brodrigh."
    )
    # Title and text are embedded: "Livia Brodrigh" in the title alone is cosine 1, with "opera" it is 1/√2.
    assert steps(played, 2) == steps(played, 1) + (
        '\nChunks about "brodrigh":\n'
        "[2] Livia Brodrigh (1.000): Livia Brodrigh wrote operas.\n"
        "[5] The Salt Wedding (0.707): The Salt Wedding is an opera by Livia Brodrigh."
    ).replace("operas.\n", "operas. ... She grew up in Sarnforth.\n")
    assert steps(played, 3) == steps(played, 2) + (
        "\nWhole chunks 2:\n[2] Livia Brodrigh\nLivia Brodrigh wrote operas. She grew up in Sarnforth."
    )
    record = played.record
    assert (record.outcome, record.final_answer, record.parse_repairs) == (
        Outcome.ANSWERED,
        "Abel Tranter",
        0,
    )
    assert [(r.query, r.round, r.rank, r.passage) for r in record.returned] == [
        ("Salt Wedding", 1, 1, "opera"),
        ("brodrigh", 2, 1, "composer"),
        ("brodrigh", 2, 2, "opera"),
        ("2", 3, 1, "composer"),
    ]
    assert [r.score for r in record.returned] == [24.0, 1.0, 0.707107, 0.0]
    assert record.read == ("composer",)
    assert [step["step"] for step in record.trace] == [
        "act",
        "keyword_search",
        "act",
        "semantic_search",
        "act",
        "read_chunk",
        "act",
    ]


def test_retrieved_tokens_are_what_each_call_brought_and_a_chunk_read_again_brings_none(stage):
    played = stage.play(
        a_rag(), acts('keyword_search("ferry leaves")', "read_chunk(4)", "read_chunk(4, 99, mayor)", "noon")
    )
    snippet, text = "The ferry leaves at noon.", "Lindrake has a harbour. The ferry leaves at noon."
    assert played.record.retrieved_tokens == count_tokens(snippet) + count_tokens(text)
    assert steps(played, 3).endswith(
        "Whole chunks 4, 99, mayor:\n[4] Lindrake: you have read this chunk before.\n"
        "[99]: no chunk has this number.\n[mayor]: no chunk has this number."
    )
    assert [(s.passage, s.tokens) for s in played.record.shown] == [("harbour", count_tokens(text))]


def test_evidence_in_a_snippet_counts_as_shown(stage):
    played = stage.play(a_rag(), acts('keyword_search("mayor")', "Abel Tranter"))
    [shown] = played.record.shown
    assert (shown.passage, shown.evidence, shown.tokens) == (
        "town",
        (2,),
        count_tokens("Abel Tranter is mayor there."),
    )


def test_without_reading_a_search_brings_whole_chunks_each_once(stage):
    played = stage.play(
        a_rag(tools=("semantic_search",), top_k=1),
        acts(
            'semantic_search("brodrigh")',
            'semantic_search("sarnforth")',
            'semantic_search("brodrigh opera")',
            "x",
        ),
    )
    assert "keyword_search" not in played.requests[0]["messages"][0]["content"].replace(
        "such as keyword_search", ""
    )
    assert steps(played, 3) == (
        'Chunks about "brodrigh":\n[2] Livia Brodrigh\nLivia Brodrigh wrote operas. She grew up in Sarnforth.\n'
        'Chunks about "sarnforth":\n[6] Sarnforth\nSarnforth is a town. Abel Tranter is mayor there.\n'
        'Chunks about "brodrigh opera":\n[5] The Salt Wedding\nThe Salt Wedding is an opera by Livia Brodrigh.'
    )
    assert played.record.read == ("composer", "town", "opera")


def test_a_tool_that_was_taken_away_does_not_exist(stage):
    played = stage.play(a_rag(tools=("semantic_search", "read_chunk")), acts('keyword_search("mayor")', "x"))
    assert steps(played, 1) == "There is no tool keyword_search. The tools are: semantic_search, read_chunk."
    assert (played.record.returned, played.record.parse_repairs) == ((), 1)


def test_several_calls_of_a_step_are_carried_out_in_order(stage):
    played = stage.play(a_rag(), acts('keyword_search("mayor")\nread_chunk(6, 5)', "x"))
    assert [(r.round, r.passage) for r in played.record.returned] == [(1, "town"), (1, "town"), (1, "opera")]


def test_of_many_calls_of_a_step_four_are_carried_out(stage):
    many = stage.play(a_rag(), acts(" ".join(f"read_chunk({n})" for n in range(1, 7)), "x"))
    assert len(many.record.returned) == 4
    assert steps(many, 1).endswith("Only the first 4 calls of a step are carried out.")


def test_what_brings_nothing_is_told_to_the_model(stage):
    played = stage.play(
        a_rag(), acts('keyword_search("zeppelin")', "read_chunk()", 'keyword_search("zeppelin")', "x")
    )
    assert steps(played, 3) == (
        'Chunks with the words "zeppelin":\nNothing was found.\n'
        "Whole chunks nothing:\nread_chunk needs something in its brackets.\n"
        'Chunks with the words "zeppelin":\nNothing new.'
    )


def test_an_empty_output_costs_a_step_and_is_counted(stage):
    played = stage.play(a_rag(), acts("", "mayor"))
    assert steps(played, 1) == "No tool was called and no answer given. Call a tool, or give the answer."
    assert (played.record.final_answer, played.record.parse_repairs) == ("mayor", 1)


def endless():
    numbers = itertools.count(1)

    def write(request):
        if fields(request) == ["answer"]:
            return said(answer="Abel Tranter")
        return said(
            tool_call=f'keyword_search("ferry", "x{next(numbers)}") read_chunk({next(numbers) % 6 + 1})'
        )

    return write


@pytest.mark.parametrize(
    ("parameters", "limit", "calls", "budget"),
    [
        ({"max_loops": 3}, None, 4, "loops"),
        ({"max_loops": 50}, 3, 3, "calls"),
        ({"max_loops": 50, "token_budget": 80}, None, 3, "tokens"),
    ],
)
def test_a_model_that_never_stops_is_stopped_and_has_to_answer(stage, parameters, limit, calls, budget):
    played = stage.play(a_rag(**parameters), endless(), calls_per_question=limit)
    assert (played.record.outcome, played.record.final_answer) == (Outcome.FORCED, "Abel Tranter")
    assert len(played.record.calls) == calls
    assert played.record.trace[-1] == {"step": "forced", "budget": budget}
    assert fields(played.requests[-1]) == ["answer"]


def test_the_token_budget_cuts_the_text_that_would_pass_it(stage):
    played = stage.play(a_rag(token_budget=50), acts("read_chunk(1, 2, 3, 4, 5, 6)"))
    assert steps(played, 1).endswith("\nNo room is left for more.")
    assert count_tokens(steps(played, 1)) <= 50 + NOTES
    assert played.record.retrieved_tokens <= 50


@pytest.mark.parametrize(
    "tools", [("keyword_search", "semantic_search", "read_chunk"), ("keyword_search", "semantic_search")]
)
@pytest.mark.parametrize("budget", [50, 150])
def test_titles_count_in_the_token_budget_too(stage, tools, budget):
    """Four searches a step for twenty chunks each would list eighty titles, whatever the budget."""
    documents = [
        Document(
            f"d{n:02}", f"Minutes of the {n}. meeting of the committee for the mayor of", f"The mayor of {n}."
        )
        for n in range(60)
    ]
    searches = " ".join(f'keyword_search("{word}", top_k=20)' for word in ("mayor", "The", "of", "."))
    question = replace(QUESTION, evidence=())
    played = stage.play(
        a_rag(token_budget=budget, tools=tools), acts(searches), documents=documents, question=question
    )
    told = steps(played, 1)
    assert 0 < told.count("Minutes") < 20
    assert count_tokens(told) <= budget + NOTES
    assert len(played.record.returned) > 20


@pytest.mark.parametrize("call", ['keyword_search("mayor")', "read_chunk(1)"])
def test_what_the_budget_cuts_is_recorded_as_cut(stage, call):
    document = Document("long", "Long", "The mayor " + "spoke " * 200 + "on.")
    played = stage.play(
        a_rag(token_budget=50), acts(call), documents=[document], question=replace(QUESTION, evidence=())
    )
    [shown] = played.record.shown
    assert (shown.tokens < 50, shown.truncated) == (True, True)


def test_what_was_sent_before_is_the_beginning_of_the_next_prompt(stage):
    played = stage.play(a_rag(), acts('keyword_search("mayor")', "read_chunk(6)", "read_chunk(2)", "x"))
    prompts = ["".join(message["content"] for message in request["messages"]) for request in played.requests]
    for earlier, later in itertools.pairwise(prompts[1:]):
        grown = earlier.split("\n\nRespond with", 1)[0]
        assert later.startswith(grown)


EXAMPLE = itertools.count()
OUTPUTS = st.sampled_from(
    [
        "",
        "Sarnforth",
        'keyword_search("mayor", "ferry")',
        'semantic_search("brodrigh")',
        "read_chunk(1, 2, 99)",
        "read_chunk(3) read_chunk(4) read_chunk(5) read_chunk(6) read_chunk(1)",
        'browse_web("mayor")',
        '{"name": "read_chunk", "arguments": {"chunk_ids": ["2", 6]}}',
        "[[ ## answer ## ]]",
    ]
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(OUTPUTS, min_size=8, max_size=8),
    st.integers(50, 120),
    st.none() | st.integers(1, 4),
    st.booleans(),
)
def test_no_sequence_of_outputs_breaks_a_budget(stage, outputs, tokens, limit, fielded):
    left = iter(outputs)

    def write(request):
        text = next(left, "x")
        return said(**{fields(request)[-1]: text}) if fielded else text

    question = replace(
        QUESTION, text=f"Question {next(EXAMPLE)}?"
    )  # else the store would answer from the last one
    played = stage.play(a_rag(token_budget=tokens), write, calls_per_question=limit, question=question)
    record = played.record
    assert record.outcome in (Outcome.ANSWERED, Outcome.FORCED, Outcome.UNPARSED)
    assert len(record.calls) <= min(5, limit or 5)
    assert record.retrieved_tokens <= tokens
    assert count_tokens(steps(played, -1)) <= tokens + NOTES
    assert {shown.passage for shown in record.shown} <= {returned.passage for returned in record.returned}
