"""A compiled state: what an optimizer made of a program's prompts, as data. Nothing of it is run, or loaded unchecked.

dspy sets every key of a predictor's state as an attribute, takes the state's model for ours, and accepts fields that
are too few: so a state holds exactly what is declared here, or it is refused.
``python -m leaderboard.checking.state FILE…`` rewrites files in the canonical form.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaderboard.catalog.optimizers import OPTIMIZERS
from leaderboard.catalog.programs import PROGRAMS, Predictors, Program
from leaderboard.catalog.rerankers import RERANKERS, Reranker
from leaderboard.checking.strict_json import Fault, JsonFaults, canonical_text, found_in, located, parse_json
from leaderboard.files import sha256_bytes, write_text
from leaderboard.manifest import KEYS
from leaderboard.submissions.compilation import StateErrors, state_bytes
from leaderboard.submissions.errors import SubmissionError, did_you_mean, one_of, quoted
from leaderboard.submissions.positions import Path as Keys

SCHEMA = "state/1"
MOST_DEMOS = 32
LONGEST_TEXT = 100_000
"""In characters."""

AUGMENTED = "augmented"
"""What dspy marks a demonstration with that came from a run of the program."""

_TEXT = f"text of at most {LONGEST_TEXT:,} characters"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_TOP = ("compiled", "predictors", "program", "schema")
_PREDICTOR = ("demos", "lm", "signature", "traces", "train")
_NO_ENTRY = {"traces", "train"}


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a state was made from. ``score`` is the optimizer's own, 0 to 1, None where it scores nothing."""

    optimizer: str
    fingerprint: str
    train: str
    train_digest: str
    calls: int
    dspy: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class FieldState:
    """How a field of a predictor is named and described to the model."""

    prefix: str
    description: str


@dataclass(frozen=True, slots=True)
class PredictorState:
    """A predictor's instructions, fields in their declared order, and demonstrations (field → text)."""

    instructions: str
    fields: tuple[FieldState, ...]
    demos: tuple[Mapping[str, str | bool], ...]


@dataclass(frozen=True, slots=True)
class State:
    """A checked state. ``sha256`` is that of its canonical text, so of its file's bytes."""

    program: str
    compiled: Compiled
    predictors: Mapping[str, PredictorState]
    sha256: str

    def loadable(self) -> dict[str, dict[str, Any]]:
        """Return what ``dspy.Module.load_state`` takes, made anew from what was checked; no model in it."""
        return {name: _dump(predictor) for name, predictor in self.predictors.items()}


def read_state(path: Path, parameters: Program, reranker: Reranker | None = None) -> State:
    """Return the state in ``path``, checked against the predictors of program and reranker.

    Raises ``StateErrors`` with all faults of the file, each with line, column and key path.
    """
    data = state_bytes(path)
    if data is None:
        hint = "leaderboard compile writes it"
        raise StateErrors(
            [SubmissionError(path.as_posix(), 1, 1, "", "a file", "nothing at this path", hint)]
        )
    return parse_state(data, path.as_posix(), parameters, reranker)


def parse_state(data: bytes, file: str, parameters: Program, reranker: Reranker | None = None) -> State:
    """Return the state that ``data`` holds; ``file`` is its name in errors. Raises ``StateErrors``."""
    try:
        value = parse_json(data, file)
    except JsonFaults as faults:
        raise StateErrors(faults.errors) from None
    found = list(_state(value, parameters.kind, declared(parameters, reranker)))
    if found:
        raise StateErrors(located(found, value, file))
    predictors = {name: _predictor_state(entry) for name, entry in value["predictors"].items()}
    return State(parameters.kind, Compiled(**value["compiled"]), predictors, sha256_bytes(data))


def state_text(program: str, compiled: Compiled, predictors: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the text of a state file: ``predictors`` is what ``dspy.Module.dump_state()`` returns.

    The model, the traces and the train set that dspy may have put in are left out. Nothing else is changed or
    checked: ``parse_state`` says whether the text is a state.
    """
    facts = {name: getattr(compiled, name) for name in Compiled.__slots__}
    kept = {name: {**entry, "lm": None, "traces": [], "train": []} for name, entry in predictors.items()}
    return canonical_text({"schema": SCHEMA, "program": program, "compiled": facts, "predictors": kept})


def declared(parameters: Program, reranker: Reranker | None = None) -> Predictors:
    """Return the predictors of a program, and below ``reranker.`` those of its reranker, with their fields."""
    own = dict(PROGRAMS[parameters.kind].predictors(parameters))
    of_reranker = RERANKERS[reranker.kind].predictors if reranker else {}
    return own | {f"reranker.{name}": fields for name, fields in of_reranker.items()}


def _dump(predictor: PredictorState) -> dict[str, Any]:
    fields = [{"description": field.description, "prefix": field.prefix} for field in predictor.fields]
    return {
        "demos": [dict(demo) for demo in predictor.demos],
        "lm": None,
        "signature": {"fields": fields, "instructions": predictor.instructions},
        "traces": [],
        "train": [],
    }


def _predictor_state(entry: Mapping[str, Any]) -> PredictorState:
    fields = tuple(FieldState(**field) for field in entry["signature"]["fields"])
    return PredictorState(entry["signature"]["instructions"], fields, tuple(entry["demos"]))


def _state(value: object, program: str, predictors: Predictors) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault((), "an object", found_in(value))
        return
    yield from _keys((), value, _TOP)
    if "schema" in value and value["schema"] != SCHEMA:
        yield Fault(("schema",), f'"{SCHEMA}"', found_in(value["schema"]), "compile the program again")
    if "program" in value and value["program"] != program:
        hint = "compile the program again"
        yield Fault(("program",), f'"{program}", the submission\'s program', found_in(value["program"]), hint)
    if "compiled" in value:
        yield from _compiled(value["compiled"])
    given = value.get("predictors", {})
    if not isinstance(given, dict):
        yield Fault(("predictors",), "an object", found_in(given))
        return
    if "predictors" in value:
        yield from _keys(("predictors",), given, tuple(predictors))
    for name, (inputs, outputs) in predictors.items():
        if name in given:
            yield from _predictor(("predictors", name), given[name], (*inputs, *outputs))


def _compiled(value: object) -> Iterator[Fault]:
    path: Keys = ("compiled",)
    if not isinstance(value, dict):
        yield Fault(path, "an object", found_in(value))
        return
    yield from _keys(path, value, tuple(Compiled.__slots__))
    for name, known in (("optimizer", tuple(OPTIMIZERS)), ("train", KEYS)):
        if name in value and value[name] not in known:
            yield Fault((*path, name), one_of(known), found_in(value[name]), did_you_mean(value[name], known))
    for name in ("fingerprint", "train_digest"):
        if name in value and not (isinstance(value[name], str) and _DIGEST.fullmatch(value[name])):
            yield Fault((*path, name), "a SHA-256 of 64 hex digits", found_in(value[name]))
    if "calls" in value and not (type(value["calls"]) is int and value["calls"] >= 0):
        yield Fault((*path, "calls"), "a whole number of at least 0", found_in(value["calls"]))
    version = value.get("dspy", "")
    if not (isinstance(version, str) and len(version) <= 30 and version.isprintable()):
        yield Fault((*path, "dspy"), "a version of at most 30 characters", found_in(version))
    score = value.get("score")
    if score is not None and not (type(score) in (int, float) and 0 <= score <= 1):
        yield Fault((*path, "score"), "a number from 0 to 1, or null", found_in(score))


def _predictor(path: Keys, value: object, fields: tuple[str, ...]) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault(path, "an object", found_in(value))
        return
    yield from _keys(path, value, _PREDICTOR)
    if value.get("lm") is not None:
        yield Fault((*path, "lm"), "null: the submission's [lm] says which model", found_in(value["lm"]))
    for name in sorted(_NO_ENTRY & value.keys()):
        if value[name] != []:
            yield Fault((*path, name), "an empty array", found_in(value[name]))
    if "signature" in value:
        yield from _signature((*path, "signature"), value["signature"], fields)
    demos = value.get("demos", [])
    if not isinstance(demos, list):
        yield Fault((*path, "demos"), "an array", found_in(demos))
    elif len(demos) > MOST_DEMOS:
        yield Fault((*path, "demos"), f"at most {MOST_DEMOS} demonstrations", f"{len(demos)}")
    else:
        for number, demo in enumerate(demos):
            yield from _demo((*path, "demos", number), demo, fields)


def _signature(path: Keys, value: object, names: tuple[str, ...]) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault(path, "an object", found_in(value))
        return
    yield from _keys(path, value, ("fields", "instructions"))
    if "instructions" in value:
        yield from _text((*path, "instructions"), value["instructions"])
    if "fields" not in value:
        return
    fields = value["fields"]
    if not isinstance(fields, list) or len(fields) != len(names):
        yield Fault((*path, "fields"), f"an array of {len(names)}: {', '.join(names)}", found_in(fields))
        return
    for number, field in enumerate(fields):
        place = (*path, "fields", number)
        if not isinstance(field, dict):
            yield Fault(place, "an object", found_in(field))
            continue
        yield from _keys(place, field, ("description", "prefix"))
        for name in sorted({"description", "prefix"} & field.keys()):
            yield from _text((*place, name), field[name])


def _demo(path: Keys, value: object, fields: tuple[str, ...]) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault(path, "an object", found_in(value))
        return
    yield from _known(path, value, (*fields, AUGMENTED))
    if not value.keys() & set(fields):
        yield Fault(path, f"a field of {', '.join(fields)}", "none")
    for name in fields:
        if name in value:
            yield from _text((*path, name), value[name])
    if AUGMENTED in value and not isinstance(value[AUGMENTED], bool):
        yield Fault((*path, AUGMENTED), "true or false", found_in(value[AUGMENTED]))


def _text(path: Keys, value: object) -> Iterator[Fault]:
    if not isinstance(value, str):
        yield Fault(path, _TEXT, found_in(value))
    elif len(value) > LONGEST_TEXT:
        yield Fault(path, _TEXT, f"{len(value):,} characters")


def _keys(path: Keys, value: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[Fault]:
    """Yield each key that is not one of ``names``, and each of these that is missing."""
    yield from _known(path, value, names)
    for name in names:
        if name not in value:
            yield Fault((*path, name), f"the key {quoted(name)}", "nothing")


def _known(path: Keys, value: Mapping[str, Any], names: Iterable[str]) -> Iterator[Fault]:
    known = tuple(names)
    for key in value:
        if key not in known:
            yield Fault((*path, key), one_of(known), quoted(key), did_you_mean(key, known))


def main(given: list[str] | None = None) -> int:
    """Rewrite state files in the canonical form; exit status 1 where one is no JSON that can be read."""
    own = argparse.ArgumentParser(prog="python -m leaderboard.checking.state")
    own.add_argument("paths", nargs="+", type=Path, metavar="FILE")
    failed = 0
    for path in own.parse_args(given).paths:
        try:
            data = state_bytes(path)
            if data is None:
                raise StateErrors(
                    [SubmissionError(path.as_posix(), 1, 1, "", "a file", "nothing at this path")]
                )
            write_text(path, canonical_text(parse_json(data, path.as_posix(), canonical=False)))
        except (StateErrors, JsonFaults) as errors:
            print(errors, file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
