"""Each kind of bad file: what is said, and where."""

import pytest

from leaderboard.submissions.load import Names, load_folder, load_submission
from tests.submissions.faulty import errors_in, errors_of

GOOD = """\
[system]
name = "A"
authors = ["B"]
description = "C."

[lm]
model = "embedded/m"

[retriever]
kind = "bm25"

[program]
kind = "single_step"
"""
OPTIMIZERS = (
    '"bootstrap_few_shot", "bootstrap_few_shot_with_random_search", "copro", "gepa", "knn_few_shot", '
    '"labeled_few_shot", "mipro_v2", "simba"'
)
TABLES = "one of the tables [system], [lm], [retriever], [reranker], [program], [compile], [limits]"
SYSTEM_FIELDS = (
    'one of "name", "authors", "description", "paper", "benchmarks", "replaces", "based_on", "withdrawn"'
)
NAME = "one line of 1 to 100 printable characters, no space around it"
STEM = "the name of a submission in this folder, without .toml: 2 to 63 of a-z, 0-9 and -"


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def test_a_good_file_is_what_it_says(folder):
    (folder / "xx.toml").write_text(GOOD)
    loaded = load_submission(folder / "xx.toml")
    assert (loaded.key, loaded.path, loaded.text) == ("xx", folder / "xx.toml", GOOD)
    assert loaded.document.lm.temperature == 0.0
    assert loaded.document.system.benchmarks == ("frames", "musique", "multihop_rag")
    assert loaded.document.retriever.kind == "bm25"
    assert loaded.document.limits.usd_total is None


def test_a_whole_number_serves_where_a_fraction_may_stand(folder):
    (folder / "xx.toml").write_text(changed("[lm]", "[lm]\ntemperature = 1"))
    assert load_submission(folder / "xx.toml").document.lm.temperature == 1.0


def test_all_errors_of_a_file_come_at_once(folder):
    bad = (
        changed('kind = "bm25"', 'kind = "bm52"')
        .replace('name = "A"', 'name = 5\nnmae = "x"\n"\\u0007\\n" = 2\nauthor = []')
        .replace('["B"]', '["É", 3, "\\u0007"]')
        .replace('"C."', '"\u202ec"')
    )
    bad += '\n[compile]\noptimizer = "x"\n[limit]\n'
    assert errors_in(folder, bad) == [
        f"s/xx.toml:2:8: system.name: expected {NAME}, found 5",
        f's/xx.toml:3:1: system.nmae: expected {SYSTEM_FIELDS}, found "nmae" (did you mean "name"?)',
        f's/xx.toml:4:1: system."\\x07\\n": expected {SYSTEM_FIELDS}, found "\\x07\\n"',
        f's/xx.toml:5:1: system.author: expected {SYSTEM_FIELDS}, found "author" (did you mean "authors"?)',
        f"s/xx.toml:6:17: system.authors[1]: expected {NAME}, found 3",
        f's/xx.toml:6:20: system.authors[2]: expected {NAME}, found "\\x07"',
        f's/xx.toml:7:15: system.description: expected {NAME.replace("100", "500")}, found "\\u202ec"',
        's/xx.toml:13:8: retriever.kind: expected one of "bm25", "dense", "gold", "hybrid", "keyword_sentence", "none", found "bm52" '
        '(did you mean "bm25"?)',
        f's/xx.toml:19:13: compile.optimizer: expected one of {OPTIMIZERS}, found "x"',
        f's/xx.toml:20:2: limit: expected {TABLES}, found "limit" (did you mean "limits"?)',
    ]


def test_wrong_types_nan_and_infinities(folder):
    bad = changed("[lm]", '[lm]\ntemperature = nan\nmax_tokens = "64"\ntop_p = 1.5').replace(
        '"bm25"', '"bm25"\nk1 = -inf\nb = true\nchunk_tokens = 64.0'
    )
    bad += "passages = 0x" + "f" * 400 + "\n[limits]\nusd_total = inf\ncalls_per_question = 1979-05-27\n"
    assert errors_in(folder, bad) == [
        "s/xx.toml:7:15: lm.temperature: expected a number from 0 to 2, found nan",
        's/xx.toml:8:14: lm.max_tokens: expected a whole number from 1 to 32768, found "64" '
        "(write 64 without quotes)",
        "s/xx.toml:9:9: lm.top_p: expected a number above 0 and at most 1, found 1.5",
        "s/xx.toml:14:6: retriever.k1: expected a number above 0 and at most 10, found -inf",
        "s/xx.toml:15:5: retriever.b: expected a number from 0 to 1, found true",
        "s/xx.toml:16:16: retriever.chunk_tokens: expected a whole number from 16 to 4096, found 64.0",
        "s/xx.toml:20:12: program.passages: expected a whole number from 1 to 50, "
        "found an integer of more than 38 digits",
        "s/xx.toml:22:13: limits.usd_total: expected a number from 0 to 1000000, found inf",
        "s/xx.toml:23:22: limits.calls_per_question: expected a whole number from 1 to 1000, "
        "found the date 1979-05-27",
    ]


def test_missing_tables_and_fields(folder):
    assert errors_in(folder, '[lm]\n[retriever]\n[program]\nkind = "closed_book"\n') == [
        "s/xx.toml:1:1: lm.model: expected a model of the board's list, such as "
        '"openai/gpt-4o-mini-2024-07-18", found nothing (a model of the board\'s list (leaderboard.toml))',
        "s/xx.toml:1:1: system: expected a table [system], found nothing (who made what)",
        's/xx.toml:2:1: retriever.kind: expected one of "bm25", "dense", "gold", "hybrid", "keyword_sentence", "none", found nothing',
    ]


def test_values_where_tables_belong(folder):
    assert errors_in(folder, "system = 5\nlm = 'x'\nretriever = []\n[[program]]\n") == [
        "s/xx.toml:1:10: system: expected a table [system], found 5",
        's/xx.toml:2:6: lm: expected a table [lm], found "x"',
        "s/xx.toml:3:13: retriever: expected a table [retriever], found an array of 0",
        "s/xx.toml:4:1: program: expected a table [program], found an array of 1",
    ]


def test_text_fields_with_a_form_of_their_own(folder):
    bad = changed(
        "[system]", '[system]\nbenchmarks = ["frame"]\npaper = "javascript:alert(1)"\nwithdrawn = ""'
    ).replace("embedded/m", "leaderboard.models:Evil")
    assert errors_in(folder, bad) == [
        's/xx.toml:2:15: system.benchmarks[0]: expected one of "frames", "musique", "multihop_rag", '
        '"hotpotqa", "two_wiki", found "frame" (did you mean "frames"?)',
        "s/xx.toml:3:9: system.paper: expected an address that starts with https:// or http://, "
        'or "" for none, found "javascript:alert(1)"',
        f's/xx.toml:4:13: system.withdrawn: expected {NAME.replace("100", "500")}, found ""',
        "s/xx.toml:10:9: lm.model: expected a model of the board's list, such as "
        '"openai/gpt-4o-mini-2024-07-18", found "leaderboard.models:Evil"',
    ]


@pytest.mark.parametrize(
    ("benchmarks", "said"),
    [
        ('["frames", "frames"]', 'each item once, found "frames" twice'),
        ("[]", "an array of 1 to 5 items, found an array of 0"),
        ('"frames"', 'an array of 1 to 5 items, found "frames"'),
    ],
)
def test_benchmarks_are_a_list_of_different_ones(folder, benchmarks, said):
    [error] = errors_in(folder, changed("[system]", f"[system]\nbenchmarks = {benchmarks}"))
    assert error == f"s/xx.toml:2:14: system.benchmarks: expected {said}"


def test_long_text_is_cut_before_it_is_shown(folder):
    [error] = errors_in(folder, changed('"A"', '"' + "é" * 101 + '"'))
    assert error == f's/xx.toml:2:8: system.name: expected {NAME}, found "{"é" * 77}…"'


def test_a_program_needs_a_retriever_it_can_use(folder):
    assert errors_in(folder, changed('"bm25"', '"none"')) == [
        's/xx.toml:10:8: retriever.kind: expected one of "bm25", "dense", "hybrid" with the program "single_step", '
        'found "none"'
    ]


def test_articles_are_not_cut(folder):
    bad = changed('"bm25"', '"bm25"\nunit = "article"\nchunk_tokens = 64')
    assert errors_in(folder, bad) == [
        's/xx.toml:12:1: retriever.chunk_tokens: expected no chunk_tokens with unit = "article": '
        "articles are not cut, found 64"
    ]


def test_the_model_is_one_of_the_boards(folder):
    assert errors_in(folder, GOOD, names=Names(["embedded/n", "openai/x"], [])) == [
        's/xx.toml:7:9: lm.model: expected one of "embedded/n", "openai/x", found "embedded/m" '
        '(did you mean "embedded/n"?)'
    ]


def test_a_system_replaces_another_one(folder):
    (folder / "older.toml").write_text(GOOD)
    said = "s/xx.toml:2:12: system.replaces: expected"
    for name, rest in [
        ("oldr", 'another submission in this folder, found "oldr" (did you mean "older"?)'),
        ("xx", 'another submission in this folder, found "xx"'),
        ("../older", f'{STEM}, found "../older"'),
    ]:
        assert errors_in(folder, changed("[system]", f'[system]\nreplaces = "{name}"')) == [f"{said} {rest}"]


@pytest.mark.parametrize("name", ["Xx.toml", "a b.toml", "x.toml", "-x.toml", "xx.txt", "xx.toml\n", ".toml"])
def test_a_file_name_is_a_key(folder, name):
    (folder / name).write_text(GOOD)
    shown = name.replace("\n", "\\n")
    assert errors_of(folder / name) == [
        f's/{shown}:1:1: expected a file name of 2 to 63 of a-z, 0-9 and -, with .toml, found "{shown}"'
    ]


def test_a_folder_gives_the_good_and_the_errors_of_the_others(folder):
    (folder / "bb.toml").write_text(GOOD)
    (folder / "aa.toml").write_text(GOOD)
    (folder / "cc.toml").write_text("x")
    (folder / "notes.txt").write_text("x")
    loaded = load_folder(folder)
    assert [submission.key for submission in loaded.submissions] == ["aa", "bb"]
    assert [(error.file, error.line, error.column) for error in loaded.errors] == [("s/cc.toml", 1, 2)]
