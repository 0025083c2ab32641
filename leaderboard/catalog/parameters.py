"""What the parameter models of all programs have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class ProgramParameters(BaseModel):
    """What every program's table has: its kind. Unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)
