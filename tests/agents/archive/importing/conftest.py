"""Files of web archives, made by hand, so that tests know every byte of them."""

import gzip
from base64 import b32encode
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest

from agents.capture import Capture
from agents.storage.disk.copies import captures_of
from agents.storage.disk.layout import Layout

DATE = "2020-02-03T04:05:06Z"


class Files:
    """Makes records, and files of them."""

    def record(self, kind: str, block: bytes = b"", *, target: str = "", **more: str) -> bytes:
        """Return a record of WARC 1.1; `more` is other fields, `_` for `-` in their names."""
        fields = {
            "WARC-Type": kind,
            "WARC-Record-ID": self.name(kind, target, block),
            "WARC-Date": DATE,
        }
        if target:
            fields["WARC-Target-URI"] = target
        fields |= {name.replace("_", "-"): value for name, value in more.items()}
        fields["Content-Length"] = str(len(block))
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return b"WARC/1.1\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n"

    def name(self, kind: str, target: str, block: bytes) -> str:
        """Return the identifier that `record` gives a record."""
        return f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{kind} {target} {sha1(block).hexdigest()}')}>"

    def response(self, target: str, body: bytes, *, head: bytes = b"", **more: str) -> bytes:
        """Return the record of an answer of HTTP."""
        more.setdefault("Content_Type", "application/http; msgtype=response")
        return self.record("response", (head or self.head()) + body, target=target, **more)

    def head(self, *lines: str, status: str = "200 OK") -> bytes:
        """Return the head of an answer."""
        said = "".join(f"{line}\r\n" for line in ("Content-Type: text/html", *lines))
        return f"HTTP/1.1 {status}\r\n{said}\r\n".encode()

    def digest(self, body: bytes) -> str:
        """Return the SHA-1 of a body, as WARC writes it."""
        return "sha1:" + b32encode(sha1(body).digest()).decode()

    def revisit(self, target: str, body: bytes, head: bytes = b"", **more: str) -> bytes:
        """Return a record that says: the same payload as there was before."""
        more.setdefault("WARC_Payload_Digest", self.digest(body))
        more.setdefault("Content_Type", "application/http; msgtype=response")
        more.setdefault(
            "WARC_Profile",
            "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        )
        return self.record("revisit", head, target=target, **more)

    def plain(self, path: Path, *records: bytes) -> Path:
        """Write a file without compression."""
        path.write_bytes(b"".join(records))
        return path

    def compressed(self, path: Path, *records: bytes) -> Path:
        """Write a file with a gzip member a record."""
        path.write_bytes(b"".join(gzip.compress(each, 1, mtime=0) for each in records))
        return path


@pytest.fixture(scope="session")
def files() -> Files:
    """Give what makes files."""
    return Files()


@pytest.fixture(scope="session")
def captures_in() -> Callable[[Path], list[Capture]]:
    """Give what reads every capture of a disk, in the order of URLs and dates."""

    def read(disk: Path) -> list[Capture]:
        layout = Layout(disk)
        keys = [path.stem for path in sorted((disk / "structures").glob("*/*/*.captures"))]
        found = [each for key in keys for each in captures_of([layout], key, damage=[])]
        return sorted(found, key=lambda each: (each.url, each.date, each.content))

    return read
