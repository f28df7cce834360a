"""Requests of the plainest form, and their answers when these are at hand. Sans I/O.

Most of what a storage node is asked says a path and no more, or puts a small content. One regular
expression reads the first line of such a request; what its fields say is looked up. Fields not met
before are read by the general parser, so they are understood as there. Whatever is not plain is
left to that, as it came: other methods, conditions, ranges, the wish to close, and nonsense.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from twisted.internet.defer import Deferred

from anet.http.message import Headers
from anet.http.request_parser import BadRequest, RequestHead, RequestParser

# Gives at once the whole answer, head and body, to a plain GET of a target, from a client that
# names a host and keeps its connection; None leaves the request to the handler. What it gives is
# what the handler would have sent. Of an answer to a HEAD the body is cut off.
Prompt = Callable[[str, bytes], bytes | None]


class PlainPut(NamedTuple):
    """A PUT that came whole, in one piece, from a client that keeps its connection.

    Attributes:
        target: as received.
        host: which the client names, or nothing.
        authorization: what the client shows, or nothing.
        body: all of it.
    """

    target: str
    host: bytes
    authorization: bytes
    body: bytes


# Takes a plain PUT and gives the whole answer, head and body, which is what the handler would have
# sent; None leaves the request to the handler.
Taker = Callable[[PlainPut], "Deferred[bytes] | None"]

HEAD_LIMIT = 8 * 1024  # bytes of a plain head
ANSWERS_LIMIT = 256 * 1024  # bytes of answers given at once; what is asked beyond waits its turn
_KNOWN_LIMIT = 256  # different fields remembered
_TARGET = rb"(/[\w/.~%?=&+,:;-]*)"
_GET = re.compile(rb"(GET|HEAD) " + _TARGET + rb" HTTP/1\.1\r\n")
_PUT = re.compile(rb"PUT " + _TARGET + rb" HTTP/1\.1\r\n")
_END = b"\r\n\r\n"
# They change no answer here, but for `Connection`, of which the parser says what it means.
_PLAIN = frozenset(
    (
        b"accept",
        b"accept-encoding",
        b"accept-language",
        b"cache-control",
        b"connection",
        b"host",
        b"pragma",
        b"referer",
        b"user-agent",
    )
)
_PLAIN_PUT = _PLAIN | {b"authorization", b"content-length", b"content-type"}
_ONCE = (b"host", b"authorization", b"content-length")
_LENGTH = re.compile(rb"\d{1,8}")


def answer_plain(data: bytes, prompt: Prompt, head_limit: int) -> tuple[list[bytes], int]:
    """Answer the plain requests that bytes begin with, as long as their answers are at hand.

    Args:
        data: begins where a request begins.
        prompt: gives the answers.
        head_limit: bytes of a head.

    Returns:
        The answers, and how many of the bytes they answer.
    """
    answers: list[bytes] = []
    at = size = 0
    while size < ANSWERS_LIMIT and (line := _GET.match(data, at)):
        fields = line.end()
        end = data.find(_END, fields - 2, at + min(head_limit, HEAD_LIMIT)) + len(_END)
        host = plain_host(data[fields:end]) if end > fields else None
        answer = None if host is None else prompt(line[2].decode("ascii"), host)
        if answer is None:
            break
        if line[1] == b"HEAD":
            answer = answer[: answer.index(_END) + len(_END)]
        answers.append(answer)
        size += len(answer)
        at = end
    return answers, at


def read_put(data: bytes, head_limit: int) -> PlainPut | None:
    """Return the plain PUT that bytes are, with its whole body and nothing after it.

    Args:
        data: begins where a request begins.
        head_limit: bytes of a head.
    """
    line = _PUT.match(data)
    if line is None:
        return None
    fields = line.end()
    end = data.find(_END, fields - 2, min(head_limit, HEAD_LIMIT)) + len(_END)
    said = plain_put(data[fields:end]) if end > fields else None
    if said is None or said[2] != len(data) - end:
        return None
    return PlainPut(line[1].decode("ascii"), said[0], said[1], data[end:])


@lru_cache(maxsize=_KNOWN_LIMIT)
def plain_host(fields: bytes) -> bytes | None:
    """Return the host that the fields of a plain request name, or nothing when none is named.

    Args:
        fields: the head from its second line on, with the empty line at its end.

    Returns:
        The host; None when the request is not plain.
    """
    headers = _plain_headers(b"GET", fields, _PLAIN)
    return None if headers is None else headers.get(b"host") or b""


@lru_cache(maxsize=_KNOWN_LIMIT)
def plain_put(fields: bytes) -> tuple[bytes, bytes, int] | None:
    """Return the host, the credential and the length that the fields of a plain PUT say."""
    headers = _plain_headers(b"PUT", fields, _PLAIN_PUT)
    length = headers and headers.get(b"content-length")
    if not headers or not length or not _LENGTH.fullmatch(length):
        return None
    return headers.get(b"host") or b"", headers.get(b"authorization") or b"", int(length)


def _plain_headers(method: bytes, fields: bytes, plain: frozenset[bytes]) -> Headers | None:
    """Return fields as the general parser reads them; None when they say what is not plain."""
    heads: list[RequestHead] = []
    bodies: list[bytes] = []
    parser = RequestParser(HEAD_LIMIT, heads.append, bodies.append, lambda: None)
    try:
        parser.feed(method + b" / HTTP/1.1\r\n" + fields)
    except BadRequest:
        return None
    if len(heads) != 1 or not heads[0].keep_alive:
        return None
    headers = heads[0].headers
    # With an end of the head that is not the first empty line, something would have come after it.
    if bodies or parser.is_between is heads[0].has_body():
        return None
    if any(len(headers.get_all(name)) > 1 for name in _ONCE):
        return None
    return headers if plain.issuperset(headers.by_name) else None
