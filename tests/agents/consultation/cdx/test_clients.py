"""The field's own clients read this archive."""

from datetime import date

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

URL = "http://example.org/a"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


async def fill(served):
    """Put twelve captures of six URLs into the archive."""
    for number in range(6):
        for year in (2020, 2023):
            body = f"{number} in {year}".encode()
            await served.add(f"{URL}/{number}", body, date=f"{year}0601120000000000", head=HEAD)


@ensureDeferred
async def test_cdx_toolkit_lists_and_fetches(served, monkeypatch):
    """cdx_toolkit, as with pywb: lists by prefix and page, filters, dates, and WARC records."""
    cdx_toolkit = pytest.importorskip("cdx_toolkit")
    from cdx_toolkit import myrequests

    monkeypatch.setitem(myrequests.retry_info["default"], "minimum_interval", 0.0)
    await fill(served)
    base = f"http://{served.address}"

    def ask():
        fetcher = cdx_toolkit.CDXFetcher(source=f"{base}/cdx", warc_download_prefix=f"{base}/warc")
        got = fetcher.get(f"{URL}/*", limit=100)
        iterated = list(fetcher.iter("*.example.org", limit=100))
        late = fetcher.get(f"{URL}/*", from_ts="2022", filter=["=status:200"])
        none = fetcher.get("http://none.example/")
        pages = fetcher.get_size_estimate("*.example.org", as_pages=True)
        return got, iterated, late, none, pages, [each.content for each in got]

    got, iterated, late, none, pages, contents = await deferToThread(ask)
    assert [each["url"] for each in got] == [f"{URL}/{n}" for n in range(6) for _ in range(2)]
    assert len(iterated) == 12 and len(late) == 6 and none == [] and pages == 1
    assert contents == [f"{n} in {year}".encode() for n in range(6) for year in (2020, 2023)]


@ensureDeferred
async def test_the_wayback_client_searches(served, monkeypatch):
    """The package `wayback` searches by prefix and date, and goes on by resume keys."""
    wayback = pytest.importorskip("wayback")
    from wayback import _client

    await fill(served)
    monkeypatch.setattr(_client, "CDX_SEARCH_URL", f"http://{served.address}/cdx/search/cdx")

    def ask():
        session = wayback.WaybackSession(search_calls_per_second=0)
        with wayback.WaybackClient(session) as client:
            whole = list(client.search(f"{URL}/*", limit=5))
            late = list(client.search(f"{URL}/1", from_date=date(2022, 1, 1)))
        return whole, late

    whole, late = await deferToThread(ask)
    assert [each.original for each in whole] == [f"{URL}/{n}" for n in range(6) for _ in range(2)]
    assert [each.timestamp.year for each in late] == [2023]
    assert whole[0].mimetype == "text/html" and whole[0].statuscode == 200
