"""What subscribers and hubs say to each other (W3C WebSub). Pure."""

import hmac
import re
from collections.abc import Iterable
from urllib.parse import urlencode

from agents import urls
from agents.feed import Subscription
from agents.feeds.document import Feed
from anet.http import Headers

METHODS = frozenset(["sha1", "sha256", "sha384", "sha512"])  # of signatures (WebSub §8)
LEASE = 10 * 86400  # seconds that are asked for
SHORTEST_LEASE = 300.0  # a hub that gives less tells of nothing that polling would not
LONGEST_LEASE = 365 * 86400.0
_LINKS = 20  # links of heads looked at

_LINK = re.compile(r"<([^<>]*)>((?:\s*;\s*[\w*!-]+\s*(?:=\s*(?:\"[^\"]*\"|[^\s\";,]*))?)*)")
_RELATION = re.compile(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\s\";,]*))", re.I)


def discover(headers: Headers, feed: Feed | None, url: str) -> tuple[str, str] | None:
    """Return the hub and the topic of a feed, from its head or from itself (WebSub §4).

    Args:
        headers: of the answer.
        feed: what the answer says.
        url: that gave it.
    """
    hubs: list[str] = []
    selves: list[str] = []
    for target, relations in _links(headers):
        hubs += [target] if "hub" in relations else []
        selves += [target] if "self" in relations else []
    if feed is not None:
        hubs += feed.hubs
        selves += [feed.self_url]
    hub = next((found for text in hubs if (found := urls.canonical(text, url))), None)
    topic = next((found for text in selves if text and (found := urls.canonical(text, url))), url)
    return (hub, topic) if hub else None


def _links(headers: Headers) -> Iterable[tuple[str, list[str]]]:
    text = ", ".join(value.decode("latin-1") for value in headers.get_all(b"link"))[:8192]
    for number, link in enumerate(_LINK.finditer(text)):
        if number == _LINKS:
            return
        relation = _RELATION.search(link[2])
        if relation is not None:
            yield link[1], (relation[1] or relation[2] or "").lower().split()


def subscription_form(subscription: Subscription, callback: str) -> bytes:
    """Return the form that asks a hub to tell of a topic (WebSub §5.1)."""
    return urlencode(
        {
            "hub.callback": f"{callback.rstrip('/')}/{subscription.token}",
            "hub.mode": "subscribe",
            "hub.topic": subscription.topic,
            "hub.lease_seconds": str(LEASE),
            "hub.secret": subscription.secret,
        }
    ).encode("ascii")


def is_signed(signature: str, body: bytes, secret: str) -> bool:
    """Tell whether a hub that knows the secret has signed a message (WebSub §7.1)."""
    method, _, digest = signature.strip().partition("=")
    if method.lower() not in METHODS:
        return False
    expected = hmac.new(secret.encode("ascii"), body, method.lower()).hexdigest()
    return hmac.compare_digest(expected.encode(), digest.strip().lower().encode("utf-8"))


def lease(text: str) -> float | None:
    """Return the seconds of a lease that a hub gives, or None when it gives none of use."""
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        return None
    seconds = float(text)
    return min(seconds, LONGEST_LEASE) if seconds >= SHORTEST_LEASE else None
