"""A train set of six questions, and a model that learns: it answers better the better it is told to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from leaderboard.benchmarks.questions import Benchmark, Document, Evidence, Question
from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore
from leaderboard.compiling.program import Answering, Learnt, learn
from leaderboard.submissions.load import Submission
from tests import tiny
from tests.programs.played import fields
from tests.scripted import ScriptedProvider

NAMES = {
    "mill": "Ada Fenn",
    "lock": "Bela Orr",
    "quay": "Cleo Marsh",
    "tower": "Dora Pell",
    "weir": "Edda Rusk",
    "barn": "Finn Tolley",
}
DOCUMENTS = tuple(Document(key, f"The {key}", f"{name} built the {key}.") for key, name in NAMES.items())
QUESTIONS = tuple(
    Question(
        f"t{number}",
        f"Who built the {key}?",
        name,
        (),
        (Evidence(f"{name} built the {key}.", "fact", "", f"{name} built the {key}.", key),),
        {},
    )
    for number, (key, name) in enumerate(NAMES.items())
)
TRAIN = Benchmark("musique", "train", "sample", QUESTIONS, DOCUMENTS, (), chunked=True)
EASY = ("mill", "tower", "barn")
"""What the model knows from the start; the others with an instruction that says CAREFULLY, the last but one never."""


def question_of(request: Mapping[str, Any]) -> str:
    """Return the key that the last message asks for."""
    asked = request["messages"][-1]["content"]
    return next(key for key in NAMES if f"Who built the {key}?" in asked)


def pupil(request: dict[str, Any]) -> str:
    """Answer, search, or write instructions, from the request alone; a draw has a seed of its own, so another text."""
    wanted, seed = fields(request), request.get("seed", 0)
    if wanted == ["answer"]:
        key = question_of(request)
        shown = len(request["messages"]) > 2  # a demonstration
        told = "CAREFULLY" in request["messages"][0]["content"]
        knows = key in EASY or (told and key != "weir") or seed % 3 == 1 or (shown and key == "lock")
        return _said(answer=NAMES[key] if knows else "Nobody")
    word = "CAREFULLY" if seed % 2 else "at once"
    texts = {name: f"{name} number {seed % 1000}: answer {word}." for name in wanted}
    if "queries" in texts:
        texts["queries"] = f"builder of the {question_of(request)}"
    if "module_advice" in texts:
        texts["module_advice"] = json.dumps({"answer": f"Advice {seed % 1000}: answer {word}."})
    return _said(**texts)


def _said(**values: str) -> str:
    parts = [f"[[ ## {name} ## ]]\n{value}" for name, value in values.items()]
    return "\n\n".join([*parts, "[[ ## completed ## ]]"])


def submit(
    folder: Path, optimizer: str, program: Mapping[str, Any] | None = None, **compile: Any
) -> Submission:
    """Write a submission with a [compile] table and load it."""
    tables = program or tiny.READER
    return tiny.submit(folder, "pupil", compile={"optimizer": optimizer, **compile}, **tables)


class School:
    """One store for several compiles, so that what was asked once is not asked again."""

    def __init__(self, home: Path) -> None:
        self.store = CallStore(home / "calls")

    def compile(
        self,
        submission: Submission,
        script: Callable[[dict[str, Any]], Any] = pupil,
        *,
        train: Benchmark = TRAIN,
        mode: Any = "live",
        **options: Any,
    ) -> tuple[Learnt, ScriptedProvider]:
        """Compile; return what was learnt, and the provider with the requests that were really made."""
        provider = ScriptedProvider(script)
        answering = Answering(provider, self.store, Ledger(None, Spent()), mode)
        return learn(submission.document, train, answering, **options), provider
