"""Identifiers of sessions in URLs, found by what they look like (*INA §1.4.1, §2.4.2*). Pure.

A server that keeps its visitors apart by a parameter gives the same page a new URL for each visit:
a crawl would never end, and no URL of the archive would be asked for again. The crawler removes
such identifiers from the links it follows; the consultation server removes them from a URL that
it does not find as it is. Both do it here. `docs/reference/delimitation.md` has the rules, and
what they cost.
"""

import re

from agents import urls

_PASSES = 8  # what is still not settled after these is hostile, and left as it is

_HEXADECIMAL = re.compile(r"[0-9a-f]{32}(?:[0-9a-f]{8})?", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_RANDOM = re.compile(r"(?:[\w.~+/!*,-]|%2[BF]|%3D){16,}=*", re.I)
# Letters and digits mixed, as chance does; not `2024-opening-keynote`, which names a page.
_MIXED = re.compile(r"(?<![a-z0-9])(?=[a-z]*+[0-9])(?=[0-9]*+[a-z])[a-z0-9]{8}", re.IGNORECASE)

# Parameters that hold nothing but identifiers of sessions, in the products that coined them.
_COINED = re.compile(
    r"jsessionid(?:sso)?|php(?:sess(?:ion)?id|session)|aspsessionid[a-z]{8}|asp\.net_sessionid"
    r"|zenid|zencartid|oscsid|xtcsid|modsid|mscssid|gxsid|wosid|bv_(?:session|engine)id|frontendsid",
    re.IGNORECASE,
)
# Parameters that may hold one; also `sid=12`, the twelfth story.
_TELLING = re.compile(
    r"(?:[\w.]*[_.-])?s(?:ess)?_?id|(?:[\w.]*[_.-])?sess(?:ion)?(?:[_-]?(?:id|key|token|hash))?"
    r"|\w*sessionid",
    re.IGNORECASE,
)
# Parameters whose hash is the name of what is asked for.
_NAMING = re.compile(
    r"\w*(?<!s)id|\w*(?:hash|md5|sha1?|digest|sum|key)|(?:\w*[_-])?(?:id|h|signature|sig"
    r"|commit|rev(?:ision)?|ref|tree|blob|tag|branch|parent|object|obj|v|ver|version|etag|rand"
    r"|post|entry|node|topic|thread|category|user|author|album|gallery|cursor|after|before"
    r"|f|file|filename|name|path|p|page|doc|document|article|item|product|media|video|image|img"
    r"|picture|photo|thumb|src|url|u|q|query|search)",
    re.IGNORECASE,
)

# Files; a hash in their query signs the URL, or tells versions apart, and is asked for with them.
_FILE = re.compile(
    r"\.(?:jpe?g|png|gif|webp|avif|svg|ico|css|m?js|json|woff2?|[ot]tf|mp[34]|m4[asv]|web[mp]|og[gv]"
    r"|m3u8|mpd|ts|vtt|pdf|zip)\Z",
    re.IGNORECASE,
)

_SUSPECT = re.compile(r"=[0-9a-f]{32}|s(?:ess|id)|cfid|zen(?:cart)?id", re.IGNORECASE)
_PARAMETER = re.compile(r"[?&;]([^=&;]*+)=([^&;]*+)")
_PATH_PARAMETER = re.compile(r";([^=;/?]*+)=([^;/?]*+)")
# ASP.NET without cookies: /(S(24 characters))/, perhaps among others, and the older /(…)/.
_PATH_PART = re.compile(
    r"/\((?:(?:[A-Z]\([^()/?]*+\))*?S\([0-9a-z]{24}\)(?:[A-Z]\([^()/?]*+\))*+|[0-9a-z]{24})\)(?=/)"
)


def without_session(url: str) -> str:
    """Return a canonical URL without the identifiers of sessions in it; canonical too."""
    if "?" not in url and ";" not in url and "/(" not in url:
        return url
    shorter = url
    for _ in range(_PASSES):
        before, shorter = shorter, _pass(shorter)
        if shorter == before:
            return url if shorter == url else urls.canonical(shorter) or url
    return url


def _pass(url: str) -> str:
    start = len(url) - len(urls.target(url))
    path, mark, query = url[start:].partition("?")
    if ";" in path:
        path = _PATH_PARAMETER.sub(_left_in_path, path)
    if "/(" in path:
        path = _PATH_PART.sub("", path)
    return url[:start] + path + _query(mark + query, _FILE.search(path) is not None)


def _query(query: str, of_file: bool) -> str:
    """Return a query, with its question mark, without identifiers of sessions."""
    if _SUSPECT.search(query) is None:
        return query
    lower = query.lower()
    cold_fusion = "cfid=" in lower and "cftoken=" in lower

    def left(parameter: re.Match[str]) -> str:
        name, value = parameter[1], parameter[2]
        if cold_fusion and name.lower() in ("cfid", "cftoken"):
            return ""
        return "" if _is_session(name, value, of_file) else parameter[0]

    rest = _PARAMETER.sub(left, query)
    return rest if rest == query or not rest else "?" + rest[1:]


def _left_in_path(parameter: re.Match[str]) -> str:
    return "" if _is_session(parameter[1], parameter[2]) else parameter[0]


def _is_session(name: str, value: str, of_file: bool = False) -> bool:
    if _COINED.fullmatch(name):
        return value != ""
    if _TELLING.fullmatch(name):
        random = _RANDOM.fullmatch(value) and _MIXED.search(value)
        return bool(random or _HEXADECIMAL.fullmatch(value) or _UUID.fullmatch(value))
    return (
        bool(name)
        and not of_file
        and not _NAMING.fullmatch(name)
        and bool(_HEXADECIMAL.fullmatch(value))
    )
