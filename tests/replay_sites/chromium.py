"""A headless Chromium, driven over a pipe by its own protocol; every tab is a visit of its own."""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

CHROMIUM = shutil.which("chromium")
PATIENCE = 30.0  # seconds


class ProtocolError(Exception):
    """The browser refuses what was asked."""


class Chromium:
    """The browser; its methods block.

    Args:
        profile: a folder for it.
        hosts: pattern of host names that lead to 127.0.0.1 wherever no proxy is used.
    """

    def __init__(self, profile: str, hosts: str) -> None:
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        self._process = subprocess.Popen(
            [
                "/bin/bash", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "bash", CHROMIUM,
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={profile}",
                "--ignore-certificate-errors", "--disable-features=LazyImageLoading",
                f"--host-resolver-rules=MAP {hosts} 127.0.0.1",
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
        self.version = self.call("Browser.getVersion")["product"]

    def call(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """Call a method of the browser's protocol; what happens meanwhile is added to `events`."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while (answer := self._read(PATIENCE)) is not None:
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise ProtocolError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)
        raise ProtocolError(f"{method}: no answer")

    def listen(self, seconds: float) -> None:
        """Add to `events` what happens within some seconds."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and (event := self._read(left)) is not None:
            self.events.append(event)

    def _read(self, seconds: float) -> dict[str, Any] | None:
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], seconds)[0]:
                return None
            self._buffer += os.read(self._in, 1 << 20)
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    @contextmanager
    def tab(self, proxy: str = "") -> Iterator["Tab"]:
        """Give a tab with storage of its own, that maybe asks a proxy for everything."""
        how = {"proxyServer": proxy, "proxyBypassList": "<-loopback>"} if proxy else {}
        context = self.call("Target.createBrowserContext", **how)["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)
        session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self.events.clear()
        try:
            yield Tab(self, session["sessionId"])
        finally:
            with suppress(ProtocolError):
                self.call("Target.disposeBrowserContext", browserContextId=context)

    def close(self) -> None:
        """End the browser."""
        self._process.terminate()
        self._process.wait(20)
        os.close(self._out)
        os.close(self._in)


class Tab:
    """One tab."""

    def __init__(self, browser: Chromium, session: str) -> None:
        self.browser = browser
        self._session = session
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    @property
    def events(self) -> list[dict[str, Any]]:
        """What has happened in this tab so far."""
        return [it for it in self.browser.events if it.get("sessionId") == self._session]

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the browser's protocol."""
        return self.browser.call(method, self._session, **parameters)

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page; promises are waited for."""
        result = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in result:
            raise ProtocolError(str(result["exceptionDetails"]))
        return result["result"].get("value")


@contextmanager
def chromium(hosts: str) -> Iterator[Chromium]:
    """Run a browser for as long as the context lasts."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Chromium(profile, hosts)
        try:
            yield browser
        finally:
            browser.close()
