"""What a build of this board needs, and whether it is there. Nothing is fetched; endpoints are asked only on request."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from leaderboard.benchmarks.questions import BenchmarkError
from leaderboard.benchmarks.registry import chosen_data_dir, load_benchmark
from leaderboard.build import BuildError, find_root
from leaderboard.catalog.encoders import Encoder, EncoderKind
from leaderboard.files import CACHE_VARIABLE, cache_dir
from leaderboard.manifest import KEYS
from leaderboard.manifest.entries import entry
from leaderboard.models.weights import weights_status
from leaderboard.submissions.config import BoardConfig, EmbeddedModel, OpenAIModel, load_config
from leaderboard.submissions.errors import SubmissionErrors
from leaderboard.submissions.load import load_folder

DISTRIBUTION = "multihop-rag-leaderboard"
OLDEST_PYTHON = (3, 11)
LEAST_FREE_BYTES = 256 << 20
"""What a build of the sample takes of the disk, calls, indexes and site together, with room to spare."""

ASK_TIMEOUT_S = 10.0
LARGEST_LIST_BYTES = 2 << 20
_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==(\S+)$", re.MULTILINE)
_ENCODER_PACKAGES: Mapping[EncoderKind, tuple[str, ...]] = {
    "wordllama": ("wordllama", "tokenizers"),
    "model2vec": ("safetensors", "tokenizers"),
    "minilm": ("onnxruntime", "tokenizers"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked for. ``said`` tells what was found, ``advice`` what to do, "" when nothing is to be done.

    ``needed``: without it a build of this board does not go through.
    """

    part: str
    ok: bool
    said: str
    advice: str = ""
    needed: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the finding as JSON values."""
        return asdict(self)


def examine(
    config_path: Path, submissions: Path, data_dir: Path | None = None, *, ask: bool = False
) -> list[Finding]:
    """Return everything looked at, in the order of a newcomer's way. With ``ask`` endpoints are asked for their models."""
    findings = [_python(), *_packages(), _templates()]
    config: BoardConfig | None = None
    try:
        config = load_config(config_path)
    except SubmissionErrors as error:
        findings.append(_wrong("configuration", str(error), "leaderboard check says the same"))
    else:
        findings.append(Finding("configuration", True, f"{config_path}: {_models(config)}"))
        findings.append(_submissions(config, submissions))
    findings += _data(config, data_dir)
    if config:
        findings += _answering(config, ask=ask)
        findings += map(_encoder, config.encoder_list.values())
    return [*findings, _cache(), *_programs()]


def _wrong(part: str, said: str, advice: str) -> Finding:
    return Finding(part, False, said, advice, needed=True)


def _python() -> Finding:
    found = f"Python {sys.version.split()[0]}"
    if sys.version_info[:2] >= OLDEST_PYTHON:
        return Finding("python", True, found)
    return _wrong("python", found, f"install Python {'.'.join(map(str, OLDEST_PYTHON))} or newer")


def _packages() -> Iterator[Finding]:
    try:
        names = sorted(_required(), key=str.lower)
    except PackageNotFoundError:
        yield _wrong("packages", f"{DISTRIBUTION} is not installed", "make site sets up an environment")
        return
    present, missing = {}, []
    for name in names:
        try:
            present[name] = version(name)
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        yield _wrong("packages", f"not installed: {', '.join(missing)}", "make site sets up an environment")
    else:
        yield Finding("packages", True, f"{len(present)} packages")
    pins = _pins()
    other = [
        f"{name} {found} ({pins[_plain(name)]})"
        for name, found in present.items()
        if pins.get(_plain(name), found) != found
    ]
    if other:
        yield Finding(
            "packages",
            False,
            f"other versions than constraints.txt: {', '.join(other)}",
            "rankings and prompts may differ from the recorded ones; make site installs the versions of constraints.txt",
        )


def _required() -> Iterator[str]:
    for requirement in requires(DISTRIBUTION) or ():
        name = _REQUIREMENT.match(requirement)
        if name and "extra ==" not in requirement:
            yield name.group()


def _pins() -> dict[str, str]:
    try:
        text = (find_root() / "constraints.txt").read_text(encoding="utf-8")
    except (BuildError, OSError):
        return {}
    return {_plain(name): pinned for name, pinned in _PIN.findall(text)}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _templates() -> Finding:
    try:
        return Finding("templates", True, f"the site's templates in {find_root().resolve()}")
    except BuildError as error:
        return _wrong("templates", str(error), "change to the repository's folder")


def _models(config: BoardConfig) -> str:
    models = _count(len(config.models), "model")
    return f"{config.board.track} track, {', '.join(config.board.every_benchmark)}; {models} listed"


def _count(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _submissions(config: BoardConfig, folder: Path) -> Finding:
    if not folder.is_dir():
        return _wrong("submissions", f"{folder}: no such folder", "leaderboard new needs one to write in")
    loaded = load_folder(folder, config.names)
    if loaded.errors:
        return _wrong(
            "submissions",
            f"{folder}: {_count(len(loaded.errors), 'error')}",
            f"leaderboard check {folder} says which",
        )
    return Finding("submissions", True, f"{folder}: {_count(len(loaded.submissions), 'system')}")


def _data(config: BoardConfig | None, data_dir: Path | None) -> Iterator[Finding]:
    named = chosen_data_dir(data_dir)
    full = config is not None and config.board.track == "full"
    for name in KEYS:
        about = entry(name)
        asked = config is not None and name in config.board.every_benchmark
        try:
            sample = load_benchmark(name, "sample")
            yield Finding("data", True, f"{sample.label}: {len(sample.questions)} questions, bundled")
        except BenchmarkError as error:
            yield Finding(
                "data", False, f"{name}, sample: {error}", "install this program again", asked and not full
            )
        folder = named / name
        if folder.is_dir() and any(folder.iterdir()):
            yield Finding("data", True, f"{about.name}, published: {folder}")
            continue
        yield Finding(
            "data",
            False,
            f"{about.name}, published: no files in {folder}",
            f"only for the full track: leaderboard data fetch {name}",
            asked and full,
        )


def _answering(config: BoardConfig, *, ask: bool) -> Iterator[Finding]:
    for model in config.models:
        if isinstance(model, EmbeddedModel):
            yield _weights(model)
            continue
        yield _key(model)
        if ask:
            yield _asked(model)


def _weights(model: EmbeddedModel) -> Finding:
    status = weights_status(model.name)
    size = f"{status.expected_bytes / 1e6:,.0f} MB"
    said = {
        "verified": f"weights of {model.name}: there and verified ({size})",
        "unverified": f"weights of {model.name}: there ({size}), verified when first used",
        "partial": f"weights of {model.name}: {status.present_bytes / 1e6:,.0f} of {size}",
        "missing": f"weights of {model.name}: not here",
    }[status.state]
    if status.state in ("verified", "unverified"):
        return Finding("weights", True, said)
    return Finding(
        "weights", False, said, f"fetched once ({size}) when a system first asks it; recorded runs need none"
    )


def _key(model: OpenAIModel) -> Finding:
    if model.api_key_env is None:
        return Finding("endpoint", True, f"{model.name}: needs no key")
    if os.environ.get(model.api_key_env):
        return Finding("endpoint", True, f"{model.name}: {model.api_key_env} is set")
    return Finding(
        "endpoint",
        False,
        f"{model.name}: {model.api_key_env} is not set",
        f"only to run systems that name this model: set {model.api_key_env}",
    )


def _asked(model: OpenAIModel) -> Finding:
    """Ask an endpoint for its list of models. What it says is never shown, only whether the model is in it."""
    import httpx

    address = f"{str(model.base_url).rstrip('/')}/models"
    key = os.environ.get(model.api_key_env or "", "")
    advice = "see its entry in leaderboard.toml; runs on it stay not run until it answers"
    headers = {"Accept": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
    try:
        with httpx.stream("GET", address, headers=headers, timeout=ASK_TIMEOUT_S) as response:
            status, content = response.status_code, _read(response.iter_bytes)
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, ValueError) as error:
        # Words of our own: a library's may hold the address or the key.
        late = isinstance(error, httpx.TimeoutException)
        said = f"{model.name}: asked: {'no answer in time' if late else 'it cannot be reached'}"
        return Finding("endpoint", False, said, advice)
    if status in (401, 403):
        return Finding("endpoint", False, f"{model.name}: asked: it refuses the key ({status})", advice)
    if status != 200:
        said = f"{model.name}: asked: it answers with status {status} in place of a list of models"
        return Finding("endpoint", False, said, advice)
    names = _names(content)
    if names is None:
        said = f"{model.name}: asked: it does not answer with a list of models"
        return Finding("endpoint", False, said, advice)
    listed = model.name.partition("/")[2] in names
    said = "it answers and lists the model" if listed else "it answers and does not list the model"
    return Finding("endpoint", listed, f"{model.name}: asked: {said}", "" if listed else advice)


def _names(content: bytes) -> set[str] | None:
    """Return the models of a list in the OpenAI protocol's form, None for anything else."""
    try:
        listed = json.loads(content)["data"]
        return {str(entry["id"]) for entry in listed}
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _read(chunks: Callable[[], Iterator[bytes]]) -> bytes:
    content = b""
    for chunk in chunks():
        content += chunk
        if len(content) > LARGEST_LIST_BYTES:
            break
    return content[:LARGEST_LIST_BYTES]


def _encoder(encoder: Encoder) -> Finding:
    missing = [name for name in _ENCODER_PACKAGES[encoder.kind] if importlib.util.find_spec(name) is None]
    if missing:
        said = f"{encoder.name}: {', '.join(missing)} not installed"
        return Finding(
            "encoder", False, said, "only for systems that name this encoder: install the program again"
        )
    if encoder.folder:
        there = Path(encoder.folder).expanduser().is_dir()
        said = f"{encoder.name}: its folder is {'here' if there else 'not here'}"
        return Finding("encoder", there, said, "" if there else "see its entry in leaderboard.toml")
    if encoder.kind == "wordllama" or _kept(encoder).is_dir():
        return Finding("encoder", True, f"{encoder.name}: here")
    return Finding("encoder", False, f"{encoder.name}: not here", "fetched once when a system first uses it")


def _kept(encoder: Encoder) -> Path:
    """Return where the cache keeps an encoder that is fetched."""
    return cache_dir() / "encoders" / (encoder.name if encoder.kind == "minilm" else encoder.sha256)


def _cache() -> Finding:
    folder = cache_dir()
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    move = f"set {CACHE_VARIABLE} to a folder elsewhere"
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
        free = shutil.disk_usage(there).free
    except OSError as error:
        return _wrong("cache", f"cache {folder}: {error.strerror}", f"make it writable, or {move}")
    said = f"cache {folder}: {free / 1e9:,.1f} GB free"
    if free < LEAST_FREE_BYTES:
        return _wrong("cache", said, f"free {LEAST_FREE_BYTES / 1e6:,.0f} MB, or {move}")
    return Finding("cache", True, said)


def _programs() -> Iterator[Finding]:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser:
        yield Finding("browser", True, f"Chromium: {browser}")
    else:
        yield Finding("browser", False, "Chromium: not here", "only for the browser tests: install chromium")
    git = shutil.which("git")
    if git:
        yield Finding("git", True, f"git: {git}")
    else:
        yield Finding("git", False, "git: not here", "only to open a pull request: install git")
