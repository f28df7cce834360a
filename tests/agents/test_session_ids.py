"""Identifiers of sessions are found by what they look like, and names of things are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timing import processor_seconds

from agents.session_ids import without_session
from agents.urls import LENGTH_LIMIT, canonical

HEX = "0123456789abcdef0123456789ABCDEF"
HEX_160 = HEX + "01234567"
UUID = "123e4567-e89b-12d3-a456-426614174000"
RANDOM = "aZ3kq9Lm2Xw8Rt5Yb7Nc"
ASP = "f3sed1iu0zc1g5453rl3ty45"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (f"/a?x={HEX}", "/a"),
        (f"/a?x={HEX_160}&y=1", "/a?y=1"),
        (f"/a?y=1&x={HEX}", "/a?y=1"),
        (f"/a?y=1&x={HEX}&z=2", "/a?y=1&z=2"),
        (f"/a?y=1;x={HEX};z=2", "/a?y=1;z=2"),
        (f"/a?s={HEX}", "/a"),
        (f"/a?mysid={HEX}&sesskey={HEX}", "/a"),
        (f"/a?sid={HEX}", "/a"),
        ("/a?PHPSESSID=9l5k0ha3u6b2m8v1c4q7", "/a"),
        (f"/a;jsessionid={HEX}", "/a"),
        ("/a/b;jsessionid=xY!-1!2.node3?q=1", "/a/b?q=1"),
        (f"/a;jsessionid={HEX}/b", "/a/b"),
        ("/a?ASPSESSIONIDQQCDBTAR=KEJPHNABGDMLPLEFODKJAJPN", "/a"),
        ("/a?CFID=12&CFTOKEN=345&x=1", "/a?x=1"),
        ("/a?zenid=abc", "/a"),
        ("/a?osCsid=abc&x", "/a?x"),
        (f"/a?session_id={UUID}", "/a"),
        (f"/a?user_sid={RANDOM}", "/a"),
        (f"/a?sessionToken={RANDOM}%3D", "/a"),
        (f"/(S({ASP}))/a.aspx", "/a.aspx"),
        (f"/x/(A(q)S({ASP})F(z))/a.aspx", "/x/a.aspx"),
        (f"/({ASP})/a.aspx", "/a.aspx"),
        (f"/x/..;jsessionid={HEX}/b", "/b"),
    ],
)
def test_sessions_are_removed(url: str, expected: str) -> None:
    """Identifiers of sessions go, and what is beside them stays."""
    assert without_session("http://h.org" + url) == "http://h.org" + expected


@pytest.mark.parametrize(
    "url",
    [
        "/",
        f"/commit/{HEX_160}",
        f"/{HEX}?x=1",
        f"/a?id={HEX}",
        f"/a?commit={HEX_160}&x=1",
        f"/a?file_md5={HEX}",
        f"/a?productId={HEX}&imageHash={HEX_160}",
        f"/style.css?v={HEX}",
        f"/a?{HEX}",
        f"/a?x={HEX}0",
        f"/a?x={HEX[1:]}",
        f"/a?x=%20{HEX}",
        f"/a?x={UUID}",
        f"/a?x={RANDOM}",
        "/a?sid=12",
        "/a?sid=the-story-of-a-session",
        "/a?session=spring-2024",
        "/a?s=search+words",
        "/a?PHPSESSID=",
        "/a?CFID=12&x=1",
        "/a?utm_source=x&utm_campaign=y&fbclid=IwAR0123456789abcdefABCDEF",
        "/wiki/(S(x))/y",
        "/a;v=1/b;x=2",
        "/a?obsession=" + HEX[:12],
    ],
)
def test_what_names_a_thing_stays(url: str) -> None:
    """What may be needed to say what is asked for is left alone."""
    assert without_session("http://h.org" + url) == "http://h.org" + url


_VALUES = (HEX, HEX_160, UUID, RANDOM, ASP)
_NAMES = ("sid", "PHPSESSID", "x", "id", "CFID", "CFTOKEN", "jsessionid")
_PIECES = (*"?&;=/(S.%a", ";jsessionid=", "?sid=", "/(S(", "))/", "..", "&amp;")
TOKENS = st.sampled_from((*_VALUES, *_NAMES, *_PIECES))


@given(st.lists(TOKENS, max_size=24).map("".join))
def test_what_is_left_is_canonical_and_holds_none(text: str) -> None:
    """A canonical URL stays one, gets no longer, and a second time changes nothing."""
    url = canonical("http://h.org/" + text)
    if url is None:
        return
    left = without_session(url)
    assert canonical(left) == left
    assert len(left) <= len(url)
    assert without_session(left) == left


@given(
    st.from_regex(r"[a-z]{1,8}", fullmatch=True),
    st.lists(st.from_regex(r"[a-z]{1,5}=[a-z0-9]{0,9}", fullmatch=True), max_size=4),
    st.integers(0, 4),
)
def test_the_place_of_the_parameter_is_of_no_account(
    path: str, others: list[str], place: int
) -> None:
    """Wherever it stands, the same URL is left."""
    plain = f"http://h.org/{path}" + ("?" + "&".join(others) if others else "")
    with_session = [*others[:place], f"PHPSESSID={HEX}", *others[place:]]
    assert without_session(f"http://h.org/{path}?{'&'.join(with_session)}") == plain


@pytest.mark.parametrize(
    "piece",
    [";jsessionid=", "&sid=", f"&x={HEX}", "/(S(", "/(A(x)", "&a_a_a_a", "&" + "s" * 30, ";a.a.a."],
)
def test_hostile_urls_are_quick(piece: str) -> None:
    """The longest URLs cost milliseconds."""
    url = ("http://h/?" + piece * LENGTH_LIMIT)[:LENGTH_LIMIT]

    def ask() -> None:
        without_session(url)
        without_session(url.replace("?", "", 1))
        without_session(url[: LENGTH_LIMIT - 2] + "=1")

    assert processor_seconds(ask) < 0.3
