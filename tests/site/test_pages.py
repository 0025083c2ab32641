"""The pages stage: deterministic, tidy, and strict about keys."""

import json
from pathlib import Path

import pytest

from leaderboard.board.tables import Row, Value
from leaderboard.site.errors import SiteError
from leaderboard.site.layout import lay_out
from leaderboard.site.mkdocs import write_settings
from leaderboard.site.pages import board_title, write_pages

ROOT = Path(__file__).parents[2]


def test_writes_a_page_each_and_a_download_a_table(board, tmp_path):
    paths = [path.relative_to(tmp_path / "docs").as_posix() for path in write_pages(board, tmp_path / "docs")]
    assert {"index.md", "method.md", "benchmarks/musique.md", "systems/half_done.md"} <= set(paths)
    assert {"retrievers.md", "downloads/retrievers-musique.csv"} <= set(paths)
    assert {"downloads/home.csv", "downloads/frames-hops.csv", "downloads/board.json"} <= set(paths)
    assert {"assets/board.css", "assets/sort.js"} <= set(paths)


def test_without_retrievers_there_is_no_page_of_them_and_no_link_to_it(board, tmp_path):
    bare = board.model_copy(update={"retrievers": None})
    paths = [path.relative_to(tmp_path).as_posix() for path in write_pages(bare, tmp_path)]
    assert not [path for path in paths if "retrievers" in path]
    assert "retrievers.html" not in (tmp_path / "index.md").read_text(encoding="utf-8")
    settings = json.loads(write_settings(ROOT, tmp_path, tmp_path / "site", bare).read_text(encoding="utf-8"))
    assert settings["nav"][-1] == "method.md" and "retrievers.md" not in settings["nav"]


def test_equal_boards_give_equal_bytes(board, tmp_path):
    first, second = (write_pages(board, tmp_path / name) for name in ("a", "b"))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_stale_files_of_an_earlier_build_go(board, tmp_path):
    write_pages(board, tmp_path)
    smaller = board.model_copy(update={"systems": board.systems[:-1]})
    home = smaller.home.model_copy(
        update={"rows": tuple(row for row in smaller.home.rows if row.page != "half_done")}
    )
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "page.md").write_text("old")
    write_pages(smaller.model_copy(update={"home": home}), tmp_path)
    assert not (tmp_path / "systems" / "half_done.md").exists()
    assert not (tmp_path / "old").exists()


def test_a_folder_of_somebody_else_is_refused(board, tmp_path):
    (tmp_path / "thesis.md").write_text("precious")
    with pytest.raises(SiteError, match="choose an empty folder"):
        write_pages(board, tmp_path)
    assert (tmp_path / "thesis.md").read_text() == "precious"


def test_untrusted_blocks_stand_on_one_line(board, tmp_path):
    write_pages(board, tmp_path)
    for page in tmp_path.rglob("*.md"):
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith("<"):
                assert line.rstrip().endswith(">"), (page, line[-80:])
            assert "onerror" not in line or "onerror&#61;" in line or line.startswith("title:")


@pytest.mark.parametrize("key", ["../up", "", "a b", ".hidden", "x\n"])
def test_a_key_that_names_no_file_is_an_error(board, tmp_path, key):
    broken = board.model_copy(update={"home": board.home.model_copy(update={"key": key})})
    with pytest.raises(SiteError, match="table key"):
        write_pages(broken, tmp_path)


def test_two_numbers_at_one_address_are_an_error(board, tmp_path):
    twice = board.home.model_copy(update={"rows": (*board.home.rows, board.home.rows[0])})
    with pytest.raises(SiteError, match="one address"):
        write_pages(board.model_copy(update={"home": twice}), tmp_path)


def test_a_row_that_links_to_no_page_is_an_error(board, tmp_path):
    home = board.home.model_copy(update={"rows": (Row(key="x", label="X", page="nowhere"),)})
    with pytest.raises(SiteError, match="no system page 'nowhere'"):
        write_pages(board.model_copy(update={"home": home}), tmp_path)


def test_the_sample_mark_is_put_once_and_only_on_the_sample_track(board):
    assert board_title(board) == "Multi-hop RAG leaderboard (sample)"
    assert board_title(board.model_copy(update={"title": "Board (sample)"})) == "Board (sample)"
    assert board_title(board.model_copy(update={"track": "full"})) == "Multi-hop RAG leaderboard"


def test_rows_stand_by_kind_in_their_order(board):
    bodies = lay_out(board.home, base="", title="").bodies
    assert [(body.kind, len(body.rows)) for body in bodies] == [
        ("ranked", 10),
        ("unranked", 2),
        ("reference", 2),
    ]
    assert bodies[0].rows == board.home.rows[:10]


def test_n_stands_where_it_is_one(board):
    main, hops, shapes = board.benchmarks[0].main, *board.benchmarks[0].breakdowns
    assert lay_out(board.home, base="", title="").n_place == "column"
    assert lay_out(hops, base="", title="").n_place == "column"
    assert lay_out(main, base="", title="").n_place == "row"
    assert lay_out(shapes, base="", title="").n_place == "row"
    odd = Row(
        key="odd", label="odd", values={"2 hops": Value(value=0.5, n=3), "3 hops": Value(value=0.5, n=5)}
    )
    mixed = hops.model_copy(update={"rows": (*hops.rows, odd)})
    assert lay_out(mixed, base="", title="").n_place == "cell"
