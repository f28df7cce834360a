"""Links of HTML: every linking attribute, any encoding, any chunks, any bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timing import processor_seconds

from agents.parsers import (
    Embedded,
    Found,
    Link,
    Source,
    html,
    html_elements,
    html_scripts,
    tokenizer,
)
from agents.parsers.html import HtmlParser, XmlParser


class Parsed:
    """What a parser made of a document, fed `step` bytes at a time; each link once."""

    def __init__(
        self,
        document: bytes,
        step: int | None = None,
        charset: str | None = None,
        parser: HtmlParser | None = None,
    ) -> None:
        self.parser = parser or HtmlParser(Source(charset=charset))
        links: dict[Found, None] = {}
        for start in range(0, len(document), step or len(document) or 1):
            links |= dict.fromkeys(
                self.parser.feed(document[start : start + (step or len(document))])
            )
        links |= dict.fromkeys(self.parser.close())
        self.links = [found for found in links if isinstance(found, Link)]
        self.embedded = [found for found in links if isinstance(found, Embedded)]
        self.base, self.encoding = self.parser.base, self.parser.encoding
        self.truncated = self.parser.truncated


parse = Parsed


def kinds(document: str) -> list[tuple[str, str]]:
    """Return each link with a letter: p(age), r(equisite) or c(omponent that is not)."""
    return [
        (link.url, "p" if link.kind == "page" else "r" if link.requisite else "c")
        for link in parse(document.encode()).links
    ]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("<a href=x>", "x p"),
        ("<A HREF='x#part'>", "x p"),
        ("<a href='#part'>", ""),
        ("<a href=''>", ""),
        ("<map><area href=x></map>", "x p"),
        ("<img src=a srcset='b 1x, c 2x' lowsrc=d longdesc=e>", "a r b r c r d r e p"),
        ("<img src='data:image/png;base64,AA' data-src=b data-srcset='c 2w'>", "b r c r"),
        ("<picture><source srcset='a 100w,b'><img src=c></picture>", "a r b r c r"),
        ("<video src=a poster=b><source src=c><track src=d></video>", "a r b r c r d r"),
        ("<audio src=a></audio><embed src=b>", "a r b r"),
        ("<iframe src=a></iframe><frame src=b>", "a c b c"),
        ("<frameset><frame src=b></frameset>", "b c"),
        ("<iframe src='about:blank'></iframe>", ""),
        ("<iframe srcdoc='<img src=a><iframe srcdoc=&quot;<img src=b>&quot;>'></iframe>", "a r"),
        ("<input type=image src=a>", "a r"),
        ("<body background=a><table background=b><td background=c>", "a r b r c r"),
        ("<script src=a></script><script>'<a href=x>'</script>", "a r"),
        ("<svg><image xlink:href=a /><use href='b#c'/><use href='#d'/><a href=e>", "a r b r e p"),
        ("<form action=a><input type=submit formaction=b></form>", "a p"),
        ("<form action=a method=POST><button formaction=b formmethod=get></form>", "b p"),
        ("<form method=dialog action=a><a ping=b href=c attributionsrc=d>", "c p"),
        ("<blockquote cite=a><q cite=b><ins cite=c><del cite=d>", "a p b p c p d p"),
        ("<meta http-equiv=Refresh content='0; URL=\"a\"'>", "a c"),
        ("<meta http-equiv=refresh content='5;url= b '>", "b  c"),
        ("<meta http-equiv=refresh content=5>", ""),
        ("<meta property=og:image content=a><meta name=twitter:image content=b>", "a r b r"),
        ("<meta name=description content=a>", ""),
        ("<p style='background:url(a)'>", "a r"),
        ("<style>@import 'a'; p{background:url(b)}</style>", "a r b r"),
        ("<link rel=stylesheet href=a><link rel='shortcut icon' href=b>", "a r b r"),
        ("<link rel=preload href=a imagesrcset='b 1x'>", "a r b r"),
        ("<link rel=next href=a><link rel=alternate href=b><link href=c>", "a p b p c p"),
        ("<link rel=manifest href=a><link rel=preconnect href=b>", "a r"),
        ("<link rel=modulepreload href=a><link rel=prefetch href=b><link rel=amphtml href=c>",
         "a r b c c p"),
        ("<link itemprop=thumbnailUrl href=a><link itemprop=url href=b>", "a r b p"),
        ("<body><link rel=stylesheet href=a></body>", "a r"),
        ("<link rel='alternate stylesheet' href=a>", "a r"),
        ("<!--[if IE]><link rel=stylesheet href=a><![endif]--><!-- <a href=b> -->", "a r"),
        ("<![if !IE]><a href=a><![endif]>", "a p"),
        ("<noscript><img src=a></noscript>", "a r"),
        ("<noframes><a href=a></noframes>", "a p"),
        ("<object data=a codebase=b/ archive='c d'></object>", "b/a r b/c r b/d r"),
        ("<object classid='java:x.y'><param name=movie value=a><param name=b value=c>",
         "x/y.class r a r"),
        ("<applet code=A.class codebase=d archive='b,c'>", "A.class r b r c r"),
        ("<amp-img src=a><amp-video poster=b src=c><amp-iframe src=d>", "a r b r c r d c"),
        ("<img data-lazy-src=a.png data-lazy-srcset='b 2w' data-lazy=true data-bg=1.5>",
         "a.png r b r"),
        ("<div data-background-image='url(a)' data-bg=b/c data-href=d data-url=/e data-url2=/f>",
         "a r b/c r d p /e p"),
        ("<div data-anything='//a/b.WEBP?c' data-other=d.css data-more='e f.png' data-x='{g.js'>",
         "//a/b.WEBP?c r d.css r"),
        ("<meta property=og:url content=a/b><meta itemprop=embedUrl content=c><meta name=logo"
         " content=d>", "a/b p d r"),
        ("<embed flashvars='file=a.flv&amp;title=b&amp;image=c/d.jpg'>", "a.flv r c/d.jpg r"),
        ("<param name=FlashVars value='src=a.mp4'>", "a.mp4 r"),
        ("<svg><filter><feImage href=a /></filter><script href=b /><math href=c>", "a r b r c p"),
        ("<div><template shadowrootmode=open><img src=a></template></div>", "a r"),
        ("<menuitem icon=a><x icon=b>", "a r"),
        ("<?xml-stylesheet href='a'?><html>", "a r"),
        ("<html manifest=a><a href=b><a href=b><a href='b#x'>", "a r b p"),
        ("<template><a href=a></template><textarea><a href=b></textarea>", "a p"),
        ("<a href=x", ""),
        ("<option value=/a?b><option value=c/d.html><option value=e.php?f=g><option value=../>",
         "/a?b p c/d.html p e.php?f=g p ../ p"),
        ("<option value=M/F><option value=Europe/Paris><option value=1.5><option value=/>", ""),
    ],
)  # fmt: skip
def test_links(document: str, expected: str) -> None:
    """Each linking attribute gives the link a browser would make of it."""
    words = expected.split()
    found = sorted((url.strip(), kind) for url, kind in kinds(document))
    assert found == sorted(zip(words[::2], words[1::2], strict=True))


@pytest.mark.parametrize(
    ("document", "media_type", "code"),
    [
        ("<script>a()</script>", "text/javascript", "a()"),
        ("<SCRIPT TYPE=module>'<b>'</SCRIPT>", "text/javascript", "'<b>'"),
        ("<script language=JavaScript1.2><!-- a --></script>", "text/javascript", "<!-- a -->"),
        ("<script type=application/ld+json>{}</script>", "application/ld+json", "{}"),
        ("<script type='importmap'>{}</script>", "application/importmap+json", "{}"),
        ("<script type=speculationrules>{}</script>", "application/speculationrules+json", "{}"),
        ("<script type='text/html; x=y'><a></script>", "text/html", "<a>"),
        ("<b onClick='a(&quot;b&quot;)'>", "text/javascript", 'a("b")'),
        ("<a href='javascript:a(%22b%22)'>", "text/javascript", 'a("b")'),
        ("<a href=' java\tscript:a()'>", "text/javascript", "a()"),
        ("<iframe src='JAVASCRIPT:a()'></iframe>", "text/javascript", "a()"),
        ("<svg><script><![CDATA[ a ]]></script></svg>", "text/javascript", " a "),
    ],
)  # fmt: skip
@pytest.mark.parametrize("step", [None, 1])
def test_scripts_within_pages(document: str, media_type: str, code: str, step: int | None) -> None:
    """Scripts and data of elements and attributes are handed on, and are no links."""
    parsed = parse(document.encode(), step)
    assert parsed.embedded == [Embedded(media_type, code)]
    assert parsed.links == []


@pytest.mark.parametrize(
    "document",
    ["<script src=a>b()</script>", "<script> </script>", "<script type=nonsense>a</script>",
     "<a onclick=''>", "<a href='javascript:'>"],
)  # fmt: skip
def test_what_is_no_script(document: str) -> None:
    """What a browser does not run, or not from the page, is not handed on."""
    assert parse(document.encode()).embedded == []


def test_long_scripts_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script is kept up to a limit, and the parser says so."""
    monkeypatch.setattr(html_scripts, "SCRIPT_LIMIT", 10)
    parsed = parse(b"<script>" + b"x" * 50 + b"</script>", 3)
    assert [found.text for found in parsed.embedded] == ["x" * 10]
    assert parsed.truncated


def test_feeds_are_told() -> None:
    """A feed is a page link that says so."""
    parser = parse(
        b'<link rel="alternate" type="application/atom+xml" href="a">'
        b'<a type="application/rss+xml" href="b">x</a><link rel=feed href=c>'
    )
    assert [(link.url, link.feed) for link in parser.links] == [
        ("a", True),
        ("b", True),
        ("c", True),
    ]


def test_base() -> None:
    """The first base counts."""
    parser = parse(b"<base href='/a/'><base href=b><a href='#x'><a href=c>")
    assert parser.base == "/a/"
    assert [link.url for link in parser.links] == ["c"]


@pytest.mark.parametrize(
    ("document", "charset", "url", "encoding"),
    [
        ("<meta charset=iso-8859-1><a href=é>".encode("latin-1"), None, "é", "windows-1252"),
        ("<a href=é>".encode(), None, "é", "utf-8"),
        ("<a href=é>".encode("latin-1"), None, "é", "windows-1252"),
        ("<meta charset=utf-8><a href=é>".encode("latin-1"), "latin1", "é", "windows-1252"),
        (b"\xef\xbb\xbf" + "<a href=é>".encode(), "latin1", "é", "utf-8"),
        ("<a href=日>".encode("shift_jis"), "shift_jis", "日", "shift_jis"),
        (b"\xff\xfe" + "<a href=é>".encode("utf-16le"), None, "é", "utf-16le"),
        ("<meta charset=utf-16><a href=é>".encode(), None, "é", "utf-8"),
        ('<?xml version="1.0" encoding="koi8-r"?><a href="й"/>'.encode("koi8-r"), None, "й",
         "koi8-r"),
        ("<meta charset=nonsense><a href=é>".encode(), "nonsense", "é", "utf-8"),
        ((" " * 2000 + "<a href=é>").encode("latin-1"), None, "é", "windows-1252"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("step", [None, 1, 7])
def test_encodings(
    document: bytes, charset: str | None, url: str, encoding: str, step: int | None
) -> None:
    """Mark, header, declaration, then proof; whatever the chunks."""
    parser = parse(document, step, charset)
    assert [link.url for link in parser.links] == [url]
    assert parser.encoding == encoding


TAGS = st.sampled_from(
    ["<a href=x>", "<a href='y", "'>", "<!--", "-->", "<style>", "</style>", "url(z)", "<script>",
     "</script>", "&amp;", "<base href=b>", "<iframe srcdoc='", "é", "\0", "<![CDATA[", "<svg>",
     "<meta charset=utf-16>", "<p style='background:url(q)'>", "<", ">", "\"", "<noframes>", "<?"]
)  # fmt: skip


@given(st.lists(TAGS, max_size=20).map("".join), st.integers(1, 9))
def test_chunks_do_not_matter(document: str, step: int) -> None:
    """Any cut of any document gives the same links."""
    data = document.encode()
    assert parse(data, step).links == parse(data).links


@given(st.binary(max_size=3000), st.sampled_from([None, "utf-8", "gbk", "iso-2022-jp", "utf-16"]))
def test_any_bytes(document: bytes, charset: str | None) -> None:
    """No bytes raise."""
    parse(document, 100, charset)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("<svg><style/><title/><image href='a'/></svg>", "a r"),
        ("<html><script src='a'/><a href='b'/></html>", "a r b p"),
        ("<a><![CDATA[ <img src='x'/> ]]><img src='a'/></a>", "a r"),
        ("<style><![CDATA[ p{background:url(a)} ]]></style>", "a r"),
    ],
)
def test_xml(document: str, expected: str) -> None:
    """In XHTML and SVG elements close themselves, and CDATA sections hold text."""
    parsed = parse(document.encode(), parser=XmlParser(Source()))
    words = expected.split()
    found = [(link.url, "p" if link.kind == "page" else "r") for link in parsed.links]
    assert found == list(zip(words[::2], words[1::2], strict=True))


def test_a_hundred_thousand_links() -> None:
    """Every link is given, however many there are."""
    parser = HtmlParser(Source())
    count = 0
    for start in range(0, 100_000, 1000):
        chunk = b"".join(b"<a href=%d>" % number for number in range(start, start + 1000))
        count += sum(1 for _ in parser.feed(chunk))
    assert count + sum(1 for _ in parser.close()) == 100_000
    assert not parser.truncated


def test_long_documents_are_read_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the limit of bytes nothing is read, and the parser says so."""
    monkeypatch.setattr(html, "PARSE_LIMIT", 2000)
    parser = parse(b"<a href=x>" + b" " * 2000 + b"<a href=y>", 100)
    assert [link.url for link in parser.links] == ["x"]
    assert parser.truncated
    monkeypatch.setattr(html_elements, "INNER_LIMIT", 100)
    parser = parse(b"<noframes><a href=x>" + b" " * 200 + b"<a href=y></noframes><a href=z>", 20)
    assert [link.url for link in parser.links] == ["z"]


def test_long_tags_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tag that does not end costs itself only, and the parser says so."""
    monkeypatch.setattr(tokenizer, "TAG_LIMIT", 100)
    parser = parse(b"<a title='" + b"x" * 5000 + b"<a href=y>", 20)
    assert [link.url for link in parser.links] == ["y"]
    assert parser.truncated


@pytest.mark.parametrize(
    "hostile",
    ["<div>", "<a href='", "<!--", "<", "<style>", "<a a=", "<p style='url(", "&", "<!--[if x]>"],
)
def test_hostile_documents_stay_linear(hostile: str) -> None:
    """Four times the bytes take about four times the time."""

    def seconds(size: int) -> float:
        document = hostile.encode() * (size // len(hostile))
        return processor_seconds(lambda: parse(document, 65536))

    assert seconds(800_000) < 10 * max(seconds(200_000), 0.03)
