"""The site stage: ``build/docs`` → ``build/site`` with MkDocs, then the policy; and a server to look at it."""

from __future__ import annotations

import errno
import http.server
import io
import os
import subprocess
import sys
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from pathlib import Path

from leaderboard.board.tables import Board
from leaderboard.files import write_json, write_text
from leaderboard.site.errors import SiteError
from leaderboard.site.layout import file_stem
from leaderboard.site.links import broken_links
from leaderboard.site.pages import BOARD_FILE, board_title
from leaderboard.site.policy import add_policy

_NAV_SYSTEMS = 100
"""Beyond this many systems they leave the navigation, which every page repeats; the tables link to them."""

_UNNAMED_SEARCH = '<div class="md-search" data-md-component="search" role="dialog">'
_NAMED_SEARCH = '<div class="md-search" data-md-component="search" role="dialog" aria-label="Search">'


def build_site(root: Path, docs: Path, site: Path, *, strict: bool = True) -> None:
    """Build ``site`` from the pages in ``docs`` with the settings of ``root / "mkdocs.yml"``.

    Writes ``mkdocs.yml`` beside ``docs``, with the board's title and pages. Raises SiteError with the lines that
    matter when MkDocs fails or, with ``strict``, warns, and when a link of the finished site leads nowhere.
    """
    board = _read_board(docs)
    settings = write_settings(root, docs, site, board)
    command = [sys.executable, "-m", "mkdocs", "build", "-f", str(settings), "-d", str(site.resolve())]
    if strict:
        command.append("--strict")
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch(board.built)), "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    lines = done.stdout.splitlines()
    if done.returncode != 0:
        raise SiteError(
            f"mkdocs failed with status {done.returncode}:\n" + "\n".join(_relevant(lines) or lines[-20:])
        )
    if strict and _relevant(lines):
        raise SiteError("mkdocs built the site, but not without a warning:\n" + "\n".join(_relevant(lines)))
    _name_search(site)
    add_policy(site, noindex=pages_with_gold(board))
    broken = broken_links(site)
    if strict and broken:
        raise SiteError("links of the site that don't hold:\n" + "\n".join(broken))


def write_settings(root: Path, docs: Path, site: Path, board: Board) -> Path:
    """Write the site's settings beside ``docs`` and return their path. They inherit from ``root``'s.

    JSON is YAML too, and one writer's quoting holds for both.
    """
    folder = docs.resolve().parent
    systems = [f"systems/{file_stem(page.key)}.md" for page in board.systems]
    nav: list[object] = [
        {"Home": "index.md"},
        {"Benchmarks": [f"benchmarks/{file_stem(page.key)}.md" for page in board.benchmarks]},
        *(["retrievers.md"] if board.retrievers else []),
        {"Systems": systems},
        *(["literature.md"] if board.literature else []),
        "data.md",
        "method.md",
    ]
    in_nav = 0 < len(systems) <= _NAV_SYSTEMS
    settings: dict[str, object] = {
        "INHERIT": os.path.relpath((root / "mkdocs.yml").resolve(), folder),
        "site_name": board_title(board),
        "docs_dir": docs.name,
        "site_dir": os.path.relpath(site.resolve(), folder),
        "nav": [entry for entry in nav if in_nav or entry != {"Systems": systems}],
    }
    left_out = ["/systems/"] if systems and not in_nav else []
    left_out += ["/literature/"] if board.literature else []
    if left_out:
        settings["not_in_nav"] = "".join(f"{folder}\n" for folder in left_out)
    path = folder / "mkdocs.yml"
    write_json(path, settings)
    return path


def pages_with_gold(board: Board) -> tuple[str, ...]:
    """Return the pages that hold gold answers, and so are kept out of search engines: demonstrations are questions of
    a train split with theirs."""
    return tuple(
        f"systems/{file_stem(page.key)}.html"
        for page in board.systems
        if page.compiled and any(predictor.demonstrations for predictor in page.compiled.predictors)
    )


def epoch(built: str) -> int:
    """Return the board's date as seconds since 1970; a date without a time zone is UTC."""
    moment = datetime.fromisoformat(built)
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def _read_board(docs: Path) -> Board:
    path = docs / BOARD_FILE
    if not path.is_file():
        raise SiteError(f"{path}: not found; the pages come first: `leaderboard build`")
    return Board.model_validate_json(path.read_bytes())


def _relevant(lines: list[str]) -> list[str]:
    return [line for line in lines if "WARNING" in line or "ERROR" in line or line.startswith("Error")]


def _name_search(site: Path) -> None:
    """Give the theme's search dialog the name that it lacks; without one a screen reader says only "dialog"."""
    for path in sorted(site.rglob("*.html")):
        page = path.read_text(encoding="utf-8")
        if _UNNAMED_SEARCH in page:
            write_text(path, page.replace(_UNNAMED_SEARCH, _NAMED_SEARCH))


class _Handler(http.server.SimpleHTTPRequestHandler):
    def list_directory(self, path: str | os.PathLike[str]) -> io.BytesIO | None:
        self.send_error(HTTPStatus.NOT_FOUND, "File not found")
        return None

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: a line a request would bury the address."""


def server(site: Path, port: int) -> http.server.ThreadingHTTPServer:
    """Return a server of ``site`` on 127.0.0.1, bound and not yet serving; port 0 takes a free one.

    Raises SiteError where there is no site, or the port can't be had.
    """
    if not (site / "index.html").is_file():
        raise SiteError(f"{site}: no site there; build it first with `leaderboard build`")
    try:
        return http.server.ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, directory=str(site)))
    except PermissionError as error:
        raise SiteError(
            f"port {port} needs privileges; choose one above 1023: `leaderboard serve --port 8000`"
        ) from error
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise SiteError(
            f"port {port} is in use; end what uses it, or choose another: `leaderboard serve --port {port + 1}`"
        ) from error


def serve(site: Path, port: int) -> None:
    """Serve ``site`` on 127.0.0.1 until interrupted, and print its address."""
    with server(site, port) as running:
        print(f"http://127.0.0.1:{running.server_port}/  (Ctrl-C ends it)", flush=True)
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            print()
