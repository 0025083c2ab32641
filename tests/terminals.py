"""Running Python with a real terminal as one of its outputs."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[1]


def on_a_terminal(*arguments: str, stream: Literal["stdout", "stderr"], **environment: str) -> str:
    """Run Python with a terminal of 80 columns as ``stream``; return what came there. It has to end with 0."""
    terminal, side = pty.openpty()
    surrounding = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    surrounding |= {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLUMNS": "80", **environment}
    process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env=surrounding, **{stream: side})
    os.close(side)
    said = b""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            break
        if not chunk:
            break
        said += chunk
    os.close(terminal)
    assert process.wait(timeout=120) == 0
    return said.decode()
