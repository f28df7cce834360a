"""Archived pages are to a browser what they were live: through the proxy, and without it.

Five sites of different make are served, collected, looked at, and switched off. Every page is then
opened again from the archive, and compared: requests made, requests failed, what the console says,
and every pixel.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from chromium import CHROMIUM, chromium
from comparing import replayed, table, visit
from fidelity_of_pages import NAMES, SPAN, by_proxy, by_replay, collected, free_ports

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium"),
    pytest.mark.skipif(not shutil.which("nginx", path="/usr/sbin"), reason="there is no nginx"),
]


ENGINE = os.environ.get("DLWEB_REPLAY_ENGINE")  # path of sw.js of wabac.js
needs_engine = pytest.mark.skipif(not ENGINE, reason="DLWEB_REPLAY_ENGINE names no engine")


@pytest.fixture(scope="module")
def sites() -> Iterator[tuple]:
    """A browser, the archive, each page as it was live, and a trap where the sites were."""
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dlweb-fidelity-")))
        browser = stack.enter_context(chromium(NAMES))
        given = stack.enter_context(collected(work, browser, free_ports(SPAN + 2), ENGINE))
        yield browser, *given


def test_the_proxy_gives_pages_as_they_were(sites):
    """Through the proxy every page makes the same requests, none fails, and no pixel differs."""
    browser, archive, live, trap = sites
    compared = by_proxy(browser, live, archive.proxy)
    print(table("through the proxy", compared))
    assert all(one.faithful for one in compared), table("not faithful", compared)
    assert not trap.caught(), "a request escaped the archive"


@needs_engine
def test_replay_without_the_proxy_gives_pages_as_they_were(sites):
    """Under /web/ too, by the replay engine."""
    browser, archive, live, trap = sites
    compared = by_replay(browser, live, archive.replay)
    print(table("without the proxy", compared))
    assert all(one.faithful for one in compared), table("not faithful", compared)
    assert not trap.caught(), "a request escaped the archive"


@needs_engine
def test_no_archived_page_gets_out(sites):
    """Whatever way a script takes, replayed, opened by itself or proxied, nobody asks live."""
    browser, archive, _, trap = sites
    url = trap.web.escaping
    seen = visit(browser, f"{archive.replay}/web/2100/{url}", original=replayed(url))
    assert {url, url.replace(".html", ".js")} <= seen.requests
    assert any("out?" in one for one in seen.failed), seen.failed
    visit(browser, f"{archive.replay}/web/2100id_/{url}")
    proxied = visit(browser, url, archive.proxy)
    assert any("out?" in one for one in proxied.requests), proxied.requests
    assert not trap.caught(), "a request escaped the archive"
