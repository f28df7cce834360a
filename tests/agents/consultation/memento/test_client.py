"""A Memento client that others wrote finds its way: memento_client, of those who wrote RFC 7089."""

from datetime import datetime

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

memento_client = pytest.importorskip("memento_client")
requests = pytest.importorskip("requests")

URL = "http://www.example.org/page?a=1"
YEARS = (2010, 2012, 2015, 2018, 2020)


@pytest.fixture
def captures(archive):
    """A capture of a URL in each of five years."""
    for year in YEARS:
        archive.add(URL, str(year).encode(), date=f"{year}0101000000000000")


@ensureDeferred
async def test_it_finds_mementos_by_our_timegate(room, captures):
    """By TimeGate and redirect: the closest, its neighbours, the first and the last."""

    def ask():
        session = requests.Session()
        session.trust_env = False
        client = memento_client.MementoClient(
            timegate_uri=f"http://{room.pages}/timegate/",
            check_native_timegate=False,
            session=session,
        )
        # The client asks the original first; here its own web is the archive's proxy.
        session.proxies = {"http": f"http://{room.proxy}"}
        session.mount(f"http://{room.pages}", Direct())
        session.mount(f"http://{room.replay}", Direct())
        found = client.get_memento_info(URL, datetime(2015, 3, 1))
        closest = found["mementos"]["closest"]
        return found, session.get(closest["uri"][0]).text

    found, text = await deferToThread(ask)
    mementos = found["mementos"]
    assert found["original_uri"] == URL
    assert found["timegate_uri"] == f"http://{room.pages}/timegate/{URL}"
    assert {name: each["datetime"].year for name, each in mementos.items()} == {
        "first": 2010, "prev": 2012, "closest": 2015, "next": 2018, "last": 2020,
    }  # fmt: skip
    assert mementos["closest"]["http_status_code"] == 200
    assert mementos["prev"]["uri"] == [f"http://{room.replay}/web/20120101000000id_/{URL}"]
    assert text == "2015"


class Direct(requests.adapters.HTTPAdapter):
    """Connects without the proxy."""

    def send(self, *given, **named):
        """Send a request directly."""
        return super().send(*given, **{**named, "proxies": None})


@ensureDeferred
async def test_it_knows_the_proxy_for_timegate_and_memento(room, captures):
    """Through the proxy, a URL answers 200 as its own TimeGate, with its date (pattern 1.3)."""

    def ask():
        client = memento_client.MementoClient
        session = requests.Session()
        session.trust_env = False
        session.proxies = {"http": f"http://{room.proxy}"}
        date = client.convert_to_http_datetime(datetime(2012, 5, 1))
        answer = client.request_head(URL, accept_datetime=date, session=session)
        hole = client.request_head("http://hole.example/", accept_datetime=date, session=session)
        return (
            client.is_timegate(URL, response=answer),
            client.is_memento(URL, response=answer),
            client.convert_to_datetime(answer.headers["Memento-Datetime"]).year,
            "Memento-Datetime" in hole.headers,
            client(session=session).get_original_uri(URL),
        )

    assert await deferToThread(ask) == (True, True, 2012, False, URL)
