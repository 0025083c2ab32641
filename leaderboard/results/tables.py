"""Parquet files of records, calls and retrievals: typed columns, deterministic bytes, read back as checked values.

The one file below ``retrieval · models`` that takes polars (design § 6).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from leaderboard.calls.store import CallStoreError, StoredCall
from leaderboard.files import replacing, sha256_file
from leaderboard.metrics.final_answer import final_answer
from leaderboard.results.records import SCHEMA, Outcome, Record, RetrievalCall, Returned, Shown
from leaderboard.results.runs import RunError, TableFile

_EVIDENCE = pl.List(pl.Int32)
_RETURNED = pl.List(
    pl.Struct(
        {
            "passage": pl.String,
            "title": pl.String,
            "query": pl.String,
            "round": pl.Int32,
            "rank": pl.Int32,
            "score": pl.Float64,
            "evidence": _EVIDENCE,
        }
    )
)
_SHOWN = pl.List(
    pl.Struct(
        {
            "passage": pl.String,
            "title": pl.String,
            "tokens": pl.Int32,
            "truncated": pl.Boolean,
            "evidence": _EVIDENCE,
        }
    )
)
RECORDS: dict[str, Any] = {
    "schema": pl.String,
    "run": pl.String,
    "question": pl.String,
    "question_digest": pl.String,
    "repeat": pl.Int32,
    "outcome": pl.String,
    "raw_answer": pl.String,
    "final_answer": pl.String,
    "overlong": pl.Boolean,
    "finish_reason": pl.String,
    "parse_repairs": pl.Int32,
    "returned": _RETURNED,
    "shown": _SHOWN,
    "cited": pl.List(pl.String),
    "read": pl.List(pl.String),
    "rounds": pl.Int32,
    "trace": pl.String,
    "calls": pl.List(pl.String),
    "prompt_tokens": pl.Int64,
    "completion_tokens": pl.Int64,
    "cached_tokens": pl.Int64,
    "retrieved_tokens": pl.Int64,
    "latency_s": pl.Float64,
    "paid_usd": pl.Float64,
    "error": pl.String,
}
CALLS: dict[str, Any] = {
    "key": pl.String,
    "request": pl.String,
    "response": pl.String,
    "latency_s": pl.Float64,
    "paid_usd": pl.Float64,
    "recorded_at": pl.String,
}
RETRIEVALS: dict[str, Any] = {
    "index_digest": pl.String,
    "query": pl.String,
    "k": pl.Int32,
    "ids": pl.List(pl.String),
    "scores": pl.List(pl.Float64),
    "seconds": pl.Float64,
}
_MAY_BE_UNKNOWN = frozenset({"prompt_tokens", "completion_tokens", "cached_tokens", "paid_usd"})
_MAY_BE_NEGATIVE = frozenset({"score", "scores"})
_REPAIR = "the file was altered: restore it, or remove the run's folder"
_FROM_ONE = frozenset({"round", "rank", "k"})


def _write(path: Path, rows: Sequence[dict[str, Any]], schema: dict[str, Any]) -> TableFile:
    columns = {name: [row[name] for row in rows] for name in schema}
    frame = pl.DataFrame(columns, schema=schema, strict=True)
    with replacing(path) as temporary:
        frame.write_parquet(temporary, compression="zstd", statistics=False)
    return TableFile(place=path.name, sha256=sha256_file(path), rows=len(rows))


def _read(path: Path, schema: dict[str, Any], most: int | None = None) -> list[dict[str, Any]]:
    try:
        frame = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise RunError(
            f"{path}: not a readable parquet file ({error}); restore it, or remove the run's folder"
        ) from error
    if dict(frame.schema) != schema:
        wrong = sorted(set(schema.items()) ^ set(frame.schema.items()), key=str)[:4]
        raise RunError(f"{path}: unexpected columns {wrong}; {_REPAIR}")
    rows = (frame if most is None else frame.head(most)).to_dicts()
    for number, row in enumerate(rows, start=1):
        fault = next((fault for name, value in row.items() if (fault := _fault(name, value))), "")
        if fault:
            raise RunError(f"{path}: row {number}: {fault}; {_REPAIR}")
    return rows


def _fault(name: str, value: Any) -> str:
    """Return what is wrong with a field: nothing where a value is needed, or a number that cannot be; "" if all is well.

    The file's columns are typed, so that a text is a text; but any of them, at any depth, can hold a null.
    """
    if value is None:
        return "" if name in _MAY_BE_UNKNOWN else f"{name}: expected a value, found none"
    if isinstance(value, dict):
        return next((fault for key, part in value.items() if (fault := _fault(key, part))), "")
    if isinstance(value, list):
        return next((fault for part in value if (fault := _fault(name, part))), "")
    if isinstance(value, int | float):
        least = -math.inf if name in _MAY_BE_NEGATIVE else 1 if name in _FROM_ONE else 0
        if not math.isfinite(value):
            return f"{name}: expected a finite number, found {value}"
        if value < least:
            return f"{name}: expected at least {least}, found {value}"
    return ""


def _from_json(text: str) -> Any:
    def refuse(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def write_records(path: Path, records: Iterable[Record], run: str = "") -> TableFile:
    """Write the records of the run of this name in the given order; return the file's digest and number of rows.

    Without a name each record keeps the one it has.
    """
    rows = []
    for record in records:
        row = asdict(record)
        row["schema"] = SCHEMA
        row["run"] = run or record.run
        row["outcome"] = record.outcome.value
        row["trace"] = json.dumps(list(record.trace), ensure_ascii=False, sort_keys=True)
        rows.append(row)
    return _write(path, rows, RECORDS)


def read_records(path: Path) -> tuple[Record, ...]:
    """Read records in file order. Raises ``RunError`` for a damaged file or a value out of its range.

    The final answer must be the one that the raw answer has (rule R1): metrics read the one or the other.
    """
    records = []
    for number, row in enumerate(_read(path, RECORDS), start=1):
        schema = row.pop("schema")
        try:
            if schema != SCHEMA:
                raise ValueError(f"schema {schema!r}, expected {SCHEMA!r}")
            row["outcome"] = Outcome(row["outcome"])
            row["trace"] = tuple(_steps(row["trace"]))
            row["returned"] = tuple(
                Returned(**{**r, "evidence": tuple(r["evidence"])}) for r in row["returned"]
            )
            row["shown"] = tuple(Shown(**{**s, "evidence": tuple(s["evidence"])}) for s in row["shown"])
            row["cited"] = tuple(row["cited"])
            row["read"] = tuple(row["read"])
            row["calls"] = tuple(row["calls"])
            final = final_answer(row["raw_answer"])
            if (row["final_answer"], row["overlong"]) != (final.text, final.overlong):
                raise ValueError(
                    f"final_answer {row['final_answer'][:60]!r} is not that of the raw answer, {final.text[:60]!r}"
                )
        except (ValueError, TypeError, RecursionError) as error:
            raise RunError(f"{path}: row {number}: {error}; {_REPAIR}") from error
        records.append(Record(**row))
    return tuple(records)


def _steps(text: str) -> list[dict[str, Any]]:
    steps = _from_json(text)
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise ValueError("trace: expected a list of steps")
    return steps


def write_calls(path: Path, calls: Iterable[StoredCall]) -> TableFile:
    """Write calls ordered by key."""
    rows = [
        {
            **asdict(call),
            "request": json.dumps(call.request, ensure_ascii=False, sort_keys=True),
            "response": json.dumps(call.response, ensure_ascii=False, sort_keys=True),
        }
        for call in sorted(calls, key=lambda call: call.key)
    ]
    return _write(path, rows, CALLS)


def read_calls(path: Path, most: int | None = None) -> tuple[StoredCall, ...]:
    """Read calls, the first ``most`` where that is said.

    Each is checked as ``StoredCall`` says, its key against its request included.
    """
    calls = []
    for number, row in enumerate(_read(path, CALLS, most), start=1):
        try:
            fields = {**row, "request": _from_json(row["request"]), "response": _from_json(row["response"])}
            calls.append(StoredCall(**fields))
        except (ValueError, RecursionError, CallStoreError) as error:
            raise RunError(f"{path}: row {number}: {error}; {_REPAIR}") from error
    return tuple(calls)


def write_retrievals(path: Path, retrievals: Iterable[RetrievalCall]) -> TableFile:
    """Write retrieval calls ordered by index, query and k."""
    ordered = sorted(retrievals, key=lambda call: (call.index_digest, call.query, call.k))
    return _write(path, [asdict(call) for call in ordered], RETRIEVALS)


def read_retrievals(path: Path) -> tuple[RetrievalCall, ...]:
    """Read retrieval calls."""
    retrievals = []
    for number, row in enumerate(_read(path, RETRIEVALS), start=1):
        if len(row["ids"]) != len(row["scores"]):
            raise RunError(
                f"{path}: row {number}: {len(row['ids'])} ids and {len(row['scores'])} scores; {_REPAIR}"
            )
        retrievals.append(RetrievalCall(**{**row, "ids": tuple(row["ids"]), "scores": tuple(row["scores"])}))
    return tuple(retrievals)
