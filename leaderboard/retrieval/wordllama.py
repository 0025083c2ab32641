"""The default encoder: static embeddings that come as data in an installed package, none of whose code runs.

The package is MIT. Its readme says where the weights come from: the token embeddings of several models that share
LLaMA 2's vocabulary (LLaMA 2 70B and Phi-3 medium among them), trained further for similarity, 256 numbers a token.
A better static model for retrieval is ``minishlab/potion-retrieval-32M`` from the model hub, as an encoder of
``leaderboard.toml``.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from leaderboard.catalog.encoders import Encoder
from leaderboard.retrieval.encoders import EncoderError
from leaderboard.retrieval.static_encoder import StaticEncoder
from leaderboard.retrieval.static_files import StaticFiles

PACKAGE = "wordllama"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_REPAIR = "install it again with: pip install --force-reinstall --no-deps wordllama==0.4.0.post1"


def open_wordllama(encoder: Encoder) -> StaticEncoder:
    """Return the encoder of the installed package. Raises ``EncoderError`` where it is missing or another one."""
    try:
        installed = distribution(PACKAGE)
    except PackageNotFoundError as error:
        raise EncoderError(f"the encoder {encoder.name} needs the package {PACKAGE}: {_REPAIR}") from error
    files = StaticFiles(
        place=f"{PACKAGE} {installed.version}",
        files={
            name: Path(str(installed.locate_file(f"{PACKAGE}/{name}"))) for name in (_WEIGHTS, _TOKENIZER)
        },
        repair=_REPAIR,
    )
    contents = files.read(encoder.sha256)
    return files.encoder(encoder.sha256, contents[_WEIGHTS], contents[_TOKENIZER])
