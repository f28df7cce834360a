"""The harbor: where readers choose their date and see what the archive holds (*INA §2.4.3*).

The same pages answer as `http://dlweb/` through the proxy, and on the pages port for people
without it. Nothing here changes by GET; each POST is guarded by `forms`.
"""

from collections.abc import Awaitable, Callable

from attrs import frozen

from agents.consultation.harbor.calendar import calendar
from agents.consultation.harbor.captures import captures
from agents.consultation.harbor.certificate import certificate
from agents.consultation.harbor.difference import difference
from agents.consultation.harbor.home import choose, going, home
from agents.consultation.harbor.listen import listen
from agents.consultation.harbor.means import Means
from agents.consultation.harbor.missing import missing
from agents.consultation.harbor.on_screen import on_screen
from agents.consultation.harbor.pictures import picture
from agents.consultation.harbor.search import search
from agents.consultation.harbor.settings import change, settings
from agents.consultation.harbor.stream import stream
from agents.consultation.harbor.streams import streams
from anet.http import Handler, Request, Response, Router

_Page = Callable[[Means, Request], Awaitable[Response]]

PAGES: dict[str, _Page] = {
    "/calendar": calendar,
    "/captures": captures,
    "/certificate": certificate,
    "/difference": difference,
    "/going": going,
    "/listen": listen,
    "/missing": missing,
    "/page": on_screen,
    "/picture": picture,
    "/settings": settings,
    "/stream": stream,
    "/streams": streams,
    "/urls": search,
}
ACTS: dict[str, _Page] = {"/date": choose, "/settings": change}


@frozen
class Harbor(Means):
    """Answers the harbor's pages."""

    def router(self, *homes: str) -> Router:
        """Return the harbor's pages, with the first one at each of `homes`."""
        router = Router()
        for path in homes:
            router.route("GET", path, self._of(home))
        for path, page in PAGES.items():
            router.route("GET", path, self._of(page))
        for path, act in ACTS.items():
            router.route("POST", path, self._of(act))
        return router

    def _of(self, page: _Page) -> Handler:
        async def answer(request: Request) -> Response:
            return await page(self, request)

        return answer
