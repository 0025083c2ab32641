"""A small board with everything a page can meet: hostile names, incomplete rows, rows without a run, references."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from leaderboard.board.tables import (
    BenchmarkPage,
    Board,
    Interval,
    LiteraturePage,
    MetricNote,
    Paper,
    PublishedTable,
    RetrieversPage,
    Row,
    Table,
    Value,
)
from leaderboard.site.mkdocs import build_site
from leaderboard.site.pages import write_pages
from tests.site.data_pages import data_page
from tests.site.hostile import (
    BENCHMARKS,
    HOSTILE,
    MODELS,
    evidence_column,
    match_column,
    share,
    tokens_column,
)
from tests.site.system_pages import system_page
from tests.site.tiny_site import tiny_board, tiny_built

__all__ = ["tiny_board", "tiny_built"]  # fixtures of a file of their own

ROOT = Path(__file__).parents[2]


def system_row(place: int, key: str, name: str) -> Row:
    values = {
        "overall": Value(
            value=0.625 - place / 23,
            n=90,
            interval=Interval(low=0.5123456789012345 - place / 23, high=0.7301 - place / 23, method="MOVER"),
        ),
        "evidence_complete": share(11 + place % 5, 90),
        "tokens": Value(value=812.0416666666666 * (place + 1), n=90),
    }
    values |= {name: share((place * 7) % (n // 2) + n // 3, n) for name, (_, n, _) in BENCHMARKS.items()}
    texts = {"model": MODELS[place % 2], "retriever": "bm25 · passage", "date": "2026-11-20"}
    marks = ("single run",) if place % 2 else ("compiled", "single run")
    return Row(key=key, label=name, page=key, texts=texts, marks=marks, values=values)


def home_table() -> Table:
    columns = [match_column("overall", "Overall")]
    columns += [match_column(key, label) for key, (label, _, _) in BENCHMARKS.items()]
    rows = [system_row(place, key, name) for place, (key, name) in enumerate(HOSTILE.items())]
    gap = Value(value=None, n=24, bounds=(0.2916666666666667, 0.4583333333333333), note="incomplete: 4 of 24")
    rows.append(
        Row(
            key="half_done",
            label="Half done",
            kind="unranked",
            page="half_done",
            marks=("incomplete",),
            texts={"model": MODELS[0], "retriever": "dense · passage", "date": "2026-11-19"},
            values={"overall": Value(value=None, n=0, note="complete on 2 of 3 benchmarks"), "frames": gap},
        )
    )
    missing = Value(value=None, n=0, note="not run: the endpoint is not in leaderboard.toml")
    rows.append(
        Row(key="absent", label="Absent", kind="unranked", marks=("not run",), values={"overall": missing})
    )
    for key, label, right in (
        ("gold_context", "Gold context", 30),
        ("best-constant", "Best constant answer", 4),
    ):
        values = {name: share(min(right, n - 3), n) for name, (_, n, _) in BENCHMARKS.items()}
        rows.append(Row(key=key, label=label, kind="reference", values=values))
    return Table(
        key="home",
        title="Systems",
        caption="In brackets, the 95 % interval (Overall: MOVER, benchmarks: Wilson).",
        row_heading="System",
        columns=(*columns, evidence_column(), tokens_column()),
        rows=tuple(rows),
        text_columns={"model": "Model", "retriever": "Retriever", "date": "Date"},
    )


def repeated(right: float, n: int) -> Value:
    """A share that is the mean of several runs."""
    return share(right, n).model_copy(update={"deviation": 0.012345678901234567})


def further_table(key: str, title: str, rows: tuple[Row, ...]) -> Table:
    """One of a benchmark's further tables: its column is the main table's, its rows are too."""
    return Table(key=key, title=title, caption="", row_heading="System", columns=(match_column(),), rows=rows)


def retrievers_page() -> RetrieversPage:
    tables = []
    for key, (label, n, _) in BENCHMARKS.items():
        rows = [
            Row(
                key=name,
                label=title,
                page=name,
                values={"match": repeated(n / 2, n)},
                texts={"retriever": title, "date": "2026-11-20"},
            )
            for name, title in HOSTILE.items()
        ]
        table = further_table(f"retrievers-{key}", f"{label}: retrievers", tuple(rows))
        texts = {"retriever": "Configuration", "date": "Run"}
        tables.append(table.model_copy(update={"text_columns": texts}))
    return RetrieversPage(summary=f"Found without a model. {HOSTILE['link']}", tables=tuple(tables))


def benchmark_page(key: str) -> BenchmarkPage:
    label, questions, documents = BENCHMARKS[key]
    groups = {"2 hops": 9, "3 hops": questions - 15, "<b>4+</b> hops {.x}": 6}
    ranked = [(name, title) for name, title in HOSTILE.items()]
    main = [
        Row(
            key=name,
            label=title,
            page=name,
            values={"match": share(5 + place, questions), "tokens": Value(value=1e3 / 3, n=questions)},
        )
        for place, (name, title) in enumerate(ranked)
    ]
    parts = [
        Row(
            key=name,
            label=title,
            page=name,
            values={group: share(min(place, n), n) for group, n in groups.items()},
        )
        for place, (name, title) in enumerate(ranked)
    ]
    shapes = [
        Row(key=group, label=group, values={name: share(n // 2, n) for name in ("a-b", "chain")})
        for group, n in groups.items()
    ]
    return BenchmarkPage(
        key=key,
        label=label,
        summary="Questions that need several articles. Headline: string match.",
        questions=questions,
        documents=documents,
        main=Table(key=key, title=label, caption="All questions.", row_heading="System", columns=(match_column(), tokens_column()), rows=tuple(main)),
        scorecards=(further_table(f"{key}-answers", f"{label}: {HOSTILE['script']}", tuple(main)),),
        distances=(further_table(f"{key}-above", HOSTILE["attributes"], tuple(main)),),
        breakdowns=(
            Table(
                key=f"{key}-hops", title=f"{label}: by hops", caption="Groups are small: read n first.", row_heading="System",
                columns=tuple(match_column(group, group) for group in groups), rows=tuple(parts),
            ),
            Table(
                key=f"{key}-shapes", title="By shape", caption="", row_heading="Group",
                columns=(match_column("a-b", "A → B"), match_column("chain", "Chain")), rows=tuple(shapes),
            ),
        ),
        published=published_tables(key),
        published_name={"frames": "FRAMES", "musique": "MuSiQue", "multihop_rag": "MultiHop-RAG"}[key],
        defects=("Question 7 names an article twice; <i>kept once</i>.", "[y](javascript:window.pwned=9)"),
    )  # fmt: skip


def published_tables(key: str) -> tuple[PublishedTable, ...]:
    """What others published: one table says its n, the other does not; every text of both is hostile."""
    columns = (match_column("accuracy", f"Accuracy {HOSTILE['attributes']}"), tokens_column())
    tables = []
    for name, n, address in (
        ("told", 824, "https://arxiv.org/abs/2409.12941"),
        ("untold", 0, "javascript:window.pwned=6"),
    ):
        rows = [
            Row(
                key=f"p{place}",
                label=title,
                kind="published",
                marks=(HOSTILE["image"],),
                values={
                    "accuracy": Value(value=0.408 + place / 100, n=n),
                    "tokens": Value(value=None, n=0, note="not reported"),
                },
            )
            for place, title in enumerate(HOSTILE.values())
        ]
        tables.append(
            PublishedTable(
                key=f"{key}-published-{name}",
                title=f"Published {key}: {name} {HOSTILE['link']}",
                caption="",
                row_heading="System",
                columns=columns,
                rows=tuple(rows),
                source=f"A paper {HOSTILE['script']}",
                address=address,
                read_from=HOSTILE["jinja"],
                setting=HOSTILE["quotes"],
                caveat=HOSTILE["lines"],
            )
        )
    return tuple(tables)


def literature_page() -> LiteraturePage:
    """A system of the literature, every text of it hostile: one address is safe, one isn't, one isn't known."""
    rows = [
        Row(key=name, label=title, page=name, values={"overall": share(30 + place, 90)})
        for place, (name, title) in enumerate(HOSTILE.items())
    ]
    main = further_table("literature-steps-systems", f"{HOSTILE['bidi']}: measured here", tuple(rows))
    addresses = ("https://arxiv.org/abs/2409.12941", "javascript:window.pwned=7", "")
    return LiteraturePage(
        key="steps",
        title=HOSTILE["script"],
        papers=tuple(Paper(work=HOSTILE["attributes"], year=2024, address=address) for address in addresses),
        summary=HOSTILE["jinja"],
        reproduces=tuple(HOSTILE.values()),
        leaves_out=tuple(HOSTILE.values()),
        second_hand=HOSTILE["quotes"],
        parameters=(("rounds", HOSTILE["lines"]), (HOSTILE["image"], HOSTILE["long"])),
        systems=main.model_copy(update={"columns": (match_column("overall", "Overall"),)}),
        published=published_tables("literature-steps"),
        no_figures="",
    )


@pytest.fixture(scope="session")
def board() -> Board:
    systems = {**HOSTILE, "half_done": "Half done"}
    return Board(
        title="Multi-hop RAG leaderboard",
        track="sample",
        home=home_table(),
        benchmarks=tuple(map(benchmark_page, BENCHMARKS)),
        systems=tuple(system_page(key, name) for key, name in systems.items()),
        retrievers=retrievers_page(),
        literature=(literature_page(),),
        data=data_page("frames", "musique"),
        metrics=(
            MetricNote(key="match", label="Match", definition="1 when the first thing said is the answer.", source="spec § 0 R2", range="0 to 100", applies_to="all questions"),
            MetricNote(key="evidence_complete", label="Evidence complete", definition="Every gold item was shown.", source=""),
        ),
        built="2026-11-20",
    )  # fmt: skip


@pytest.fixture(scope="session")
def built(board: Board, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The board, built as a reader gets it; the folder holds ``docs`` and ``site``."""
    folder = tmp_path_factory.mktemp("board") / "build"
    write_pages(board, folder / "docs")
    build_site(ROOT, folder / "docs", folder / "site")
    return folder


@pytest.fixture(params=["hostile", "tiny"])
def either(request: pytest.FixtureRequest) -> tuple[Board, Path]:
    """A board and what was built of it: first the one with everything a page can meet, then the one of real runs."""
    names = {"hostile": ("board", "built"), "tiny": ("tiny_board", "tiny_built")}[request.param]
    board, built = map(request.getfixturevalue, names)
    return board, built


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser. In CI a test that needs one fails without it: a skip there would hide a gap."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    missing = "Chromium is missing: install it (Debian: apt-get install chromium) to run the browser tests"
    if path is None and os.environ.get("CI"):
        pytest.fail(missing)
    if path is None:
        pytest.skip(missing)
    return path
