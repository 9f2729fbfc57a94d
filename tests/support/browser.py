"""A headless Chromium, spoken to over a pipe in its own protocol: no driver, no port.

browser      a page in it, for the tests of one module
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_SWITCHES = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
    "--lang=en",
)
_PATIENCE_S = 60.0


class Browser:
    """One page. messages: what its console and its log have said since it was opened."""

    def __init__(self, command: list[str], environment: Mapping[str, str]) -> None:
        its_end, self._out = _pipe()
        self._in, other_end = _pipe()
        # The browser reads commands on 3 and answers on 4. A shell puts them there, after the fork.
        places = f'exec "$@" 3<&{its_end} 4>&{other_end} {its_end}<&- {other_end}>&-'
        self._process = subprocess.Popen(
            ["bash", "-c", places, "bash", *command],
            pass_fds=(its_end, other_end),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            start_new_session=True,
        )
        os.close(its_end)
        os.close(other_end)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self._events: list[dict[str, Any]] = []
        self.messages: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a command of the protocol."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self._note(answer)
        assert "error" not in answer, f"{method}: {answer['error']}"
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, page: Path, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Loads a file, and returns when all of it is there. width, height: CSS pixels."""
        self.messages.clear()
        self._events.clear()
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.send("Page.navigate", url=page.as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self._events):
            self._note(self._next())

    def resize(self, width: int, height: int, scale: float = 1) -> None:
        """The viewport; below 600 wide that of a phone."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 600,
        )

    def value(self, expression: str) -> Any:
        """What a JavaScript expression yields on the page, as JSON has it."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def requests(self) -> list[str]:
        """What has been asked for since the page was opened, data within the page left out."""
        asked = (
            event["params"]["request"]["url"]
            for event in self._events
            if event["method"] == "Network.requestWillBeSent"
        )
        return [url for url in asked if not url.startswith("data:")]

    def screenshot(self, *, whole: bool = False) -> bytes:
        """The viewport, or the whole page, as PNG."""
        shot = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        return base64.b64decode(shot["data"])

    def close(self) -> None:
        """Ends the browser."""
        os.close(self._out)
        os.close(self._in)
        # It leaves by itself when the pipe is closed.
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _note(self, event: dict[str, Any]) -> None:
        if "method" not in event:
            return
        self._events.append(event)
        parameters = event["params"]
        match event["method"]:
            case "Runtime.consoleAPICalled":
                self.messages.append(json.dumps(parameters["args"]))
            case "Runtime.exceptionThrown":
                self.messages.append(json.dumps(parameters["exceptionDetails"]))
            case "Log.entryAdded":
                self.messages.append(parameters["entry"]["text"])

    def _next(self) -> dict[str, Any]:
        until = time.monotonic() + _PATIENCE_S
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, until - time.monotonic()))
            assert ready, "the browser doesn't answer"
            part = os.read(self._in, 1 << 20)
            assert part, f"the browser has ended: {self._process.poll()}"
            self._buffer += part
        first, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(first)
        return message


def _pipe() -> tuple[int, int]:
    """A pipe whose ends are neither 3 nor 4."""
    ends = os.pipe()
    moved = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return moved[0], moved[1]


def start(profile: Path) -> Browser:
    """A browser with a profile of its own; skips the test where none is installed."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("needs chromium")
    switches = [*_SWITCHES, f"--user-data-dir={profile}"]
    if os.geteuid() == 0:
        # It refuses root otherwise. What it opens here we have written ourselves.
        switches.append("--no-sandbox")
    return Browser([found, *switches], {**os.environ, "HOME": str(profile), "TZ": "UTC"})


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A page in a headless Chromium."""
    started = start(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()
