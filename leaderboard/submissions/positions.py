"""Where the keys and values of a TOML text stand. ``tomllib`` decides what is valid; this only points."""

from __future__ import annotations

import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

Path = tuple[str | int, ...]
"""The keys, and indexes of arrays, that lead to a value: ``("models", 0, "name")``."""

_KEYS = ("bare_key", "quoted_key")


class Position(NamedTuple):
    """A place in a text: line and column from 1, columns in characters."""

    line: int
    column: int


START = Position(1, 1)


@dataclass(frozen=True, slots=True)
class Positions:
    """The first place of every key and value.

    An item of an array has no key: its key stands where its value does. The value of a table stands at the
    bracket that opens its own header; of a table that only dotted keys or longer headers imply, at its first key.
    """

    keys: Mapping[Path, Position]
    values: Mapping[Path, Position]

    def key(self, path: Path) -> Position:
        """Return where the key of ``path`` stands, or the nearest table or array around it."""
        return self.keys[path] if path in self.keys else self.value(path[:-1])

    def value(self, path: Path) -> Position:
        """Return where the value of ``path`` stands, or the nearest table or array around it."""
        while path:
            if path in self.values:
                return self.values[path]
            path = path[:-1]
        return START


def positions(text: str) -> Positions:
    """Return the places of all keys and values of ``text``, which ``tomllib`` has accepted.

    Where the grammar and ``tomllib`` disagree a place is missing, and ``Positions`` answers with its surroundings.
    """
    import tree_sitter
    import tree_sitter_toml

    source = text.encode("utf-8")
    language = tree_sitter.Language(tree_sitter_toml.language())
    walk = _Walk(source)
    for node in tree_sitter.Parser(language).parse(source).root_node.named_children:
        walk.statement(node)
    return Positions(walk.keys, walk.values)


class _Walk:
    """One pass over the syntax tree, without recursion: a file may nest as deep as ``tomllib`` allows."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.lines = [0, *(at + 1 for at, byte in enumerate(source) if byte == 0x0A)]
        self.keys: dict[Path, Position] = {}
        self.values: dict[Path, Position] = {}
        self.lengths: dict[Path, int] = {}
        self.implied: set[Path] = set()

    def position(self, node: Node) -> Position:
        line = bisect_right(self.lines, node.start_byte)
        before = self.source[self.lines[line - 1] : node.start_byte]
        return Position(line, len(before.decode("utf-8", errors="replace")) + 1)

    def statement(self, node: Node) -> None:
        """Take a pair at the top, ``[table]`` or ``[[table]]`` with the pairs under it."""
        if node.type == "pair":
            self.pairs((), [node])
        elif node.type in ("table", "table_array_element"):
            pairs = [child for child in node.named_children if child.type == "pair"]
            self.pairs(self.header(node), pairs)

    def header(self, node: Node) -> Path:
        names = list(self.names(next(c for c in node.named_children if c.type in ("dotted_key", *_KEYS))))
        path: Path = ()
        for depth, (name, at) in enumerate(names, start=1):
            path = (*path, name)
            last = depth == len(names)
            if last and path in self.implied:  # an earlier, longer header implied it: its own header counts
                self.implied.discard(path)
                self.keys[path], self.values[path] = at, self.position(node)
            elif path not in self.keys:
                self.keys[path], self.values[path] = at, self.position(node) if last else at
                if not last:
                    self.implied.add(path)
            if last and node.type == "table_array_element":
                self.lengths[path] = self.lengths.get(path, 0) + 1
                item = (*path, self.lengths[path] - 1)
                self.keys[item] = self.values[item] = self.position(node)
            if path in self.lengths:  # a header below an array of tables speaks of its last table
                path = (*path, self.lengths[path] - 1)
        return path

    def pairs(self, table: Path, nodes: list[Node]) -> None:
        pending: list[tuple[Path, Node]] = [(table, node) for node in reversed(nodes)]
        while pending:
            path, node = pending.pop()
            children = [child for child in node.named_children if child.type != "comment"]
            if node.type == "pair" and len(children) >= 2:
                path = self.key(path, children[0])
                self.values[path] = self.position(children[1])
                pending.append((path, children[1]))
            elif node.type == "inline_table":
                pending += [(path, child) for child in reversed(children) if child.type == "pair"]
            elif node.type == "array":
                for index, child in enumerate(children):
                    self.keys[(*path, index)] = self.values[(*path, index)] = self.position(child)
                pending += [((*path, index), child) for index, child in reversed(list(enumerate(children)))]

    def key(self, path: Path, node: Node) -> Path:
        for name, at in self.names(node):
            path = (*path, name)
            self.keys.setdefault(path, at)
            self.values.setdefault(path, at)
        return path

    def names(self, node: Node) -> Iterator[tuple[str, Position]]:
        """Yield the parts of a key with their places; a dotted key's tree leans to the left."""
        parts: list[Node] = []
        while node.type == "dotted_key":
            *rest, last = node.named_children
            parts.append(last)
            node = rest[0]
        for part in (node, *reversed(parts)):
            raw = self.source[part.start_byte : part.end_byte].decode("utf-8", errors="replace")
            name = raw if part.type == "bare_key" else next(iter(tomllib.loads(f"{raw} = 0")))
            yield name, self.position(part)
