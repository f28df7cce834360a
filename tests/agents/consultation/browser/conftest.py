"""A headless Chromium that uses the archive's proxy, driven over a pipe by its own protocol."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from twisted.internet.threads import deferToThread

from agents.configuration import Configuration
from agents.consultation.config import ConsultationConfig
from agents.consultation.service import Consultation
from hip import Agent, exposed

CHROMIUM = shutil.which("chromium")
PATIENCE = 20.0  # seconds


class Browser:
    """One tab of a browser; its methods block, and belong in a thread."""

    def __init__(self, folder: str, proxy: str, *flags: str) -> None:
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        self._process = subprocess.Popen(
            [
                "/bin/bash", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "bash", CHROMIUM,
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={folder}",
                f"--proxy-server={proxy}", "--proxy-bypass-list=<-loopback>", *flags,
            ],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self._number = 0
        self._buffer = b""
        self.events: list[dict[str, Any]] = []
        self._session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the browser's protocol."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            piece = os.read(self._in, 1 << 20)
            assert piece, "the browser has gone"
            self._buffer += piece
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page; promises are waited for."""
        result = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, condition: str) -> Any:
        """Wait until an expression is true in the page; return its value."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                value = self.run(condition)
            except AssertionError:  # in the middle of a navigation
                value = None
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"{condition} did not come true: {self.run('location.href')}")

    def open(self, url: str) -> None:
        """Go to a URL and wait until the page is loaded."""
        self.call("Page.navigate", url=url)
        self.wait("location.href !== 'about:blank' && document.readyState === 'complete'")

    def look(self, width: int, height: int, dark: bool = False) -> None:
        """Be a window of a size, with a preference for light or dark."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 500,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, file: Path) -> bytes:
        """Save a picture of the whole page."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        file.write_bytes(base64.b64decode(shot))
        return file.read_bytes()

    def close(self) -> None:
        """End the browser."""
        self._process.terminate()
        self._process.wait(10)
        os.close(self._out)
        os.close(self._in)


class Index:
    """Answers as an index node does, from fake nodes."""

    def __init__(self, archive: Any) -> None:
        self._archive = archive

    @exposed
    async def find(self, kind: str, key: str) -> list[str]:
        """Find a file."""
        return await self._archive.locator.locate(kind, key)

    @exposed
    async def nodes(self) -> dict[str, list[dict[str, object]]]:
        """List the nodes."""
        urls = (await self._archive.locator.all_nodes()).up
        return {"nodes": [{"status": {"url": url}, "up": True} for url in urls]}


@pytest.fixture
def keys() -> dict[str, Any]:
    """Keys of the agent's configuration that a module of tests wants otherwise."""
    return {}


@pytest_twisted.async_yield_fixture
async def consultation(reactor: Any, archive: Any, tmp_path: Path, keys: dict[str, Any]) -> Any:
    """A consultation agent before the fake archive."""
    scheduler = Agent(reactor, "scheduler", "scheduler")
    index = Agent(reactor, "index-node", "index-1", [Index(archive)])
    above, beside = scheduler.listen("127.0.0.1:0"), index.listen("127.0.0.1:0")
    scheduler.startService()
    index.startService()
    config = ConsultationConfig(
        proxy="127.0.0.1:0", pages="127.0.0.1:0", replay="127.0.0.1:0", scheduler=above.address,
        storage_master=beside.address, lookup="index", **keys,
    )  # fmt: skip
    agent = Consultation(reactor, "consultation", Configuration(tmp_path, 7100), config)
    agent.startService()
    yield agent
    await agent.stopService()
    await index.stopService()
    await scheduler.stopService()


@pytest_twisted.async_yield_fixture
async def begin(consultation: Any) -> Any:
    """Return a function that begins a browser of its own which uses the agent's proxy."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium")
    browsers: list[Browser] = []
    with ExitStack() as folders:

        async def begun(*flags: str, preferences: str = "") -> Browser:
            folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            place = folders.enter_context(folder)
            if preferences:
                (Path(place) / "Default").mkdir()
                (Path(place) / "Default" / "Preferences").write_text(preferences)
            browser = await deferToThread(Browser, place, consultation.proxy.address, *flags)
            browsers.append(browser)
            return browser

        yield begun
        for browser in browsers:
            await deferToThread(browser.close)


@pytest_twisted.async_yield_fixture
async def browser(begin: Any) -> Any:
    """A browser that uses the agent's proxy."""
    yield await begin()
