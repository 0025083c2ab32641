"""Texts that try to break a page, and the columns and figures that the boards of these tests are made of."""

from __future__ import annotations

from leaderboard.board.tables import Column, Interval, Value

HOSTILE = {
    "script": "<script>window.pwned=1</script>Plan & search",
    "image": '<img src=x onerror="window.pwned=2">',
    "link": "[x](javascript:window.pwned=3) **bold** `code`",
    "attributes": 'Step { onclick="window.pwned=4" #taken .cls }',
    "jinja": "{{ 7*7 }} {% raw %} {# gone #}",
    "quotes": "\"double\" 'single' </title></td></table><b>out</b>",
    "lines": "first\n\n# second\r\n---\n    code\u2028third\x00\x1b[31m",
    "bidi": "abc\u202etxt.exe\u202c \u2066x\u2069 é 漢字 ﷽ 👩‍🚀",
    "formula": '=HYPERLINK("http://evil.example","x")',
    "long": "Retrieval" + "Augmented" * 40,
}
MODELS = ("embedded/qwen2.5-coder-0.5b", "openai/gpt-4o-mini-2024-07-18")

COMPILED = ("script", "long")
"""The systems whose pages show compiled prompts."""

BENCHMARKS = {
    "frames": ("FRAMES-like (sample)", 24, 61),
    "musique": ("MuSiQue-like (sample)", 36, 240),
    "multihop_rag": ("MultiHop-RAG-like (sample)", 30, 48),
}


def share(right: float, n: int) -> Value:
    """A share with its Wilson interval, by the formula of the method page."""
    z, p = 1.959963984540054, right / n
    centre, half = (p + z * z / 2 / n), z * (p * (1 - p) / n + z * z / 4 / n / n) ** 0.5
    scale = 1 + z * z / n
    low, high = max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)
    return Value(value=p, n=n, interval=Interval(low=low, high=high, method="Wilson"))


def match_column(key: str = "match", label: str = "Match") -> Column:
    return Column(
        key=key, label=label, hint=f"Share of questions answered right: {label}.", source="spec § 2.2"
    )


def tokens_column() -> Column:
    return Column(
        key="tokens",
        label="Tokens",
        hint="Prompt and completion tokens a question, as the model counts them.",
        decimals=0,
        percent=False,
        higher_is_better=False,
        unit="a question",
    )


def evidence_column() -> Column:
    return Column(key="evidence_complete", label="Evidence complete", hint="Every gold item was shown.")
