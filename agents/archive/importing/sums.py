"""The digests of contents, beside those that records declare of them."""

from hashlib import sha1
from typing import Any

from agents.archive.importing.digests import Digest, declared, digester, key_of
from agents.archive.importing.members import Member


class Sums:
    """The digests of a content, made while it is written.

    Args:
        member: the record that it is of.
    """

    def __init__(self, member: Member) -> None:
        self._sha1 = sha1(usedforsecurity=False)
        self._said = None if member.kind == "revisit" else _declared(member)
        name = self._said[0] if self._said else "sha1"
        self._other: Any = self._sha1 if name == "sha1" else digester(name)(usedforsecurity=False)
        self.updates = [self._sha1.update]
        if self._other is not self._sha1:
            self.updates.append(self._other.update)

    def of(self, data: bytes | memoryview) -> "Sums":
        """Add all of a content, and return this."""
        for update in self.updates:
            update(data)
        return self

    @property
    def hold(self) -> bool:
        """Whether the record declares no other digest than this."""
        return self._said is None or self._said[1] == self._other.digest()

    def judged(self, lying: "Sums | None" = None) -> tuple[list[bytes], str]:
        """Return what the content is found by, and what its record says that is not so.

        Most tools declare the digest of the body as it lies in the file, with its chunks; the
        standard means the one without (WARC 1.1 §5.9). Either is true.

        A digest that the content does not have is no name for it: it would be an invention to give
        this content to those who look for the other. A revisit has none of its own.
        """
        known, said = [b"sha1:" + self._sha1.digest()], self._said
        if said is None:
            return known, ""
        if not (self.hold or (lying is not None and lying.hold)):
            return known, "its WARC-Payload-Digest is not that of its content"
        return (known if key_of(said) in known else [*known, key_of(said)]), ""


def _declared(member: Member) -> Digest | None:
    said = member.get("warc-payload-digest")
    return declared(said) if said else None


def block_problem(member: Member, data: bytes) -> str:
    """Return what a record says of its block that is not so; empty if there is no such thing."""
    text = member.get("warc-block-digest")
    said = declared(text) if text else None
    if said is None or digester(said[0])(data, usedforsecurity=False).digest() == said[1]:
        return ""
    return "its WARC-Block-Digest is not that of its block"
