"""Files of text that a user names."""

from __future__ import annotations

from pathlib import Path

from seahorn_py.errors import InputError


def text_of(file: Path) -> str:
    """The text of a file in UTF-8; InputError says why it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file}: cannot read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file}: not a text file") from None
