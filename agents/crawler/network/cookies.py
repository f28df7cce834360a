"""Cookies that servers set, kept for one crawl and sent back (RFC 6265).

There is one jar for each registrable domain (`example.co.uk` for `www.example.co.uk`): whatever a
server asks, its cookies go no further than that, and a request looks through no others. The rules
inside a domain are those of `http.cookiejar`.
"""

import re
from collections import OrderedDict
from email.message import Message
from functools import lru_cache
from http.cookiejar import Cookie as JarCookie
from http.cookiejar import CookieJar, DefaultCookiePolicy
from ipaddress import ip_address
from typing import Any
from urllib.request import Request

from publicsuffixlist import PublicSuffixList

from agents import urls
from agents.order import Cookie
from anet.http import ResponseHead

DOMAINS = 500  # of which cookies are kept; those longest unused are forgotten
COOKIES = 100  # of one domain
LENGTH = 4096  # bytes of one cookie; browsers take no more
_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")  # what browsers refuse in a cookie
# Read when a process begins, which takes some hundredths of a second; forked crawlers share it.
_SUFFIXES: Any = PublicSuffixList()
_FIELDS = 50  # cookies looked at of one answer


class Cookies:
    """The cookies of one crawl.

    Args:
        given: sent from the first request on.
        kept: whether those that servers set are kept.
    """

    def __init__(self, given: tuple[Cookie, ...] = (), kept: bool = True) -> None:
        self._kept = kept
        self._jars: OrderedDict[str, CookieJar] = OrderedDict()
        for cookie in given:
            self._jar(domain_of(cookie.domain.lstrip("."))).set_cookie(_given(cookie))

    def field(self, url: str) -> bytes:
        """Return the `Cookie` field of a request, or nothing."""
        jar = self._jars.get(domain_of(urls.host(url))) if self._jars else None
        if jar is None:
            return b""
        request = Request(url)  # noqa: S310 - nothing is opened
        jar.add_cookie_header(request)
        return str(request.get_header("Cookie", "")).encode("latin-1", "ignore")

    def take(self, url: str, head: ResponseHead) -> None:
        """Keep the cookies that an answer sets."""
        values = head.headers.get_all(b"set-cookie") if self._kept else []
        if not values:
            return
        jar = self._jar(domain_of(urls.host(url)))
        fields = Message()
        for value in values[:_FIELDS]:
            if len(value) <= LENGTH and not _CONTROL.search(value):
                fields["Set-Cookie"] = value.decode("latin-1")
        request = Request(url)  # noqa: S310 - nothing is opened
        jar.extract_cookies(_Answer(fields), request)  # type: ignore[arg-type]
        _shorten(jar)

    def _jar(self, domain: str) -> CookieJar:
        jar = self._jars.get(domain)
        if jar is None:
            policy = DefaultCookiePolicy(
                hide_cookie2=True,
                # A host's own cookie does not go to its subdomains (RFC 6265 §5.1.3).
                strict_ns_domain=DefaultCookiePolicy.DomainStrictNonDomain,
            )
            jar = self._jars[domain] = CookieJar(policy)
            if len(self._jars) > DOMAINS:
                self._jars.popitem(last=False)
        self._jars.move_to_end(domain)
        return jar


class _Answer:
    """What a jar wants to see of an answer."""

    def __init__(self, fields: Message) -> None:
        self._fields = fields

    def info(self) -> Message:
        """Return its fields."""
        return self._fields


@lru_cache(maxsize=4096)
def domain_of(host: str) -> str:
    """Return the registrable domain of a host; of an address, or a suffix itself, all of it."""
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return _SUFFIXES.privatesuffix(host) or host
    return host


def _shorten(jar: CookieJar) -> None:
    """Keep the newest cookies of a domain that sets too many."""
    surplus = len(jar) - COOKIES
    for cookie in list(jar)[: max(0, surplus)]:
        jar.clear(cookie.domain, cookie.path, cookie.name)


def _given(cookie: Cookie) -> JarCookie:
    subdomains = cookie.domain.startswith(".")
    domain = cookie.domain if "." in cookie.domain else f"{cookie.domain}.local"  # as jars do
    return JarCookie(
        version=0,
        name=cookie.name,
        value=cookie.value,
        port=None,
        port_specified=False,
        domain=domain,
        domain_specified=subdomains,
        domain_initial_dot=subdomains,
        path=cookie.path,
        path_specified=True,
        secure=False,
        expires=None,
        discard=True,
        comment=None,
        comment_url=None,
        rest={},
    )
