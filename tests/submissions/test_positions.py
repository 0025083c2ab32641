"""Every key and value that ``tomllib`` finds has a place, and it stands there."""

import re
import tomllib

from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.submissions.positions import Position, positions


def paths(data, path=()):
    if path:
        yield path, data
    if isinstance(data, dict):
        for key, value in data.items():
            yield from paths(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from paths(value, (*path, index))


def offset(text: str, position: Position) -> int:
    return (
        sum(len(line) for line in text.split("\n")[: position.line - 1])
        + position.line
        - 1
        + position.column
        - 1
    )


def key_at(text: str, at: int) -> str:
    if text[at] not in "\"'":
        return re.match(r"[A-Za-z0-9_-]+", text[at:])[0]
    for end in range(at + 2, len(text) + 1):
        try:
            [key] = tomllib.loads(f"{text[at:end]} = 1")
        except tomllib.TOMLDecodeError:
            continue
        return key
    raise AssertionError(text[at:])


def value_stands(text: str, at: int, value: object) -> bool:
    for end in range(at + 1, len(text) + 1):
        try:
            if repr(tomllib.loads(f"v = {text[at:end]}\n")) == repr({"v": value}):
                return True
        except tomllib.TOMLDecodeError:
            continue
    return False


def assert_all_found(text: str) -> None:
    data, found = tomllib.loads(text), positions(text)
    for path, value in paths(data):
        assert path in found.keys, path
        assert path in found.values, path
        if isinstance(path[-1], str):
            assert key_at(text, offset(text, found.keys[path])) == path[-1]
        at = offset(text, found.values[path])
        header = text[at] == "[" and (isinstance(value, dict) or (value and isinstance(value[0], dict)))
        implied = found.values[path] == found.keys[path] and isinstance(value, dict)
        assert header or implied or value_stands(text, at, value), (path, value)


# What is written: scalars as TOML text, tables and arrays as the ways to spell them.
characters = st.characters(exclude_categories=["Cs", "Cc"])
bare = st.from_regex(r"[A-Za-z0-9_-]{1,6}", fullmatch=True)


def basic(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def spelled_key(draw, key: str) -> str:
    ways = [basic(key)]
    if re.fullmatch(r"[A-Za-z0-9_-]+", key):
        ways.append(key)
    if "'" not in key:
        ways.append(f"'{key}'")
    return draw(st.sampled_from(ways))


scalars = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(str),
    st.sampled_from(
        ["true", "false", "inf", "-inf", "+inf", "0xDEAD_beef", "0o17", "0b1_0", "1_000", "-0", "+1"]
    ),
    st.sampled_from(["1.5", "-2e10", "6.02_2e+23", "1979-05-27", "07:32:00", "1979-05-27 07:32:00Z"]),
    st.sampled_from(["1979-05-27T00:32:00.999-07:00", "1979-05-27T07:32:00", '""', "''", '""""""', "''''''"]),
    st.text(characters, max_size=8).map(basic),
    st.text(characters, max_size=8).filter(lambda t: "'" not in t).map(lambda t: f"'{t}'"),
    st.text(characters | st.just("\n"), max_size=8).map(lambda t: '""' + basic("\n" + t) + '""'),
    st.text(characters | st.just("\n"), max_size=8)
    .filter(lambda t: "'" not in t)
    .map(lambda t: f"'''{t}'''"),
)
keys = bare | st.text(characters, max_size=6) | st.sampled_from(["true", "inf", "1", "3-4", "", "a.b", "é"])
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


def inline(draw, tree) -> str:
    if isinstance(tree, str):
        return tree
    if isinstance(tree, list):
        space = draw(st.sampled_from(["", " ", "\n", " # é ] \n  "]))
        items = [space + inline(draw, item) + draw(st.sampled_from(["", " "])) for item in tree]
        return "[" + ",".join(items) + ("," if items and draw(st.booleans()) else "") + space + "]"
    pairs = []
    for key, value in tree.items():
        name = spelled_key(draw, key)
        while isinstance(value, dict) and len(value) == 1 and draw(st.booleans()):
            [(key, value)] = value.items()
            name += draw(st.sampled_from([".", " . "])) + spelled_key(draw, key)
        pairs.append(f"{name} = {inline(draw, value)}")
    return "{ " + ", ".join(pairs) + " }"


def sections(draw, tree: dict, prefix: str = "") -> tuple[list[str], list[str]]:
    """Return the lines of the table itself, and the sections below it, in any order."""
    lines, below = [], []
    for key, value in tree.items():
        name = spelled_key(draw, key)
        full = f"{prefix}.{name}" if prefix else name
        tables = isinstance(value, list) and value and all(isinstance(item, dict) for item in value)
        if isinstance(value, dict) and draw(st.booleans()):
            own, deeper = sections(draw, value, full)
            header = draw(st.sampled_from([f"[{full}]", f"  [ {full} ] # é"]))
            section = "\n".join([header, *own])
            if own or not deeper or draw(st.booleans()):
                deeper.insert(draw(st.integers(0, len(deeper))), section)
            below += deeper
        elif isinstance(value, dict) and value and draw(st.booleans()):
            for inner_key, inner in value.items():
                lines.append(f"{name}.{spelled_key(draw, inner_key)} = {inline(draw, inner)}")
        elif tables and draw(st.booleans()):
            parts = []
            for item in value:
                own, deeper = sections(draw, item, full)
                parts += ["\n".join([f"[[{full}]]", *own]), *deeper]
            below.append("\n".join(parts))
        else:
            lines.append(f"{name} = {inline(draw, value)}")
    return lines, below


@st.composite
def documents(draw) -> str:
    lines, below = sections(draw, draw(st.dictionaries(keys, trees, max_size=5)))
    return "\n".join([*lines, *below]) + draw(st.sampled_from(["", "\n"]))


@settings(max_examples=150, deadline=None)
@given(documents())
def test_every_path_of_a_generated_document_stands_where_it_is_said(text):
    assert_all_found(text)


def test_spellings_by_hand():
    text = (
        'é."x y" = 1\n'.replace("é", '"é"')
        + "t = { x = [1, { y = 2 }], 'q'.r = 'é', s = 3 }\n"
        + '[a.b] # implied a\nk = [\n  1, # one\n  "x",\n]\n'
        + "[a]\nz = 1\n"
        + "[[arr.z]]\nm = 1\n[arr.z.sub]\nn = 2\n[[arr.z]]\nm = 3\n"
    )
    assert_all_found(text)
    found = positions(text)
    assert found.keys["é", "x y"] == (1, 5)
    assert found.values["é", "x y"] == (1, 13)
    assert found.values["t", "x", 1, "y"] == (2, 21)
    assert found.values["t", "q", "r"] == (2, 35)
    assert found.keys["t", "s"] == (2, 40)  # after a character of two bytes
    assert found.values["a", "b", "k", 1] == (6, 3)
    assert found.values["a",] == (8, 1)  # its own header, not the longer one before it
    assert found.values["arr", "z", 0, "sub", "n"] == (13, 5)
    assert found.values["arr", "z", 1] == (14, 1)


def test_lines_end_as_tomllib_ends_them():
    found = positions('a = """\r\n\u2028"""\r\nb = 1\r\n')
    assert found.values["b",] == (3, 5)


def test_what_has_no_place_has_that_of_its_surroundings():
    found = positions("[a]\nb = [1]\n")
    assert found.value(("a", "b", 7)) == (2, 5)
    assert found.key(("a", "zz")) == (1, 1)
    assert found.value(("nowhere",)) == (1, 1)
