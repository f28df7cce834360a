"""Telling servers who we are, and nobody else."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred

from agents.crawler.network.authentication import Challenge, Logins, challenges, digest
from agents.order import Access, Credential
from anet.http import Request, Response, parse_head
from tests.agents.crawler.fetching import Fetching

MUFASA = Credential("www.example.org", "Mufasa", "Circle of Life")


def head(*fields: str, status: int = 401) -> bytes:
    """Return a head that asks who is there."""
    lines = "".join(f"WWW-Authenticate: {field}\r\n" for field in fields)
    return f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode("utf-8", "replace")


def test_the_examples_of_the_standard() -> None:
    """RFC 7616 §3.9.1, both algorithms."""
    responses = {
        "md5": "8ca523f5e9506fed4657c9700eebdbec",
        "sha-256": "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
    }
    for algorithm, response in responses.items():
        challenge = Challenge(
            "digest",
            "http-auth@example.org",
            "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
            "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
            algorithm,
            qop=True,
        )
        field = digest(
            MUFASA, challenge, "GET", "/dir/index.html", 1,
            "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
        )  # fmt: skip
        assert f'response="{response}"' in field


def test_challenges_are_read_the_best_first() -> None:
    """Several in one field or in many; what nobody can meet is passed over."""
    found = challenges(
        parse_head(
            head(
                'Basic realm="a, b", Digest realm="c", nonce="n", qop="auth,auth-int"',
                'Digest realm="c", nonce="n", algorithm=SHA-256, qop="auth"',
                'Digest realm="c", nonce="n", algorithm=SHA-512-256',
                'Negotiate abc, Digest realm="c", nonce="n", qop="auth-int"',
            )
        )
    )
    assert [(each.scheme, each.algorithm, each.realm) for each in found] == [
        ("digest", "sha-256", "c"), ("digest", "md5", "c"), ("basic", "md5", "a, b")]  # fmt: skip


def test_only_the_host_that_asks_is_told() -> None:
    """Another host, another port or another realm hears nothing."""
    logins = Logins((Credential("a.example", "u", "p", "inside"),))
    asks = parse_head(head('Basic realm="inside"'))
    assert logins.field("GET", "http://a.example/") == b""
    for url in ("http://b.example/", "http://a.example:8080/", "http://x.a.example/"):
        assert not logins.challenged(url, asks)
    assert not logins.challenged("http://a.example/", parse_head(head('Basic realm="other"')))
    assert logins.challenged("http://a.example/", asks)
    assert logins.field("GET", "http://a.example/") == b"Basic dTpw"
    assert logins.field("GET", "https://a.example/") == b""


def test_a_wrong_password_is_not_sent_again() -> None:
    """Once refused, it is kept to ourselves, lest the account be locked."""
    logins = Logins((Credential("a.example", "u", "p"),))
    asks = parse_head(head('Basic realm="x"'))
    assert logins.challenged("http://a.example/", asks)
    assert logins.field("GET", "http://a.example/")
    for _ in range(2):
        assert not logins.challenged("http://a.example/", asks)
        assert logins.field("GET", "http://a.example/") == b""


def test_a_page_that_wants_more_does_not_end_the_login() -> None:
    """Where the password was taken before, it stays good for the others."""
    logins = Logins((Credential("a.example", "u", "p"),))
    asks = parse_head(head('Basic realm="x"'))
    logins.challenged("http://a.example/", asks)
    logins.field("GET", "http://a.example/")
    assert not logins.challenged("http://a.example/", parse_head(head(status=200)))
    assert not logins.challenged("http://a.example/more", asks)
    assert logins.field("GET", "http://a.example/") == b"Basic dTpw"


def test_a_stale_nonce_is_replaced() -> None:
    """The count begins again with each nonce."""
    logins = Logins((Credential("a.example", "u", "p"),))
    url = "http://a.example/x?y"
    asked = 'Digest realm="x", nonce="%s", qop="auth"%s'
    assert logins.challenged(url, parse_head(head(asked % ("one", ""))))
    assert [b"nc=00000001" in logins.field("GET", url), b"nc=00000002" in logins.field("GET", url)]
    assert logins.challenged(url, parse_head(head(asked % ("two", ", stale=true"))))
    field = logins.field("GET", url)
    assert b'nonce="two"' in field
    assert b"nc=00000001" in field
    assert b'uri="/x?y"' in field


@given(st.lists(st.text(st.characters(exclude_characters="\r\n"), max_size=80), max_size=3))
def test_any_challenge(fields: list[str]) -> None:
    """Whatever a server asks, what it is told is one line."""
    logins = Logins((Credential("a.example", "u", "p"),))
    for scheme in ("", "Digest nonce=x,realm=", "Basic realm="):
        logins.challenged("http://a.example/", parse_head(head(*(scheme + f for f in fields))))
        assert not set(logins.field("GET", "http://a.example/")) & set(b"\r\n")


@ensureDeferred
async def test_a_site_behind_a_password(web: Any) -> None:
    """The first page is asked for twice, the others once; what was inside is kept."""

    def inside(request: Request) -> Response:
        if request.headers.get(b"authorization") == b"Basic dTpw":
            return Response.html(200, "inside")
        return Response(401, [(b"WWW-Authenticate", b'Basic realm="x"')], b"who?")

    web.pages = {"/1": inside, "/2": inside}
    host = web.url.split("/")[2]
    fetching = Fetching(access=Access(credentials=(Credential(host, "u", "p"),)))
    assert [(await fetching.get(web.url + page))[1] for page in "12"] == [b"inside", b"inside"]
    assert web.hits == ["/1", "/1", "/2"]
    fetching.connections.stop()
    stranger = Fetching(access=Access(credentials=(Credential("a.example", "u", "p"),)))
    answer, body = await stranger.get(web.url + "1")
    assert (answer.head.status, body) == (401, b"who?")
    stranger.connections.stop()
