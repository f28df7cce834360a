"""Records of WARC 1.1, made by hand."""

from base64 import b32encode
from hashlib import sha1
from uuid import NAMESPACE_URL, uuid5

_HTTP = "application/http; msgtype="
_PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"


def record(kind: str, fields: dict[str, str], block: bytes) -> bytes:
    """Return a record; `fields` are all but type, identifier and length."""
    named = f"{kind} {sorted(fields.items())} {sha1(block).hexdigest()}"
    identity = f"<urn:uuid:{uuid5(NAMESPACE_URL, named)}>"
    whole = {"WARC-Type": kind, "WARC-Record-ID": identity, **fields}
    whole["Content-Length"] = str(len(block))
    head = "".join(f"{name}: {value}\r\n" for name, value in whole.items())
    return b"WARC/1.1\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n"


def digest(data: bytes) -> str:
    """Return the SHA-1 of some bytes, as WARC writes it."""
    return "sha1:" + b32encode(sha1(data).digest()).decode()


def about(url: str, second: int, kind: str) -> dict[str, str]:
    """Return fields of what was asked or answered in a second of a day."""
    minutes, seconds = divmod(second, 60)
    date = f"2020-01-01T00:{minutes:02}:{seconds:02}Z"
    return {"WARC-Target-URI": url, "WARC-Date": date, "Content-Type": _HTTP + kind}


def exchange_of(url: str, body: bytes, second: int) -> list[bytes]:
    """Return the records of an answer and its request."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(body)
    said = {"WARC-Payload-Digest": digest(body), "WARC-Block-Digest": digest(head + body)}
    asked = b"GET /%s HTTP/1.1\r\nHost: example\r\n\r\n" % url.rpartition("/")[2].encode()
    return [
        record("response", {**about(url, second, "response"), **said}, head + body),
        record("request", about(url, second, "request"), asked),
    ]


def revisit_of(url: str, body: bytes, second: int) -> bytes:
    """Return the record of an answer whose body another has."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
    said = {"WARC-Profile": _PROFILE, "WARC-Payload-Digest": digest(body)}
    return record("revisit", {**about(url, second, "response"), **said}, head)
