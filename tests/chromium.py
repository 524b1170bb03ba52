"""Open a page in headless Chromium and ask what is on it, over the DevTools protocol."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
)
PATIENCE = 120.0
"""Seconds to wait for anything; busy machines are slow."""


class Page:
    """The one tab of a browser."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._last = 0
        self.errors: list[str] = []
        """What the console calls an error, uncaught exceptions and refused loads included."""
        self.requests: list[str] = []
        """The addresses that were asked for, without data: addresses."""
        self._loaded = False
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": parameters}))
        while True:
            message = self._receive()
            if message.get("id") == self._last:
                assert "error" not in message, (method, message["error"])
                return message["result"]

    def _receive(self) -> dict[str, Any]:
        message = json.loads(self._socket.recv())
        details, method = message.get("params", {}), message.get("method")
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(details["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and details["type"] in ("error", "assert"):
            self.errors.append(json.dumps(details["args"]))
        elif method == "Log.entryAdded" and details["entry"]["level"] == "error":
            entry = details["entry"]
            self.errors.append(f"{entry['text']} {entry.get('url', '')}")
        elif method == "Network.requestWillBeSent":
            address = details["request"]["url"]
            if not address.startswith("data:"):
                self.requests.append(address)
        elif method == "Page.loadEventFired":
            self._loaded = True
        return message

    def open(self, address: str) -> None:
        """Go to an address and wait until it has loaded."""
        self._loaded = False
        failure = self.send("Page.navigate", url=address).get("errorText")
        assert failure is None, f"{address}: {failure}"
        while not self._loaded:
            self._receive()

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, or of the promise that it is."""
        result = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait_for(self, expression: str) -> Any:
        """Ask again and again until the expression is true; return its value."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            value = self.evaluate(expression)
            if value:
                return value
            time.sleep(0.2)
        raise AssertionError(f"not true within {PATIENCE} s: {expression}\n{self.text[:2000]}")

    def click(self, selector: str) -> None:
        """Click on the first element of a selector."""
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    @property
    def text(self) -> str:
        """The text that is seen."""
        return str(self.evaluate("document.body.innerText"))

    @property
    def images(self) -> list[dict[str, Any]]:
        """Alt text and natural size of each picture; width 0 says that it did not load."""
        found = self.evaluate(
            "[...document.images].map(i => ({alt: i.alt, width: i.naturalWidth, "
            "height: i.naturalHeight, shown: i.clientWidth}))"
        )
        return list(found)

    def prefer(self, scheme: str) -> None:
        """Prefer a ``"light"`` or a ``"dark"`` page."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.send("Emulation.setEmulatedMedia", features=[feature])

    def resize(self, width: int, height: int) -> None:
        """Change the size of the window, in pixels."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def screenshot(self, path: Path) -> None:
        """Write a picture of the whole page."""
        shot = self.send("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def browser() -> Iterator[Page]:
    """Start a browser of its own; skip the test where there is none."""
    websocket = pytest.importorskip("websocket", reason="websocket-client is not installed")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip(f"there is no Chromium (none of {', '.join(PROGRAMS)})")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            address = _tab(Path(profile) / "DevToolsActivePort", process)
            # With an Origin header Chromium refuses the connection.
            socket = websocket.create_connection(address, timeout=PATIENCE, suppress_origin=True)
            try:
                yield Page(socket)
            finally:
                socket.close()
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _tab(port_file: Path, process: subprocess.Popen[bytes]) -> str:
    """The address of the tab, as soon as the browser has one."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None, f"Chromium ended with {process.returncode}"
        try:
            port = int(port_file.read_text().split()[0])
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=10) as answer:
                targets = json.load(answer)
        except (OSError, ValueError, IndexError):
            targets = []
        for target in targets:
            if target["type"] == "page":
                return str(target["webSocketDebuggerUrl"])
        time.sleep(0.1)
    raise AssertionError(f"Chromium opened no tab within {PATIENCE} s")
