"""How far a build is, in lines and in the live display, and what it says of money and time."""

from __future__ import annotations

import re

import pytest

from leaderboard.running.cell import Progress
from leaderboard.running.progress import RunProgress, clock_text, summary, time_left_s, usd
from tests.terminals import on_a_terminal


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def at(done: int, answers: int = 24, **counts) -> Progress:
    return Progress(
        done,
        answers,
        counts.pop("made", done),
        counts.pop("replayed", 0),
        counts.pop("troubles", 0),
        **counts,
    )


def test_progress_in_words_tells_answers_calls_tokens_money_and_what_went_wrong():
    assert summary(at(0)) == "0/24 answers, 0 calls made, 0 replayed"
    assert summary(at(3, made=2, replayed=1, tokens=1234, paid_usd=0.0021)) == (
        "3/24 answers, 2 calls made, 1 replayed, 1,234 tokens, spent 0.0021 USD"
    )
    assert summary(at(3, troubles=2, tokens=7, paid_usd=None)).endswith(
        "7 tokens, spent unknown, 2 without a result"
    )


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (None, "unknown"),
        (0.0, "0.00 USD"),
        (0.00012, "0.0001 USD"),
        (0.01, "0.01 USD"),
        (1234.5, "1,234.50 USD"),
    ],
)
def test_money_in_words(amount, words):
    assert usd(amount) == words


def test_time_as_a_clock_shows_it():
    assert [clock_text(s) for s in (0, 7.9, 750, 3723)] == ["0:00", "0:07", "12:30", "1:02:03"]


def test_time_left_is_unknown_before_the_first_answer_and_nothing_after_the_last():
    assert (time_left_s(10, 0, 4), time_left_s(10, 1, 4), time_left_s(10, 4, 4)) == (None, 30, 0)


def test_off_a_terminal_a_line_comes_at_the_start_every_ten_seconds_and_at_the_end(capsys):
    clock = Clock()
    with RunProgress([24, 6], clock).cell("one on MuSiQue") as report:
        for done, now in ((0, 100), (1, 105), (2, 109.9), (3, 111), (4, 120.5), (5, 121.5), (24, 122)):
            clock.now = now
            report(at(done))
    assert capsys.readouterr().err.splitlines() == [
        "  one on MuSiQue: 24 answers; 0 of 2 cells done, 0:00",
        "  one on MuSiQue: 3/24 answers, 3 calls made, 0 replayed, 0 tokens, spent 0.00 USD; "
        "0 of 2 cells done, 0:11, about 1:39 left",
        "  one on MuSiQue: 5/24 answers, 5 calls made, 0 replayed, 0 tokens, spent 0.00 USD; "
        "0 of 2 cells done, 0:21, about 1:47 left",
        "  one on MuSiQue: 24/24 answers, 24 calls made, 0 replayed, 0 tokens, spent 0.00 USD",
    ]


def test_time_left_counts_all_cells_but_those_that_cannot_be_run(capsys):
    clock = Clock()
    whole = RunProgress([10, 10, 10, 10], clock)
    with whole.cell("a") as report:
        clock.now += 20
        report(at(10, 10))
    whole.leave_out([10])
    with pytest.raises(ValueError, match="gone"), whole.cell("b") as report:
        report(at(0, 10))
        raise ValueError("gone")  # a cell whose endpoint is not there
    with whole.cell("c") as report:
        report(at(0, 10))
        clock.now += 12
        report(at(4, 10))
    assert "3 of 4 cells done, 0:32, about 0:13 left" in capsys.readouterr().err


SCRIPT = """
import sys, time
from leaderboard.running.cell import Progress
from leaderboard.running.progress import RunProgress
whole = RunProgress([24, 24])
with whole.cell("one on MuSiQue-like (sample)") as report:
    report(Progress(0, 24, 0, 0, 0))
    report(Progress(12, 24, 12, 0, 1, 3456, None))
    print("a warning", file=sys.stderr)
    time.sleep(1)
print("the end", file=sys.stderr)
"""


def test_a_terminal_shows_the_build_the_cell_with_its_bar_and_what_it_came_to():
    said = on_a_terminal("-c", SCRIPT, stream="stderr")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said)
    assert "0 of 2 cells done, 0:0" in plain
    assert re.search(r"one on MuSiQue-like \(sample\) +━+╺━+ +12/24 +0:0\d left", plain)
    assert "12 calls made, 0 replayed, 3,456 tokens, spent unknown, 1 without a result" in plain
    assert "a warning" in plain and "the end" in plain
    assert "\x1b[2K" in said, "drawn anew in place"
    assert all(len(line.rstrip()) <= 80 for line in re.split(r"[\r\n]+", plain))


def test_a_terminal_that_cannot_draw_gets_lines():
    said = on_a_terminal("-c", SCRIPT, stream="stderr", TERM="dumb")
    assert "\x1b" not in said
    assert "one on MuSiQue-like (sample): 24 answers; 0 of 2 cells done" in said
