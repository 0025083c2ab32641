"""The three case studies of seed 2 (its Tables 16 to 18), played through over articles of our own."""

from __future__ import annotations

import json

from leaderboard.benchmarks.questions import Document
from leaderboard.results.records import Outcome
from tests.programs.executed import (
    answered,
    execution_rag,
    names,
    question,
    register,
    script,
    states,
    told,
)
from tests.programs.played import section
from tests.retrieval.word_encoder import WordEncoder

ANNA = Document("anna", "Anna Murray", "Anna Murray came from Denton. She and Douglass were wed in 1838.")
DOUGLASS = Document(
    "douglass",
    "Frederick Douglass",
    "Frederick Douglass lived in Rochester. His wife was Anna Murray.",
)
STAR = Document("star", "The North Star", "The North Star had one publisher, Frederick Douglass.")
NELL = Document(
    "nell", "William Cooper Nell", "William Cooper Nell wrote for The North Star and married late."
)


def test_case_1_the_first_search_anchors_the_publisher(stage):
    stage.encoder = WordEncoder("publisher", "star")
    asked = question("Who was married to the publisher of The North Star?", "Anna Murray", [STAR, DOUGLASS])
    played = stage.play(
        execution_rag(),
        script(
            [
                register(
                    req_0=("active", "identify the relevant marriage of Frederick Douglass"),
                    req_1=("pending", "identify Frederick Douglass's wife"),
                )
            ],
            ["read_chunk(2)", "read_chunk(1)"],
            [
                '{"req_0": {"status": "active"}, "req_1": {"status": "answered", "evidence_notes": "Anna Murray", "evidence": [2]}}',
                answered("req_0", "wed in 1838", 1),
            ],
            answer="Anna Murray",
        ),
        documents=[ANNA, DOUGLASS, NELL, STAR],
        question=asked,
    )
    # The first search found the publisher, and the register was made from that: the best chunk in full, no text twice.
    assert section(played.requests[0], "evidence") == (
        f"Search with the question:\n[4] The North Star\n{STAR.text}\n"
        f"[3] William Cooper Nell (0.707): {NELL.text}"
    )
    [opened] = played.steps("register")
    assert (opened["made_by"], states(opened)) == ("model", {"req_0": "active", "req_1": "pending"})
    first, second = played.steps("update")
    assert states(first) == {"req_0": "active", "req_1": "answered"}
    assert first["changes"] == [{"item": "req_1", "from": "pending", "to": "answered"}]
    assert first["requirements"][1]["evidence"] == [{"passage": "douglass", "quote": ""}]
    assert states(second) == {"req_0": "answered", "req_1": "answered"}
    assert names(played) == [
        "semantic_search", "register", "act", "read_chunk", "update", "act", "read_chunk", "update", "closure",
    ]  # fmt: skip
    assert told(played) == ["requirements", "tool_call", "changes", "tool_call", "changes", "answer"]
    assert (played.record.outcome, played.record.final_answer) == (Outcome.ANSWERED, "Anna Murray")
    assert played.record.read == ("star", "douglass", "anna")


MANKATHA = Document("a", "Vilaiyaadu Mankatha", "Vilaiyaadu Mankatha is a song that Sony Music released.")
MUSIC = Document(
    "b",
    "Sony Music",
    "Among music companies Sony Music is second to Universal Music Group. Universal sits in Santa Monica.",
)
MONICA = Document("c", "Santa Monica", "Santa Monica has its name from the saint whose feast is on 4 May.")
LISBON = Document("d", "Lisbon", "The feast day of Lisbon is the day of Saint Anthony.")


def test_case_2_one_chunk_answers_two_links_and_sharpens_the_next_search(stage):
    stage.encoder = WordEncoder("music", "mankatha")
    asked = question(
        "When is the feast of the city where the company that is larger than the label of Vilaiyaadu Mankatha sits?",
        "4 May",
        [MANKATHA, MUSIC, MONICA],
    )
    played = stage.play(
        execution_rag(),
        script(
            [
                register(
                    req_2=("pending", "identify the company larger than Sony Music"),
                    req_1=("pending", "identify the headquarters city of that company"),
                    req_0=("active", "identify the feast day associated with that city"),
                )
            ],
            [
                'keyword_search("Vilaiyaadu Mankatha", "record label")',
                "read_chunk(1, 2)",
                'keyword_search("Santa Monica", "feast")',
                "read_chunk(3)",
            ],
            [
                '{"req_2": {"status": "answered", "evidence_notes": "Universal Music Group", "evidence": ["2"]},'
                ' "req_1": {"status": "answered", "evidence_notes": "Santa Monica", "evidence": ["[2]"]}}',
                answered("req_0", "4 May", 3),
            ],
            answer="4 May",
        ),
        documents=[MANKATHA, MUSIC, MONICA, LISBON],
        question=asked,
    )
    [opened] = played.steps("register")
    assert states(opened) == {"req_2": "pending", "req_1": "pending", "req_0": "active"}
    first, second = played.steps("update")
    assert states(first) == {"req_2": "answered", "req_1": "answered", "req_0": "active"}
    assert first["read"] == ["b"]  # "a" was read with the first search
    assert states(second) == {"req_2": "answered", "req_1": "answered", "req_0": "answered"}
    # Searching alone changes nothing, and is followed by no update.
    assert told(played) == [
        "requirements", "tool_call", "tool_call", "changes", "tool_call", "tool_call", "changes", "answer",
    ]  # fmt: skip
    # The step after the update is told what changed, and what is in work.
    assert section(played.requests[4], "steps").endswith(
        "[Progress]\n"
        "req_2 pending -> answered: Universal Music Group (evidence: 2)\n"
        "req_1 pending -> answered: Santa Monica (evidence: 2)\n"
        "Active now: req_0: identify the feast day associated with that city"
    )
    assert (played.record.outcome, played.record.final_answer) == (Outcome.ANSWERED, "4 May")


ALBUM = Document("a", "Ah Via Musicom", "Ah Via Musicom is an album by Eric Johnson, who was born in Austin.")
KNOWLES = Document("b", "Knowles", "The singer Knowles comes from Houston in Texas.")
AUSTIN = Document(
    "c", "Austin", "Austin, not Houston, is the capital of Texas. It became the capital in 1839."
)


def test_case_3_a_requirement_on_a_wrong_premise_is_retired(stage):
    stage.encoder = WordEncoder("capital", "musicom")
    asked = question(
        "When did the birthplace of the performer of Ah Via Musicom become capital of the state Knowles is from?",
        "1839",
        [ALBUM, KNOWLES, AUSTIN],
    )
    played = stage.play(
        execution_rag(),
        script(
            [register(req_0=("active", "determine when Houston became the capital of Texas"))],
            [
                'keyword_search("Ah Via Musicom")\nkeyword_search("capital")',
                "read_chunk(3, 1)",
                "read_chunk(2)",
            ],
            [
                json.dumps(
                    {
                        "req_0": {
                            "status": "retired",
                            "evidence_notes": "Houston is not the capital of Texas; Austin is.",
                            "evidence": [{"chunk_id": 3, "quote": "Austin, not Houston, is the capital"}],
                        },
                        "req_1": {"text": "determine when Austin became the capital", "status": "pending"},
                    }
                ),
                '{"req_0": {"status": "active"}, "req_1": {"status": "answered", "evidence_notes": "1839", "evidence": [3]}}',
            ],
            answer="1839",
        ),
        documents=[ALBUM, KNOWLES, AUSTIN],
        question=asked,
    )
    assert states(played.steps("register")[0]) == {"req_0": "active"}
    first, second = played.steps("update")
    assert states(first) == {"req_0": "retired", "req_1": "active"}
    assert first["requirements"][0]["evidence"] == [
        {"passage": "c", "quote": "Austin, not Houston, is the capital"}
    ]
    assert first["changes"] == [
        {"item": "req_0", "from": "active", "to": "retired"},
        {"item": "req_1", "from": None, "to": "active"},
    ]
    assert states(second) == {"req_0": "retired", "req_1": "answered"}
    assert played.steps("register_violation") == [
        {
            "step": "register_violation",
            "round": 3,
            "rule": "closed item reopened",
            "item": "req_0",
            "repair": "retired kept",
        }
    ]
    assert names(played)[-1] == "closure"
    assert (played.record.outcome, played.record.final_answer) == (Outcome.ANSWERED, "1839")
