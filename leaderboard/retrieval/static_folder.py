"""Static encoders of the board's list: a model that model2vec saved, in a folder or in a repository of the model hub."""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import tempfile
from pathlib import Path

from leaderboard.catalog.encoders import Encoder
from leaderboard.files import CACHE_VARIABLE, cache_dir
from leaderboard.retrieval import encoder_hub
from leaderboard.retrieval.encoders import EncoderError
from leaderboard.retrieval.static_encoder import StaticEncoder
from leaderboard.retrieval.static_files import StaticFiles

WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
CONFIG = "config.json"
FILES = (WEIGHTS, TOKENIZER, CONFIG)

_log = logging.getLogger(__name__)


def open_static(encoder: Encoder) -> StaticEncoder:
    """Return the encoder from its folder, or from the hub by way of the cache folder.

    Only its three files are read. Raises ``EncoderError`` when it cannot be had or is another than its digest says.
    """
    if encoder.folder:
        folder = Path(encoder.folder).expanduser()
        if not folder.is_dir():
            raise EncoderError(
                f"encoder {encoder.name}: the folder {encoder.folder} isn't there: correct `folder` in "
                "leaderboard.toml, or put the model there"
            )
        return _of_folder(encoder, folder)
    kept = cache_dir() / "encoders" / encoder.sha256
    if kept.is_dir():
        try:
            return _of_folder(encoder, kept)
        except EncoderError as error:
            _log.warning(
                "what is kept of encoder %s is unusable and is fetched again: %s", encoder.name, error
            )
            _discard(kept)
    return _fetched(encoder, kept)


def _of_folder(encoder: Encoder, folder: Path) -> StaticEncoder:
    source = f"folder {encoder.folder}" if encoder.folder else f"hub {encoder.hub} at {encoder.revision}"
    files = StaticFiles(
        place=f"encoder {encoder.name} ({source})",
        files={name: folder / name for name in FILES},
        repair="name a model that model2vec saved, and its digest, the one found, as `sha256` in leaderboard.toml",
    )
    contents = files.read(encoder.sha256)
    try:
        config = json.loads(contents[CONFIG])
    except (ValueError, RecursionError) as error:
        raise EncoderError(f"{files.place}: {CONFIG} is not JSON: {error}") from error
    if not isinstance(config, dict):
        raise EncoderError(f"{files.place}: expected an object in {CONFIG}, found {type(config).__name__}")
    return files.encoder(encoder.sha256, contents[WEIGHTS], contents[TOKENIZER])


def _fetched(encoder: Encoder, kept: Path) -> StaticEncoder:
    """Fetch the files beside their place, open them, and only then put the folder there in one step."""
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=kept.parent, prefix=f".{encoder.sha256[:16]}."))
    except OSError as error:
        raise _unwritable(encoder, error) from error
    try:
        encoder_hub.fetch(encoder, FILES, temporary)
        opened = _of_folder(encoder, temporary)
        temporary.chmod(0o755)
        with contextlib.suppress(FileExistsError):  # another process was quicker with the same files
            _move(temporary, kept)
        return opened
    except OSError as error:
        raise _unwritable(encoder, error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _move(temporary: Path, kept: Path) -> None:
    """Rename a folder. Raises ``FileExistsError`` where one stands there already, whatever the system calls that."""
    try:
        temporary.rename(kept)
    except OSError as error:
        if kept.is_dir():
            raise FileExistsError(str(kept)) from error
        raise


def _discard(kept: Path) -> None:
    """Move the folder aside before deleting it, so that no other process sees half of it."""
    with contextlib.suppress(OSError):
        aside = Path(tempfile.mkdtemp(dir=kept.parent, prefix=".damaged."))
        try:
            kept.rename(aside / kept.name)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def _unwritable(encoder: Encoder, error: OSError) -> EncoderError:
    return EncoderError(
        f"encoder {encoder.name} can't be kept in the cache folder: {error.strerror}; make room, or name another "
        f"folder in {CACHE_VARIABLE}"
    )
