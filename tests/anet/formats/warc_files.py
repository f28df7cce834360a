"""Records of WARC for tests, files that were spoilt, and what is read of them."""

import gzip
from contextlib import suppress
from pathlib import Path

from attrs import frozen
from backports import zstd
from hypothesis import strategies as st

from anet.formats.reading import open_records
from anet.formats.record import Damage, DamagedRecord

SAMPLES = Path(__file__).parents[2] / "samples"


@frozen
class Made:
    """A record: its header's fields after the version line, and its block."""

    version: str
    fields: tuple[tuple[str, str], ...]
    block: bytes

    @property
    def bytes(self) -> bytes:
        """Return it as it lies in a plain file."""
        lines = [self.version, *(f"{name}: {value}" for name, value in self.fields), "", ""]
        return "\r\n".join(lines).encode() + self.block + b"\r\n\r\n"


def made(number: int, block: bytes | None = None, *more, version="WARC/1.1", length=None) -> Made:
    """Return a record of a number."""
    block = b"block %d " % number * 40 if block is None else block
    fields = (
        ("WARC-Type", "resource"),
        ("WARC-Record-ID", f"<urn:x:{number}>"),
        ("WARC-Date", "2024-01-01T00:00:00Z"),
        ("WARC-Target-URI", f"http://example.org/{number}"),
        *more,
        ("Content-Length", str(len(block) if length is None else length)),
    )
    return Made(version, fields, block)


def plain(records) -> list[bytes]:
    """Return the parts of a plain file."""
    return [each.bytes for each in records]


def gzipped(records) -> list[bytes]:
    """Return the members of a file with one for each record."""
    return [gzip.compress(each.bytes, mtime=0) for each in records]


def zstandard(records) -> list[bytes]:
    """Return the frames of a file with one for each record, and checksums."""
    options = {zstd.CompressionParameter.checksum_flag: 1}
    return [zstd.compress(each.bytes, options=options) for each in records]


WAYS = {"plain": plain, "gzip": gzipped, "zstd": zstandard}


def read(path: Path, offset: int = 0, size: int = 65536):
    """Return what is read of a file: records as `Made`, with their offsets, and damage.

    A record that cannot be read to its end is left out; the damage that follows it is there.
    """
    found = []
    with open_records(path, offset) as reader:
        for each in reader:
            if isinstance(each, Damage):
                found.append(each)
                continue
            with suppress(DamagedRecord):
                block = b"".join(iter(lambda block=each.block: block.read(size), b""))
                found.append((each.offset, Made(each.version, each.fields, block)))
    return found


def records_of(found) -> list[Made]:
    """Return the records of what was read."""
    return [each[1] for each in found if not isinstance(each, Damage)]


def damage_of(found) -> list[Damage]:
    """Return the damage."""
    return [each for each in found if isinstance(each, Damage)]


BLOCKS = st.one_of(
    st.binary(max_size=60),
    st.sampled_from([b"\r\n\r\n", b"WARC/1.0\r\n", b"\x1f\x8b\x08\0", b"(\xb5/\xfd", b"a" * 3000]),
)
VALUES = st.text(
    st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp", "Zs"]), min_size=1, max_size=20
)
RECORDS = st.lists(st.tuples(BLOCKS, VALUES), min_size=1, max_size=6).map(
    lambda drawn: [
        made(number, block, ("X-Value", value)) for number, (block, value) in enumerate(drawn)
    ]
)


@st.composite
def spoilt(draw, parts: list[bytes]):
    """Return a file of parts of which one place was changed, and which parts are as they were."""
    whole = b"".join(parts)
    begin = draw(st.integers(0, len(whole)))
    kind = draw(st.sampled_from(["flip", "cut", "insert", "delete"]))
    end, new = begin, b""
    if kind == "flip" and begin < len(whole):
        end, new = begin + 1, bytes([whole[begin] ^ (1 << draw(st.integers(0, 7)))])
    elif kind == "cut":
        end = len(whole)
    elif kind == "insert":
        new = draw(st.binary(min_size=1, max_size=50))
    else:
        end = min(len(whole), begin + draw(st.integers(1, 400)))
    kept, at = [], 0
    for number, part in enumerate(parts):
        if at + len(part) <= begin or at >= end:
            kept.append(number)
        at += len(part)
    return whole[:begin] + new + whole[end:], kept
