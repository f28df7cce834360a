"""What answers are made of: whole ones as bytes, broken ones piece by piece."""

from collections.abc import Iterable, Iterator

MIB = 2**20
SPACES = b" " * MIB
BOMB = 300  # times as many, which a bomb unpacks to
CLOSE = "close"  # the connection, in order
CUT = "cut"  # the connection, by a reset
Piece = bytes | float | str  # to send; seconds to wait; CLOSE or CUT
Pieces = Iterable[Piece]


def head(kind: str, *fields: str, status: str = "200 OK") -> bytes:
    """Return the head of an answer, without a length."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", *fields]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"


def whole(
    body: str | bytes, kind: str = "text/html", *fields: str, status: str = "200 OK"
) -> list[Piece]:
    """Return a whole, decent answer."""
    data = body.encode() if isinstance(body, str) else body
    return [head(kind, f"Content-Length: {len(data)}", *fields, status=status), data]


def page(*links: str, text: str = "") -> list[Piece]:
    """Return a page of links."""
    anchors = "".join(f'<a href="{link}">{link}</a>\n' for link in links)
    return whole(f"<!doctype html><title>{text}</title><p>{text}\n{anchors}")


def moved(target: str) -> list[Piece]:
    """Return a redirection."""
    return whole("", "text/html", f"Location: {target}", status="302 Found")


def way_out(attack: str) -> str:
    """Return the one page of the well part that only this attack links to."""
    return f"/well/from/{attack}.html"


def link_out(attack: str) -> str:
    """Return a link to it."""
    return f'<a href="{way_out(attack)}">out</a>'


def for_ever(piece: Piece, pause: float = 0.0) -> Iterator[Piece]:
    """Give a piece again and again."""
    while True:
        yield piece
        if pause:
            yield pause
