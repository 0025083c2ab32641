"""Parquet files of records, calls and retrievals: typed columns, deterministic bytes, read back as checked values.

The one file below ``retrieval · models`` that takes polars (design § 6).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from leaderboard.calls.store import CallStoreError, StoredCall
from leaderboard.files import replacing, sha256_file
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


def _write(path: Path, rows: Sequence[dict[str, Any]], schema: dict[str, Any]) -> TableFile:
    columns = {name: [row[name] for row in rows] for name in schema}
    frame = pl.DataFrame(columns, schema=schema, strict=True)
    with replacing(path) as temporary:
        frame.write_parquet(temporary, compression="zstd", statistics=False)
    return TableFile(place=path.name, sha256=sha256_file(path), rows=len(rows))


def _read(path: Path, schema: dict[str, Any]) -> list[dict[str, Any]]:
    try:
        frame = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise RunError(
            f"{path}: not a readable parquet file ({error}); restore it, or remove the run's folder"
        ) from error
    if dict(frame.schema) != schema:
        wrong = sorted(set(schema.items()) ^ set(frame.schema.items()), key=str)[:4]
        raise RunError(f"{path}: unexpected columns {wrong}; it was written by another version or altered")
    return frame.to_dicts()


def write_records(path: Path, records: Iterable[Record]) -> TableFile:
    """Write records in the given order; return the file's digest and number of rows."""
    rows = []
    for record in records:
        row = asdict(record)
        row["schema"] = SCHEMA
        row["outcome"] = record.outcome.value
        row["trace"] = json.dumps(list(record.trace), ensure_ascii=False, sort_keys=True)
        rows.append(row)
    return _write(path, rows, RECORDS)


def read_records(path: Path) -> tuple[Record, ...]:
    """Read records in file order. Raises ``RunError`` for a damaged file or a value out of its range."""
    records = []
    for number, row in enumerate(_read(path, RECORDS), start=1):
        schema = row.pop("schema")
        try:
            if schema != SCHEMA:
                raise ValueError(f"schema {schema!r}, expected {SCHEMA!r}")
            row["outcome"] = Outcome(row["outcome"])
            row["trace"] = tuple(json.loads(row["trace"]))
            row["returned"] = tuple(
                Returned(**{**r, "evidence": tuple(r["evidence"])}) for r in row["returned"]
            )
            row["shown"] = tuple(Shown(**{**s, "evidence": tuple(s["evidence"])}) for s in row["shown"])
            row["cited"] = tuple(row["cited"])
            row["calls"] = tuple(row["calls"])
        except (ValueError, TypeError) as error:
            raise RunError(
                f"{path}: row {number}: {error}; the file was altered or written by another version"
            ) from error
        records.append(Record(**row))
    return tuple(records)


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


def read_calls(path: Path) -> tuple[StoredCall, ...]:
    """Read calls; each key is checked against its request."""
    calls = []
    for number, row in enumerate(_read(path, CALLS), start=1):
        try:
            fields = {**row, "request": json.loads(row["request"]), "response": json.loads(row["response"])}
            calls.append(StoredCall(**fields))
        except (ValueError, TypeError, CallStoreError) as error:
            raise RunError(f"{path}: row {number}: {error}; the file was altered") from error
    return tuple(calls)


def write_retrievals(path: Path, retrievals: Iterable[RetrievalCall]) -> TableFile:
    """Write retrieval calls ordered by index, query and k."""
    ordered = sorted(retrievals, key=lambda call: (call.index_digest, call.query, call.k))
    return _write(path, [asdict(call) for call in ordered], RETRIEVALS)


def read_retrievals(path: Path) -> tuple[RetrievalCall, ...]:
    """Read retrieval calls."""
    retrievals = []
    for number, row in enumerate(_read(path, RETRIEVALS), start=1):
        try:
            fields = {**row, "ids": tuple(row["ids"]), "scores": tuple(row["scores"])}
        except TypeError as error:
            raise RunError(f"{path}: row {number}: {error}; the file was altered") from error
        retrievals.append(RetrievalCall(**fields))
    return tuple(retrievals)
