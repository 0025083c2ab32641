"""Tables and fields that do or do not go together: a program without a model, rerankers, encoders, overlapping passages."""

import pytest

from leaderboard.catalog.programs import PROGRAMS
from leaderboard.submissions.errors import one_of
from leaderboard.submissions.load import Names, load_submission
from tests.submissions.faulty import errors_in, errors_of

SYSTEM = """\
[system]
name = "A"
authors = ["B"]
description = "C."

"""
LM = '[lm]\nmodel = "embedded/m"\n\n'
NAMES = Names(["embedded/m"], ["wordllama-l2-256", "mine"])
INDEXED = '"bm25", "dense", "hybrid"'


def text(retriever: str, program: str, lm: str = LM, more: str = "") -> str:
    return f"{SYSTEM}{lm}[retriever]\n{retriever}\n\n[program]\n{program}\n{more}"


def load(folder, text, names=NAMES):
    (folder / "xx.toml").write_text(text)
    return load_submission(folder / "xx.toml", names).document


BM25, SINGLE, ONLY, STEPS = (
    'kind = "bm25"',
    'kind = "single_step"',
    'kind = "retrieval_only"',
    'kind = "multi_step"',
)
LISTWISE = '\n[reranker]\nkind = "lm_listwise"\n'


def test_a_program_that_asks_no_model_needs_no_lm(folder):
    document = load(folder, text(BM25, ONLY, lm=""))
    assert (document.lm, document.model, document.program.k) == (None, "", 10)
    assert document.reranker.kind == "none"


@pytest.mark.parametrize("program", [SINGLE, STEPS])
def test_a_program_that_asks_a_model_names_it(folder, program):
    assert errors_in(folder, text(BM25, program, lm="")) == [
        "s/xx.toml:1:1: lm: expected a table [lm], found nothing (which language model answers, and how it samples)"
    ]


@pytest.mark.parametrize(
    ("lm", "place", "found"), [(LM, "6:2", "a table"), ("[[lm]]\n", "6:3", "an array of 1")]
)
def test_a_program_that_asks_no_model_has_no_lm(folder, lm, place, found):
    assert errors_in(folder, text(BM25, ONLY, lm=lm)) == [
        f's/xx.toml:{place}: lm: expected no [lm] with the program "retrieval_only": it asks no model, found {found}'
    ]
    # The model it names is told apart.
    assert (
        errors_in(folder, text(BM25, ONLY).replace("embedded/m", "embedded/mm"), NAMES)[-1]
        == 's/xx.toml:7:9: lm.model: expected "embedded/m", found "embedded/mm" (did you mean "embedded/m"?)'
    )


@pytest.mark.parametrize("program", [SINGLE, STEPS])
@pytest.mark.parametrize("retriever", [BM25, 'kind = "dense"', 'kind = "hybrid"'])
def test_what_a_search_brings_can_be_reranked(folder, program, retriever):
    document = load(folder, text(retriever, program, more=f"{LISTWISE}candidates = 20\n"))
    assert document.reranker.model_dump() == {"kind": "lm_listwise", "candidates": 20, "passage_tokens": 64}


@pytest.mark.parametrize(
    ("whole", "said"),
    [
        (text(BM25, ONLY, lm="", more=LISTWISE), '13:8: reranker.kind: expected "none" with the program "retrieval_only", found "lm_listwise"'),
        (text('kind = "none"', 'kind = "closed_book"', more=LISTWISE), f'16:8: reranker.kind: expected "none" without a retriever that searches (one of {INDEXED}), found "lm_listwise"'),
        (text('kind = "gold"', 'kind = "gold_context"', more=LISTWISE), f'16:8: reranker.kind: expected "none" without a retriever that searches (one of {INDEXED}), found "lm_listwise"'),
        (text(BM25, SINGLE, more=LISTWISE.replace("listwise", "listwize")), '16:8: reranker.kind: expected one of "lm_listwise", "none", found "lm_listwize" (did you mean "lm_listwise"?)'),
        (text(BM25, ONLY, lm="", more=LISTWISE.replace("listwise", "listwize")), '13:8: reranker.kind: expected one of "lm_listwise", "none", found "lm_listwize" (did you mean "lm_listwise"?)'),
        (text(BM25, SINGLE, more='\n[reranker]\ncandidates = 20\n'), '15:1: reranker.kind: expected one of "lm_listwise", "none", found nothing'),
        (text(BM25, SINGLE, more=f"{LISTWISE}candidates = 1\n"), "17:14: reranker.candidates: expected a whole number from 2 to 50, found 1"),
        (text(BM25, SINGLE, more=f"{LISTWISE}passage_tokens = 7\n"), "17:18: reranker.passage_tokens: expected a whole number from 8 to 512, found 7"),
        (text(BM25, SINGLE, more=f"{LISTWISE}candidate = 9\n"), '17:1: reranker.candidate: expected one of "kind", "candidates", "passage_tokens", found "candidate" (did you mean "candidates"?)'),
        (text(BM25, SINGLE, more='\n[reranker]\nkind = "none"\ncandidates = 9\n'), '17:1: reranker.candidates: expected "kind", found "candidates"'),
        (text(BM25, f"{ONLY}\nk = 9", lm=""), "11:5: program.k: expected a whole number from 10 to 100, found 9"),
        (text('kind = "none"', ONLY, lm=""), f'7:8: retriever.kind: expected one of {INDEXED} with the program "retrieval_only", found "none"'),
        (text('kind = "gold"', STEPS), f'10:8: retriever.kind: expected one of {INDEXED} with the program "multi_step", found "gold"'),
        (text(BM25, f"{STEPS}\nrounds = 0"), "14:10: program.rounds: expected a whole number from 1 to 10, found 0"),
        (text(BM25, f"{STEPS}\nqueries_per_round = 11"), "14:21: program.queries_per_round: expected a whole number from 1 to 10, found 11"),
        (text(BM25, f"{STEPS}\npassages_per_query = 51"), "14:22: program.passages_per_query: expected a whole number from 1 to 50, found 51"),
        (text(BM25, f"{STEPS}\nplanning = 1"), "14:12: program.planning: expected true or false, found 1"),
        (text(BM25, f"{STEPS}\npassages = 3"), '14:1: program.passages: expected one of "kind", "rounds", "queries_per_round", "passages_per_query", "planning", "context_tokens", found "passages" (did you mean "passages_per_query"?)'),
        (text(f'{BM25}\nstemmer = "German"', SINGLE), '11:11: retriever.stemmer: expected one of "english", "porter", "none", found "German"'),
        (text(f'{BM25}\nstop_words = false', SINGLE), '11:14: retriever.stop_words: expected one of "english", "none", found false'),
        (text('kind = "dense"\nk1 = 1.2', SINGLE), '11:1: retriever.k1: expected one of "unit", "chunk_tokens", "overlap_tokens", "kind", "encoder", found "k1"'),
        (text('kind = "hybrid"\nrrf_k = 0', SINGLE), "11:9: retriever.rrf_k: expected a whole number from 1 to 1000, found 0"),
        (text('kind = "hybrid"\ndepth = 1001', SINGLE), "11:9: retriever.depth: expected a whole number from 1 to 1000, found 1001"),
    ],
)  # fmt: skip
def test_each_error_has_its_place(folder, whole, said):
    assert errors_in(folder, whole, NAMES) == [f"s/xx.toml:{said}"]


def test_a_misspelt_retriever_says_nothing_of_the_reranker(folder):
    assert errors_in(folder, text('kind = "bm52"', SINGLE, more=LISTWISE)) == [
        's/xx.toml:10:8: retriever.kind: expected one of "bm25", "dense", "gold", "hybrid", "keyword_sentence", "none", found "bm52" '
        '(did you mean "bm25"?)'
    ]


@pytest.mark.parametrize("kind", ["dense", "hybrid"])
def test_an_encoder_is_one_of_the_boards(folder, kind):
    assert load(folder, text(f'kind = "{kind}"', SINGLE)).retriever.encoder == "wordllama-l2-256"
    chosen = load(folder, text(f'kind = "{kind}"\nencoder = "mine"', SINGLE))
    assert chosen.retriever.encoder == "mine"
    other = text(f'kind = "{kind}"\nencoder = "mines"', SINGLE)
    assert errors_in(folder, other, NAMES) == [
        's/xx.toml:11:11: retriever.encoder: expected one of "wordllama-l2-256", "mine", found "mines" '
        '(did you mean "mine"?)'
    ]
    assert load(folder, other, names=None).retriever.encoder == "mines"  # without the board nobody knows


@pytest.mark.parametrize("name", ["", "../up", "a b", "é", "x" * 92, "/etc/passwd"])
def test_an_encoder_is_a_name(folder, name):
    [error] = errors_in(folder, text(f'kind = "dense"\nencoder = "{name}"', SINGLE))
    assert error.startswith("s/xx.toml:11:11: retriever.encoder: expected ")


def test_a_retriever_without_an_encoder_has_no_such_field(folder):
    fields = '"unit", "chunk_tokens", "overlap_tokens", "k1", "b", "stemmer", "stop_words", "kind"'
    for name in ("mine", "nobody's"):
        assert errors_in(folder, text(f'{BM25}\nencoder = "{name}"', SINGLE), NAMES) == [
            f's/xx.toml:11:1: retriever.encoder: expected one of {fields}, found "encoder"'
        ]


def test_passages_overlap_by_less_than_half(folder):
    for chunk, overlap in ((64, 31), (65, 32), (256, 127)):
        document = load(folder, text(f"{BM25}\nchunk_tokens = {chunk}\noverlap_tokens = {overlap}", SINGLE))
        assert document.retriever.overlap_tokens == overlap
    said = "retriever.overlap_tokens: expected less than half of chunk_tokens"
    for chunk, overlap in ((64, 32), (64, 64), (16, 2048)):
        assert errors_in(
            folder, text(f"{BM25}\nchunk_tokens = {chunk}\noverlap_tokens = {overlap}", SINGLE)
        ) == [f"s/xx.toml:12:18: {said} ({chunk}), found {overlap}"]
    assert errors_in(folder, text(f"{BM25}\noverlap_tokens = 128", SINGLE)) == [
        f"s/xx.toml:11:18: {said} (256), found 128"
    ]


def test_articles_do_not_overlap(folder):
    assert errors_in(
        folder, text(f'{BM25}\nunit = "article"\nchunk_tokens = 64\noverlap_tokens = 0', SINGLE)
    ) == [
        f's/xx.toml:{line}:1: retriever.{field}: expected no {field} with unit = "article": articles are not cut, '
        f"found {value}"
        for line, field, value in ((12, "chunk_tokens", 64), (13, "overlap_tokens", 0))
    ]


BASE = text(f"{BM25}\nchunk_tokens = 256\noverlap_tokens = 64", SINGLE, more=LISTWISE)
OWN = '[system]\nname = "Own"\ndescription = "D."\nbased_on = "base"\n'


@pytest.fixture
def based(folder):
    """Write a system based on one with a reranker and overlapping passages; return its path."""

    def write(own: str):
        (folder / "base.toml").write_text(BASE)
        (folder / "xx.toml").write_text(OWN + own)
        return folder / "xx.toml"

    return write


def test_a_reranker_is_inherited_and_left_out_by_name(based):
    assert load_submission(based("[program]\npassages = 3\n")).document.reranker.kind == "lm_listwise"
    assert load_submission(based('[reranker]\nkind = "none"\n')).document.reranker.kind == "none"


def test_an_inherited_reranker_that_no_longer_fits_is_said_where_that_was_changed(based):
    assert errors_of(based('[program]\nkind = "retrieval_only"\n')) == [
        f"s/xx.toml:6:8: program.kind: expected {one_of(k for k, e in PROGRAMS.items() if e.reranks)} "
        'with the reranker "lm_listwise", found "retrieval_only" ([reranker] with kind = "none" leaves it out)'
    ]
    assert errors_of(based('[retriever]\nkind = "gold"\n[program]\nkind = "gold_context"\n')) == [
        f's/xx.toml:6:8: retriever.kind: expected one of {INDEXED} with the reranker "lm_listwise", found "gold" '
        '([reranker] with kind = "none" leaves it out)'
    ]


def test_a_chunk_length_too_short_for_the_inherited_overlap_is_said_where_it_stands(based):
    assert errors_of(based("[retriever]\nchunk_tokens = 128\n")) == [
        "s/xx.toml:6:16: retriever.chunk_tokens: expected more than twice overlap_tokens (64), found 128"
    ]
    assert load_submission(based("[retriever]\nchunk_tokens = 129\n")).document.retriever.overlap_tokens == 64
    assert errors_of(based("[retriever]\noverlap_tokens = 128\n")) == [
        "s/xx.toml:6:18: retriever.overlap_tokens: expected less than half of chunk_tokens (256), found 128"
    ]


def test_whole_articles_inherit_no_overlap(based):
    retriever = load_submission(based('[retriever]\nunit = "article"\n')).document.retriever
    assert (retriever.unit, retriever.chunk_tokens, retriever.overlap_tokens) == ("article", 256, 0)


def test_a_program_that_asks_no_model_inherits_none(based, folder):
    only = load_submission(based('[program]\nkind = "retrieval_only"\n[reranker]\nkind = "none"\n')).document
    assert (only.lm, only.retriever.overlap_tokens) == (None, 64)
    # Nor does what is based on that one.
    (folder / "yy.toml").write_text(OWN.replace('base"', 'xx"') + "[program]\nk = 20\n")
    further = load_submission(folder / "yy.toml").document
    assert (further.lm, further.program.kind, further.program.k) == (None, "retrieval_only", 20)
    (folder / "yy.toml").write_text(OWN.replace('base"', 'xx"') + '[program]\nkind = "single_step"\n')
    assert errors_of(folder / "yy.toml") == [
        "s/yy.toml:1:1: lm: expected a table [lm], found nothing (which language model answers, and how it samples)"
    ]


def test_its_own_lm_is_an_error_even_so(based):
    own = '[program]\nkind = "retrieval_only"\n[reranker]\nkind = "none"\n[lm]\nmax_tokens = 5\n'
    assert errors_of(based(own)) == [
        's/xx.toml:9:2: lm: expected no [lm] with the program "retrieval_only": it asks no model, found a table'
    ]


def test_what_a_missing_base_may_have_held_is_not_missed(folder):
    (folder / "xx.toml").write_text(
        OWN + '[program]\nkind = "single_step"\n[reranker]\nkind = "lm_listwise"\n'
    )
    assert errors_of(folder / "xx.toml") == [
        's/xx.toml:4:12: system.based_on: expected a submission in this folder, found "base"'
    ]
