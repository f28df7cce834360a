"""A list of mementos is read as it was written, a page at a time."""

import json

from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.lookup.structures import CaptureLine
from agents.consultation.memento.fields import Addresses
from agents.consultation.memento.timemaps import PAGE, TimeMap, as_json, as_links

URL = "http://a.example/?a=1&b=2,3"
REPLAY = Addresses("http://harbor.example", "http://replay.example")


def timemap(count, page=1, addresses=REPLAY):
    """Return a page of the list of so many captures, one a second."""
    lines = [
        CaptureLine(URL, f"20260101{n // 3600:02}{n // 60 % 60:02}{n % 60:02}000000", "", 0, 200)
        for n in range(count)
    ]
    return TimeMap(URL, lines, page, addresses)


@given(st.integers(1, 3 * PAGE), st.data())
def test_each_memento_is_on_one_page(count, data):
    """Pages hold all captures in their order, and know their neighbours."""
    whole = timemap(count)
    pages = [timemap(count, page) for page in range(1, whole.pages + 1)]
    assert [each for page in pages for each in page.shown] == list(whole.captures)
    page = data.draw(st.sampled_from(pages))
    assert len(page.shown) <= PAGE
    assert all(1 <= near <= whole.pages for _, near in page.neighbours())


def test_link_format():
    """Original, TimeGate, itself with its span, and the mementos with their dates."""
    lines = as_links(timemap(2)).decode().splitlines()
    assert lines == [
        f'<{URL}>; rel="original",',
        f'<http://harbor.example/timegate/{URL}>; rel="timegate",',
        f'<http://harbor.example/timemap/link/{URL}>; rel="self"; type="application/link-format"; '
        'from="Thu, 01 Jan 2026 00:00:00 GMT"; until="Thu, 01 Jan 2026 00:00:01 GMT",',
        f'<http://replay.example/web/20260101000000id_/{URL}>; rel="first memento"; '
        'datetime="Thu, 01 Jan 2026 00:00:00 GMT",',
        f'<http://replay.example/web/20260101000001id_/{URL}>; rel="last memento"; '
        'datetime="Thu, 01 Jan 2026 00:00:01 GMT"',
    ]


def test_pages_lead_on():
    """A page in the middle names the one before and the one after."""
    text = as_links(timemap(2 * PAGE + 1, 2)).decode()
    assert f'<http://harbor.example/timemap/link/{URL}>; rel="prev timemap"' in text
    assert f'<http://harbor.example/timemap/link/3/{URL}>; rel="next timemap"' in text
    assert text.count("memento") == PAGE


def test_json():
    """The same, as the field's JSON."""
    found = json.loads(as_json(timemap(2 * PAGE + 1, 2)))
    assert found["original_uri"] == URL
    assert len(found["mementos"]["list"]) == PAGE
    assert found["mementos"]["first"]["datetime"] == "2026-01-01T00:00:00Z"
    assert found["mementos"]["last"]["uri"].endswith(f"id_/{URL}")
    assert found["pages"]["next"]["uri"] == f"http://harbor.example/timemap/json/3/{URL}"
    assert found["self"] == f"http://harbor.example/timemap/json/2/{URL}"


def test_without_a_replay_server_each_memento_is_at_its_own_url():
    """Through the proxy the URL itself is read at each date."""
    assert f'<{URL}>; rel="first last memento"' in as_links(timemap(1, 1, Addresses())).decode()
