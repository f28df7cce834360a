"""Where a person is told to look."""

import shlex

import pytest

from agents.archive.command.places import (
    Places,
    archived_address,
    browser_command,
    installed_browser,
    split_by_network,
    where_to_look,
)
from agents.archive.command.run import is_own

PLACES = Places(
    archive="http://127.0.0.1:7198/",
    scheduler="http://127.0.0.1:7101/",
    crawlers=("http://127.0.0.1:7121/",),
    harbor="http://127.0.0.1:7107/harbor",
    proxy="127.0.0.1:7106",
    lookup="multicast",
)


def test_every_place_is_told() -> None:
    """The scheduler's page, the crawler's, the proxy, the harbor, and a browser's command line."""
    text = "\n".join(where_to_look(PLACES, "http://127.0.0.1:7199/", "chromium"))
    for place in ("7198/", "7101/", "7121/", "7107/harbor", "127.0.0.1:7106", "http://dlweb/"):
        assert place in text
    assert "127.0.0.1:7106  (finds captures by multicast)" in text
    assert "chromium --proxy-server=127.0.0.1:7106" in text


def test_a_browser_goes_through_the_proxy_even_to_loopback() -> None:
    """Chromium leaves loopback out unless it is told not to; a shell reads the line as meant."""
    words = shlex.split(browser_command("127.0.0.1:7106", "http://127.0.0.1:7199/?a=1&b", "brave"))
    assert words[0] == "brave"
    assert "--proxy-bypass-list=<-loopback>" in words
    assert words[-1] == "http://127.0.0.1:7199/?a=1&b"
    assert "--no-sandbox" not in words


def test_https_sites_are_opened_by_their_http_address() -> None:
    """The proxy cannot look into an encrypted connection."""
    assert archived_address("https://www.example.org/a?b#c") == "http://www.example.org/a?b#c"
    assert archived_address("http://www.example.org/") == "http://www.example.org/"


def test_the_browser_is_one_that_is_there() -> None:
    """The first of its family that is installed is named."""
    installed = {"google-chrome": "/usr/bin/google-chrome"}
    assert installed_browser(installed.get) == "google-chrome"
    assert installed_browser({}.get) == "chromium"


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("http://127.0.0.1:8000/", True),
        ("http://localhost/", True),
        ("http://[::1]:80/", True),
        ("http://10.1.2.3/", True),
        ("http://192.168.0.7:8080/x", True),
        ("http://www.example.org/", False),
        ("http://9.9.9.9/", False),
        ("http://10.example.org/", False),
        ("http://[nonsense/", False),
        ("nonsense", False),
    ],
)
def test_addresses_of_ones_own_network_are_understood(url: str, own: bool) -> None:
    """Who names a private address means it; a name is never looked up to guess that."""
    assert split_by_network([url], is_own, False) == [(own, [url])]


def test_private_networks_may_be_allowed_for_all() -> None:
    """The option stands for every URL; groups keep their order."""
    urls = ["http://a.example/", "http://127.0.0.1/", "http://b.example/"]
    assert split_by_network(urls, is_own, True) == [(True, urls)]
    assert split_by_network(urls, is_own, False) == [(False, [urls[0], urls[2]]), (True, [urls[1]])]
