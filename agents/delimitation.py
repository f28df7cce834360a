"""What belongs to a site: expressions such as `//tf1.fr OR .tf1.fr` (*INA §1.4.1*).

An expression is patterns joined by `AND`, `OR`, `NOT` and parentheses (`agents.expressions`). A
pattern is a simplified regular expression over canonical URLs (`agents.urls.canonical`);
`docs/reference/delimitation.md` is its definition:

    //host/dir/    URLs of exactly this host, whose path begins with /dir/ (`https://…` fixes
                   the scheme too; `//host:81` fixes the port)
    .host/dir/     the same for every subdomain of the host, but not the host itself
    /dir/          URLs whose path begins so, on any host
    text           URLs that hold this text anywhere
    *              any characters (in a host: any within it);  \\c  the character c itself
    $              at the end of a pattern: the URL ends here
"""

import re
from collections.abc import Iterator

from attrs import frozen

from agents import urls
from agents.expressions import (
    LENGTH_LIMIT,
    NESTING_LIMIT,
    PATTERN_LIMIT,
    Expression,
    InvalidExpression,
    parse,
)

__all__ = [
    "LENGTH_LIMIT",
    "NESTING_LIMIT",
    "PATTERN_LIMIT",
    "Delimitation",
    "Expression",
    "InvalidExpression",
    "guess",
    "parse",
]


@frozen
class Delimitation:
    """What belongs to a site: taken by `accept` and not by `reject` (*INA §1.4.1*)."""

    accept: Expression
    reject: Expression

    @classmethod
    def parse(cls, accept: str, reject: str = "") -> "Delimitation":
        """Read both expressions.

        Raises:
            InvalidExpression: one of them can't be read.
        """
        return cls(parse(accept), parse(reject))

    def internal(self, url: str) -> bool:
        """Tell whether a canonical URL belongs to the site."""
        return self.accept.matches(url) and not self.reject.matches(url)


def guess(start_url: str) -> tuple[str, str]:
    """Return the accept and reject expressions of a site known by its URL only.

    The site is the URL's host and its twin with or without `www.`; when the URL names a port,
    that port of them only.

    Raises:
        ValueError: the URL is not an absolute http or https URL.
    """
    url = urls.canonical(start_url)
    if url is None:
        raise ValueError(f"{start_url[:200]!r} is not an http or https URL")
    name, port = urls.split_port(urls.authority(url))
    suffix = "" if port is None else f":{port}"
    return " OR ".join(f"//{_quoted(one)}{suffix}" for one in _twins(name)), ""


def _twins(name: str) -> Iterator[str]:
    yield name
    if name.startswith("www.") and name.count(".") > 1:
        yield name[4:]
    elif "." in name and not urls.is_address(name):
        yield "www." + name


def _quoted(text: str) -> str:
    return re.sub(r"([\\*$()\s])", r"\\\1", text)
