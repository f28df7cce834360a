"""What records declare of their blocks is checked while these are read."""

import hashlib
from base64 import b32encode

import pytest

from anet.formats.digests import WrongDigest, declared, verified
from anet.formats.payload import in_chunks
from anet.formats.record import Record
from anet.formats.source import HeldBlock

HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
BODY = b"a page" * 100
BLOCK = HEAD + in_chunks(BODY, [(100, 6)])


def checked(kind: str, block: bytes, *fields: tuple[str, str], whole: bool = True) -> list[str]:
    """Return the causes that are told of a record."""
    fields = (*fields, ("Content-Type", "application/http; msgtype=response"))
    record = Record("WARC/1.1", kind, fields, 5, len(block), HeldBlock(block, 0, len(block)))
    causes = []
    for each in verified([record]):
        if isinstance(each, WrongDigest):
            assert (each.offset, each.end) == (5, 5)
            causes.append(each.cause)
            continue
        data = each.block.read(7)
        while whole and (more := each.block.read(7)):
            data += more
        assert block.startswith(data)
    return causes


@pytest.mark.parametrize("name", ["sha1", "sha256", "sha512", "md5"])
def test_digests_that_hold(name):
    """Blocks, and payloads with or without their chunks, in base32 or hexadecimal."""
    for data, field in (
        (BLOCK, "WARC-Block-Digest"),
        (BODY, "WARC-Payload-Digest"),
        (BLOCK[len(HEAD) :], "WARC-Payload-Digest"),
    ):
        digest = hashlib.new(name, data)
        base32 = b32encode(digest.digest()).decode()
        for value in (digest.hexdigest(), digest.hexdigest().upper(), base32, base32.rstrip("=")):
            assert declared(f"{name}:{value}")
            assert checked("response", BLOCK, (field, f"{name}:{value}")) == []


@pytest.mark.parametrize("field", ["WARC-Block-Digest", "WARC-Payload-Digest"])
def test_digests_that_do_not_hold(field):
    """A digest of something else is told, with the field that says it, after the record."""
    said = (field, "sha1:" + hashlib.sha1(b"else").hexdigest())
    assert checked("response", BLOCK, said) == [f"digest: {field} does not hold"]
    assert checked("response", BLOCK, said, whole=False) == []


def test_digests_of_others():
    """A revisit declares the payload of another record, and wget's also its block."""
    said = "sha1:" + hashlib.sha1(b"else").hexdigest()
    assert checked("revisit", HEAD, ("WARC-Payload-Digest", said)) == []
    assert checked("revisit", HEAD, ("WARC-Block-Digest", said)) == []


@pytest.mark.parametrize("text", ["", "sha1:", "sha1:abc", "crc32:00000000", "sha1:" + "é" * 40])
def test_no_digest(text):
    """What is no digest that is known here is not checked."""
    assert declared(text) is None
    assert checked("response", BLOCK, ("WARC-Block-Digest", text)) == []
