"""Documents made to hurt the light parsers: time stays linear, and memory bounded."""

import tracemalloc

import pytest
from timing import processor_seconds

from agents.parsers import Source, registry

SIZE = 30_000
NEAR = [
    "<asx><entry>", "<!--", "<a b='", "<a b=\"c\" ", "<ref href=x>", "<title>", "&", "&#", "&amp",
    "<rss><item><title>", "<link>/a</link>", "<feed xml:base='a/'>", "<entry xml:base='/b'>",
    "<content type='xhtml'>", "<urlset><loc>", "<MPD><Period><Representation>", "<BaseURL>a/",
    "<SegmentTemplate media='$Number$$Time$'>", "<S d='1' r='9999'/>", "<x xmlns:y='z'>", "</x>",
    "http://", "www.a", "http://a/)", "(((", "http://a.b/((((((((", "...", "mms://", "\t", "\r",
    "#EXT-X-KEY:URI=\"", "#EXTINF:1,\"", "{$a}", "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"\n",
    "File1=a\n", "Title9=", "rect a 0,0 ", "0,0 ", "circle (1,1) ", "\"", "00:00 --> 1\n",
    "<v a>", "URL=", "PT1H", "]]>", "<![CDATA[", "<?xml ", "<!DOCTYPE a [", "<!ENTITY a 'b'>",
]  # fmt: skip
WITHIN = {"m3u": "#EXTM3U\n#EXT-X-A\n"}  # where each format has something to read
CHUNKED = sorted(
    name
    for name, parser in registry().by_name.items()
    if parser.format.chunked
    and not parser.format.heavy
    and name not in ("css", "html", "xhtml", "flash", "rtf", "gzip")
)


def seconds(name: str, document: bytes) -> float:
    """Return the processor time that a document takes, in chunks as of a network."""

    def read() -> None:
        parser = registry().by_name[name](Source("http://a.example/", text=True))
        for place in range(0, len(document), 1400):
            for _ in parser.feed(document[place : place + 1400]):
                pass
        for _ in parser.close():
            pass

    return processor_seconds(read)


@pytest.mark.slow
@pytest.mark.parametrize("name", CHUNKED)
def test_time_is_linear(name: str) -> None:
    """What is repeated fourfold takes about four times as long, whatever it is."""
    for near in NEAR:
        for before in ("", WITHIN.get(name, "<rss><item>")):
            document = (before + near * (SIZE // len(near))).encode()
            once = seconds(name, document)
            if once > 0.05:
                assert seconds(name, document * 4) < 12 * once, near


@pytest.mark.slow
@pytest.mark.parametrize("name", CHUNKED)
def test_memory_is_bounded(name: str) -> None:
    """An endless document keeps no more than the limits, whatever it goes on with."""
    for near in (b"x", b"<a>", b"<a b='", b"<link>x", b"http://a/ ", b"File1=a\nTitle1=b\n"):
        parser = registry().by_name[name](Source("http://a.example/", text=True))
        chunk = near * (20_000 // len(near))
        tracemalloc.start()
        for _ in range(20):
            for _ in parser.feed(chunk):
                pass
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 6_000_000, near
