"""Names of sites, crawls and attempts: safe as names of folders, and a person can read them."""

import re
from hashlib import sha256
from urllib.parse import urlsplit

_LONGEST = 80  # characters of a site's name
_PLAIN = re.compile(r"[a-z0-9][a-z0-9.\-]*(:[0-9]+)?")  # "..", a host too, is no folder's name
_UNSAFE = re.compile(r"[^a-z0-9.\-]+")


def site_name(start_url: str) -> str:
    """Return the name of the site that begins at a canonical URL.

    It is the host, and after `_` the port: one name for http and https. Where the site begins
    deeper than that, or at a strange host, what can be of it follows, and digits of its SHA-256
    so that no two share a name.
    """
    parts = urlsplit(start_url)
    spoken = parts.netloc + parts.path.rstrip("/") + (f"?{parts.query}" if parts.query else "")
    if _PLAIN.fullmatch(spoken) and len(spoken) <= _LONGEST:
        return spoken.replace(":", "_")
    shown = _UNSAFE.sub("-", spoken.lower()).strip("-.")[:_LONGEST]
    return f"{shown or 'site'}-{sha256(spoken.encode('utf-8', 'replace')).hexdigest()[:8]}"


def host_of(start_url: str) -> str:
    """Return the host that a site is collected from, by which sites take turns.

    A name and its twin with `www.` are one host.
    """
    return (urlsplit(start_url).hostname or "").removeprefix("www.")


def crawl_name(date: str, site: str, repeated: int = 0) -> str:
    """Return the name of a crawl of `site` ordered at a date of 20 digits.

    Args:
        date: when it was ordered.
        site: the site's name.
        repeated: how many crawls of the site were ordered within that second before.
    """
    moment = f"{date[:8]}-{date[8:14]}"
    return f"{moment}-{site}" + (f"-{repeated + 1}" if repeated else "")


def attempt_name(crawl: str, number: int) -> str:
    """Return the name of a crawl's attempt, under which a crawler works and keeps its folder.

    The first has the name of the crawl. A later one has its own, because a crawler that was
    thought dead may still be writing to the former folder.
    """
    return crawl if number == 1 else f"{crawl}.{number}"
