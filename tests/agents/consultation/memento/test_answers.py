"""TimeGates lead to the nearest memento, TimeMaps list them all, and faults are none."""

import json

import pytest
from pytest_twisted import ensureDeferred

from agents.consultation.access.rules import arranged

URL = "http://www.example.org/page?a=1&b=2"
OLD, MIDDLE, NEW = (f"20{year}0101000000000000" for year in (10, 15, 20))


@pytest.fixture
def captures(archive):
    """Three captures of a URL."""
    return [archive.add(URL, date.encode(), date=date) for date in (OLD, MIDDLE, NEW)]


@pytest.mark.parametrize(
    ("asked", "year"),
    [
        ("Fri, 01 Jan 2010 00:00:00 GMT", 2010),
        ("Mon, 01 Jan 1990 00:00:00 GMT", 2010),
        ("Thu, 01 Jan 2099 00:00:00 GMT", 2020),
        ("2015-02-03", 2015),
        (None, 2020),
    ],
)
@ensureDeferred
async def test_a_timegate_leads_to_the_nearest(room, captures, asked, year):
    """302, with what varies, where the rest is, and no date of its own (pattern 2.1)."""
    fields = {"Accept_Datetime": asked} if asked else {}
    status, headers, _ = await room.ask(room.pages, f"/timegate/{URL}", **fields)
    assert status == 302
    assert headers["location"] == f"http://{room.replay}/web/{year}0101000000id_/{URL}"
    assert headers["vary"] == "accept-datetime"
    assert "memento-datetime" not in headers
    for relation in ('"original"', '"timegate"', '"timemap"', "first", "last", "memento"):
        assert relation in headers["link"]
    status, headers, body = await room.ask(
        room.replay, headers["location"].removeprefix(f"http://{room.replay}")
    )
    assert (status, body) == (200, f"{year}0101000000000000".encode())
    assert str(year) in headers["memento-datetime"] and 'rel="original"' in headers["link"]


@pytest.mark.parametrize(
    ("target", "status", "asked"),
    [
        (f"/timegate/{URL}", 400, "yesterday"),
        ("/timegate/nonsense", 400, None),
        ("/timegate/http://unknown.example/", 404, None),
        ("/timemap/link/http://unknown.example/", 404, None),
        (f"/timemap/link/2/{URL}", 404, None),
        (f"/timemap/link/0/{URL}", 404, None),
        (f"/timemap/xml/{URL}", 400, None),
        ("/timemap/link/", 400, None),
    ],
)
@ensureDeferred
async def test_what_is_not_there_is_no_memento(room, captures, target, status, asked):
    """An error says why, and has no date (RFC 7089 §4.5, pywb issue 549)."""
    fields = {"Accept_Datetime": asked} if asked else {}
    found, headers, body = await room.ask(room.pages, target, **fields)
    assert (found, "memento-datetime" in headers) == (status, False)
    assert body.endswith(b"\n") and headers["cache-control"] == "no-store"


@ensureDeferred
async def test_the_harbor_has_them_too(room, captures):
    """Through the proxy the list is at the harbor, and names addresses there."""
    status, headers, body = await room.ask(room.proxy, f"http://dlweb/timemap/link/{URL}")
    assert (status, headers["content-type"]) == (200, "application/link-format")
    assert body.count(b'memento"; datetime') == 3
    assert f'<http://dlweb/timegate/{URL}>; rel="timegate"'.encode() in body
    status, headers, _ = await room.ask(room.proxy, f"http://dlweb/timegate/{URL}")
    assert (status, headers["location"][:30]) == (302, f"http://{room.replay}/web/20200101"[:30])


@ensureDeferred
async def test_without_a_replay_server_the_proxy_is_named(room, captures):
    """A memento that has no URL of its own is not led to."""
    room.addresses.replay = ""
    status, _, body = await room.ask(room.pages, f"/timegate/{URL}")
    assert (status, b"proxy" in body) == (501, True)


@ensureDeferred
async def test_a_list_as_json_at_the_name_it_was_asked_by(room, captures):
    """Addresses in it are those by which the client came."""
    port = room.pages.rpartition(":")[2]
    _, headers, body = await room.ask(room.pages, f"/timemap/json/{URL}", Host=f"localhost:{port}")
    found = json.loads(body)
    assert headers["content-type"] == "application/json"
    assert [each["datetime"][:4] for each in found["mementos"]["list"]] == ["2010", "2015", "2020"]
    assert found["timegate_uri"] == f"http://localhost:{port}/timegate/{URL}"


@ensureDeferred
async def test_an_encoded_url_is_taken_too(room, captures):
    """A client that encodes the URL it puts into a path means the same one."""
    encoded = URL.replace(":", "%3A").replace("/", "%2F").replace("?", "%3F")
    status, _, body = await room.ask(room.pages, f"/timemap/link/{encoded}")
    assert (status, body.count(b"datetime=")) == (200, 3)


@ensureDeferred
async def test_what_is_kept_back_is_in_no_list(room, captures, tmp_path):
    """Captures that may not be shown are not told of either."""
    path = tmp_path / "rules.yaml"
    path.write_text("- {urls: '*', kind: takedown, from: '2015', to: '2015', reason: no}\n")
    room.rules._take(*arranged(path))
    _, _, body = await room.ask(room.pages, f"/timemap/link/{URL}")
    assert body.count(b"datetime=") == 2 and b"2015" not in body
    path.write_text("- {urls: '*', kind: takedown, to: '2030', reason: no}\n")
    room.rules._take(*arranged(path))
    assert (await room.ask(room.pages, f"/timemap/link/{URL}"))[0] == 404


@ensureDeferred
async def test_https_captures_stand_in(room, archive):
    """A list of an http:// URL that has none is that of its https:// twin."""
    archive.add(URL.replace("http:", "https:"), b"x", date=OLD)
    status, _, body = await room.ask(room.pages, f"/timemap/link/{URL}")
    assert status == 200 and f"id_/{URL.replace('http:', 'https:')}".encode() in body
