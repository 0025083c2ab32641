"""A parquet file that would end its reader is refused with words."""

import polars as pl
import pytest

from leaderboard.wikipedia.parquet_probe import ProbeError, probe


def written(path):
    pl.DataFrame({"number": list(range(100, 120))}).write_parquet(path, statistics=False)
    return path


def test_a_sound_file_is_read_in_another_process_once(tmp_path, monkeypatch):
    path = written(tmp_path / "a.parquet")
    probe(path)
    monkeypatch.setattr("sys.executable", "/nowhere")
    probe(path)
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(FileNotFoundError):
        probe(path)


def test_a_file_that_ends_its_reader_is_refused(tmp_path):
    path = written(tmp_path / "a.parquet")
    data = path.read_bytes()
    claim = data.index(b"\x15\x28", 20)  # the data page's number of values, 20, as Thrift writes it
    path.write_bytes(data[: claim + 1] + b"\x05" + data[claim + 2 :])  # minus 3
    with pytest.raises(ProbeError, match="a reader was ended by signal"):
        probe(path)


def test_a_file_that_is_refused_by_an_exception_is_left_to_the_caller(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"no parquet at all")
    probe(path)
