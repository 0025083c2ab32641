"""A system's page with a hostile text in every field."""

from __future__ import annotations

from leaderboard.board.tables import (
    Column,
    CompiledPredictor,
    CompiledPrompts,
    Demonstration,
    InstructionLine,
    Interval,
    Row,
    SystemPage,
    Table,
    Value,
)
from tests.site.hostile import BENCHMARKS, COMPILED, HOSTILE, match_column, share, tokens_column


def against_table(key: str) -> Table:
    """What a system has against its parent: differences below 0, a p that is printed as less than the smallest."""
    difference = match_column("difference", "Δ Match").model_copy(
        update={"range": (-1.0, 1.0), "unit": "points"}
    )
    p = Column(
        key="p", label="p", hint="Two-sided p.", decimals=4, percent=False, higher_is_better=None, small=True
    )
    rows = [
        Row(
            key=bench,
            label=label,
            marks=("single run",),
            values={
                "difference": Value(
                    value=-0.125, n=n, interval=Interval(low=-0.3125, high=0.0625, method="Wald")
                ),
                "p": Value(value=1e-9, n=n),
            },
        )
        for bench, (label, n, _) in BENCHMARKS.items()
    ]
    return Table(
        key=f"{key}-parent", title=f"Against its uncompiled parent: {HOSTILE['image']}", caption="", row_heading="Benchmark",
        columns=(difference, p), rows=tuple(rows),
    )  # fmt: skip


def compiled_prompts() -> CompiledPrompts:
    """Prompts in which every text is hostile, and some are long."""
    demonstrations = [
        Demonstration(ran=bool(place % 2), fields=((name, text), ("answer", HOSTILE["long"] * 3)))
        for place, (name, text) in enumerate(HOSTILE.items())
    ]
    lines = [
        InstructionLine(kind=kind, text=text)
        for kind in ("same", "removed", "added")
        for text in (HOSTILE["script"], HOSTILE["attributes"], HOSTILE["long"], "    indented  twice", "")
    ]
    return CompiledPrompts(
        notes=(f"The submission says optimizer = {HOSTILE['link']}.",),
        facts=(("Optimizer", HOSTILE["jinja"]), ("Recorded in", "results/compile/" + "long" * 60)),
        before=HOSTILE["image"],
        predictors=(
            CompiledPredictor(
                name="answer", instructions="After.", changed=True, lines=tuple(lines), demonstrations=tuple(demonstrations)
            ),
            CompiledPredictor(name=HOSTILE["quotes"], instructions=f"{HOSTILE['script']}\n\n{HOSTILE['long']}", changed=False, demonstrations=()),
            CompiledPredictor(name="rank", instructions=HOSTILE["lines"], changed=None, demonstrations=()),
        ),
    )  # fmt: skip


def system_page(key: str, name: str) -> SystemPage:
    rows = [
        Row(key=bench, label=label, values={"match": share(n // 2, n), "tokens": Value(value=512.5, n=n)})
        for bench, (label, n, _) in BENCHMARKS.items()
    ]
    outcomes = [
        Row(key=bench, label=label, values={"answered": Value(value=float(n - 3), n=n), "unparsed": Value(value=3.0, n=n)})
        for bench, (label, n, _) in BENCHMARKS.items()
    ]  # fmt: skip
    counts = tuple(
        Column(
            key=outcome,
            label=outcome,
            hint=f"Questions {outcome}.",
            percent=False,
            decimals=0,
            higher_is_better=None,
        )
        for outcome in ("answered", "unparsed")
    )
    groups = tuple(
        Table(
            key=f"{key}-{bench}-type", title=f"{label}: by type", caption="", row_heading="Type", columns=(match_column(),),
            rows=(Row(key="t1", label="Temporal", values={"match": share(3, 8)}), Row(key="t2", label="Numerical", values={"match": share(0, n - 8)})),
        )
        for bench, (label, n, _) in BENCHMARKS.items()
    )  # fmt: skip
    evil = key in ("link", "quotes")
    return SystemPage(
        key=key,
        name=name,
        authors=("A. Author", HOSTILE["image"], HOSTILE["attributes"]),
        description=f"One sentence about it. {HOSTILE['jinja']}",
        paper='javascript:alert("paper")' if evil else "https://arxiv.org/abs/2409.12941",
        literature="steps" if key in HOSTILE else "",
        toml=f'[system]\nname = """{name}"""\n\n[lm]\n\ttemperature = 0.0  # </code></pre><script>window.pwned=5</script>\n',
        main=Table(key=f"{key}-main", title="Results", caption="", row_heading="Benchmark", columns=(match_column(), tokens_column()), rows=tuple(rows)),
        groups=groups,
        against=against_table(key) if key in COMPILED else None,
        compiled=compiled_prompts() if key in COMPILED else None,
        outcomes=Table(key=f"{key}-outcomes", title="Outcomes", caption="What became of each question; a row sums to n.", row_heading="Benchmark", columns=counts, rows=tuple(outcomes)),
        provenance=(("Fingerprint", "9c1185a5c5e9fc54"), ("Recorded with", HOSTILE["quotes"])),
        commands=(f"leaderboard build --system {key}", f"leaderboard verify {key}"),
    )  # fmt: skip
