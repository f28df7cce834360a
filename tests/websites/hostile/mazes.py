"""Attacks by URLs: each answer is decent, but there is no end of them."""

from collections.abc import Callable
from datetime import date
from hashlib import md5
from itertools import count
from urllib.parse import quote

from pieces import Pieces, link_out, moved, page, way_out, whole

LINKS = 50_000  # of one page, and of one sitemap
_RSS = '<?xml version="1.0"?><rss version="2.0"><channel><title>a</title>{}</channel></rss>'
_MAP = '<?xml version="1.0"?><{0} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{1}</{0}>'


def _number(rest: str) -> int:
    """Return the last number in what follows the name of an attack."""
    digits = "".join(each if each.isdigit() else " " for each in rest).split()
    return int(digits[-1]) if digits else 0


def calendar(rest: str) -> Pieces:
    """Give days by query; each leads to the next, to a month and to a year later."""
    day = _number(rest)
    return page(*(f"/calendar?day={day + step}" for step in (1, -1, 30, 365)), way_out("calendar"))


def days(rest: str) -> Pieces:
    """Give days by path: a folder each."""
    year, month, day = [int(each) for each in rest.split("/") if each] or [2026, 11, 21]
    tomorrow = date.fromordinal(date(year, month, day).toordinal() + 1)
    return page(f"/days/{tomorrow:%Y/%m/%d}/", way_out("days"))


def files(rest: str) -> Pieces:
    """Give files of one folder, each with fifty more."""
    number = _number(rest)
    return page(*(f"/files/{number * 50 + step}.html" for step in range(1, 51)), way_out("files"))


def facets(rest: str) -> Pieces:
    """Give sets of parameters, each with more of them."""
    query = rest.partition("?")[2]
    names = ("colour", "size", "price", "brand")
    more = [f"/facets?{query}&{name}={_number(rest) + 1}" for name in names]
    return page(*more, way_out("facets"))


def shop(rest: str) -> Pieces:
    """Give twenty goods, under a new session in the query each time."""
    good = int(rest.partition("good=")[2].partition("&")[0] or 0)
    session = _fresh()
    links = [f"/shop?good={(good + step) % 20}&sid={session}" for step in (1, 2, 3)]
    return page(*links, way_out("shop"))


def cart(rest: str) -> Pieces:
    """Give twenty goods, under a new session in the path each time."""
    good = _number(rest.partition(";")[0])
    links = [f"/cart/{(good + step) % 20}.html;jsessionid={_fresh()}" for step in (1, 2, 3)]
    return page(*links, way_out("cart"))


def visits(rest: str) -> Pieces:
    """Give a number to each visit, which no heuristic can take for a session."""
    return page(*(f"/visits?visit={next(_served)}" for _ in range(3)), way_out("visits"))


_served = count()


def _fresh() -> str:
    """Return the identifier of a new session."""
    return md5(str(next(_served)).encode(), usedforsecurity=False).hexdigest()


def again(rest: str) -> Pieces:
    """Serve any path, with links that are relative to it."""
    return page("again/", "and/again/", way_out("again"))


def circle(rest: str) -> Pieces:
    """Redirect from one to the other and back."""
    return moved("/circle/b" if rest != "/b" else "/circle/a")


def onward(rest: str) -> Pieces:
    """Redirect to a new URL each time."""
    return moved(f"/onward/{_number(rest) + 1}")


def refresh(rest: str) -> Pieces:
    """Refresh to a new URL each time."""
    target = f"/refresh/{_number(rest) + 1}.html"
    return whole(f'<meta http-equiv=refresh content="0;url={target}">{link_out("refresh")}')


def schemes(rest: str) -> Pieces:
    """Redirect to what is not of the web."""
    targets = ("file:///etc/passwd", "javascript:location='/'", "gopher://127.0.0.1:70/",
               "data:text/html,<img src=/leak>", "ftp://127.0.0.1/", "http://[::1", "\0", "//",
               "/" + "x" * 70_000)  # fmt: skip
    if rest:
        return moved(targets[_number(rest) % len(targets)])
    return page(*(f"/schemes/{number}" for number in range(len(targets))), way_out("schemes"))


def frames(rest: str) -> Pieces:
    """Frame the page itself, a new one, and a page within an attribute."""
    number = _number(rest)
    inner = f"<iframe src=/frames/{number + 1}></iframe><iframe srcdoc='<iframe src=/frames/>'>"
    return whole(
        f'<frameset><frame src="/frames/{number}"><frame src="/frames/{number + 1}"></frameset>'
        f'<iframe src="/frames"></iframe><iframe srcdoc="{inner}"></iframe>{link_out("frames")}'
    )


def links(rest: str) -> Pieces:
    """Link to very many pages; the first of them are there."""
    if rest:
        return page("/links")
    anchors = (f"<a href=/links/{number}>{number}</a>\n" for number in range(LINKS))
    return whole("".join(anchors) + link_out("links"))


def maps(rest: str) -> Pieces:
    """Name sitemaps in sitemaps, among them the same one, and very many pages."""
    if rest == "/pages.xml":
        urls = "".join(f"<url><loc>/mapped/{number}</loc></url>" for number in range(LINKS))
        return whole(_MAP.format("urlset", urls), "application/xml")
    names = [f"/maps/{_number(rest) + 1}.xml", f"/maps{rest}", "/maps/pages.xml"]
    entries = "".join(f"<sitemap><loc>{name}</loc></sitemap>" for name in names)
    return whole(_MAP.format("sitemapindex", entries), "application/xml")


def mapped(rest: str) -> Pieces:
    """Give a page that only a sitemap names."""
    return page(way_out("mapped"))


def feeds(rest: str) -> Pieces:
    """Name feeds in feeds."""
    names = [f"/feeds/{_number(rest) + 1}.xml", f"/feeds{rest}", way_out("feeds")]
    items = "".join(f"<item><link>{name}</link></item>" for name in names)
    return whole(_RSS.format(items), "application/rss+xml")


def sheets(rest: str) -> Pieces:
    """Import sheets into sheets."""
    if not rest:
        return whole(f"<link rel=stylesheet href=/sheets/0.css>{link_out('sheets')}")
    text = f'@import "{_number(rest) + 1}.css"; @import "0.css"; a {{ b: url(/sheets/x.png) }}'
    return whole(text, "text/css")


def modules(rest: str) -> Pieces:
    """Import modules into modules."""
    if not rest:
        return whole(f"<script type=module src=/modules/0.js></script>{link_out('modules')}")
    return whole(f'import "./{_number(rest) + 1}.js"; import "./0.js";', "text/javascript")


def names(rest: str) -> Pieces:
    """Link to URLs of every odd kind."""
    odd = [
        "http://",
        "//",
        "http://[::1",
        "?" * 5000,
        "#" * 5000,
        "../" * 5000 + "names",
        "\\\\x\\",
        "%",
        "%zz",
        "http://user:pass@127.0.0.1:1/",
        "/names/" + quote("é\0\r\n "),
        "java\tscript:",
        "http://127.0.0.1:99999/",
        "http://" + "a." * 5000 + "test/",
        "/" + "x" * 70_000,
        "mailto:a@b.test",
        "http://\u2100.test/",
        "http://0x7f000001:1/",
        "http://2130706433:1/",
    ]
    return page(*odd, way_out("names"))  # fmt: skip


MAZES: dict[str, Callable[[str], Pieces]] = {
    each.__name__: each
    for each in (calendar, days, files, facets, shop, cart, visits, again, circle, onward, refresh,
                 schemes, frames, links, maps, mapped, feeds, sheets, modules, names)
}  # fmt: skip
NO_WAY_OUT = frozenset(["circle", "onward", "maps"])
