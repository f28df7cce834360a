"""What the attributes and elements of HTML link to: tables and small pure readings.

The distinction is INA's (§1.4.2): whatever a browser fetches on its own is a component, and a
requisite unless it is a frame or a redirection; whatever takes a person's act is a page.
"""

import re
from typing import Final

# What an attribute refers to.
PAGE: Final = 1
REQUISITE: Final = 2
FRAME: Final = 3  # a component that can be done without
CANDIDATES: Final = 4  # a srcset
STYLE: Final = 5  # declarations of CSS
SPECIAL: Final = 6  # its element decides, see `tag_links.py`
LAZY: Final = 7  # a requisite, if it looks like one: scripts that load images late read it
LED: Final = 8  # a page, if it looks like one: scripts that open it read it
NOTHING: Final = 9

ANY = ""  # key of what an attribute means in elements not named

_FRAMES = ("iframe", "frame", "ilayer", "layer", "portal", "fencedframe", "amp-iframe")
_SVG_RESOURCES = (
    "image", "use", "feimage", "script", "pattern", "mpath", "lineargradient", "radialgradient",
    "textpath", "tref", "filter", "cursor", "color-profile", "font-face-uri",
)  # fmt: skip

ATTRIBUTES: dict[str, dict[str, int]] = {
    "href": {ANY: PAGE, "link": SPECIAL, "base": NOTHING}
    | dict.fromkeys(_SVG_RESOURCES, REQUISITE),
    "xlink:href": {ANY: REQUISITE, "a": PAGE},
    "src": {ANY: REQUISITE} | dict.fromkeys(_FRAMES, FRAME),
    "data-src": {ANY: REQUISITE} | dict.fromkeys(_FRAMES, FRAME),
    "data-href": {ANY: PAGE, "link": REQUISITE},
    "data-url": {ANY: LED},
    "data-link": {ANY: LED},
    "data-permalink": {ANY: LED},
    "action": {"form": SPECIAL},
    "formaction": {"button": SPECIAL, "input": SPECIAL},
    "data": {"object": SPECIAL},
    "code": {"applet": SPECIAL, "object": SPECIAL},
    "archive": {"applet": SPECIAL, "object": SPECIAL},
    "classid": {"object": SPECIAL},
    "value": {"param": SPECIAL, "option": SPECIAL},
    "content": {"meta": SPECIAL},
    "flashvars": {"embed": SPECIAL, "object": SPECIAL},
    "manifest": {"html": REQUISITE},
    "icon": dict.fromkeys(["command", "menuitem"], REQUISITE),
    "longdesc": {ANY: PAGE},
    "cite": {ANY: PAGE},
    "style": {ANY: STYLE},
}
ATTRIBUTES |= dict.fromkeys(["background", "poster", "lowsrc", "dynsrc"], {ANY: REQUISITE})
ATTRIBUTES |= dict.fromkeys(
    ["srcset", "imagesrcset", "data-srcset", "data-lazy-srcset", "data-original-set", "data-bgset",
     "data-orig-srcset", "data-ll-srcset", "data-pagespeed-lazy-srcset", "data-litespeed-srcset",
     "data-ezsrcset", "data-cfsrcset"],
    {ANY: CANDIDATES},
)  # fmt: skip
# Of lazysizes, lozad, unveil, vanilla-lazyload, b-lazy, echo, Flickity, WordPress and its plug-ins,
# Squarespace, Cloudflare and PageSpeed. Others are read by what they hold, see `html_guesses.py`.
ATTRIBUTES |= dict.fromkeys(
    ["data-original", "data-lazy", "data-lazy-src", "data-lazyload", "data-echo", "data-image",
     "data-img", "data-background", "data-background-image", "data-bg", "data-bg-image",
     "data-poster", "data-thumb", "data-full", "data-flickity-lazyload", "data-orig-file",
     "data-large-file", "data-medium-file", "data-large_image", "data-zoom-image", "data-cfsrc",
     "data-ezsrc", "data-src-retina", "data-at2x", "data-hires", "data-iesrc", "data-fallback-src",
     "data-litespeed-src", "data-pagespeed-lazy-src", "lazy-src", "lazyload"],
    {ANY: LAZY},
)  # fmt: skip

# The elements that most links of the web are of, for the parser that looks at no others.
FAST_ELEMENTS = (
    "a", "img", "link", "script", "area", "iframe", "frame", "source", "video", "audio", "embed",
    "input", "meta", "object", "track", "base", "form",
)  # fmt: skip

_FETCHED_RELATIONS = frozenset(
    ["stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon",
     "fluid-icon", "apple-touch-startup-image", "manifest", "preload", "modulepreload", "image_src",
     "fontdef", "import", "pavatar", "compression-dictionary"]
)  # fmt: skip
_GUESSED_RELATIONS = frozenset(["prefetch", "prerender"])  # fetched, but not for this page
_UNFETCHED_RELATIONS = frozenset(
    ["dns-prefetch", "preconnect", "pingback", "profile", "expect", "webmention", "micropub",
     "openid.server", "openid2.provider", "authorization_endpoint", "token_endpoint",
     "original", "timegate", "timemap", "memento"]  # the same at other times (RFC 7089)
)  # fmt: skip
_FEED_TYPES = frozenset(
    ["application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"]
)
_SHOWN_PROPERTIES = re.compile(
    r"(?:og|twitter):(?:image|video|audio|player:stream)(?::(?:url|secure_url|src))?"
    r"|image|logo|thumbnail(?:url)?|contenturl|msapplication-(?:\w+logo|tileimage|config)",
    re.IGNORECASE,
)
_LED_PROPERTIES = re.compile(
    r"(?:og|twitter|al:web):url|og:see_also|twitter:player|url|embedurl|canonical", re.IGNORECASE
)
_MOVIE_PARAMETERS = frozenset(["movie", "src", "filename", "url", "data", "image"])
_REFRESH = re.compile(
    r"""\s*[\d.]*\s*[;,\s]\s*(?:url\s*=\s*)?(?:"(?P<double>[^"]*)|'(?P<single>[^']*)|(?P<bare>\S.*))""",
    re.IGNORECASE | re.DOTALL,
)


def relation(rel: str) -> int:
    """Return what a `link` element with these relations refers to."""
    relations = frozenset(rel.lower().split())
    if relations & _FETCHED_RELATIONS:
        return REQUISITE
    if relations & _GUESSED_RELATIONS:
        return FRAME
    return NOTHING if relations & _UNFETCHED_RELATIONS else PAGE


def is_feed(rel: str, media_type: str) -> bool:
    """Tell whether a link with this `rel` and `type` is to a feed of the page."""
    kind = media_type.partition(";")[0].strip().lower()
    relations = rel.lower().split()
    return "feed" in relations or (kind in _FEED_TYPES and "stylesheet" not in relations)


def refresh_target(content: str) -> str:
    """Return the URL of a `Refresh` header or meta element; empty when it has none."""
    found = _REFRESH.match(content)
    return "" if found is None else found["double"] or found["single"] or found["bare"] or ""


def is_shown(name: str) -> bool:
    """Tell whether a meta property of this name refers to what is shown for the page."""
    return _SHOWN_PROPERTIES.fullmatch(name) is not None


def is_led_to(name: str) -> bool:
    """Tell whether a meta property of this name refers to another page."""
    return _LED_PROPERTIES.fullmatch(name) is not None


def is_movie(name: str) -> bool:
    """Tell whether an object's parameter of this name says what it plays."""
    return name.strip().lower() in _MOVIE_PARAMETERS
