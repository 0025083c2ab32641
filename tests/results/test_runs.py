"""Run folders: what counts as a run, which one is shown, and what a damaged one says."""

import json
import os
import shutil
import threading
import time

import pytest

from leaderboard.results.runs import (
    TABLES,
    RunError,
    RunFolder,
    cell_folder,
    new_run_folder,
    read_run,
    runs_of,
    shown_run,
    write_run,
)
from leaderboard.results.tables import read_records
from tests.results.examples import EMPTY, RECORD, folder, run

CELL = ("sample", "frames", "mill")
SUFFIX = run().fingerprint[:8]
OLD, NEW = f"20260101T000000Z-{SUFFIX}", f"20260102T000000Z-{SUFFIX}"


def names(results) -> list[str]:
    return [found.path.name for found in runs_of(results, *CELL)]


def edit(path, change) -> None:
    """Change run.json as an editor could."""
    data = json.loads((path / "run.json").read_text(encoding="utf-8"))
    change(data)
    (path / "run.json").write_text(json.dumps(data), encoding="utf-8")


def fill(temporary, **changes) -> None:
    """Write a run.json that names its three tables."""
    tables = {name: {"place": name, "sha256": "0" * 64, "rows": 0} for name in TABLES}
    write_run(temporary, run(tables=tables, **changes))


def test_a_run_comes_back_as_it_was_written(tmp_path):
    written = folder(tmp_path, OLD)
    [found] = runs_of(tmp_path, *CELL)
    assert found == written
    records = read_records(found.table("records"))
    assert records == (RECORD, EMPTY)
    assert {record.run for record in records} == {OLD}


def test_the_same_run_gives_the_same_bytes(tmp_path):
    written = [folder(tmp_path / place, OLD).path / "run.json" for place in ("a", "b")]
    assert written[0].read_bytes() == written[1].read_bytes()


def test_run_json_holds_no_score(tmp_path):
    assert set(json.loads((folder(tmp_path, OLD).path / "run.json").read_text())) == {
        *("schema_version", "system", "benchmark", "track", "fingerprint", "parts", "submission"),
        *("questions", "repeats", "started_at", "finished_at", "wall_s", "calls_made", "calls_replayed"),
        *("outcomes", "platform", "libraries", "corpus_documents", "tables"),
    }


def test_runs_come_newest_first_and_a_cell_without_folder_has_none(tmp_path):
    assert names(tmp_path) == []
    folder(tmp_path, OLD)
    folder(tmp_path, NEW)
    assert names(tmp_path) == [NEW, OLD]


@pytest.mark.parametrize(
    "name", [".run-abc123", "notes", "20260103T000000Z", "20260103T000000Z-FFFFFFFF", f"{NEW}.bak"]
)
def test_folders_with_other_names_are_no_runs(tmp_path, name):
    folder(tmp_path, OLD)
    folder(tmp_path, name)
    assert names(tmp_path) == [OLD]


def test_a_file_with_the_name_of_a_run_is_no_run(tmp_path):
    cell_folder(tmp_path, *CELL).mkdir(parents=True)
    (cell_folder(tmp_path, *CELL) / OLD).write_text("")
    assert names(tmp_path) == []


def test_a_run_is_complete_when_every_outcome_is_the_systems_own_doing():
    assert run(outcomes={"answered": 1, "limit": 1}).complete
    assert run(outcomes={"answered": 2, "failed": 0}).complete
    assert run(outcomes={"answered": 4}, repeats=2).complete


@pytest.mark.parametrize("outcome", ["failed", "unpaid", "uncached"])
def test_a_run_with_an_outcome_that_was_done_to_it_is_incomplete(outcome):
    assert not run(outcomes={"answered": 1, outcome: 1}).complete


def test_a_run_whose_outcomes_do_not_sum_to_its_questions_is_incomplete():
    assert not run(outcomes={"answered": 1}).complete
    assert not run(outcomes={"answered": 3}).complete
    assert not run(outcomes={"answered": 2}, repeats=2).complete


def test_the_newest_complete_run_is_shown_before_a_newer_incomplete_one(tmp_path):
    folder(tmp_path, f"20251231T000000Z-{SUFFIX}")
    folder(tmp_path, OLD)
    folder(tmp_path, NEW, outcomes={"answered": 1, "failed": 1})
    shown = shown_run(runs_of(tmp_path, *CELL))
    assert shown is not None
    assert shown.path.name == OLD


def test_the_newest_run_is_shown_where_none_is_complete(tmp_path):
    assert shown_run([]) is None
    for name in (OLD, NEW):
        folder(tmp_path, name, outcomes={"failed": 2})
    shown = shown_run(runs_of(tmp_path, *CELL))
    assert shown is not None
    assert shown.path.name == NEW


def test_a_new_run_takes_its_place_in_one_step_and_is_not_seen_before(tmp_path):
    with new_run_folder(tmp_path, CELL, run().fingerprint) as (temporary, place):
        fill(temporary)
        assert temporary.name.startswith(".run-")
        assert names(tmp_path) == []
    assert names(tmp_path) == [place.name]
    assert place.name.endswith(f"Z-{SUFFIX}")
    assert [path.name for path in place.parent.iterdir()] == [place.name]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_run_that_is_broken_off_leaves_nothing(tmp_path, error):
    with pytest.raises(error), new_run_folder(tmp_path, CELL, run().fingerprint) as (temporary, _):
        write_run(temporary, run())
        raise error
    assert list(cell_folder(tmp_path, *CELL).iterdir()) == []


def test_two_runs_within_a_second_are_two_runs_in_their_order(tmp_path):
    for number in range(3):
        with new_run_folder(tmp_path, CELL, run().fingerprint) as (temporary, _):
            fill(temporary, calls_made=number)
    assert [found.run.calls_made for found in runs_of(tmp_path, *CELL)] == [2, 1, 0]


def test_processes_that_write_the_same_cell_at_once_each_have_a_name_of_their_own(tmp_path):
    all_hold_one, places = threading.Barrier(4), []

    def write() -> None:
        with new_run_folder(tmp_path, CELL, run().fingerprint) as (temporary, place):
            all_hold_one.wait(timeout=10)
            fill(temporary)
            places.append(place.name)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names(tmp_path) == sorted(places, reverse=True)
    assert len(set(places)) == 4


def test_what_a_killed_process_left_a_day_ago_goes_and_what_is_being_written_stays(tmp_path):
    cell = cell_folder(tmp_path, *CELL)
    for name, hours in ((".run-killed", 25), (".run-writing", 1), ("notes", 25)):
        (cell / name).mkdir(parents=True)
        (cell / name / "calls.parquet").write_bytes(b"")
        os.utime(cell / name, (time.time() - hours * 3600,) * 2)
    with new_run_folder(tmp_path, CELL, run().fingerprint) as (temporary, place):
        fill(temporary)
    assert {path.name for path in cell.iterdir()} == {".run-writing", "notes", place.name}


def test_a_folder_without_run_json_is_named_with_what_to_do(tmp_path):
    (cell_folder(tmp_path, *CELL) / OLD).mkdir(parents=True)
    with pytest.raises(RunError, match=rf"{OLD}/run\.json: cannot be read .*remove the folder or restore"):
        runs_of(tmp_path, *CELL)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda run: run.pop("system"), "system: Field required"),
        (lambda run: run.update(score=1.0), "score: Extra inputs"),
        (lambda run: run.update(schema_version="run/0"), "schema_version: Input should be 'run/1'"),
        (lambda run: run["outcomes"].update(won=1), r"outcomes\.won"),
        (lambda run: run["tables"]["records"].pop("sha256"), r"tables\.records\.sha256: Field required"),
        (lambda run: run["tables"]["calls"].update(rows=-1), r"tables\.calls\.rows"),
        (lambda run: run["outcomes"].update(failed=-1), r"outcomes\.failed: .*greater than or equal to 0"),
        (lambda run: run["outcomes"].update(answered=10**30), r"outcomes\.answered"),
        (lambda run: run["outcomes"].update(answered="2"), r"outcomes\.answered: .*valid integer"),
        (lambda run: run.update(repeats=0), "repeats: .*greater than or equal to 1"),
        (lambda run: run.update(calls_made=True), "calls_made: .*valid integer"),
        (lambda run: run.update(wall_s=-0.1), "wall_s"),
        (lambda run: run.update(wall_s=float("nan")), "wall_s: .*finite"),
        (lambda run: run.update(finished_at="yesterday"), "finished_at: .*isoformat"),
        (lambda run: run.update(fingerprint="f"), "fingerprint: .*match pattern"),
    ],
)
def test_an_altered_run_json_names_each_wrong_field(tmp_path, change, said):
    path = folder(tmp_path, OLD).path
    edit(path, change)
    with pytest.raises(RunError, match=rf"run\.json: not a run \(.*{said}.*restore the file, or remove"):
        read_run(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda run: run.update(system="weir"), "a run of sample/frames/weir and lies in sample/frames/mill"),
        (lambda run: run.update(benchmark="musique"), r"a run of sample/musique/mill"),
        (lambda run: run.update(track="full"), r"a run of full/frames/mill"),
        (lambda run: run["parts"].update(adapter="chat/2"), "fingerprint: its parts give"),
        (
            lambda run: run.update(fingerprint="0" * 64),
            "name ends with .{8}, the fingerprint begins 00000000",
        ),
        (lambda run: run.update(submission='{"lm":{}}'), "submission: another one"),
        (lambda run: run.update(tables={}), "names no records; tables: names no calls; tables: names no ret"),
        (lambda run: run["tables"].pop("retrievals"), "tables: names no retrievals"),
    ],
)
def test_a_run_json_that_is_not_this_folders_run_is_refused(tmp_path, change, said):
    edit(folder(tmp_path, OLD).path, change)
    with pytest.raises(
        RunError, match=rf"{OLD}/run\.json: not the run of this folder \(.*{said}.*\); restore .*, or remove"
    ):
        runs_of(tmp_path, *CELL)


@pytest.mark.parametrize("cell", [("sample", "frames", "weir"), ("sample", "musique", "mill")])
def test_a_run_copied_to_another_cell_is_refused(tmp_path, cell):
    found = folder(tmp_path, OLD)
    shutil.copytree(found.path, cell_folder(tmp_path, *cell) / OLD)
    with pytest.raises(RunError, match=r"a run of sample/frames/mill and lies in sample/"):
        runs_of(tmp_path, *cell)


def test_a_run_under_another_fingerprints_name_is_refused(tmp_path):
    found = folder(tmp_path, OLD)
    found.path.rename(found.path.with_name("20260101T000000Z-00000000"))
    with pytest.raises(RunError, match=rf"name ends with 00000000, the fingerprint begins {SUFFIX}"):
        runs_of(tmp_path, *CELL)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"null"])
def test_what_is_no_json_object_is_no_run(tmp_path, content):
    path = folder(tmp_path, OLD).path
    (path / "run.json").write_bytes(content)
    with pytest.raises(RunError, match=r"run\.json: not a run"):
        read_run(path)


def test_a_missing_table_is_named_with_what_to_do(tmp_path):
    found = folder(tmp_path, OLD)
    (found.path / "calls.parquet").unlink()
    with pytest.raises(RunError, match=r"calls\.parquet: missing; restore it .*or remove the run's folder"):
        found.table("calls")


def test_a_table_that_run_json_does_not_name_is_refused(tmp_path):
    for ask in (RunFolder.table, RunFolder.file):
        with pytest.raises(RunError, match=r"run\.json: names no table 'calls'.*remove its folder"):
            ask(folder(tmp_path, OLD, tables={}), "calls")


def test_an_altered_table_is_refused_by_its_digest(tmp_path):
    found = folder(tmp_path, OLD)
    with (found.path / "records.parquet").open("ab") as file:
        file.write(b"\0")
    with pytest.raises(
        RunError, match=r"records\.parquet: sha256 .* found, .* expected by run\.json; restore"
    ):
        found.table("records")


@pytest.mark.parametrize("place", ["../outside.parquet", "/etc/outside.parquet", "a/../../outside.parquet"])
def test_a_place_never_leads_out_of_the_folder(tmp_path, place):
    path = folder(tmp_path, OLD).path
    (path.parent / "outside.parquet").write_bytes((path / "records.parquet").read_bytes())
    edit(path, lambda run: run["tables"]["records"].update(place=place))
    [found] = runs_of(tmp_path, *CELL)
    with pytest.raises(RunError, match=rf"{OLD}/outside\.parquet: missing"):
        found.table("records")


@pytest.mark.parametrize("place", ["", ".", "..", "no\0name"])
def test_a_place_that_is_no_file_is_missing(tmp_path, place):
    path = folder(tmp_path, OLD).path
    edit(path, lambda run: run["tables"]["records"].update(place=place))
    with pytest.raises(RunError, match="missing"):
        runs_of(tmp_path, *CELL)[0].table("records")
