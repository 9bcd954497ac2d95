"""What `sea-py` starts with: a running server does the command if that is wanted, or we do it.

Little is imported before that is known, since to import the rest is what a server saves.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from seahorn_py.cli.serving.asked_for import FLAG, VARIABLE


def run() -> NoReturn:
    """The command line as a process."""
    is_wanted = sys.argv[1:2] == [FLAG]
    if is_wanted:
        del sys.argv[1]
    chosen = os.environ.get(VARIABLE, "")
    if is_wanted or chosen not in ("", "0"):
        from seahorn_py.cli.serving import client

        path = chosen if chosen.startswith("/") else None
        code = client.asked(sys.argv[1:], path, is_loud=is_wanted)
        if code is not None:
            os._exit(code)
    from seahorn_py.cli import main

    main.run()
