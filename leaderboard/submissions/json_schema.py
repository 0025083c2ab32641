"""The JSON Schema of a submission, for editors: ``python -m leaderboard.submissions.json_schema [--check]``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from leaderboard.files import write_text
from leaderboard.submissions.schema import SubmissionDocument

SCHEMA_PATH = Path("submissions/submission.schema.json")


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a submission's TOML.

    A submission with ``based_on`` may leave out what it inherits. So the tables require nothing by themselves;
    what a whole submission requires stands under ``else``.
    """
    made = SubmissionDocument.model_json_schema()
    tables = made.pop("$defs")
    required = {name: table.pop("required", []) for name, table in tables.items()}
    needs = {
        "system": required["System"],
        "lm": required["LanguageModel"],
        "retriever": ["kind"],
        "program": ["kind"],
    }
    optimizer = {"compile": {"required": ["optimizer"]}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Submission",
        "description": SubmissionDocument.__doc__,
        "type": "object",
        "additionalProperties": False,
        "properties": _plain(made["properties"]),
        "if": {"properties": {"system": {"required": ["based_on"]}}, "required": ["system"]},
        "then": {"properties": {"system": {"required": ["name", "description"]}, **optimizer}},
        "else": {
            "required": made["required"],
            "properties": {table: {"required": fields} for table, fields in needs.items()} | optimizer,
        },
        "$defs": _plain(tables),
    }


def text() -> str:
    """Return the schema as the file holds it."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def is_current(path: Path = SCHEMA_PATH) -> bool:
    """Tell whether ``path`` holds the schema as it is now."""
    return path.is_file() and path.read_text(encoding="utf-8") == text()


def _plain(node: Any) -> Any:
    """Take off what TOML doesn't have (null) and what isn't JSON Schema (``discriminator``)."""
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {
        key: _plain(value) for key, value in node.items() if key not in ("discriminator", "oneOf", "title")
    }
    if "oneOf" in node:  # without its kind a table that inherits fits several members
        kept["anyOf"] = _plain(node["oneOf"])
    if kept.get("default") == {}:
        del kept["default"]
    members = [member for member in kept.get("anyOf", []) if member != {"type": "null"}]
    if len(members) == 1:
        del kept["anyOf"]
        kept = {**members[0], **kept}
    return kept


def main(arguments: list[str] | None = None) -> int:
    """Write the schema, or with ``--check`` tell whether the file is current (exit status 1 when it isn't)."""
    parser = argparse.ArgumentParser(prog="python -m leaderboard.submissions.json_schema")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail when the file is not current"
    )
    parser.add_argument("path", nargs="?", type=Path, default=SCHEMA_PATH)
    options = parser.parse_args(arguments)
    if not options.check:
        write_text(options.path, text())
    elif not is_current(options.path):
        print(
            f"{options.path} is not current: run python -m leaderboard.submissions.json_schema",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
