"""``leaderboard check``: errors, summaries, and what it doesn't import."""

import subprocess
import sys
from pathlib import Path

from leaderboard.checking.check import check_paths
from leaderboard.submissions.config import load_config

ROOT = Path(__file__).parents[2]
BUNDLED = {
    "bm25-2-articles": ("BM25, 2 articles", "bm25", "single_step"),
    "bm25-4-articles": ("BM25, 4 articles", "bm25", "single_step"),
    "bm25-top3-passages": ("BM25, top 3 passages", "bm25", "single_step"),
    "bm25-top5-passages": ("BM25, top 5 passages", "bm25", "single_step"),
    "closed-book": ("Closed book", "none", "closed_book"),
    "gold-context": ("Gold context", "gold", "gold_context"),
}
HEAVY = ("dspy", "polars", "numpy", "bm25s", "model2vec", "rich", "jinja2", "tree_sitter")


def test_the_bundled_submissions_are_valid():
    report = check_paths([ROOT / "submissions"], load_config(ROOT / "leaderboard.toml"))
    assert report.ok
    by_key = {summary.key: summary for summary in report.summaries}
    for key, expected in BUNDLED.items():
        summary = by_key[key]
        assert (summary.name, summary.retriever, summary.program) == expected
        assert summary.model == "embedded/qwen2.5-coder-0.5b"
        beside = (
            ()
            if key in ("bm25-2-articles", "bm25-4-articles", "bm25-top3-passages")
            else ("hotpotqa", "two_wiki")
        )
        assert summary.benchmarks == ("frames", "musique", "multihop_rag", *beside)
        assert summary.most_calls == 1


def test_errors_and_summaries_stand_side_by_side(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("closed-book", "gold-context"):
        Path(f"{name}.toml").write_text((ROOT / "submissions" / f"{name}.toml").read_text())
    Path("bad-one.toml").write_text("[system]\nbased_on = 'closed-bok'\nname = 'A'\ndescription = 'B'\n")
    Path("board.toml").write_text(
        (ROOT / "leaderboard.toml").read_text().replace("qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b")
    )
    files = [Path("closed-book.toml"), Path("bad-one.toml"), Path("closed-book.toml")]
    report = check_paths(files)
    assert [summary.key for summary in report.summaries] == ["closed-book"]
    said = (
        'bad-one.toml:2:12: system.based_on: expected a submission in this folder, found "closed-bok" '
        '(did you mean "closed-book"?)'
    )
    assert [str(error) for error in report.errors] == [said]
    assert not report.ok
    report = check_paths(files, load_config(Path("board.toml")))
    assert [str(error) for error in report.errors] == [
        'closed-book.toml:10:9: lm.model: expected "embedded/qwen2.5-coder-1.5b", '
        'found "embedded/qwen2.5-coder-0.5b" (did you mean "embedded/qwen2.5-coder-1.5b"?)',
        said,
    ]


def test_a_system_that_asks_no_model_costs_no_call_and_names_none():
    report = check_paths(
        [ROOT / "submissions" / "retriever-bm25.toml"], load_config(ROOT / "leaderboard.toml")
    )
    [summary] = report.summaries
    assert (summary.model, summary.most_calls) == ("", 0)
    assert (summary.retriever, summary.program) == ("bm25", "retrieval_only")


def test_rounds_are_in_the_bound_of_the_bundled_multi_step_systems():
    paths = [
        ROOT / "submissions" / f"multi-step-planning-1-passage{end}.toml"
        for end in ("-1-round", "", "-3-rounds")
    ]
    assert [summary.most_calls for summary in check_paths(paths).summaries] == [2, 3, 4]


def test_checking_imports_nothing_heavy():
    code = (
        "import sys; from pathlib import Path; from leaderboard.checking.check import check_paths;"
        "from leaderboard.submissions.config import load_config;"
        "assert check_paths([Path('submissions')], load_config(Path('leaderboard.toml'))).ok;"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_even_an_error_imports_nothing_heavy_but_the_grammar(tmp_path):
    (tmp_path / "bad-one.toml").write_text("[systm]\n")
    code = (
        "import sys; from pathlib import Path; from leaderboard.checking.check import check_paths;"
        f"assert not check_paths([Path({str(tmp_path)!r})]).ok;"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['tree_sitter']"
