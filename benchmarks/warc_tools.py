"""What warc.py compares: libraries that read and write WARC files, each in its own process.

    python benchmarks/warc_tools.py ACTION FILE [BYTES]

It prints seconds of the clock and of the processor, what is imported before not counted, and how
many records there were.
"""

import io
import json
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

DOCUMENTS = Path("/usr/share/doc")
_BEGINNING = datetime(2026, 11, 1, tzinfo=UTC)
_PIECE = 1 << 16


class Page(NamedTuple):
    """A page as a crawler meets it."""

    url: str
    date: str
    request: bytes
    response: bytes


def pages(size: int) -> Iterator[Page]:
    """Yield manuals that Debian brings, with the heads that a server and a crawler send.

    Once all were given, they are captured again a week later; it ends after `size` bytes.
    """
    files = [path for path in sorted(DOCUMENTS.rglob("*.html")) if path.is_file()]
    if not files:
        sys.exit("install some manuals first: apt-get install python3.11-doc postgresql-doc-15")
    for number in range(10**9):
        path = files[number % len(files)]
        week = timedelta(days=7 * (number // len(files)))
        date = _BEGINNING + week + timedelta(seconds=number % len(files))
        body = path.read_bytes()
        place = path.relative_to(DOCUMENTS).as_posix()
        request = (
            f"GET /{place} HTTP/1.1\r\nHost: manuals.example\r\nUser-Agent: Mozilla/5.0 (X11; "
            "Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\nAccept: text/html,*/*;q=0.8"
            "\r\nAccept-Language: en\r\nAccept-Encoding: identity\r\nConnection: keep-alive\r\n\r\n"
        ).encode()
        head = (
            f"HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: {date:%a, %d %b %Y %H:%M:%S GMT}\r\n"
            f"Content-Type: text/html\r\nContent-Length: {len(body)}\r\n"
            "Last-Modified: Sat, 10 Jun 2023 08:00:00 GMT\r\nConnection: keep-alive\r\n"
            f'ETag: "64842d80-{len(body):x}"\r\nAccept-Ranges: bytes\r\n\r\n'
        ).encode()
        url = f"http://manuals.example/{place}"
        yield Page(url, f"{date:%Y-%m-%dT%H:%M:%SZ}", request, head + body)
        size -= len(request) + len(head) + len(body)
        if size <= 0:
            return


def read_fastwarc(file: Path) -> int:
    """Read all records, with the heads of HTTP parsed."""
    from fastwarc.warc import ArchiveIterator

    count = 0
    for record in ArchiveIterator(str(file)):
        record.consume()
        count += 1
    return count


def digest_fastwarc(file: Path) -> int:
    """Read all records; SHA-1 of blocks and payloads must be what they say."""
    from fastwarc.warc import ArchiveIterator

    count = 0
    for record in ArchiveIterator(str(file), verify_digests=True):
        if record.headers.get("WARC-Payload-Digest"):
            assert record.verify_payload_digest(True)
        count += 1
    return count


def read_warcio(file: Path, *, check: bool = False) -> int:
    """Read all records."""
    from warcio.archiveiterator import ArchiveIterator

    count = 0
    with file.open("rb") as raw:
        for record in ArchiveIterator(raw, check_digests="raise" if check else False):
            stream = record.content_stream() if check else record.raw_stream
            while stream.read(_PIECE):
                pass
            count += 1
    return count


def digest_warcio(file: Path) -> int:
    """Read all records; their digests must be what they say."""
    return read_warcio(file, check=True)


def read_dlweb(file: Path, *, check: bool = False) -> int:
    """Read all records."""
    from anet.formats.digests import verified
    from anet.formats.reading import open_records
    from anet.formats.record import Record

    count = 0
    with open_records(file) as reader:
        for record in verified(reader) if check else reader:
            assert isinstance(record, Record), record
            while record.block.read(_PIECE):  # type: ignore[attr-defined]
                pass
            count += 1
    return count


def digest_dlweb(file: Path) -> int:
    """Read all records; SHA-1 of blocks and payloads must be what they say."""
    return read_dlweb(file, check=True)


def write_fastwarc(file: Path, found: list[Page]) -> int:
    """Write request and response of pages, with digests, each a member of gzip."""
    from fastwarc.stream_io import GzipWriter
    from fastwarc.warc import WarcRecord, WarcRecordType

    with file.open("wb") as raw:
        out = GzipWriter(raw)
        for page in found:
            response = uuid.uuid4().urn
            for kind, block in (("response", page.response), ("request", page.request)):
                record = WarcRecord()
                urn = response if kind == "response" else uuid.uuid4().urn
                record.init_headers(
                    record_type=getattr(WarcRecordType, kind), record_urn=urn[4:].encode()
                )
                record.headers["WARC-Target-URI"] = page.url
                record.headers["WARC-Date"] = page.date
                record.headers["Content-Type"] = f"application/http; msgtype={kind}"
                if kind == "request":
                    record.headers["WARC-Concurrent-To"] = f"<{response}>"
                record.set_bytes_content(block)
                record.is_http = True
                record.parse_http()  # or it writes no digest of the payload
                record.write(out, checksum_data=True)
                out.finish()  # a member of its own for each record, so that one can be read alone
        out.close()
    return 2 * len(found)


def write_warcio(file: Path, found: list[Page]) -> int:
    """Write the same with warcio."""
    from warcio.statusandheaders import StatusAndHeadersParser
    from warcio.warcwriter import WARCWriter

    answers, questions = StatusAndHeadersParser(["HTTP/1.1"]), StatusAndHeadersParser(["GET"])
    with file.open("wb") as raw:
        writer = WARCWriter(raw, gzip=True, warc_version="1.1")
        for page in found:
            response, question = io.BytesIO(page.response), io.BytesIO(page.request)
            head, asked = answers.parse(response), questions.parse(question)
            dated = {"WARC-Date": page.date}
            first, second = (
                writer.create_warc_record(
                    page.url, kind, block, warc_headers_dict=dated, http_headers=lines
                )
                for kind, block, lines in (
                    ("response", response, head), ("request", question, asked)
                )
            )  # fmt: skip
            writer.write_request_response_pair(second, first)
    return 2 * len(found)


READERS: dict[str, Callable[[Path], int]] = {
    each.__name__: each
    for each in (
        read_fastwarc, digest_fastwarc, read_warcio, digest_warcio, read_dlweb, digest_dlweb
    )
}  # fmt: skip
WRITERS: dict[str, Callable[[Path, list[Page]], int]] = {
    each.__name__: each for each in (write_fastwarc, write_warcio)
}


def main() -> None:
    """Do one thing, and say what it took."""
    action, file = sys.argv[1], Path(sys.argv[2])
    found = list(pages(int(sys.argv[3]))) if action in WRITERS else []
    began, spent = time.perf_counter(), time.process_time()
    count = WRITERS[action](file, found) if action in WRITERS else READERS[action](file)
    took = {
        "seconds": time.perf_counter() - began,
        "processor": time.process_time() - spent,
        "records": count,
    }
    print(json.dumps(took))


if __name__ == "__main__":
    main()
