"""What doctor finds: what is there, what is missing and needed, and that it asks and tells nothing it should not."""

from __future__ import annotations

import json

import pytest

from leaderboard.doctor import Finding, examine
from tests.loopback import served

KEY = "sk-secret-0123456789"


@pytest.fixture
def home(project, monkeypatch):
    monkeypatch.chdir(project.folder)
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(project.folder / "cache"))
    monkeypatch.delenv("LEADERBOARD_DATA_DIR", raising=False)
    monkeypatch.delenv("LOOPBACK_KEY", raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    return project


def found(home, **how) -> list[Finding]:
    folder = home.folder
    return examine(folder / "leaderboard.toml", folder / "submissions", **how)


def of(findings: list[Finding], part: str) -> list[Finding]:
    return [finding for finding in findings if finding.part == part]


def able(findings: list[Finding]) -> bool:
    return all(finding.ok for finding in findings if finding.needed)


def test_a_board_that_can_be_built_misses_nothing_it_needs(home):
    home.configure("http://127.0.0.1:9/v1")
    findings = found(home)
    assert able(findings)
    assert [finding.said for finding in of(findings, "submissions")] == [
        f"{home.folder}/submissions: 1 system"
    ]
    samples = [finding.said for finding in of(findings, "data") if finding.ok]
    assert samples == [
        "FRAMES-like (sample): 24 questions, bundled",
        "MuSiQue-like (sample): 24 questions, bundled",
        "MultiHop-RAG-like (sample): 24 questions, bundled",
        "HotpotQA-like (sample): 12 questions, bundled",
        "2WikiMultiHopQA-like (sample): 12 questions, bundled",
    ]
    assert all(finding.advice for finding in findings if not finding.ok), (
        "what is missing has something to do"
    )
    assert of(findings, "cache")[0].ok
    assert not (home.folder / "cache").exists(), "looking makes nothing"


def test_what_a_build_needs_and_lacks_is_said_with_what_to_do(home):
    [configuration] = of(found(home), "configuration")
    assert (configuration.ok, configuration.needed, "leaderboard.toml" in configuration.said) == (
        False,
        True,
        True,
    )
    home.configure("http://127.0.0.1:9/v1")
    (home.folder / "submissions" / "bad.toml").write_text("[system]\nname = 3\n")
    [submissions] = of(found(home), "submissions")
    assert (submissions.ok, submissions.needed) == (False, True)
    assert "leaderboard check" in submissions.advice
    (home.folder / "cache").write_text("a file where the folder should be")
    [cache] = of(found(home), "cache")
    assert (cache.ok, cache.needed, "LEADERBOARD_CACHE_DIR" in cache.advice) == (False, True, True)


def test_published_data_is_needed_by_the_full_track_alone(home, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    home.configure("http://127.0.0.1:9/v1")
    assert not any(finding.needed for finding in of(found(home), "data") if not finding.ok)
    path = home.folder / "leaderboard.toml"
    path.write_text(path.read_text().replace('"sample"', '"full"'))
    lacking = [finding for finding in of(found(home), "data") if finding.needed]
    assert [finding.said for finding in lacking] == [
        f"MuSiQue, published: no files in {tmp_path}/data/multihop-rag-leaderboard/musique"
    ]
    assert "leaderboard data fetch musique" in lacking[0].advice
    (home.folder / "data" / "musique").mkdir(parents=True)
    [empty] = [
        finding for finding in of(found(home, data_dir=home.folder / "data"), "data") if finding.needed
    ]
    assert "no files in" in empty.said
    (home.folder / "data" / "musique" / "musique_ans_v1.0_dev.jsonl").write_text("{}")
    assert able(found(home, data_dir=home.folder / "data"))


def test_a_keys_variable_is_said_to_be_set_or_not_and_its_value_never(home, monkeypatch):
    home.configure("http://127.0.0.1:9/v1", more='api_key_env = "LOOPBACK_KEY"')
    [unset] = of(found(home), "endpoint")
    assert (unset.ok, unset.said) == (False, "loopback/one: LOOPBACK_KEY is not set")
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    findings = found(home)
    [given] = of(findings, "endpoint")
    assert (given.ok, given.said) == (True, "loopback/one: LOOPBACK_KEY is set")
    told = json.dumps([finding.as_json() for finding in findings])
    assert KEY not in told and "127.0.0.1" not in told


class Models:
    """An endpoint's list of models; keeps what it was asked with."""

    def __init__(self, status: int = 200, body: bytes = b'{"data": [{"id": "one"}]}') -> None:
        self.status, self.body = status, body
        self.asked: list[tuple[str, str | None]] = []

    def __call__(self, http) -> None:
        self.asked.append((f"{http.command} {http.path}", http.headers.get("Authorization")))
        http.send_response(self.status)
        http.send_header("Content-Length", str(len(self.body)))
        http.end_headers()
        http.wfile.write(self.body)


@pytest.mark.parametrize(
    ("models", "ok", "said"),
    [
        (Models(), True, "it answers and lists the model"),
        (
            Models(body=b'{"data": [{"id": "two"}, {"id": "not-one"}, {"id": "onerous"}]}'),
            False,
            "does not list the model",
        ),
        (Models(body=b"<html>one</html>"), False, "does not answer with a list of models"),
        (Models(body=b'{"data": 7}'), False, "does not answer with a list of models"),
        (Models(status=401), False, "it refuses the key (401)"),
        (Models(status=404, body=f"{KEY} at 127.0.0.1".encode()), False, "status 404"),
    ],
    ids=["listed", "not listed", "a web page", "another form", "refused", "no list"],
)
def test_an_endpoint_is_asked_for_its_models_on_request_alone(home, monkeypatch, models, ok, said):
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    with served(models) as address:
        home.configure(f"{address}/v1", more='api_key_env = "LOOPBACK_KEY"')
        found(home)
        assert models.asked == []
        _, asked = of(found(home, ask=True), "endpoint")
    assert models.asked == [("GET /v1/models", f"Bearer {KEY}")]
    assert (asked.ok, said in asked.said, asked.needed) == (ok, True, False), asked
    assert KEY not in str(asked) and "127.0.0.1" not in str(asked)


def test_an_endpoint_that_is_down_and_a_key_that_is_none_are_told(home, monkeypatch):
    with served(Models()) as address:
        home.configure(f"{address}/v1", more='api_key_env = "LOOPBACK_KEY"')
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    _, down = of(found(home, ask=True), "endpoint")
    assert (down.ok, down.said) == (False, "loopback/one: asked: it cannot be reached")
    monkeypatch.setenv("LOOPBACK_KEY", "bröken\nkey")
    _, broken = of(found(home, ask=True), "endpoint")
    assert not broken.ok and "bröken" not in str(broken) and "127.0.0.1" not in str(broken)


def test_weights_are_told_by_their_state_without_being_fetched(home):
    text = '\n[[models]]\nname = "embedded/qwen2.5-coder-0.5b"\nkind = "embedded"\nendpoint = "embedded"\ncontext_tokens = 8192\n'
    home.configure("http://127.0.0.1:9/v1", more=text)
    [missing] = of(found(home), "weights")
    assert (missing.ok, missing.needed) == (False, False)
    assert missing.said == "weights of embedded/qwen2.5-coder-0.5b: not here" and "491 MB" in missing.advice
    folder = home.folder / "cache" / "weights"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf").write_bytes(b"x")
    [there] = of(found(home), "weights")
    assert (there.ok, "verified when first used" in there.said) == (True, True)


def test_every_encoder_of_the_boards_list_is_looked_for(home):
    folder = home.folder / "encoder"
    text = f'\n[[encoders]]\nname = "own"\nkind = "model2vec"\nfolder = "{folder}"\nsha256 = "{"a" * 64}"\n'
    text += f'\n[[encoders]]\nname = "far"\nkind = "model2vec"\nhub = "a/b"\nrevision = "{"c" * 40}"\nsha256 = "{"b" * 64}"\n'
    home.configure("http://127.0.0.1:9/v1", more=text)
    encoders = {finding.said.split(":")[0]: finding for finding in of(found(home), "encoder")}
    assert list(encoders) == ["wordllama-l2-256", "all-minilm-l6-v2", "own", "far"]
    assert not any(finding.needed for finding in encoders.values())
    assert (encoders["own"].ok, encoders["own"].said) == (False, "own: its folder is not here")
    assert (encoders["far"].ok, "fetched once" in encoders["far"].advice) == (False, True)
    folder.mkdir()
    (home.folder / "cache" / "encoders" / ("b" * 64)).mkdir(parents=True)
    assert [finding.ok for finding in of(found(home), "encoder")][2:] == [True, True]


def test_a_package_that_constraints_hold_elsewhere_is_a_note_not_a_fault(home):
    (home.folder / "constraints.txt").write_text("httpx==0.0.1\n")
    home.configure("http://127.0.0.1:9/v1")
    findings = found(home)
    _, other = of(findings, "packages")
    assert (other.ok, other.needed) == (False, False)
    assert "(0.0.1)" in other.said and "httpx" in other.said
    assert able(findings)
