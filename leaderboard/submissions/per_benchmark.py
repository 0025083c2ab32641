"""The tables of ``leaderboard.toml`` that have a field a benchmark: its fields are the manifest's keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, create_model
from pydantic_core import PydanticCustomError

from leaderboard.manifest import KEYS
from leaderboard.submissions.errors import did_you_mean, one_of
from leaderboard.submissions.schema import Table


def _match_only(value: object) -> object:
    if value == "judge":
        context = {"expected": '"match"', "hint": "there is no judge yet"}
        raise PydanticCustomError("no_judge", "there is no judge yet", context)
    return value


Metric = Annotated[Literal["match"], BeforeValidator(_match_only)]


class Groups(Table):
    """The breakdown in each of whose groups a benchmark's questions are counted, instead of over the whole file."""


class Limits(Table):
    """Most questions of each benchmark, the first ones of its file; all when left out."""


class Headline(Table):
    """The metric each benchmark is ranked by."""


def _breakdown(value: str, info: ValidationInfo) -> str:
    from leaderboard.manifest.entries import entry

    known = entry(str(info.field_name)).breakdowns
    if value not in known:
        context = {"expected": one_of(known), "hint": did_you_mean(value, known)}
        raise PydanticCustomError("no_breakdown", "a breakdown of the benchmark", context)
    return value


_Breakdown = Annotated[str, AfterValidator(_breakdown)]
_Limit = Annotated[int, Field(ge=1)]


def _a_field_each(base: type[Table], annotation: Any, default: object, description: str) -> Any:
    """Return ``base`` with a field a benchmark of the manifest."""
    fields: dict[str, Any] = {
        key: (annotation, Field(default=default, description=description.format(key=key))) for key in KEYS
    }
    return create_model(base.__name__, __base__=base, __doc__=base.__doc__, **fields)


if not TYPE_CHECKING:
    Groups = _a_field_each(
        Groups, _Breakdown | None, None, "Count {key}'s questions in each group of this breakdown."
    )
    Limits = _a_field_each(Limits, _Limit | None, None, "Most questions of {key}.")
    Headline = _a_field_each(Headline, Metric, "match", "What {key} is ranked by.")
