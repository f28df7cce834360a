"""Hubs that tell of feeds by themselves (W3C WebSub): asked to, verified, heard.

NONE --a feed names a hub--> ASKED --the hub verifies that it was we--> AGREED
AGREED --half of the lease is over--> ASKED (what was agreed upon stands meanwhile)
ASKED, AGREED --the hub denies--> NONE
"""

from collections.abc import Callable, Coroutine
from secrets import token_urlsafe
from typing import Any

from attrs import evolve
from twisted.logger import Logger

from agents import dates
from agents.feed import Subscription
from agents.feeds.errors import Crowded, LookFailed
from agents.feeds.fetching import Fetcher
from agents.feeds.followed import Followed
from agents.feeds.looking import Look
from agents.feeds.websub import LEASE, discover, is_signed, lease, subscription_form
from anet.clock import wall
from anet.errors import HttpError
from anet.http import Request, Response, Router

ASK_AGAIN = 86400.0  # seconds after which a hub that did not agree is asked again
MESSAGE_LIMIT = 2**20  # bytes of a hub's message
_ANSWER_LIMIT = 64 * 1024
_FORM = [(b"Content-Type", b"application/x-www-form-urlencoded")]

_log = Logger()


class Hubs:
    """The feeds that hubs tell of, and those that they could.

    Args:
        reactor: which reactor.
        fetcher: asks hubs.
        callback: the URL under which hubs reach `router`, without the token at its end.

    Attributes:
        forged: messages that were not signed as agreed.
        on_agreed: called with a feed whose hub has agreed.
        on_message: called with a feed, and what its hub says of it.
    """

    def __init__(self, reactor: Any, fetcher: Fetcher, callback: str) -> None:
        self.forged = 0
        self.on_agreed: Callable[[Followed], None] = lambda _: None
        self.on_message: Callable[[Followed, bytes], None] = lambda *_: None
        self._reactor = reactor
        self._fetcher = fetcher
        self._callback = callback
        self._by_token: dict[str, Followed] = {}

    def router(self, path: str) -> Router:
        """Return the handler of what hubs ask, under a path."""
        router = Router()
        router.route("GET", f"{path.rstrip('/')}/{{token}}", self._verify)
        router.route("POST", f"{path.rstrip('/')}/{{token}}", self._take)
        return router

    def know(self, followed: Followed) -> None:
        """Hear the hub of a feed."""
        if followed.subscription is not None:
            self._by_token[followed.subscription.token] = followed

    def forget(self, followed: Followed) -> None:
        """Hear the hub of a feed no more; a hub that is answered 410 ends by itself."""
        if followed.subscription is not None:
            self._by_token.pop(followed.subscription.token, None)

    def consider(self, followed: Followed, look: Look) -> Coroutine[Any, Any, None] | None:
        """Return what asks the hub of a feed, if it has one that should be asked now."""
        now = wall(self._reactor)
        known = followed.subscription
        if look.feed is None and known is not None:  # what names the hub has not changed
            found: tuple[str, str] | None = (known.hub, known.topic)
        else:
            found = discover(look.answer.head.headers, look.feed, look.url)
        if found is None:
            self.forget(followed)
            followed.subscription = None
            return None
        if known is None or found != (known.hub, known.topic):
            self.forget(followed)
            followed.subscription = Subscription(*found, token_urlsafe(16), token_urlsafe(32))
            followed.hub_asked = 0.0
            self.know(followed)
        elif not _is_time(followed, now):
            return None
        followed.hub_asked = now
        return self._ask(followed, followed.subscription or known)

    async def _ask(self, followed: Followed, subscription: Subscription | None) -> None:
        assert subscription is not None
        form = subscription_form(subscription, self._callback)
        try:
            answer = await self._fetcher.fetch(
                subscription.hub, _FORM, private=followed.private, post=form, limit=_ANSWER_LIMIT
            )
        except Crowded:
            followed.hub_asked = 0.0  # with the next look, then
        except LookFailed as error:
            _log.info("{hub}: {error}", hub=subscription.hub, error=error)
        else:
            if answer.head.status >= 300:
                _log.info("{hub} answers {status}", hub=subscription.hub, status=answer.head.status)

    async def _verify(self, request: Request, token: str) -> Response:
        """Tell a hub whether it was we who asked (WebSub §5.3)."""
        query, followed = request.query, self._by_token.get(token)
        subscription = None if followed is None else followed.subscription
        if followed is None or subscription is None:
            if query.get("hub.mode") == "unsubscribe":
                return Response.text(200, query.get("hub.challenge", ""))
            return Response.text(404, "Nobody here has asked for that.\n")
        if query.get("hub.topic") != subscription.topic:
            return Response.text(404, "Nobody here has asked for that.\n")
        if query.get("hub.mode") == "denied":
            followed.subscription = evolve(subscription, until="")
            return Response.text(200, "")
        seconds = lease(query.get("hub.lease_seconds", ""))
        if query.get("hub.mode") != "subscribe" or seconds is None:
            return Response.text(404, "Nobody here has asked for that.\n")
        until = dates.from_timestamp(wall(self._reactor) + seconds)
        followed.subscription = evolve(subscription, until=until)
        followed.missed = False
        self.on_agreed(followed)
        return Response.text(200, query.get("hub.challenge", ""))

    async def _take(self, request: Request, token: str) -> Response:
        """Take what a hub says (WebSub §7)."""
        followed = self._by_token.get(token)
        if followed is None or followed.subscription is None:
            return Response.text(410, "Nobody here wants that any more.\n")
        try:
            body = await request.read(MESSAGE_LIMIT)
        except HttpError:
            return Response.text(413, f"At most {MESSAGE_LIMIT} bytes.\n")
        signature = request.headers.text(b"x-hub-signature")
        if not is_signed(signature, body, followed.subscription.secret):
            self.forged += 1  # the hub is not told: it may be who forges (WebSub §7.1)
        else:
            self.on_message(followed, body)
        return Response(202)


def _is_time(followed: Followed, now: float) -> bool:
    """Tell whether a hub that was asked before should be asked again."""
    left = followed.lease_left(now)
    if left >= LEASE / 2:
        return False
    given = left + now - followed.hub_asked if followed.hub_asked else 0.0
    return now >= followed.hub_asked + (given / 2 if left else ASK_AGAIN)
