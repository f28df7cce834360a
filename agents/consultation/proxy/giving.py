"""From a request to the capture that answers it, and to the bytes of it that are wanted.

The proxy and the replay server have this in common.
"""

from collections.abc import AsyncIterator, Callable

from agents.consultation.errors import Faulted
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.lookup.structures import Nearest
from agents.consultation.proxy.codings import Decoded
from agents.consultation.proxy.posting import no_answer, posted_names
from agents.consultation.proxy.shaping import Shape
from agents.consultation.readers.reader import Reader
from agents.decoding import Decoding
from anet.http import Request

READING = ("GET", "HEAD")
_CONTENTLESS = (304, 416)


async def find_answer(
    retrieval: Retrieval, request: Request, url: str, date: str, reader: Reader
) -> Nearest:
    """Return the capture that answers a request; to what was sent, what it was answered then.

    Raises:
        Faulted: there is none, or it cannot be given (see `Retrieval.retrieve`).
    """
    if request.method in READING:
        return await retrieval.find(url, date, reader=reader)
    for name in await posted_names(request, url):
        try:
            return await retrieval.find(name, date, reader=reader)
        except Faulted as error:
            if error.fault.status != 404:
                raise
    raise Faulted(no_answer(request.method, url))


async def open_body(
    retrieval: Retrieval,
    nearest: Nearest,
    shaped: Shape,
    gave: Callable[[int], None],
    reader: Reader | None = None,
) -> bytes | AsyncIterator[bytes]:
    """Return the bytes that are wanted of a capture's content, on their way.

    Args:
        retrieval: opens contents.
        nearest: the capture.
        shaped: the answer that they belong to.
        gave: called with the size of each piece that is given.
        reader: for whom.

    Raises:
        Faulted: as `Retrieval.open`.
    """
    if shaped.status in _CONTENTLESS:
        return nothing()
    span = None if shaped.span is None else (shaped.span.start, shaped.span.stop)
    content = await retrieval.open(
        nearest.capture, span, head_only=shaped.bodiless, body=nearest.body, reader=reader
    )
    if content is None:
        return nothing()
    content.on_piece = gave
    decoding = Decoding.of(shaped.coding) if shaped.coding else None
    if decoding is not None:
        return Decoded(content, decoding)
    if content.whole is None:
        return content
    gave(len(content.whole))
    return content.whole


async def nothing() -> AsyncIterator[bytes]:
    """Be the body of an answer to HEAD: never read, but not empty, so that its length is said."""
    return
    yield b""
