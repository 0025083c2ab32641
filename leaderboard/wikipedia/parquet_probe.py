"""Reading a parquet file in a process of its own first: a damaged one can end the process that reads it.

A page header that claims a negative number of values makes polars ask for 2^61 bytes, and no exception can be caught.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from leaderboard.fetching.vouching import is_vouched, vouch
from leaderboard.files import sha256_file

MOST_MEMORY_BYTES = 8 << 30
TIMEOUT_S = 120

_READ = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({most}, {most}))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
import polars
polars.read_parquet(sys.argv[1], use_pyarrow=False)
"""


class ProbeError(Exception):
    """A parquet file ended the process that read it, or took it too long."""


def probe(path: Path) -> None:
    """Read a file once in another process, and note that it can be read; an unchanged file is not probed again.

    A file that polars refuses by an exception passes: the caller gets that exception. Raises ``ProbeError``.
    """
    digest = sha256_file(path)
    if is_vouched(path, digest):
        return
    command = [sys.executable, "-c", _READ.format(most=MOST_MEMORY_BYTES), str(path)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise ProbeError(f"a reader took more than {TIMEOUT_S} s") from error
    if done.returncode < 0:
        raise ProbeError(f"a reader was ended by signal {-done.returncode}")
    if done.returncode == 0:
        with suppress(OSError):  # a folder that can't be written: probed again the next time
            vouch(path, digest)
