"""What the attributes and elements of HTML link to: tables and small pure readings.

The distinction is INA's (§1.4.2): whatever a browser fetches on its own is a component, and a
requisite unless it is a frame or a redirection; whatever takes a person's act is a page.
"""

import re
from typing import Final

# What an attribute refers to.
PAGE: Final = 1
REQUISITE: Final = 2
FRAME: Final = 3
CANDIDATES: Final = 4  # a srcset
STYLE: Final = 5  # declarations of CSS
SPECIAL: Final = 6  # its element decides, see `tag_links.py`
NOTHING: Final = 7

ANY = ""  # key of what an attribute means in elements not named

ATTRIBUTES: dict[str, dict[str, int]] = {
    "href": {ANY: PAGE, "link": SPECIAL, "base": NOTHING}
    | dict.fromkeys(["image", "use", "feimage", "script", "pattern", "mpath"], REQUISITE)
    | dict.fromkeys(["lineargradient", "radialgradient", "textpath"], REQUISITE),
    "xlink:href": {ANY: REQUISITE, "a": PAGE},
    "src": {ANY: REQUISITE}
    | dict.fromkeys(["iframe", "frame", "ilayer", "layer", "portal", "fencedframe"], FRAME),
    "data-src": {ANY: REQUISITE, "iframe": FRAME},
    "data-href": {"a": PAGE, "link": REQUISITE},
    "data": {"object": SPECIAL},
    "code": {"applet": SPECIAL, "object": SPECIAL},
    "archive": {"applet": SPECIAL, "object": SPECIAL},
    "classid": {"object": SPECIAL},
    "value": {"param": SPECIAL},
    "content": {"meta": SPECIAL},
    "manifest": {"html": REQUISITE},
    "longdesc": {ANY: PAGE},
    "style": {ANY: STYLE},
}
ATTRIBUTES |= dict.fromkeys(["cite"], {ANY: PAGE})
ATTRIBUTES |= dict.fromkeys(["srcset", "imagesrcset", "data-srcset"], {ANY: CANDIDATES})
ATTRIBUTES |= dict.fromkeys(
    ["background", "poster", "lowsrc", "dynsrc", "icon", "data-original", "data-lazy",
     "data-lazy-src", "data-background", "data-bg", "data-poster"],
    {ANY: REQUISITE},
)  # fmt: skip

_FETCHED_RELATIONS = frozenset(
    ["stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon",
     "fluid-icon", "apple-touch-startup-image", "manifest", "preload", "modulepreload", "image_src",
     "fontdef", "import", "pavatar"]
)  # fmt: skip
_UNFETCHED_RELATIONS = frozenset(["dns-prefetch", "preconnect", "pingback", "profile"])
_FEED_TYPES = frozenset(
    ["application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"]
)
_SHOWN_PROPERTIES = re.compile(
    r"(?:og|twitter):(?:image|video|audio|player:stream)(?::(?:url|secure_url|src))?"
    r"|image|thumbnail(?:url)?|msapplication-(?:\w+logo|tileimage|config)",
    re.IGNORECASE,
)
_MOVIE_PARAMETERS = frozenset(["movie", "src", "filename", "url", "data", "image"])
_REFRESH = re.compile(
    r"""\s*[\d.]*\s*[;,\s]\s*(?:url\s*=\s*)?(?:"(?P<double>[^"]*)|'(?P<single>[^']*)|(?P<bare>\S.*))""",
    re.IGNORECASE | re.DOTALL,
)


def relation(rel: str) -> int:
    """Return what a `link` element with these relations refers to; 0 for nothing to collect."""
    relations = frozenset(rel.lower().split())
    if relations & _FETCHED_RELATIONS:
        return REQUISITE
    return 0 if relations & _UNFETCHED_RELATIONS else PAGE


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


def is_movie(name: str) -> bool:
    """Tell whether an object's parameter of this name says what it plays."""
    return name.strip().lower() in _MOVIE_PARAMETERS
