"""Attacks by the protocol: answers that do not end, do not add up, or are none."""

from collections import Counter
from collections.abc import Callable
from itertools import chain
from random import Random

from pieces import CLOSE, CUT, Pieces, for_ever, head, link_out, page, way_out, whole

YEAR = 31_536_000  # seconds
ROBOTS = 10**9  # bytes of robots.txt
_LINE = b"X-A: " + b"a" * 1000 + b"\r\n"
_OK = b"HTTP/1.1 200 OK\r\n"


def headers(rest: str) -> Pieces:
    """Send fields for ever, one field for ever, or just very many of them."""
    if rest == "/endless":
        return chain([_OK], for_ever(_LINE * 60))
    if rest == "/line":
        return chain([_OK + b"X-A: "], for_ever(b"a" * 65_536))
    if rest == "/status":
        return chain([b"HTTP/1.1 200 "], for_ever(b"a" * 65_536))
    if rest == "/many":
        return [_OK, b"A: b\r\n" * 100_000, b"Content-Length: 0\r\n\r\n"]
    return page(*(f"/headers/{name}" for name in ("endless", "line", "status", "many")),
                way_out("headers"))  # fmt: skip


def interim(rest: str) -> Pieces:
    """Send heads of status 1xx for ever, or some before the answer."""
    if rest:
        return for_ever(b"HTTP/1.1 102 Processing\r\nX: " + b"a" * 1000 + b"\r\n\r\n")
    return [b"HTTP/1.1 100 Continue\r\n\r\n" * 5, *page("/interim/flood", way_out("interim"))]


def slow(rest: str) -> Pieces:
    """Send a byte a second, of a body or of a head."""
    if rest == "/body":
        return chain([head("text/html")], for_ever(b"x", 1.0))
    if rest == "/head":
        return chain([_OK + b"X-A: "], for_ever(b"x", 1.0))
    return page("/slow/body", "/slow/head", way_out("slow"))


_BODY = f"<p>{link_out('lengths')}".encode()
_CHUNKED = head("text/html", "Transfer-Encoding: chunked")
_LENGTHS: dict[str, Pieces] = {
    "short": [head("text/html", "Content-Length: 1000"), _BODY, CLOSE],
    "stuck": [head("text/html", "Content-Length: 1000"), _BODY, 3600.0],
    "long": [head("text/html", f"Content-Length: {len(_BODY)}"), _BODY + b"surplus" * 1000],
    "two": [head("text/html", "Content-Length: 5", "Content-Length: 9"), _BODY, CLOSE],
    "negative": [head("text/html", "Content-Length: -1"), _BODY, CLOSE],
    "words": [head("text/html", "Content-Length: many"), _BODY, CLOSE],
    "both": [
        head("text/html", "Content-Length: 3", "Transfer-Encoding: chunked"),
        b"%x\r\n%s\r\n0\r\n\r\n" % (len(_BODY), _BODY),
        CLOSE,
    ],
    "nonsense": [_CHUNKED, b"zz\r\nhello\r\n", CLOSE],
    "overflow": [_CHUNKED, b"f" * 40 + b"\r\nhello\r\n", CLOSE],
    "negative-chunk": [_CHUNKED, b"-5\r\nhello\r\n", CLOSE],
    "no-end": [_CHUNKED, b"5\r\nhello\r\n", CLOSE],
    "huge": [head("text/html", f"Content-Length: {10**18}"), _BODY, CLOSE],
}


def lengths(rest: str) -> Pieces:
    """Say lengths that are not those of the body."""
    if rest in ("/extension", "/trailer"):
        start, field = (b"5;", b"a" * 1000) if rest == "/extension" else (b"0\r\n", _LINE)
        return chain([_CHUNKED, start], for_ever(field * 60))
    if rest:
        return _LENGTHS[rest[1:]]
    return page(*(f"/lengths/{name}" for name in (*_LENGTHS, "extension", "trailer")))


def statuses(rest: str) -> Pieces:
    """Send bodies where there are none, and statuses that nobody knows."""
    if not rest:
        codes = (204, 205, 304, 999, 299, 700, 0)
        return page(*(f"/statuses/{code}" for code in codes), way_out("statuses"))
    status = f"{rest[1:]:0>3} Whatever"
    return [head("text/html", "Content-Length: 9", status=status), b"not empty", CLOSE]


_GARBAGE: dict[str, Pieces] = {
    "nine": [b"<a href=/leak>HTTP/0.9</a>", CLOSE],
    "zeros": [b"\0" * 100_000, CLOSE],
    "random": [Random(1).randbytes(100_000), CLOSE],
    "ssh": [b"SSH-2.0-OpenSSH_9\r\n\r\n", CLOSE],
    "tls": [bytes.fromhex("15030100020228"), CLOSE],
    "lines": [b"\r\n" * 100_000, CLOSE],
    "version": [b"HTTP/7.3 200 OK\r\n\r\nx", CLOSE],
    "request": [b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", CLOSE],
    "closed": [CLOSE],
    "reset": [CUT],
    "mute": [3600.0],
}


def garbage(rest: str) -> Pieces:
    """Answer what is no HTTP, or nothing at all."""
    return _GARBAGE[rest[1:]] if rest else page(*(f"/garbage/{name}" for name in _GARBAGE))


_asked: Counter[str] = Counter()


def cut(rest: str) -> Pieces:
    """Cut kept connections at random moments; the second time all is well."""
    if not rest:
        return page(*(f"/cut/{number}.html" for number in range(12)), way_out("cut"))
    _asked[rest] += 1
    answer = whole(f"<title>{rest}</title>" + "<p>" + "all is well " * 1000)
    if _asked[rest] > 1:
        return answer
    data = b"".join(piece for piece in answer if isinstance(piece, bytes))
    return [data[: Random(rest).randrange(len(data))], CUT]


def busy(rest: str) -> Pieces:
    """Ask to be left alone for a year, for ever or once."""
    _asked["busy" + rest] += 1
    if not rest:
        return page("/busy/always", "/busy/once", way_out("busy"))
    if rest == "/once" and _asked["busy" + rest] > 1:
        return page("/busy")
    status = "429 Too Many Requests" if rest == "/once" else "503 Busy"
    return whole("later", "text/html", f"Retry-After: {YEAR}", status=status)


def cookies(rest: str) -> Pieces:
    """Set as many cookies as a head holds."""
    fields = [f"Set-Cookie: c{rest}{number}={'v' * 100}; Path=/" for number in range(1500)]
    fields += [f"Set-Cookie: big={'v' * 50_000}", "Set-Cookie: =;;;=", "Set-Cookie: \xff=\xfe"]
    return whole(link_out("cookies"), "text/html", *fields)


def link_fields(rest: str) -> Pieces:
    """Link to as many sheets as a head holds."""
    if rest:
        return whole("", "text/css")
    fields = [f"Link: </link_fields/{number}>; rel=stylesheet" for number in range(4000)]
    fields.append("Link: " + "<" * 30_000)
    return whole(link_out("link_fields"), "text/html", *fields)


def streams(rest: str) -> Pieces:
    """Send sound, pictures and events without end, and a page, too."""
    sound = b"\xff\xfb\x90\x00" * 4000
    starts = {
        "/icy": b"ICY 200 OK\r\nicy-name: a\r\nContent-Type: audio/mpeg\r\n\r\n",
        "/sound": head("audio/mpeg"),
        "/camera": head("multipart/x-mixed-replace; boundary=a"),
        "/events": head("text/event-stream"),
        "/page": head("text/html"),
        "/picture": head("image/jpeg"),
        "/film": head("video/mp4", f"Content-Length: {10**18}"),
    }
    if rest:
        return chain([starts[rest]], for_ever(sound))
    return page(*("/streams" + name for name in starts), way_out("streams"))


def private(rest: str) -> Pieces:
    """Show what lies in the operator's own network."""
    hosts = ("10.0.0.1", "192.168.1.1", "169.254.169.254", "127.0.0.9", "[::1]", "[fd00::1]",
             "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "0.0.0.0", "private.test")  # fmt: skip
    images = "".join(f"<img src=http://{host}/secret.png>" for host in hosts)
    return whole(images + link_out("private"))


def robots() -> Pieces:
    """Give a robots.txt of a gigabyte; what counts stands at its beginning."""
    rules = b"User-agent: *\nDisallow: /forbidden/\nSitemap: /maps/0.xml\n"
    filler = b"Disallow: /forbidden/%s*/*/*/$\n" % (b"a" * 200) * 500
    yield head("text/plain", f"Content-Length: {ROBOTS}") + rules
    left = ROBOTS - len(rules)
    while left:
        yield filler[:left]
        left -= min(left, len(filler))


def forbidden(rest: str) -> Pieces:
    """Give what robots.txt forbids."""
    return page("/forbidden/leak.html")


WIRE: dict[str, Callable[[str], Pieces]] = {
    each.__name__: each
    for each in (headers, interim, slow, lengths, statuses, garbage, cut, busy, cookies,
                 link_fields, streams, private, forbidden)
}  # fmt: skip
NO_WAY_OUT = frozenset(["garbage", "forbidden"])
