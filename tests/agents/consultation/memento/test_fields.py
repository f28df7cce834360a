"""What an answer says of itself as a memento, and of its neighbours."""

from datetime import datetime

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from agents import dates
from agents.capture import Capture
from agents.consultation.lookup.structures import Nearest
from agents.consultation.memento.fields import (
    Addresses,
    distinct_links,
    http_date,
    memento_fields,
    memento_links,
)

URL = "http://a.example/x?y=1,2;3"
FIRST, OLD, NOW, LAST = (f"20{year}0101000000000000" for year in (10, 12, 14, 16))
CAPTURE = Capture(URL, NOW, "ab" * 32, 1, 200, b"HTTP/1.1 200 OK\r\n\r\n")
NEAREST = Nearest(CAPTURE, 4, FIRST, LAST, OLD, LAST)
REPLAY = Addresses("http://harbor.example", "http://replay.example")


@given(st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1)))
def test_a_date_comes_back_from_http(moment):
    """What is written for HTTP is read as the same second."""
    date = dates.from_datetime(moment.replace(microsecond=0))
    assert dates.parse(http_date(date)) == date
    assert http_date(date).endswith(" GMT")


def test_through_the_proxy_a_url_is_its_own_timegate():
    """Pattern 1.3: one URL is original, TimeGate and memento."""
    fields = dict(memento_fields(NEAREST))
    assert fields[b"Memento-Datetime"] == b"Wed, 01 Jan 2014 00:00:00 GMT"
    assert fields[b"Vary"] == b"accept-datetime"
    assert fields[b"Link"].decode() == (
        f'<{URL}>; rel="original timegate", <http://dlweb/timemap/link/{URL}>; rel="timemap"; '
        'type="application/link-format"; from="Fri, 01 Jan 2010 00:00:00 GMT"; '
        'until="Fri, 01 Jan 2016 00:00:00 GMT"'
    )


def test_mementos_with_urls_of_their_own_are_linked():
    """The first, the last, the neighbours and the memento itself, each once."""
    links = memento_links(NEAREST, REPLAY)
    base = f"http://replay.example/web/{{}}0101000000id_/{URL}"
    assert f'<{base.format(2010)}>; rel="first memento"; datetime="Fri, 01 Jan 2010' in links
    assert f'<{base.format(2012)}>; rel="prev memento"' in links
    assert f'<{base.format(2014)}>; rel="memento"' in links
    assert f'<{base.format(2016)}>; rel="next last memento"' in links
    assert links.count("<") == 4


def test_a_memento_elsewhere_has_its_timegate_elsewhere():
    """Where URLs differ, the original and the TimeGate are named apart."""
    links = distinct_links(NEAREST, REPLAY)
    assert links.startswith(f'<{URL}>; rel="original", <http://harbor.example/timegate/{URL}>')


@pytest.mark.parametrize("wrong", [{"capture": evolve(CAPTURE, date="x" * 20)}, {"first": "1"}])
def test_a_date_that_is_none_is_not_said(wrong):
    """A node that gives nonsense for a date costs the fields, not the answer."""
    assert memento_fields(evolve(NEAREST, **wrong)) == []


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\nMEMENTO-datetime: x\r\n\r\n"])
def test_only_what_does_not_say_it_itself(head):
    """A capture that is a memento of another archive keeps its own fields."""
    capture = Capture(URL, NOW, "ab" * 32, 1, 200, head)
    assert bool(memento_fields(Nearest(capture))) is not head.startswith(b"HTTP")
