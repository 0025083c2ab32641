"""Evaluation questions in what a program was compiled on, or in what came of it."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from leaderboard.benchmarks.questions import Question
from leaderboard.checking.state import PredictorState, State
from leaderboard.metrics.normalise import normalise
from leaderboard.submissions.errors import clipped, dotted

GRAM = 5
"""Words in a row that are looked for. Of a question of fewer words only equality counts."""

NEAR = 0.6
"""The share of word 5-grams from which on two texts are near-duplicates, or one holds the other."""


@dataclass(frozen=True, slots=True)
class Leak:
    """An evaluation question, by its id, found again in ``place``: a train question's id, or a state's key path.

    ``share`` is how much of the shorter one's different word 5-grams the longer one has, 0.6 to 1.
    """

    place: str
    question: str
    share: float

    @property
    def said(self) -> str:
        """What was found, in words."""
        if self.share == 1:
            return f"{clipped(self.question)}, word for word"
        return f"{self.share:.0%} of the {GRAM}-word sequences of {clipped(self.question)}"


def leaks(train: Iterable[Question], evaluation: Iterable[Question] | Evaluation) -> tuple[Leak, ...]:
    """Return each train question that is an evaluation question or a near-duplicate, with the closest one.

    Texts are compared after NFC and the normalisation of spec § 1.1. Equal ones are the same question; so are two of
    which the shorter one has at least 60 % of its word 5-grams in the longer one: cut, lengthened, or a word replaced.
    A template filled in anew is another question: it passes when each of the two names something, by a capital letter
    or a digit, that the other does not have.
    """
    known = evaluation if isinstance(evaluation, Evaluation) else Evaluation(evaluation)
    return tuple(
        leak for question in train if (leak := known.closest(question.id, question.text)) is not None
    )


def leaks_of_state(state: State, evaluation: Iterable[Question] | Evaluation) -> tuple[Leak, ...]:
    """Return each text of a state that is, nearly is, or quotes an evaluation question, by the rule of ``leaks``.

    Read are instructions, names and descriptions of fields, and every field of the demonstrations. A gold answer
    alone is no leak.
    """
    known = evaluation if isinstance(evaluation, Evaluation) else Evaluation(evaluation)
    return tuple(
        leak
        for name, predictor in state.predictors.items()
        for place, text in _texts(name, predictor)
        if (leak := known.closest(place, text)) is not None
    )


def _texts(name: str, predictor: PredictorState) -> Iterator[tuple[str, str]]:
    path: tuple[str | int, ...] = ("predictors", name)
    yield dotted((*path, "signature", "instructions")), predictor.instructions
    for number, field in enumerate(predictor.fields):
        for part, text in (("prefix", field.prefix), ("description", field.description)):
            yield dotted((*path, "signature", "fields", number, part)), text
    for number, demo in enumerate(predictor.demos):
        for key, value in demo.items():
            if isinstance(value, str):
                yield dotted((*path, "demos", number, key)), value


class Evaluation:
    """Evaluation questions, to be found by their text or by their 5-grams."""

    def __init__(self, questions: Iterable[Question]) -> None:
        self.ids: list[str] = []
        self.texts: list[_Words] = []
        self.sizes: list[int] = []
        self.equal: dict[str, str] = {}
        self.holders: dict[str, list[int]] = {}
        for number, question in enumerate(questions):
            text = _comparable(question.text)
            grams = _grams(text)
            self.ids.append(question.id)
            self.texts.append(_words(question.text))
            self.sizes.append(len(grams))
            self.equal.setdefault(text, question.id)
            for gram in grams:
                self.holders.setdefault(gram, []).append(number)

    def closest(self, place: str, text: str) -> Leak | None:
        """Return the evaluation question that ``text`` is, or is nearest to, None where none is near enough."""
        comparable = _comparable(text)
        if comparable in self.equal:
            return Leak(place, self.equal[comparable], 1.0)
        grams = _grams(comparable)
        shared = Counter(number for gram in grams for number in self.holders.get(gram, ()))
        shares = ((count / min(len(grams), self.sizes[number]), -number) for number, count in shared.items())
        near = sorted((one for one in shares if one[0] >= NEAR), reverse=True)
        words = _words(text) if near else None
        for share, number in near:
            if words and not words.fills_anew(self.texts[-number]):
                return Leak(place, self.ids[-number], share)
        return None


class _Words(NamedTuple):
    """The words of a text, normalised, and those of them that name something."""

    every: frozenset[str]
    names: frozenset[str]

    def fills_anew(self, other: _Words) -> bool:
        """Whether each of two texts names something that the other doesn't have."""
        return bool(self.names - other.every) and bool(other.names - self.every)


def _words(text: str) -> _Words:
    """Return a text's words. Its first one is no name for its capital letter."""
    first, *others = unicodedata.normalize("NFC", text).split() or [""]
    naming = [word for word in others if word[:1].isupper() or any(map(str.isdigit, word))]
    return _Words(
        frozenset(_comparable(" ".join([first, *others])).split()),
        frozenset(_comparable(" ".join(naming)).split()),
    )


def _comparable(text: str) -> str:
    return normalise(unicodedata.normalize("NFC", text))


def _grams(text: str) -> set[str]:
    words = text.split()
    return {" ".join(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)}
