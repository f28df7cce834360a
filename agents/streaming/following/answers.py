"""What servers answer to those who follow: what it says, and how it is kept."""

from agents import origin, urls
from agents.collected import Exchange
from agents.decoding import Decoding
from agents.streaming.following.errors import NotFetched
from anet.http.exchange import ClientResponse


def check(response: ClientResponse) -> None:
    """Raise NotFetched unless an answer is what was asked for."""
    status = response.head.status
    if status not in (200, 206):
        raise NotFetched(f"the server answers {status}", status)


def decoded(response: ClientResponse, body: bytes, limit: int) -> bytes:
    """Return a body without its content coding.

    Raises:
        NotFetched: it is longer than the limit, or its coding is damaged.
    """
    decoding = Decoding.of(response.head.headers.text(b"content-encoding"))
    if decoding is None:
        return body
    pieces, size = [], 0
    for piece in decoding.pieces(body):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise NotFetched(f"it is longer than {limit} bytes")
    if decoding.cut:
        raise NotFetched("its content coding is damaged")
    return b"".join(pieces)


def redirection(response: ClientResponse, url: str) -> str | None:
    """Return where an answer leads; None when it is the last.

    Raises:
        NotFetched: it leads nowhere.
    """
    if response.head.status not in (301, 302, 303, 307, 308):
        return None
    target = urls.canonical(response.head.headers.text(b"location"), url)
    if target is None or target == url:
        response.abandon()
        raise NotFetched("it is redirected to nowhere", 404)
    return target


def exchange_of(url: str, response: ClientResponse, date: float, site: str) -> Exchange:
    """Return an answer as it is kept."""
    return Exchange(
        url,
        response.head,
        response.address,
        date,
        tls=response.tls,
        request=origin.request_lines(response.sent, origin.CREDENTIALS),
        site=site,
    )
