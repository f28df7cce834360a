"""Cookies go where they belong, and nowhere else."""

from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.network.cookies import COOKIES, DOMAINS, LENGTH, Cookies, domain_of
from agents.order import Cookie
from anet.http import parse_head


def told(jar: Cookies, url: str, *values: str) -> None:
    """Let a URL set cookies."""
    lines = "".join(f"Set-Cookie: {value}\r\n" for value in values)
    jar.take(url, parse_head(f"HTTP/1.1 200 OK\r\n{lines}\r\n".encode("utf-8", "replace")))


def test_domains_and_paths() -> None:
    """A host's cookies stay with the host, a domain's with its hosts, a path's below it."""
    jar = Cookies()
    told(jar, "http://www.a.example/x/", "own=1", "all=2; Domain=a.example; Path=/", "p=3; Path=/x")
    assert jar.field("http://www.a.example/x/y") in (b"own=1; p=3; all=2", b"p=3; own=1; all=2")
    assert jar.field("http://a.example/") == b"all=2"
    assert jar.field("http://img.a.example/x/") == b"all=2"
    assert jar.field("http://b.example/") == b""
    assert jar.field("http://a.example.b.example/") == b""


def test_public_suffixes() -> None:
    """Nobody sets a cookie for all of a public suffix, nor for another site."""
    jar = Cookies()
    told(jar, "http://a.co.uk/", "x=1; Domain=co.uk", "y=1; Domain=.uk", "z=1; Domain=b.co.uk")
    assert jar.field("http://b.co.uk/") == b""
    told(jar, "http://one.github.io/", "x=1; Domain=github.io")
    assert jar.field("http://two.github.io/") == b""
    assert domain_of("www.example.co.uk") == "example.co.uk"
    assert domain_of("192.0.2.1") == "192.0.2.1"


def test_addresses_and_local_names() -> None:
    """Hosts without a domain have cookies of their own."""
    jar = Cookies()
    for url in ("http://127.0.0.1:8000/", "http://localhost/", "http://[::1]:80/"):
        told(jar, url, "a=1")
        assert jar.field(url) == b"a=1"
    assert jar.field("http://127.0.0.2/") == b""


def test_secure_and_expired() -> None:
    """A secure cookie does not go in the clear; one that is over is gone."""
    jar = Cookies()
    told(jar, "https://a.example/", "s=1; Secure", "t=2")
    assert jar.field("http://a.example/") == b"t=2"
    told(jar, "http://a.example/", "t=2; Max-Age=0")
    assert jar.field("https://a.example/") == b"s=1"


def test_given_cookies() -> None:
    """An order's cookies are sent from the first request on, also where none are kept."""
    given = (Cookie(".a.example", "consent", "yes"), Cookie("b.example", "x", "1", "/only"))
    jar = Cookies(given, kept=False)
    assert jar.field("http://www.a.example/") == b"consent=yes"
    assert jar.field("http://b.example/only/this") == b"x=1"
    assert jar.field("http://b.example/") == b""
    assert jar.field("http://www.b.example/only") == b""
    told(jar, "http://b.example/", "set=1")
    assert jar.field("http://b.example/") == b""


def test_bounds() -> None:
    """A server that sets cookies without end fills no memory."""
    jar = Cookies()
    for number in range(COOKIES):
        told(jar, "http://a.example/", *(f"c{number}-{each}=1" for each in range(5)))
    assert len(jar.field("http://a.example/").split(b";")) == COOKIES
    told(jar, "http://b.example/", f"long={'x' * LENGTH}")
    assert jar.field("http://b.example/") == b""
    for number in range(DOMAINS):
        told(jar, f"http://{number}.c{number}.example/", "x=1")
    assert len(jar._jars) == DOMAINS


@given(st.lists(st.text(st.characters(exclude_characters="\r\n"), max_size=60), max_size=4))
def test_any_cookie(values: list[str]) -> None:
    """Whatever a server sets, the field is one line or none."""
    jar = Cookies()
    told(jar, "http://a.example/", *values)
    field = jar.field("http://a.example/")
    assert not set(field) & set(b"\r\n\0")
