"""Requests of the plainest form, and their answers when these are at hand. Sans I/O.

Most of what a storage node is asked says a path and no more. One regular expression reads the
first line of such a request; what its fields say is looked up. Fields not met before are read by
the general parser, so they are understood as there. Whatever is not plain is left to that, as it
came: other methods, a body, conditions, ranges, credentials, the wish to close, and nonsense.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from anet.http.request_parser import BadRequest, RequestHead, RequestParser

# Gives at once the whole answer, head and body, to a plain GET of a target, from a client that
# names a host and keeps its connection; None leaves the request to the handler. What it gives is
# what the handler would have sent. Of an answer to a HEAD the body is cut off.
Prompt = Callable[[str, bytes], bytes | None]

HEAD_LIMIT = 8 * 1024  # bytes of a plain head
ANSWERS_LIMIT = 64 * 1024  # bytes of answers given at once; what is asked beyond waits its turn
_KNOWN_LIMIT = 256  # different fields remembered
_LINE = re.compile(rb"(GET|HEAD) (/[\w/.~%?=&+,:;-]*) HTTP/1\.1\r\n")
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
    while size < ANSWERS_LIMIT and (line := _LINE.match(data, at)):
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


@lru_cache(maxsize=_KNOWN_LIMIT)
def plain_host(fields: bytes) -> bytes | None:
    """Return the host that the fields of a plain request name, or nothing when none is named.

    Args:
        fields: the head from its second line on, with the empty line at its end.

    Returns:
        The host; None when the request is not plain.
    """
    heads: list[RequestHead] = []
    parser = RequestParser(HEAD_LIMIT, heads.append, _ignore, lambda: None)
    try:
        parser.feed(b"GET / HTTP/1.1\r\n" + fields)
    except BadRequest:
        return None
    if len(heads) != 1 or not parser.is_between or not heads[0].keep_alive:
        return None
    headers = heads[0].headers
    hosts = headers.get_all(b"host")
    if len(hosts) > 1 or not _PLAIN.issuperset(headers.by_name):
        return None
    return hosts[0] if hosts else b""


def _ignore(_: bytes) -> None:
    """Do nothing."""
