"""A-RAG's tools over a corpus: keyword search, semantic search, reading a chunk (spec § 4.4)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from leaderboard.metrics.tokens import count_tokens, cut_tokens
from leaderboard.programs.task import Task
from leaderboard.programs.tool_calls import ToolCall
from leaderboard.retrieval.keyword_sentence import Found
from leaderboard.retrieval.passages import Hit, Passage

KEYWORD, SEMANTIC, READ = "keyword_search", "semantic_search", "read_chunk"
MOST_RESULTS = 20
LONGEST_NUMBER = 9
NO_ROOM = "No room is left for more."

DESCRIPTIONS = {
    KEYWORD: 'keyword_search("name") finds the chunks that hold these words, one to three words each.',
    SEMANTIC: 'semantic_search("what is looked for") finds the chunks with sentences of that meaning.',
    READ: "read_chunk(number) gives the whole text of a chunk.",
}
_HEADINGS = {
    KEYWORD: "Chunks with the words {}:",
    SEMANTIC: "Chunks about {}:",
    READ: "Whole chunks {}:",
}


class Observation(NamedTuple):
    """What a call brought: the text that the model sees, and the passages that it holds in full for the first time."""

    text: str
    read: tuple[Passage, ...] = ()


class CorpusTools:
    """The tools of one question. A chunk is named by its number in the corpus; what was read once is not given again.

    Without ``read_chunk`` the searches give whole chunks. Errors are texts for the model, never exceptions.
    """

    def __init__(self, task: Task, names: Collection[str], top_k: int) -> None:
        """``top_k`` is how many chunks a search brings unless the call says so."""
        if task.tools is None:
            raise ValueError("this system has no tools to search with: its program must not use them")
        self._task = task
        self._index = task.tools
        self.names = tuple(name for name in DESCRIPTIONS if name in names)
        self._top_k = top_k
        self._number = {passage.id: n for n, passage in enumerate(task.tools.numbered, start=1)}
        self._read: set[str] = set()

    def heading(self, call: ToolCall) -> str:
        """Return what stands above the call's result: in words, since a small model repeats calls that it sees."""
        quoted = [text if call.name == READ else f'"{text}"' for text in call.arguments]
        return _HEADINGS[call.name].format(", ".join(quoted) or "nothing")

    def number(self, passage: str) -> int:
        """Return the number that the model knows a passage by, given its id."""
        return self._number[passage]

    def run(self, call: ToolCall, round: int, room: int) -> Observation:
        """Carry out one call; at most ``room`` ``words-1`` tokens of passages come back, and one note."""
        if not call.arguments:
            return Observation(f"{call.name} needs something in its brackets.")
        if call.name == READ:
            return self._chunks(call.arguments, round, room)
        k = min(call.top_k or self._top_k, MOST_RESULTS)
        if call.name == KEYWORD:
            found = self._index.by_keywords(call.arguments, k)
        else:
            found = self._index.by_sentences(" ".join(call.arguments), k)
        return self._listed(call, found, round, room)

    def seed(self, query: str, k: int, room: int) -> Observation:
        """Search by meaning before the first step: the best chunk in full, the others by their sentences.

        It belongs to the first round.
        """
        found = self._index.by_sentences(query, k)
        if not found or READ not in self.names:
            return self._listed(ToolCall(SEMANTIC, (query,)), found, 1, room)
        self._note_found(SEMANTIC, found, query, 1)
        best = self._in_full([one.passage for one in found[:1]], room)
        others = self._by_sentences(SEMANTIC, found[1:], room - count_tokens(best.text))
        return Observation("\n".join(text for text in (best.text, others) if text), best.read)

    def _listed(self, call: ToolCall, found: Sequence[Found], round: int, room: int) -> Observation:
        self._note_found(call.name, found, ", ".join(call.arguments), round)
        if not found:
            return Observation("Nothing was found.")
        if READ not in self.names:
            return self._in_full([one.passage for one in found], room)
        return Observation(self._by_sentences(call.name, found, room))

    def _note_found(self, tool: str, found: Sequence[Found], query: str, round: int) -> None:
        self._task.found([Hit(one.passage, one.score) for one in found], query, round=round, step=tool)

    def _by_sentences(self, tool: str, found: Sequence[Found], room: int) -> str:
        lines = []
        for one in found:
            head = f"[{self._number[one.passage.id]}] {one.passage.title}"
            if tool == SEMANTIC:
                head += f" ({one.score:.3f})"
            room -= count_tokens(head)
            if room <= 0:
                lines.append(NO_ROOM)
                break
            whole = " ... ".join(one.sentences)
            text = cut_tokens(whole, room)
            lines.append(f"{head}: {text}" if text else head)
            if text:
                self._task.observe(one.passage, text, truncated=count_tokens(whole) > room)
                room -= count_tokens(text)
        return "\n".join(lines)

    def _chunks(self, wanted: Sequence[str], round: int, room: int) -> Observation:
        passages, notes = [], []
        for name in wanted:
            number = name.strip("#[]() ").removeprefix("chunk").strip()
            known = number.isascii() and number.isdecimal() and len(number) <= LONGEST_NUMBER
            place = int(number) - 1 if known else -1
            if 0 <= place < len(self._index.numbered):
                passages.append(self._index.numbered[place])
            else:
                notes.append(f"[{name[:20]}]: no chunk has this number.")
        passages = list(dict.fromkeys(passages))
        if passages:
            hits = [Hit(passage, 0.0) for passage in passages]
            self._task.found(hits, ", ".join(wanted), round=round, step=READ)
        full = self._in_full(passages, room)
        return Observation("\n".join([full.text, *notes] if full.text else notes), full.read)

    def _in_full(self, passages: Sequence[Passage], room: int) -> Observation:
        lines, read = [], []
        for passage in passages:
            head = f"[{self._number[passage.id]}] {passage.title}"
            room -= count_tokens(head)
            if room <= 0:
                lines.append(NO_ROOM)
                break
            if passage.id in self._read:
                lines.append(f"{head}: you have read this chunk before.")
                continue
            text = cut_tokens(passage.text, room)
            self._read.add(passage.id)
            truncated = count_tokens(passage.text) > room
            self._task.observe(passage, text, truncated=truncated)
            if passage.document not in self._task.read:
                self._task.read.append(passage.document)
            room -= count_tokens(text)
            read.append(passage)
            lines.append(f"{head}\n{text}")
        return Observation("\n".join(lines), tuple(read))
