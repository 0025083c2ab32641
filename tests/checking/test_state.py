"""A compiled state is data of one shape: what dspy dumps passes, everything else is refused, each with its place."""

from __future__ import annotations

import os
from pathlib import Path

import dspy
import pytest

from leaderboard.catalog.programs import PROGRAMS
from leaderboard.catalog.rerankers import RERANKERS
from leaderboard.checking.state import Compiled, main, parse_state, read_state, state_text
from leaderboard.checking.strict_json import canonical_text
from leaderboard.files import sha256_file
from leaderboard.programs.opening import open_program
from leaderboard.submissions.compilation import StateErrors
from tests.checking.states import COMPILED, LEFT_OUT, RIGHT, SINGLE, compact, spoilt, written

ANSWER = "predictors.answer"
DEMO = f"{ANSWER}.demos.0"
CANONICAL = (
    "canonical JSON: keys sorted, one space a level, no needless escapes, a newline at the end, found another "
    "form (python -m leaderboard.checking.state FILE writes it so)"
)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def errors(path: Path) -> list[str]:
    with pytest.raises(StateErrors) as caught:
        read_state(path, SINGLE)
    return [str(error).removeprefix(f"{path}:") for error in caught.value.errors]


def said(value: object) -> list[str]:
    return errors(written(Path(), value))


def test_a_right_state_is_what_its_file_says(here):
    path = written(here)
    state = read_state(path, SINGLE)
    assert state.compiled == Compiled(**COMPILED)
    assert state.loadable() == RIGHT["predictors"]
    assert state.sha256 == sha256_file(path)


@pytest.mark.parametrize(
    ("path", "value", "error"),
    [
        # What dspy would set as an attribute: extra calls, a replaced method, another model, another endpoint.
        (f"{ANSWER}.config", {"n": 5}, '13:4: predictors.answer.config: expected one of "demos", "lm", "signature", "traces", "train", found "config"'),
        (f"{ANSWER}.forward", "x", '21:4: predictors.answer.forward: expected one of "demos", "lm", "signature", "traces", "train", found "forward"'),
        (f"{ANSWER}.fields", {}, '21:4: predictors.answer.fields: expected one of "demos", "lm", "signature", "traces", "train", found "fields"'),
        (f"{ANSWER}.lm", {"model": "openai/x", "api_base": "http://e"}, "21:4: predictors.answer.lm: expected null: the submission's [lm] says which model, found an object"),
        (f"{ANSWER}.traces", [1], "39:4: predictors.answer.traces: expected an empty array, found an array of 1"),
        (f"{ANSWER}.train", None, "40:4: predictors.answer.train: expected an empty array, found null"),
        (f"{ANSWER}.train", LEFT_OUT, '12:3: predictors.answer.train: expected the key "train", found nothing'),
        (ANSWER, LEFT_OUT, '11:2: predictors.answer: expected the key "answer", found nothing'),
        (f"{ANSWER}2", {}, '42:3: predictors.answer2: expected "answer", found "answer2" (did you mean "answer"?)'),
        ("metadata", {}, '11:2: metadata: expected one of "compiled", "predictors", "program", "schema", found "metadata"'),
        (f"{ANSWER}.signature.fields.2", LEFT_OUT, "23:5: predictors.answer.signature.fields: expected an array of 3: context, question, answer, found an array of 2"),
        (f"{ANSWER}.signature.fields.0.prefix", 5, "26:7: predictors.answer.signature.fields[0].prefix: expected text of at most 100,000 characters, found 5"),
        (f"{ANSWER}.signature.fields.0.type", "int", '27:7: predictors.answer.signature.fields[0].type: expected one of "description", "prefix", found "type"'),
        (f"{ANSWER}.signature.instructions", "x" * 100_001, "37:5: predictors.answer.signature.instructions: expected text of at most 100,000 characters, found 100,001 characters"),
        (f"{DEMO}.reasoning", "So.", '19:6: predictors.answer.demos[0].reasoning: expected one of "context", "question", "answer", "augmented", found "reasoning"'),
        (f"{DEMO}.augmented", 1, "16:6: predictors.answer.demos[0].augmented: expected true or false, found 1"),
        (f"{DEMO}.answer", ["Ada"], "15:6: predictors.answer.demos[0].answer: expected text of at most 100,000 characters, found an array of 1"),
        (DEMO, {"augmented": True}, "14:5: predictors.answer.demos[0]: expected a field of context, question, answer, found none"),
        (DEMO, "Ada", '14:5: predictors.answer.demos[0]: expected an object, found "Ada"'),
        (f"{ANSWER}.demos", [{"answer": "A"}] * 33, "13:4: predictors.answer.demos: expected at most 32 demonstrations, found 33"),
        ("schema", "state/2", '44:2: schema: expected "state/1", found "state/2" (compile the program again)'),
        ("program", "multi_step", '43:2: program: expected "single_step", the submission\'s program, found "multi_step" (compile the program again)'),
        ("compiled.optimizer", "bootstrap", '6:3: compiled.optimizer: expected one of "labeled_few_shot", "bootstrap_few_shot", "bootstrap_few_shot_with_random_search", "mipro_v2", "gepa", "simba", "copro", "knn_few_shot", found "bootstrap" (did you mean "bootstrap_few_shot"?)'),
        ("compiled.calls", True, "3:3: compiled.calls: expected a whole number of at least 0, found true"),
        ("compiled.score", 25.0, "7:3: compiled.score: expected a number from 0 to 1, or null, found 25.0"),
        ("compiled.fingerprint", "a" * 63, f'5:3: compiled.fingerprint: expected a SHA-256 of 64 hex digits, found "{"a" * 63}"'),
        ("predictors", [], "11:2: predictors: expected an object, found an array of 0"),
    ],
)  # fmt: skip
def test_what_is_not_declared_is_refused_where_it_stands(path, value, error):
    assert said(spoilt((path, value))) == [error]
    if "found nothing" not in error:  # the place is where a reader finds the key
        line, column = (int(number) for number in error.split(":")[:2])
        key = (
            "{"
            if path == DEMO and value != "Ada"
            else '"Ada"'
            if path == DEMO
            else f'"{error.split(":")[2].strip().split(".")[-1]}"'
        )
        text = Path("xx.state.json").read_text().split("\n")[line - 1]
        assert text[column - 1 :].startswith(key) and not text[: column - 1].strip(), text


def test_all_faults_come_at_once_in_the_order_of_their_places():
    both = spoilt((f"{DEMO}.answer", None), ("schema", 1), (f"{ANSWER}.lm", "x"))
    assert [error.split(": ")[1] for error in said(both)] == [
        "predictors.answer.demos[0].answer", "predictors.answer.lm", "schema"
    ]  # fmt: skip
    assert len(said(spoilt(*((f"{ANSWER}.k{n}", 1) for n in range(90))))) == 50


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b"\x80\x05]\x94.", "1:1: expected UTF-8, found the byte 0x80 (byte 1 of the file)"),  # a pickle
        (b"\xef\xbb\xbf{}\n", "1:1: expected UTF-8 without a byte order mark, found a byte order mark"),
        ("[1]\n{", "2:1: expected valid JSON, found Extra data"),
        ("", "1:1: expected valid JSON, found Expecting value"),
        ("[\n 1\n]\n", "1:1: expected an object, found an array of 1"),
        ("[" * 100_000, "1:1: expected at most 6 levels of nesting, found more"),
        ('{\n "compiled": [[[[[[[1]]]]]]]\n}\n', "7:7: compiled[0][0][0][0][0]: expected at most 6 levels of nesting, found more"),
        ('{\n "a": 1,\n "a": 2\n}\n', '2:2: a: expected each key once, found "a" twice'),
        ('{\n "a": NaN\n}\n', "2:2: a: expected a number, found NaN"),
        ('{\n "a": -Infinity\n}\n', "2:2: a: expected a number, found -Infinity"),
        ('{\n "a": 1e999\n}\n', "2:2: a: expected a finite number, found 1e999"),
        (f'{{\n "a": {"9" * 5000}\n}}\n', "2:2: a: expected a number of at most 15 digits, found one of 5000"),
        ('{\n "a": "\\ud83d"\n}\n', "2:2: a: expected text, found half a character, \\ud83d"),
        ('{\n "\\udc00": 1\n}\n', '2:2: "\\udc00": expected text, found half a character, \\udc00'),
        (compact(RIGHT), f"1:2: expected {CANONICAL}"),
        (canonical_text(RIGHT)[:-1], f"45:2: expected {CANONICAL}"),
        (canonical_text(RIGHT).replace("Mill", "\\u004dill"), f"17:22: expected {CANONICAL}"),
    ],
)  # fmt: skip
def test_a_text_that_is_not_plain_canonical_json_is_refused(text, error):
    assert said(text) == [error]


def test_only_a_regular_file_of_this_name_is_read(here):
    written(here, name="real.state.json")
    Path("link.state.json").symlink_to("real.state.json")
    Path("loose.state.json").symlink_to("nowhere")
    Path("folder.state.json").mkdir()
    os.mkfifo("pipe.state.json")
    with Path("large.state.json").open("wb") as stream:
        stream.truncate(2**40)
    for name, error in {
        "link.state.json": "1:1: expected a regular file, found a link (put the file itself there)",
        "loose.state.json": "1:1: expected a regular file, found a link (put the file itself there)",
        "folder.state.json": "1:1: expected a regular file, found a folder",
        "pipe.state.json": "1:1: expected a regular file, found a device, pipe or socket",
        "large.state.json": "1:1: expected at most 2,097,152 bytes, found 1,099,511,627,776 bytes (compile with fewer "
        "demonstrations, or a smaller context_tokens)",
        "none.state.json": "1:1: expected a file, found nothing at this path (leaderboard compile writes it)",
        "xx.pkl": '1:1: expected a file named *.state.json, found "xx.pkl" (no pickle is ever read)',
    }.items():
        assert errors(Path(name)) == [error]


def test_the_command_writes_the_canonical_form(here, capsys):
    path = written(here, compact(RIGHT))
    bad = written(here, '{"a": NaN}', "bad.state.json")
    assert main([str(path), str(bad)]) == 1
    assert "bad.state.json:2:2: a: expected a number, found NaN" in capsys.readouterr().err
    assert (read_state(path, SINGLE).compiled.calls, bad.read_text()) == (57, '{"a": NaN}')


def opened(kind: str = "single_step", reranked: bool = False, **given):
    """Return a program's parameters, its reranker's, and a way to open it."""
    parameters = PROGRAMS[kind].parameters(kind=kind, **given)
    reranker = RERANKERS["lm_listwise"].parameters(kind="lm_listwise") if reranked else None
    return parameters, reranker, lambda: open_program(parameters, reranker)


@pytest.mark.parametrize(
    ("kind", "reranked", "given"),
    [
        ("closed_book", False, {}),
        ("single_step", True, {}),
        ("multi_step", False, {}),
        ("multi_step", True, {"planning": True}),
    ],
)
def test_what_dspy_dumps_passes_and_loads_without_its_model(kind, reranked, given):
    parameters, reranker, fresh = opened(kind, reranked, **given)
    compiled = fresh()
    compiled.answer.demos = [
        dspy.Example(question="Whose?", answer="Ada", augmented=True).with_inputs("question")
    ]
    compiled.answer.signature = compiled.answer.signature.with_instructions("Answer in one word, é.")
    compiled.set_lm(dspy.LM("openai/x", api_base="http://elsewhere", api_key="k"))
    text = state_text(kind, Compiled(**COMPILED), compiled.dump_state())
    assert "elsewhere" not in text
    state = parse_state(text.encode(), "xx.state.json", parameters, reranker)
    loaded = fresh()
    loaded.load_state(state.loadable())
    assert [predictor.lm for predictor in loaded.predictors()] == [None] * len(loaded.predictors())
    assert state_text(kind, state.compiled, loaded.dump_state()) == text
    assert loaded.answer.demos == [{"question": "Whose?", "answer": "Ada", "augmented": True}]


def test_unchecked_dspy_would_take_what_is_refused():
    program = opened()[2]()
    program.load_state(spoilt((f"{ANSWER}.config", {"n": 5}), (f"{ANSWER}.forward", "x"))["predictors"])
    assert (program.answer.config, program.answer.forward) == ({"n": 5}, "x")
    program.load_state(spoilt((f"{ANSWER}.lm", {"model": "openai/theirs"}))["predictors"])
    assert program.answer.lm.model == "openai/theirs"
    program.load_state(spoilt((f"{ANSWER}.signature.fields", []))["predictors"])
    with pytest.raises(KeyError):
        program.load_state({})
