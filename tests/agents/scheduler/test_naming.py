"""Names of sites and crawls."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import urls
from agents.scheduler.naming import attempt_name, crawl_name, host_of, site_name


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://www.example.org/", "www.example.org"),
        ("http://www.example.org/", "www.example.org"),
        ("http://127.0.0.1:8080/", "127.0.0.1_8080"),
        ("http://[::1]:8080/", "1-8080-"),
        ("http://a.example/users/eve/", "a.example-users-eve-"),
    ],
)
def test_a_site_is_named_by_its_host_and_what_else_it_needs(url: str, name: str) -> None:
    """Whole hosts have plain names; others get digits that tell them apart."""
    assert site_name(url).startswith(name)
    assert (site_name(url) == name) == (not name.endswith("-"))


_URLS = st.builds(
    "http://{}{}/{}".format,
    st.sampled_from(["a.example", "a_b.example", "b.example", "a.example-b"]),
    st.sampled_from(["", ":81", ":8"]),
    st.text(st.sampled_from("ab/?=.%_"), max_size=6),
)


@given(_URLS, _URLS)
def test_two_urls_share_a_name_only_when_one_site_begins_there(one: str, other: str) -> None:
    """Names are safe in a path, and differ where more than a last slash differs."""
    canonical = [urls.canonical(one), urls.canonical(other)]
    if None in canonical:
        return
    names = [site_name(url or "") for url in canonical]
    assert all("/" not in name and not name.startswith(".") and len(name) < 120 for name in names)
    if names[0] == names[1]:
        assert len({(url or "").rstrip("/?") for url in canonical}) == 1


def test_twins_are_one_host() -> None:
    """A host and its www. twin take turns."""
    assert host_of("https://www.example.org/a") == host_of("http://example.org:81/") != ""


def test_crawls_and_attempts_have_names_of_their_own() -> None:
    """Crawls of one second, and attempts of one crawl, have different names."""
    date = "20261121073000123456"
    assert crawl_name(date, "a.example") == "20261121-073000-a.example"
    assert crawl_name(date, "a.example", 1) == "20261121-073000-a.example-2"
    assert attempt_name("c", 1) == "c"
    assert attempt_name("c", 2) == "c.2"


@pytest.mark.parametrize("host", [".", "..", "-.example", "...", "a_b.example", "[::1]"])
def test_a_strange_host_never_names_another_folder(host: str) -> None:
    """A site's name begins with a letter or digit, so that its folder lies where it should."""
    assert re.fullmatch(r"[a-z0-9][a-z0-9.\-]*", site_name(f"http://{host}/"))
