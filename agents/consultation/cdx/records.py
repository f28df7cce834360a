"""A capture as a WARC record (ISO 28500), so that tools which read WARC files read this archive.

The record of a capture is always the same bytes: what a CDX line says of its length holds.
"""

from agents.capture import Capture, structure_key
from agents.capture_records import moment, readable_head, record_id
from agents.consultation.lookup.contents import Content
from agents.consultation.lookup.structures import CaptureLine

MEDIA_TYPE = b"application/warc-record"
END = b"\r\n\r\n"


def filename(url: str, date: str) -> str:
    """Return the name of the file that has a capture's record and nothing else."""
    return f"{structure_key(url)}/{date}.warc"


def record_head(capture: Capture | CaptureLine) -> bytes:
    """Return a record up to the body of the answer that was received."""
    head, _ = readable_head(capture.head)
    fields = (
        "WARC/1.1\r\n"
        "WARC-Type: response\r\n"
        f"WARC-Record-ID: {record_id(capture.date, capture.content, capture.url)}\r\n"
        f"WARC-Target-URI: {capture.url}\r\n"
        f"WARC-Date: {moment(capture.date)}\r\n"
        f"WARC-Payload-Digest: sha256:{capture.content}\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(head) + capture.size}\r\n\r\n"
    )
    return fields.encode() + head


def record_length(capture: Capture | CaptureLine) -> int:
    """Return the bytes of a record."""
    return len(record_head(capture)) + capture.size + len(END)


class Record:
    """A record as its content comes; an asynchronous iterator of its pieces."""

    def __init__(self, capture: Capture, content: Content) -> None:
        self._content = content
        self._edges = [END, record_head(capture)]

    def __aiter__(self) -> "Record":
        return self

    async def __anext__(self) -> bytes:
        """Return the next piece.

        Raises:
            NodesFailed, ContentDamaged: as `Content`.
        """
        if len(self._edges) == 2:
            return self._edges.pop()
        try:
            return await anext(self._content)
        except StopAsyncIteration:
            if not self._edges:
                raise
            return self._edges.pop()

    async def aclose(self) -> None:
        """Let go of the node."""
        self._content.close()
