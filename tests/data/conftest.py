"""A manifest of tiny files, a hub and wikis on this machine, and the command line over them."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from leaderboard.cli import main
from leaderboard.manifest import FOLDER, entries
from tests.fetching.web_host import Host, served_host
from tests.wikipedia.peer import Peer, served_peer

LINKS = [
    "https://en.wikipedia.org/wiki/Kem",
    "https://en.wikipedia.org/wiki/River_Orr#Course",
    "https://en.wikipedia.org/wiki/Old_Kem",
    "https://en.wikipedia.org/wiki/Lost_Lake",
]
QUESTIONS = "\t".join(
    ["", "Prompt", "Answer", *(f"wikipedia_link_{n}" for n in range(1, 11)), "wikipedia_link_11+", "reasoning_types", "wiki_links"]
) + "\n" + "\t".join(["0", "How far?", "3 miles", *LINKS, *[""] * 7, "Tabular reasoning", repr(LINKS)]) + "\n"  # fmt: skip
MUSIQUE = json.dumps(
    {
        "id": "2hop__1_2",
        "paragraphs": [
            {"idx": n, "title": f"T{n}", "paragraph_text": f"Text {n}.", "is_supporting": n < 2}
            for n in range(20)
        ],
        "question": "Who?",
        "question_decomposition": [
            {"id": n, "question": "q", "answer": "a", "paragraph_support_idx": n} for n in range(2)
        ],
        "answer": "Ann",
        "answer_aliases": [],
        "answerable": True,
    }
)
REVISION = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path) -> None:
    """Keep every test in a folder of its own, without anybody's settings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.delenv("LEADERBOARD_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "users"))


@pytest.fixture
def hub(monkeypatch) -> Iterator[Host]:
    """A hub with the files of the tiny manifest."""
    with served_host() as host:
        host.files[f"/datasets/x/frames/resolve/{REVISION}/test.tsv"] = QUESTIONS.encode()
        host.files[f"/datasets/x/musique/resolve/{REVISION}/dev.jsonl"] = MUSIQUE.encode()
        monkeypatch.setenv("HF_ENDPOINT", host.url)
        yield host


@pytest.fixture
def wiki(monkeypatch) -> Iterator[Peer]:
    """An English Wikipedia of four pages, one of them a redirect, one from after the date."""
    with served_peer() as peer:
        english = peer.wiki()
        english.add(
            "Kem", ("2020-01-01T00:00:00Z", "'''Kem''' is a town."), ("2025-01-01T00:00:00Z", "Gone.")
        )
        table = '{| class="wikitable"\n! Year !! Miles\n|-\n| 1901 || 3\n|}'
        english.add("River Orr", ("2023-01-01T00:00:00Z", f"== Course ==\nIt runs.\n\n{table}"))
        english.add("Old Kem", ("2022-01-01T00:00:00Z", "#REDIRECT [[Kem]]"))
        address = next(iter(peer.endpoints.values())).rpartition("/")[0]
        monkeypatch.setenv("LEADERBOARD_WIKI_ENDPOINT", address + "/{host}")
        yield peer


@pytest.fixture
def manifest(monkeypatch, tmp_path) -> Iterator[Path]:
    """The manifest with tiny files in place of the published ones; MuSiQue's digest is not known."""
    folder = tmp_path / "manifest"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for key, path, name, content in (
        ("frames", "test.tsv", "test.tsv", QUESTIONS),
        ("musique", "musique_ans_v1.0_dev.jsonl", "dev.jsonl", ""),
    ):
        text = (folder / f"{key}.toml").read_text(encoding="utf-8")
        head = text[: text.index("[[files]]")]
        pin = ""
        if content:
            digest = hashlib.sha256(content.encode()).hexdigest()
            pin = f'bytes = {len(content.encode())}\nsha256 = "{digest}"\n'
        source = f'sources = [{{ hub = "datasets/x/{key}", revision = "{REVISION}", path = "{name}" }}]\n'
        made = '[[files]]\npath = "articles.parquet"\nrole = "articles"\nmade = "wikipedia"\n'
        body = f'[[files]]\npath = "{path}"\nrole = "questions"\n{pin}{source}'
        (folder / f"{key}.toml").write_text(head + body + (made if key == "frames" else ""), encoding="utf-8")
    monkeypatch.setattr(entries, "FOLDER", folder)
    entries.entry.cache_clear()
    yield folder
    entries.entry.cache_clear()


@pytest.fixture
def data(capsys) -> Callable[..., tuple[int, str, str]]:
    """Run ``leaderboard data …``; return exit code, output and errors."""

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["data", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run
