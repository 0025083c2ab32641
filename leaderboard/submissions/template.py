"""A new submission to start from, every field explained by the schema's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from leaderboard.catalog.optimizers import OPTIMIZERS, BootstrapFewShot
from leaderboard.catalog.programs import PROGRAMS, SingleStep
from leaderboard.catalog.retrievers import BM25, RETRIEVERS
from leaderboard.submissions.errors import SubmissionError, SubmissionErrors, quoted
from leaderboard.submissions.load import Submission, load_submission
from leaderboard.submissions.schema import STEM_PATTERN, LanguageModel, Limits, SubmissionDocument, System

DEFAULT_MODEL = "embedded/qwen2.5-coder-0.5b"

_TABLES: Mapping[str, type[BaseModel]] = {
    "system": System,
    "lm": LanguageModel,
    "retriever": BM25,
    "program": SingleStep,
    "compile": BootstrapFewShot,
    "limits": Limits,
}


def template(key: str, model: str = DEFAULT_MODEL) -> str:
    """Return the text of a new submission ``key``: valid as it is, with every field and its description."""
    chosen: dict[str, dict[str, object]] = {
        "system": {
            "name": key.replace("-", " ").capitalize(),
            "authors": ["Your name"],
            "description": "One sentence: what the system does.",
        },
        "lm": {"model": model, "temperature": 0.0, "max_tokens": 64},
        "retriever": {"kind": "bm25", "unit": "passage", "chunk_tokens": 64},
        "program": {"kind": "single_step", "passages": 5},
        "compile": {"optimizer": "bootstrap_few_shot"},
        "limits": {"calls_per_question": 1},
    }
    lines = [
        "#:schema ./submission.schema.json",
        "# Lines that start with # are optional; remove the # to use one.",
    ]
    for table, fields in _TABLES.items():
        lines += ["", f"# {SubmissionDocument.model_fields[table].description}"]
        made = [f"[{table}]", *_fields(table, fields.model_fields, chosen[table])]
        lines += (
            [line if line.startswith("# ") else f"# {line}" for line in made] if table == "compile" else made
        )
    return "\n".join(lines) + "\n"


def new_submission(key: str, folder: Path, model: str = DEFAULT_MODEL) -> Submission:
    """Write a new submission ``folder/key.toml`` and return it as loaded.

    Raises ``SubmissionErrors`` for a name that can't be one and for a file that exists: nothing is overwritten.
    """
    path = folder / f"{key}.toml"
    if not re.fullmatch(STEM_PATTERN, key):
        expected = "a name of 2 to 63 of a-z, 0-9 and -"
        raise SubmissionErrors([SubmissionError(folder.as_posix(), 1, 1, "", expected, quoted(key))])
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(template(key, model))
    except FileNotFoundError:
        expected, found = "a folder to write in", f"none at {folder.as_posix()}"
        raise SubmissionErrors([SubmissionError(path.as_posix(), 1, 1, "", expected, found)]) from None
    except FileExistsError:
        expected = "a name that is still free"
        raise SubmissionErrors([SubmissionError(path.as_posix(), 1, 1, "", expected, "a file")]) from None
    return load_submission(path)


def _fields(table: str, fields: Mapping[str, FieldInfo], chosen: Mapping[str, object]) -> Iterator[str]:
    kinds = {"retriever": list(RETRIEVERS), "program": list(PROGRAMS), "compile": list(OPTIMIZERS)}
    for name, field in fields.items():
        choices = f" One of {', '.join(kinds[table])}." if name in ("kind", "optimizer") else ""
        yield f"# {field.description}{choices}"
        if name in chosen:
            yield f"{name} = {_toml(chosen[name])}"
        else:
            example = field.default if field.default is not None else _example(name, field)
            yield f"# {name} = {_toml(example)}"


def _example(name: str, field: FieldInfo) -> object:
    return field.examples[0] if field.examples else {"top_p": 0.95, "usd_total": 20.0}[name]


def _toml(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)
