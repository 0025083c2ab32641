"""A trace as a person reads it on a terminal of 80 columns. All text goes through ``safe``: most of it is a stranger's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from leaderboard.calls.store import StoredCall
from leaderboard.cli.requirements import requirement_note
from leaderboard.cli.terminal import one_line, plural, safe
from leaderboard.results.records import Returned, Shown
from leaderboard.showing import GoldItem, Step, Trace, messages

LONGEST_ANSWER = 2000
LONGEST_NOTE = 400
LONGEST_ERROR = 300
_LONGEST_FACT = 160
_LABEL_CELLS = 9
_GOLD = "green"


def print_trace(console: Console, trace: Trace, *, prompts: bool = False) -> None:
    """Print all of a trace; with ``prompts`` each call's messages and response in full."""
    record = trace.record
    where = f"{trace.system} · {trace.label} · question {trace.question.id} · run {record.run}"
    if trace.repeats > 1:
        where += f" · repeat {record.repeat} of 0 to {trace.repeats - 1}"
    console.print(Text(safe(where), style="dim"))
    console.print(
        _rows(
            ("question", Text(safe(trace.question.text), style="bold")),
            ("gold", _golds(trace)),
            *_answer(trace),
            *(
                (f"{number}", _step(step, trace.question.text))
                for number, step in enumerate(trace.steps, start=1)
            ),
            ("context", _context(trace)),
            ("evidence", _evidence(trace)),
            ("calls", _calls(trace)),
        )
    )
    if prompts:
        for number, call in enumerate(trace.calls, start=1):
            _print_call(console, number, call)


def print_short(console: Console, trace: Trace) -> None:
    """Print what a trial shows of a trace: question, gold, answer, searches, evidence and calls in a line each."""
    question = Text(safe(trace.question.text), style="bold")
    question.append(f"  {one_line(trace.question.id)}", style="not bold dim")
    items = trace.gold
    found, shown = sum(item.found for item in items), sum(item.shown for item in items)
    evidence = f"{found} of {len(items)} found, {shown} of {len(items)} before the model"
    console.print(
        _rows(
            ("question", question),
            ("gold", _golds(trace)),
            *_answer(trace),
            *(("", _step(step, trace.question.text)) for step in trace.steps),
            *([("evidence", Text(evidence))] if items and trace.retrieves else []),
            *([("calls", Text(_usage(trace)))] if trace.asks_model else []),
        )
    )


def _rows(*rows: tuple[str, RenderableType]) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=_LABEL_CELLS, no_wrap=True, justify="right")
    grid.add_column(ratio=1, overflow="fold")
    for label, content in rows:
        grid.add_row(Text(one_line(label), style="dim"), content)
    return grid


def _golds(trace: Trace) -> Text:
    if trace.question.null:
        return Text("the question cannot be answered")
    text = Text(one_line(trace.question.answer))
    if trace.question.aliases:
        also = ", ".join(trace.question.aliases)
        text.append(f"  also: {one_line(also, LONGEST_NOTE)}", style="dim")
    return text


def _answer(trace: Trace) -> Iterable[tuple[str, Text]]:
    record = trace.record
    if not trace.asks_model and record.outcome.scored:
        return
    said = {
        True: ("match", "bold green"),
        False: ("no match", "bold red"),
        None: ("not scored", "bold yellow"),
    }
    word, style = said[trace.matches]
    answer = Text(_clipped(record.final_answer) or "(empty)").append("  ").append(word, style=style)
    yield "answer", answer
    if record.raw_answer != record.final_answer:
        yield "raw", Text(_clipped(record.raw_answer))
    notes = [record.outcome.value]
    if record.finish_reason:
        notes.append(f"finish reason {record.finish_reason}")
    if record.parse_repairs:
        notes.append(plural(record.parse_repairs, "parse repair"))
    if record.overlong:
        notes.append("longer than an answer may be")
    if record.outcome.value != "answered" or len(notes) > 2 or record.error:
        yield "outcome", Text(one_line(", ".join(notes)))
    if record.error:
        yield "error", Text(one_line(record.error, LONGEST_ERROR), style="red")


def _step(step: Step, question: str) -> RenderableType:
    notes = dict(step.notes)
    head = Text(one_line(step.name), style="bold cyan")
    round = notes.pop("round", None)
    if round is not None:
        head.append(f"  round {one_line(_value(round), LONGEST_NOTE)}", style="not bold default")
    query = notes.pop("query", None)
    parts: list[RenderableType] = [head]
    if query == question:
        head.append("  with the question", style="not bold default")
    elif isinstance(query, str) and query:
        parts.append(Text(f"“{one_line(query, LONGEST_NOTE)}”"))
    elif query is not None:
        notes["query"] = query
    if step.name == "gate":
        parts += _gate(notes)
    match notes.get("written"):
        case [str(sentence)] if "asked" not in notes:  # what was written is what is searched for next
            parts.append(Text(one_line(sentence, LONGEST_NOTE)))
            del notes["written"]
    parts += [requirement_note(name, value) or _note(name, value) for name, value in notes.items()]
    if step.passages:
        parts.append(_passages(step.passages))
    elif step.name == "search" and "passages" not in notes:
        parts.append(Text("nothing found"))
    return Group(*parts)


def _gate(notes: dict[str, Any]) -> list[RenderableType]:
    """Take what a prober saw and decided out of a step's notes; a note of another form is left there."""
    lines: list[RenderableType] = []
    chance, threshold = notes.get("probability"), notes.get("threshold")
    if isinstance(chance, float) and isinstance(threshold, float) and isinstance(notes.get("accepted"), bool):
        del notes["probability"], notes["threshold"]
        word, style = ("accepted", _GOLD) if notes.pop("accepted") else ("not accepted", "yellow")
        lines.append(Text(f"probability {chance:.3f}, threshold {threshold:g}: ").append(word, style=style))
    features = notes.get("features")
    if isinstance(features, dict) and all(isinstance(value, float) for value in features.values()):
        del notes["features"]
        told = ", ".join(f"{name} {value:.3f}" for name, value in features.items())
        lines.append(Text(one_line(told, LONGEST_NOTE), style="dim"))
    return lines


def _note(name: str, value: Any) -> Text:
    text = Text(f"{one_line(str(name), LONGEST_NOTE)}: ", style="dim")
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        for item in value:
            text.append(f"\n  {one_line(item, LONGEST_NOTE)}", style="not dim")
        return text if value else text.append("none", style="not dim")
    return text.append(one_line(_value(value), LONGEST_NOTE), style="not dim")


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _passages(passages: Iterable[Returned]) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    for passage in passages:
        mark = Text("*" if passage.evidence else " ", style=f"bold {_GOLD}")
        grid.add_row(mark, f"{passage.rank}", f"{passage.score:.3f}", _titled(passage))
    return grid


def _titled(passage: Returned | Shown) -> Text:
    title = Text(one_line(passage.title or passage.passage), style=_GOLD if passage.evidence else "")
    _, cut, span = passage.passage.rpartition("#")
    return title.append(f"  #{one_line(span)}", style="dim") if cut else title


def _context(trace: Trace) -> RenderableType:
    shown = trace.record.shown
    if not shown:
        return Text("nothing was shown to a model" if not trace.asks_model else "no passage was shown")
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    for passage in shown:
        mark = Text("*" if passage.evidence else " ", style=f"bold {_GOLD}")
        title = _titled(passage)
        if passage.truncated:
            title.append("  cut off", style="yellow")
        grid.add_row(mark, f"{passage.tokens:,}", title)
    total = (
        f"{plural(len(shown), 'passage')}, {trace.record.retrieved_tokens:,} tokens, as the model saw them"
    )
    return Group(Text(total), grid)


def _evidence(trace: Trace) -> RenderableType:
    if not trace.gold:
        return Text("none is needed")
    if not trace.retrieves:
        titles = "; ".join(item.evidence.title or item.evidence.document for item in trace.gold)
        return Text(f"nothing is searched for; it stands in: {one_line(titles, LONGEST_NOTE)}")
    return Group(*map(_gold_item, trace.gold))


def _gold_item(item: GoldItem) -> Text:
    if item.shown:
        state, style = "shown", _GOLD
    elif item.found:
        state, style = "found", "yellow"
    else:
        state, style = "missing", "red"
    text = Text(f"{state:<8}", style=style).append(
        one_line(item.evidence.title or item.evidence.document), style="default"
    )
    if item.evidence.kind == "fact":
        text.append(f"  “{one_line(item.evidence.text, _LONGEST_FACT)}”", style="dim")
    if not item.evidence.document:
        text.append("  (not in the corpus)", style="dim")
    return text


def _calls(trace: Trace) -> RenderableType:
    if not trace.record.calls:
        return Text("none")
    lines = []
    for key, call in zip(trace.record.calls, trace.calls, strict=True):
        if call is None:
            lines.append(f"{key[:12]}: not among the run's calls")
            continue
        prompt, completion = (_tokens(call.response, name) for name in ("prompt_tokens", "completion_tokens"))
        lines.append(
            f"{key[:12]} {prompt} + {completion} tokens, {call.latency_s:.1f} s, "
            f"{call.response['finish_reason']}, {call.recorded_at[:10]}"
        )
    return Group(*(Text(one_line(line)) for line in [*lines, _usage(trace)]))


def _usage(trace: Trace) -> str:
    record = trace.record
    tokens = "unknown" if trace.tokens is None else f"{trace.tokens:,}"
    return f"{plural(len(record.calls), 'call')}, {tokens} tokens, {record.latency_s:.1f} s"


def _tokens(response: Mapping[str, Any], name: str) -> str:
    return "?" if response[name] is None else f"{response[name]:,}"


def _clipped(text: str) -> str:
    """Return an answer, made safe, cut where it is longer than anyone reads here."""
    if len(text) <= LONGEST_ANSWER:
        return safe(text)
    left = len(text) - LONGEST_ANSWER
    return f"{safe(text[:LONGEST_ANSWER])}… ({left:,} more characters; --json has all)"


def _print_call(console: Console, number: int, call: StoredCall | None) -> None:
    if call is None:
        return
    parts = [
        *((message["role"], message["content"]) for message in messages(call)),
        ("response", call.response["text"]),
    ]
    for name, content in parts:
        console.rule(Text(one_line(f"call {number}: {name}"), style="bold"), align="left", style="dim")
        console.print(Text(safe(content)))
