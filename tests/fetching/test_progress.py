"""What is told of a download, and of something that is counted."""

from leaderboard.fetching.progress import counting, reporting


def test_off_a_terminal_a_line_comes_every_tenth(capsys):
    with reporting("weights", 2_000_000, wanted=True) as report:
        for done in range(0, 2_000_001, 100_000):
            report.at(done)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 10 and lines[0] == "weights: 10 % of 2 MB"


def test_a_size_that_is_learned_on_the_way_counts_from_then_on(capsys):
    with reporting("data", None, wanted=True) as report:
        report.at(500_000)
        report.expect(1_000_000)
        report.at(600_000)
    assert capsys.readouterr().err.splitlines() == ["data: 60 % of 1 MB"]


def test_what_is_counted_is_told_by_its_name(capsys):
    with counting("articles", 2_523, "links", wanted=True) as report:
        report.at(100)
        report.at(300)
        report.say("vanished: x")
    assert capsys.readouterr().err.splitlines() == ["articles: 10 % of 2,523 links", "articles: vanished: x"]


def test_nothing_is_told_that_is_not_wanted(capsys):
    for report_of in (reporting("a", 10, wanted=False), counting("a", 10, "links", wanted=False)):
        with report_of as report:
            report.at(10)
            report.say("x")
            report.expect(3)
    assert capsys.readouterr() == ("", "")
