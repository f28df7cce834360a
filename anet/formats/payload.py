"""What lies in the block of a record of HTTP: a head, and a body that may be in chunks."""

from attrs import field, frozen

MOST_HEAD = 1024 * 1024


class NotChunked(Exception):
    """A body is not in chunks, or not in such that sizes alone make it again; the message says why."""


@frozen
class HttpHead:
    """The head of a message of HTTP as it was received, and where it ends.

    Attributes:
        form: "http" (a status or request line, fields, an empty line); "bare" (the same, that ends
            with the block, without an empty line); "none" (an answer of HTTP/0.9, or no HTTP: all of
            it is body); "endless" (no end within the limit: all of it is body).
        raw: the head byte for byte, with the empty line; empty with "none" and "endless".
        chunked: whether its fields say that the body is in chunks.
    """

    form: str
    raw: bytes
    chunked: bool = False


def http_head(beginning: bytes, ended: bool, limit: int = MOST_HEAD) -> HttpHead | None:
    """Return the head with which a block begins, or None if more of the block is needed to tell.

    Args:
        beginning: the block's first bytes; what follows `raw` in them is of the body.
        ended: whether the block has no more.
        limit: the longest head, in bytes.
    """
    raise NotImplementedError


@frozen
class Chunks:
    """Undoes `Transfer-Encoding: chunked` (RFC 9112 §7.1) piece by piece.

    Attributes:
        sizes: of the chunks so far, each as often in a row as the second number says, without the
            last, empty one: what `kept_records.Stored.chunks` keeps.
    """

    sizes: list[tuple[int, int]] = field(factory=list)

    def feed(self, data: bytes) -> bytes:
        """Return what the next bytes of a body hold.

        Raises:
            NotChunked: the framing is not sound, or cannot be made again from sizes (extensions,
                trailers, leading zeros, upper-case digits); keep the body as it lies in the file.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Take the end of the body.

        Raises:
            NotChunked: it ended in the midst of its chunks.
        """
        raise NotImplementedError


def in_chunks(body: bytes, sizes: list[tuple[int, int]]) -> bytes:
    """Return a body in chunks of these sizes again, byte for byte as it lay in the file."""
    raise NotImplementedError
