"""A scripted client of `sea-py lsp`: it writes messages, and keeps those that come."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from command import SEA_PY

CAPABILITIES = {
    "window": {"workDoneProgress": True},
    "workspace": {"inlayHint": {"refreshSupport": True}},
}


class EditorClient:
    """A server process, and the messages that it has sent."""

    def __init__(self, root: Path, **settings: object) -> None:
        self.root = root
        self.process = subprocess.Popen(
            [*SEA_PY, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root
        )
        self.seen: list[dict[str, Any]] = []
        self._data = b""
        self._number = 0
        self.hello = self.request(
            "initialize",
            processId=os.getpid(),
            rootUri=root.as_uri(),
            capabilities=CAPABILITIES,
            initializationOptions=settings,
        )
        self.notify("initialized")

    # ------------------------------------------------------------------------------ messages

    def send(self, **message: object) -> None:
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()

    def notify(self, method: str, **params: object) -> None:
        self.send(method=method, params=params)

    def begin(self, method: str, **params: object) -> int:
        """Send a request; its number."""
        self._number += 1
        self.send(id=self._number, method=method, params=params)
        return self._number

    def request(self, method: str, **params: object) -> Any:
        return self.result(self.begin(method, **params))

    def result(self, number: int, seconds: float = 100) -> Any:
        """The answer to a request."""
        found = self.wait(lambda m: m.get("id") == number and "method" not in m, seconds)
        assert "error" not in found, found
        return found["result"]

    def wait(self, fits: Callable[[dict[str, Any]], bool], seconds: float = 100) -> dict[str, Any]:
        """The first message that fits, which is taken away."""
        until = time.monotonic() + seconds
        while True:
            for message in self.seen:
                if fits(message):
                    self.seen.remove(message)
                    return message
            self._read(until)

    def diagnostics(self, uri: str, seconds: float = 100) -> list[dict[str, Any]]:
        """The next ones that are published for a file."""
        message = self.wait(
            lambda m: (
                m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri
            ),
            seconds,
        )
        found: list[dict[str, Any]] = message["params"]["diagnostics"]
        return found

    def _read(self, until: float) -> None:
        """Take one message from the server; what it asks of us is granted."""
        assert self.process.stdout is not None
        while True:
            head, separator, rest = self._data.partition(b"\r\n\r\n")
            size = int(head.split(b"Content-Length: ")[1].split()[0]) if separator else 0
            if separator and len(rest) >= size:
                self._data = rest[size:]
                message = json.loads(rest[:size])
                self.seen.append(message)
                if "id" in message and "method" in message:
                    self.send(id=message["id"], result=None)
                return
            ready, _, _ = select.select([self.process.stdout], [], [], until - time.monotonic())
            assert ready, f"no answer; seen: {self.seen}"
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            assert data, f"the server has ended; seen: {self.seen}"
            self._data += data

    # -------------------------------------------------------------------------------- files

    def open(self, name: str, text: str) -> str:
        """Write and open a file; its URI."""
        file = self.root / name
        file.write_text(text)
        document = {"uri": file.as_uri(), "languageId": "c", "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=document)
        return file.as_uri()

    def save(self, uri: str) -> None:
        self.notify("textDocument/didSave", textDocument={"uri": uri})

    def change(self, uri: str, text: str, version: int = 2) -> None:
        document = {"uri": uri, "version": version}
        self.notify(
            "textDocument/didChange", textDocument=document, contentChanges=[{"text": text}]
        )

    def close(self) -> int:
        """End the server as an editor does; its exit code."""
        self.request("shutdown")
        self.send(method="exit")
        return self.process.wait(20)
