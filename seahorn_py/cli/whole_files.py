"""Files that commands write: each is whole or not there."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from seahorn_py.base.errors import SeaError

GRAPHML_ENDINGS = (".graphml", ".xml")


def write_whole(text: str, file: Path) -> None:
    """Write a file that is either whole or not there; SeaError if that is not possible."""
    name = ""
    try:
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as stream:
            name = stream.name
            stream.write(text.encode("utf-8", "surrogateescape"))
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, file)
    except OSError as error:
        if name:
            Path(name).unlink(missing_ok=True)
        raise SeaError(f"{file}: cannot write: {error.strerror}") from None
