"""What is said of a faulty submission, one error a line."""

from pathlib import Path

import pytest

from leaderboard.submissions.errors import SubmissionErrors
from leaderboard.submissions.load import Names, load_submission


def errors_of(path: Path, names: Names | None = None) -> list[str]:
    with pytest.raises(SubmissionErrors) as caught:
        load_submission(path, names)
    assert [str(error) for error in caught.value.errors] == str(caught.value).split("\n")
    return str(caught.value).split("\n")


def errors_in(folder: Path, text: str | bytes, names: Names | None = None) -> list[str]:
    path = folder / "xx.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return errors_of(path, names)
