"""What is known of each benchmark before its files are read: ``<key>.toml``, read by ``entries``."""

from pathlib import Path

FOLDER = Path(__file__).parent
CORE: tuple[str, ...] = ("frames", "musique", "multihop_rag")
"""The benchmarks a board and a submission have when they name none."""

KEYS: tuple[str, ...] = (*CORE, *sorted({path.stem for path in FOLDER.glob("*.toml")}.difference(CORE)))
"""Every benchmark by its key, those of ``CORE`` first."""
