"""Which URLs look dynamic."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.strategy.dynamic import looks_dynamic
from agents.urls import canonical


@pytest.mark.parametrize(
    ("path", "dynamic"),
    [
        ("/?x", True),
        ("/a?", True),
        ("/a.php", True),
        ("/A.PHP", True),
        ("/a.php5/path/info", True),
        ("/a.jsp;jsessionid=x", True),
        ("/a.aspx", True),
        ("/x/cgi-bin/script", True),
        ("/article.do", True),
        ("/", False),
        ("/a.html", False),
        ("/a.phpx", False),
        ("/a.php.txt", False),
        ("/php/", False),
        ("/cgi-bin.html", False),
        ("/a.png", False),
    ],
)
def test_looks_dynamic(path: str, dynamic: bool) -> None:
    """A query, a program's name or folder tell."""
    assert looks_dynamic("http://a.org" + path) is dynamic


@pytest.mark.parametrize("host", ["a.pl", "www.a.do", "x.php.a.cgi", "cgi-bin"])
def test_the_host_is_of_no_account(host: str) -> None:
    """Poland's hosts are no Perl scripts."""
    assert not looks_dynamic(f"http://{host}/")
    assert not looks_dynamic(f"https://{host}:81/")


@given(st.text(max_size=50))
def test_any_url_is_one_or_the_other(text: str) -> None:
    """Any canonical URL gets an answer, and a query makes it dynamic."""
    url = canonical("http://a.org/" + text)
    if url is not None:
        assert looks_dynamic(url) or "?" not in url
