"""Files as browser crawlers and Heritrix write them come in and go out, record for record."""

import gzip
import json
from pathlib import Path

import pytest
from exchange import captures, dlweb, records
from warcs import about, digest, exchange_of, record, revisit_of

URL = "https://www.example.org/"


def browser_crawl() -> list[bytes]:
    """Return records as browsertrix has warcio.js write them."""
    page = b"<title>A page</title>" * 50
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nx-orig-content-encoding: br\r\n\r\n"
    dressed = {
        "WARC-Payload-Digest": digest(page),
        "WARC-Page-ID": "9c4c5ea1-e6a0-4d0f-9f0c-7fd25e8ab5f5",
        "WARC-Resource-Type": "document",
        "WARC-Protocol": "h2",
        "WARC-JSON-Metadata": '{"ipType":"Public","cert":{"issuer":"R3","ctc":"1"}}',
    }
    form = b"content-type: application/x-www-form-urlencoded\r\n\r\na=1&b=%C3%A9"
    info = {"urls": {URL: {"status": 200}}, "ts": "2020-01-01T00:00:00Z"}
    screenshot = {"Content-Type": "image/png", "WARC-Date": "2020-01-01T00:00:04.123Z"}
    return [
        record(
            "warcinfo", {"Content-Type": "application/warc-fields"}, b"software: Browsertrix\r\n"
        ),
        record("response", {**about(URL, 0, "response"), **dressed}, head + page),
        record("request", about(URL, 0, "request"), b"GET / HTTP/1.1\r\ncookie: a=b\r\n\r\n"),
        revisit_of(f"{URL}same", page, 1),
        record("response", about(f"{URL}form", 2, "response"), head + b"thanks"),
        record("request", about(f"{URL}form", 2, "request"), b"POST /form HTTP/1.1\r\n" + form),
        record("resource", {"WARC-Target-URI": f"urn:view:{URL}", **screenshot}, b"\x89PNG" * 900),
        record(
            "resource",
            {"WARC-Target-URI": f"urn:pageinfo:{URL}", "WARC-Date": "2020-01-01T00:00:05Z"},
            json.dumps(info).encode(),
        ),
        record(
            "resource",
            {"WARC-Target-URI": f"urn:text:{URL}", **screenshot, "Content-Type": "text/plain"},
            "Text, déjà".encode(),
        ),
        record("metadata", {**about(URL, 0, ""), "Content-Type": "application/json"}, b"{}"),
    ]


def heritrix_crawl() -> list[bytes]:
    """Return records as Heritrix writes them."""
    seed = "http://www.example.org/"
    dns = {"WARC-Target-URI": "dns:www.example.org", "WARC-Date": "2020-01-01T00:00:00Z"}
    hops = b"via: http://www.example.org/\r\nhopsFromSeed: LLE\r\nfetchTimeMs: 12\r\n\r\n"
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    shouting = chunked.replace(b"5\r\n", b"05;x=y\r\n")
    cut = {"WARC-Truncated": "length"}
    return [
        record("warcinfo", {"WARC-Filename": "IAH-1.warc.gz"}, b"software: Heritrix/3.4\r\n"),
        record(
            "response",
            {**dns, "Content-Type": "text/dns"},
            b"20200101000000\nwww. 60 IN A 192.0.2.1\n",
        ),
        *exchange_of(f"{seed}robots.txt", b"User-agent: *\nDisallow:\n", 1),
        record("response", about(f"{seed}chunks", 2, "response"), chunked),
        record("response", about(f"{seed}odd-chunks", 3, "response"), shouting),
        record("response", {**about(f"{seed}cut", 4, "response"), **cut}, chunked[:-12]),
        record("metadata", {**about(seed, 1, ""), "Content-Type": "application/warc-fields"}, hops),
        record("conversion", {**about(seed, 1, ""), "Content-Type": "text/plain"}, b"hello" * 500),
        record(
            "request", about(f"{seed}large", 5, "request"), b"POST / HTTP/1.1\r\n\r\n" + b"x" * 9**6
        ),
    ]


CRAWLS = {"browser": browser_crawl, "heritrix": heritrix_crawl}


@pytest.mark.parametrize("crawler", CRAWLS)
def test_every_record_comes_out_as_it_came_in(tmp_path: Path, crawler: str) -> None:
    """The same records in the same order: versions, fields in their order, and blocks."""
    made = CRAWLS[crawler]()
    file = tmp_path / f"{crawler}.warc.gz"
    file.write_bytes(b"".join(gzip.compress(each) for each in made))
    assert dlweb("import", tmp_path, file)["well"]
    out = tmp_path / "out"
    assert dlweb("export", tmp_path, "--output", out, "--compression", "none")["well"]
    [path] = out.glob("*.warc")
    written = path.read_bytes()
    assert written[written.index(made[0]) :] == b"".join(made)
    assert [each.kind for each in records(path)][1:] == [each.kind for each in records(file)]


def test_what_has_an_address_on_the_web_can_be_read(tmp_path: Path) -> None:
    """Answers become captures, forms under names of their own; what a crawler notes does not."""
    file = tmp_path / "browser.warc"
    file.write_bytes(b"".join(browser_crawl()))
    dlweb("import", tmp_path, file)
    found = {it["url"]: it for it in captures(tmp_path / "storage-1")}
    read = [url for url in found if not url.startswith("warc:")]
    assert len(read) == 3
    assert found[URL]["content"] == found[f"{URL}same"]["content"]
    [form] = [url for url in read if "form" in url]
    assert form != f"{URL}form"
