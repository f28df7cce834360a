"""A record as it is mapped to captures, and which records are of one exchange. Pure."""

from collections.abc import Sequence

import msgspec

from anet.formats.record import Fields, Record

MOST = 64  # records of one exchange
EXCHANGED = frozenset(("request", "response", "revisit", "resource", "metadata"))
"""Kinds of records that may be of one exchange with others."""


class Member(msgspec.Struct):
    """One record of an exchange.

    Attributes:
        kind: of the record, in small letters.
        fields: the first value of each, by its name in small letters, without white space around.
        offset: of the record in its file.
        concurrent: the records it says it is concurrent to.
        head: the head of HTTP with which its block begins, byte for byte; empty without one.
        content: SHA-256 of the rest of the block, without chunks; empty if it is no content.
        size: bytes of that.
        body: the rest itself, of a request that is not longer than a name needs.
    """

    kind: str
    fields: dict[str, str]
    offset: int = 0
    concurrent: tuple[str, ...] = ()
    head: bytes = b""
    content: str = ""
    size: int = 0
    body: bytes = b""

    @classmethod
    def of(cls, record: Record) -> "Member":
        """Return a record's, before its block is read."""
        named = {name.lower(): value.strip() for name, value in reversed(record.fields)}
        concurrent: tuple[str, ...] = ()
        if "warc-concurrent-to" in named:
            concurrent = _concurrent(record.fields)
        return cls(record.kind.lower(), named, record.offset, concurrent)

    def get(self, name: str) -> str:
        """Return the value of a field, named in small letters; empty if there is none."""
        return self.fields.get(name, "")

    @property
    def target(self) -> str:
        """The address that it is of, without the angle brackets that older versions write."""
        return self.get("warc-target-uri").removeprefix("<").removesuffix(">")


def belongs(group: Sequence[Member], member: Member) -> bool:
    """Tell whether a record is of the same exchange as those directly before it.

    Records say so (WARC-Concurrent-To, one to the other or the other way round); where none of
    them does, those of one target and date are, each kind once.
    """
    if not group or len(group) >= MOST or member.kind not in EXCHANGED:
        return False
    own, says = member.get("warc-record-id"), bool(member.concurrent)
    alike = True
    for other in group:
        if other.kind not in EXCHANGED:
            return False
        if own in other.concurrent or other.get("warc-record-id") in member.concurrent:
            return True
        says = says or bool(other.concurrent)
        alike = (
            alike
            and other.kind != member.kind
            and other.get("warc-target-uri") == member.get("warc-target-uri")
            and other.get("warc-date") == member.get("warc-date")
        )
    return alike and not says


def _concurrent(fields: Fields) -> tuple[str, ...]:
    found = [value.strip() for name, value in fields if name.lower() == "warc-concurrent-to"]
    return tuple(found[:MOST])
