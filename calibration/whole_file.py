"""Writing a file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, content: str | bytes, mode: int = 0o666) -> None:
    """Write beside the file, sync, rename: a power cut leaves the old file or the new one. Raises OSError, and then leaves nothing.

    mode: who may read and write it, as for `os.open`, less the process's umask."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode), "wb") as out:
            out.write(content.encode() if isinstance(content, str) else content)
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
