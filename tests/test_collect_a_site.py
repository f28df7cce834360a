"""The page on collecting a site, walked: its configuration is taken, its commands do what it says.

The site of the page is played by the demonstration website of an archive on loopback.
"""

import argparse
import asyncio
import html
import re
import shlex
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml

from agents.archive.command.check import check
from agents.configuration import load
from agents.crawler.config import SiteCrawlerConfig
from agents.crawler.strategy.traps import repeats
from agents.delimitation import Delimitation, parse
from agents.scheduler.config import SchedulerConfig
from agents.scheduler.naming import crawl_name, site_name
from tests.test_documentation import Walk

_ROOT = Path(__file__).parent.parent
_TEXT = (_ROOT / "docs" / "how-to" / "collect-a-site.md").read_text("utf-8")
_BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", _TEXT, re.MULTILINE | re.DOTALL)
_YAML = [block for kind, block in _BLOCKS if kind == "yaml"]
_SHELL = [block for kind, block in _BLOCKS if kind == "sh"]
_SITE = "https://www.example.org/"


def _arguments(line: str) -> dict[str, str]:
    return dict(word.split("=", 1) for word in shlex.split(line) if "=" in word)


@pytest.mark.parametrize("block", _YAML)
def test_configurations(block: str, tmp_path: Path, capsys: Any) -> None:
    """`dlweb check` takes each piece, and each changes what an agent would do."""
    path = tmp_path / "archive.yaml"
    path.write_text(block)
    options = argparse.Namespace(config=str(path), archive=None, base_port=None)
    assert asyncio.run(check(None, options)) == 0
    assert "in order" in capsys.readouterr().out
    configuration = load(str(path))
    scheduler = configuration.section("scheduler", SchedulerConfig)
    crawler = configuration.section("site-crawler", SiteCrawlerConfig)
    assert (scheduler, crawler) != (SchedulerConfig(), SiteCrawlerConfig())


def test_the_pieces_go_together(tmp_path: Path) -> None:
    """All of them in one file, as the page says, make one configuration."""
    whole: dict[str, Any] = {}
    for block in _YAML:
        _merge(whole, yaml.safe_load(block))
    path = tmp_path / "archive.yaml"
    path.write_text(yaml.safe_dump(whole))
    scheduler = load(str(path)).section("scheduler", SchedulerConfig)
    assert scheduler.access.credentials[0].host == "members.example.org"
    assert scheduler.strategy.dynamic_depth == 20
    assert scheduler.analysis.keywords == ("web archive", "legal deposit", "archiv*")


def _merge(into: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict):
            _merge(into.setdefault(key, {}), value)
        else:
            into[key] = value


def test_extras() -> None:
    """What the page says to install can be installed."""
    known = set(metadata("dlweb").get_all("Provides-Extra") or ())
    assert "`pip install 'dlweb[javascript]'`" in _TEXT
    assert "the extra `documents`" in _TEXT
    assert {"javascript", "documents"} <= known


def test_an_example_of_an_answer() -> None:
    """The name of the crawl is made as the scheduler makes it."""
    name = crawl_name("20261121090000000000", site_name(_SITE), 0)
    assert f"- {name}\n" in [block for kind, block in _BLOCKS if kind == "text"]


def test_expressions() -> None:
    """The order's expressions take what the page says, and every pattern can be read."""
    words = _arguments(_SHELL[0])
    site = Delimitation.parse(words["accept"], words["reject"])
    assert site.internal("https://www.example.org/a")
    assert site.internal("https://shop.example.org/calendar/?month=2026")
    assert not site.internal("https://shop.example.org/calendar/?month=1971")
    assert not site.internal("https://www.example.org/print/a")
    assert not site.internal("https://example.org/")
    patterns = re.findall(r"^\| `([^`]+)` \| (?:this|every|what|paths|any|URLs)", _TEXT, re.M)
    assert len(patterns) == 6
    for pattern in patterns:
        parse(pattern)
    assert repeats("http://www.example.org/a/b/a/b/a/b/a/b/a/b/")


def test_reasons_for_waiting() -> None:
    """Each reason that the page explains is one that the crawler gives."""
    table = _TEXT.split("### Why it waits")[1].split("\n\n")[1]
    reasons = [
        found for row in table.splitlines() for found in re.findall("`([a-z][^`]{12,})`", row)
    ]
    sources = "".join(path.read_text() for path in (_ROOT / "agents/crawler").rglob("*.py"))
    assert len(reasons) >= 8
    for given in re.findall(r'waiting\.(?:begin\(|sleep\(\w+, )"([^"]+)"', sources):
        assert given in reasons
    for reason in reasons:
        for told in re.split(r"(?:http://)?www\.example\.org\S*|\d+ s$", reason):
            assert told in sources, reason


class Site(Walk):
    """An archive whose demonstration website is the site of the page."""

    @property
    def url(self) -> str:
        """Where the site begins."""
        return f"http://127.0.0.1:{self.base_port + 99}/"

    def hip(self, line: str, crawler: str = "crawler-1") -> Any:
        """Run a command of the page, and return what it prints as a value."""
        line = line.replace(
            "//www.example.org OR .example.org", self.url.removeprefix("http:")[:-1]
        )
        line = line.replace(_SITE, self.url).replace("crawler-1", crawler)
        line = line.replace("call order", "call order private_networks=true")
        program, *words = shlex.split(line)
        command = [str(Path(sys.prefix) / "bin" / program), "--to", f"127.0.0.1:{self.base_port}"]
        done = subprocess.run(
            [*command, *words], cwd=self.folder, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, line + done.stdout + done.stderr
        return yaml.safe_load(done.stdout)

    def page(self, address: str) -> str:
        """Return a page of an agent."""
        with urllib.request.urlopen(address, timeout=120) as answer:  # noqa: S310 - loopback
            return str(answer.read().decode())


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Return a running archive, which has collected its demonstration website once."""
    site = Site(tmp_path)
    site.start_archive()
    yield site
    site.stop()


@pytest.mark.slow
def test_the_commands(site: Site) -> None:
    """Order, watch, pause, add, go on, send a second crawler, stop: as the page has them."""
    order, which, hand, beside, stop = _SHELL
    (crawl,) = site.hip(order)
    (status,) = site.hip(which)
    assert (status["crawl"], status["state"]) == (crawl, "collecting")
    crawler = status["crawler"]
    progress, pause, add, resume = hand.strip().splitlines()
    said = site.hip(progress, crawler)
    assert (said["state"], said["crawl"]) == ("busy", crawl)
    assert [site.hip(line, crawler) for line in (pause, add, resume)] == [True, True, True]
    _read_page(site, status["page"])
    (second,) = site.hip(beside)
    assert second != crawl
    assert site.hip(stop, crawler) is True
    ended = {one["crawl"]: one for one in site.hip("hip call crawls limit=5")}
    while ended[crawl]["state"] == "collecting":
        ended = {one["crawl"]: one for one in site.hip("hip call crawls limit=5")}
    assert (ended[crawl]["state"], ended[crawl]["error"]) == ("failed", "stopped by an operator")
    left = {path.name for path in (site.folder / "var" / "sites").glob("*/*")}
    assert {"report.xml", "analysis", "signatures", "structure"} <= left


def _read_page(site: Site, address: str) -> None:
    """Look whether the page explains all sections of a crawler's page, and no other."""
    titles = re.findall(r"<h2[^>]*>([^<]+)", site.page(address))
    explained = set(re.findall(r"\*\*([A-Z][\w -]+)\*\*", _TEXT.split("## Watch it")[1]))
    explained.discard("A URL's story")
    assert set(map(html.unescape, titles)) | {"Waiting"} == explained
    story = site.page(f"{address}story?url={site.url}forgotten")
    assert "forgotten" in story
    assert "linked by" in story
