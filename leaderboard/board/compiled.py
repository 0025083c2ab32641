"""What an optimizer made of a system's prompts: instructions beside those before, demonstrations, where from."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from leaderboard.benchmarks.questions import track_label
from leaderboard.board.instructions import Fields, difference, plain, recorded_instructions
from leaderboard.board.rows import System
from leaderboard.board.tables import CompiledPredictor, CompiledPrompts, Demonstration
from leaderboard.catalog.optimizers import OptimizerParameters
from leaderboard.checking.state import AUGMENTED, PredictorState, State, declared, read_state
from leaderboard.manifest.entries import entry

PASSAGE_CHARACTERS = 200
"""How much of a passage a page shows beside its title (design § 8)."""

_PASSAGE = re.compile(r"\n+(?=\[\d+\] )")
_WHOLE = ("question",)
"""Input fields that hold no passages."""


def compiled_prompts(system: System, parent: System | None) -> CompiledPrompts | None:
    """Return the compiled prompts of a system, None for one that isn't compiled.

    They are read from the state beside the submission; ``parent`` is the system it is based on. Raises
    ``StateErrors`` for a state that isn't one, ``RunError`` for a damaged run of the parent.
    """
    submission = system.cells[0].cell.submission
    chosen = submission.document.compile
    if chosen is None:
        return None
    settings = _settings(chosen)
    if not os.path.lexists(submission.state_path):
        missing = f"Not compiled yet: leaderboard compile {system.key} writes its prompts."
        return CompiledPrompts(notes=(missing,), facts=settings)
    state = _state(system)
    fields = declared(submission.document.program, submission.document.reranker)
    before, where = _before(parent, fields)
    return CompiledPrompts(
        notes=_notes(chosen, state),
        facts=(*settings, *_facts(system, state)),
        before=where if before else "",
        predictors=tuple(
            _predictor(name, made, fields[name], before.get(name)) for name, made in state.predictors.items()
        ),
    )


def _state(system: System) -> State:
    submission = system.cells[0].cell.submission
    return read_state(submission.state_path, submission.document.program, submission.document.reranker)


def _settings(chosen: OptimizerParameters) -> tuple[tuple[str, str], ...]:
    values = chosen.model_dump()
    told = ", ".join(
        f"{name} = {value}" for name, value in values.items() if name not in ("optimizer", "train")
    )
    return (("Optimizer", values["optimizer"]), ("Settings", told))


def _facts(system: System, state: State) -> tuple[tuple[str, str], ...]:
    made = state.compiled
    track = system.cells[0].cell.benchmark.track
    score = () if made.score is None else (("Its own score", f"{made.score:.4g} of 1, while compiling"),)
    return (
        ("Trained on", f"the train split of {track_label(entry(made.train).name, track)}"),
        ("Questions", f"sha256 {made.train_digest}"),
        *score,
        ("Calls", f"{made.calls:,d} made to compile it; none of them is in the cost of a question"),
        ("Compiled with", f"dspy {made.dspy}"),
        ("Recorded in", f"results/compile/{system.key}/{made.fingerprint[:8]}/"),
        ("State", f"submissions/{system.key}.state.json, sha256 {state.sha256}"),
    )


def _notes(chosen: OptimizerParameters, state: State) -> tuple[str, ...]:
    asked = chosen.model_dump()
    made = {"optimizer": state.compiled.optimizer, "train": state.compiled.train}
    return tuple(
        f"The submission says {name} = {asked[name]}, its state was made with {value}: compile it again."
        for name, value in made.items()
        if asked[name] != value
    )


def _before(parent: System | None, fields: Mapping[str, Fields]) -> tuple[dict[str, str], str]:
    """Return the instructions that the parent's predictors of the same name and fields have, and where from.

    Of a compiled parent those of its state, of another one those in its recorded requests.
    """
    if parent is None:
        return {}, ""
    submission = parent.cells[0].cell.submission
    own = declared(submission.document.program, submission.document.reranker)
    shared = {name: kept for name, kept in fields.items() if own.get(name) == kept}
    if parent.compiled:
        if not os.path.lexists(submission.state_path):
            return {}, ""
        made = _state(parent).predictors
        return {name: plain(made[name].instructions) for name in shared}, f"the state of {parent.name}"
    recorded: dict[Fields, str] = {}
    for cell in parent.cells:
        if cell.scores is not None and not set(shared.values()) <= set(recorded):
            recorded = recorded_instructions(cell.scores.run) | recorded
    # Predictors with the same fields can't be told apart in a request.
    alone = {name: kept for name, kept in shared.items() if [*own.values()].count(kept) == 1}
    found = {name: recorded[kept] for name, kept in alone.items() if kept in recorded}
    return found, f"the recorded requests of {parent.name}"


def _predictor(name: str, made: PredictorState, fields: Fields, before: str | None) -> CompiledPredictor:
    instructions = plain(made.instructions)
    changed = None if before is None else before != instructions
    return CompiledPredictor(
        name=name,
        instructions=instructions,
        changed=changed,
        lines=difference(before, instructions) if before is not None and changed else (),
        demonstrations=tuple(_demonstration(demo, fields) for demo in made.demos),
    )


def _demonstration(demo: Mapping[str, str | bool], fields: Fields) -> Demonstration:
    inputs, outputs = fields
    shown = [
        (name, str(demo[name]) if name in _WHOLE or name in outputs else with_passages_cut(str(demo[name])))
        for name in (*inputs, *outputs)
        if name in demo
    ]
    return Demonstration(ran=bool(demo.get(AUGMENTED, False)), fields=tuple(shown))


def with_passages_cut(text: str) -> str:
    """Return the numbered passages of a prompt's field, each as its title and at most 200 characters.

    What isn't a numbered passage ("[1] Title", then its text) counts as one without a title.
    """
    return "\n\n".join(map(_cut_passage, _PASSAGE.split(text)))


def _cut_passage(passage: str) -> str:
    if not re.match(r"\[\d+\] ", passage):
        return _cut(passage)
    title, line_end, body = passage.partition("\n")
    return f"{_cut(title)}{line_end}{_cut(body)}"


def _cut(text: str) -> str:
    return text if len(text) <= PASSAGE_CHARACTERS else text[: PASSAGE_CHARACTERS - 1].rstrip() + "…"
