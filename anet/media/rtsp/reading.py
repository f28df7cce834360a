"""What a server of RTSP says over its connection, told apart. Sans I/O.

Three things come over one connection, one behind another: replies, which look like those of HTTP;
demands of the server's own; and frames, which carry packets of the media: `$`, a channel, a length
(RFC 2326 §10.12).
"""

import re

from attrs import field, frozen

from anet.errors import MalformedMessage
from anet.http.message import ResponseHead, end_of_head, parse_head

HEAD_LIMIT = 8 * 1024  # bytes
BODY_LIMIT = 40 * 1024  # bytes; descriptions have a few hundred
_FRAME = b"$"
_FRAME_HEAD = 4  # bytes
_BEGINNING = re.compile(rb"[A-Z_]{1,20}(?:[ /][ -~]{0,2000}\r?)?")  # of a line that is not whole
_LENGTH = re.compile(r"[0-9]{1,9}")


@frozen
class Frame:
    """A packet of RTP or RTCP.

    Attributes:
        channel: which of those that were agreed upon.
        data: the packet.
    """

    channel: int
    data: bytes = field(repr=False)


@frozen
class Reply:
    """What the server replied to a request.

    Attributes:
        head: to its empty line.
        body: what follows it.
    """

    head: ResponseHead
    body: bytes = b""


@frozen
class Demand:
    """What the server itself asks for.

    Attributes:
        method: as "GET_PARAMETER".
        head: its fields; status and words mean nothing.
    """

    method: str
    head: ResponseHead


Found = Frame | Reply | Demand


def read(data: bytes, at: int) -> tuple[Found | None, int]:
    """Return what begins at a byte, and where it ends.

    Returns:
        of what is not whole, None, and how many bytes from there must have come before it is
        worth while to ask again.

    Raises:
        MalformedMessage: it is nothing of RTSP, or larger than it may be.
    """
    if data.startswith(_FRAME, at):
        if len(data) - at < _FRAME_HEAD:
            return None, _FRAME_HEAD
        end = at + _FRAME_HEAD + int.from_bytes(data[at + 2 : at + _FRAME_HEAD], "big")
        if len(data) < end:
            return None, end - at
        return Frame(data[at + 1], data[at + _FRAME_HEAD : end]), end
    return _message(data, at)


def _message(data: bytes, at: int) -> tuple[Found | None, int]:
    begin = at
    while data[begin : begin + 1] in (b"\r", b"\n"):  # some servers end bodies with a line's end
        begin += 1
    part = data[begin : begin + HEAD_LIMIT]
    length = end_of_head(part)
    is_over = len(part) == HEAD_LIMIT and length is None or begin - at > HEAD_LIMIT
    if is_over or not _may_begin(part):
        raise MalformedMessage(f"{part[:40]!r} is nothing of RTSP")
    if length is None:
        return None, len(data) - at + 1
    head, method = _head(part[:length])
    said = head.headers.text(b"content-length") or "0"
    if not _LENGTH.fullmatch(said) or int(said) > BODY_LIMIT:
        raise MalformedMessage(f"Content-Length {said[:40]!r}")
    body, end = begin + length, begin + length + int(said)
    if len(data) < end:
        return None, end - at
    return Demand(method, head) if method else Reply(head, data[body:end]), end


def _may_begin(part: bytes) -> bool:
    """Tell whether a message may begin like this."""
    line, ended, _ = part.partition(b"\n")
    return not part or bool(_BEGINNING.fullmatch(line)) and (not ended or b"RTSP/" in line)


def _head(raw: bytes) -> tuple[ResponseHead, str]:
    """Return a head, and the method if it is a demand.

    Its fields are written as in replies, so that they are read as those of one.
    """
    first = raw.split(b"\n", 1)[0].split()
    try:
        if first and first[0].startswith(b"RTSP/"):
            return parse_head(raw), ""
        if len(first) == 3 and first[2].startswith(b"RTSP/"):
            return parse_head(b"RTSP/1.0 100 " + raw), first[0].decode("latin-1")
    except ValueError:
        pass
    raise MalformedMessage(f"{raw[:40]!r} is nothing of RTSP")
