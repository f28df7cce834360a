"""How names are looked up."""

from pathlib import Path

from twisted.internet.defer import ensureDeferred as run
from twisted.internet.task import Clock

from agents.configuration import load
from agents.names import NamesConfig, make_resolver


def test_who_is_asked() -> None:
    """Our own client by default, with the operator's servers and table; the system if told so."""
    made = make_resolver(Clock(), "dns", ["192.0.2.1", "[::1]:5353"], ["192.0.2.7 a b"])
    assert made is not None and run(made.resolve("b")).result == ("192.0.2.7",)
    assert make_resolver(Clock(), "system", [], []) is None


def test_the_scheduler_asks_as_crawlers_do(tmp_path: Path) -> None:
    """Of the crawlers' section it reads what is said of names, and leaves the rest to them."""
    file = tmp_path / "archive.yaml"
    file.write_text("site-crawler:\n  urls: 7\n  hosts: [192.0.2.7 a]\n")
    read = load(file).section("site-crawler", NamesConfig, partly=True)
    assert read == NamesConfig(hosts=["192.0.2.7 a"])
    assert load().section("site-crawler", NamesConfig, partly=True) == NamesConfig()
