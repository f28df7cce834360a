"""What all pages of the harbor have around them: navigation, style, and the fields of an answer."""

from importlib.resources import files
from typing import Any

from agents.consultation.harbor.view import View
from agents.page import HEADERS, LinkTo, document, scriptless_policy
from anet.http import Response

_STYLE = (files("agents.consultation.harbor") / "harbor.css").read_text("utf-8")
_PLAIN = tuple(
    pair for pair in HEADERS if pair[0] not in (b"Content-Security-Policy", b"Content-Type")
)
_TYPE = (b"Content-Type", b"text/html; charset=utf-8")
_VARY = (b"Vary", b"Accept, Accept-Language, Cookie")


def page(
    view: View,
    title: str,
    main: str,
    here: str = "",
    status: int = 200,
    frames: str = "",
    sound: bool = False,
) -> Response:
    """Answer a page.

    Args:
        view: who looks.
        title: the heading; plain text.
        main: HTML.
        here: the path of the page in the navigation, if it is there.
        status: of the answer.
        frames: the origin that it shows in frames, if any.
        sound: whether it plays what the harbor gives to listen to.
    """
    say = view.words.say
    body = document(
        title,
        main,
        who=say("harbor"),
        links=_navigation(view),
        here=here,
        language=view.words.language,
        style=_STYLE,
        skip=say("skip"),
        pages=say("pages"),
    )
    allowed = scriptless_policy(_STYLE, frames) + ("; media-src 'self'" if sound else "")
    policy = (b"Content-Security-Policy", allowed.encode())
    language = (b"Content-Language", view.words.language.encode())
    return Response(status, [_TYPE, policy, language, _VARY, *_PLAIN], body)


def json(value: Any, status: int = 200) -> Response:
    """Answer a value for programs, shut to other sites as the pages are."""
    plain = Response.json(status, value)
    policy = (b"Content-Security-Policy", b"default-src 'none'; frame-ancestors 'none'")
    return Response(status, [*plain.headers, policy, _VARY, *_PLAIN], plain.body)


def _navigation(view: View) -> list[LinkTo]:
    say = view.words.say
    return [
        LinkTo(say("page.home"), view.home),
        LinkTo(say("page.search"), "/urls"),
        LinkTo(say("page.streams"), "/streams"),
        LinkTo(say("page.screen"), "/page"),
        LinkTo(say("page.missing"), "/missing"),
        LinkTo(say("page.settings"), "/settings"),
        LinkTo(say("page.certificate"), "/certificate"),
        LinkTo(say("page.monitoring"), "/monitoring" if view.through_proxy else "/"),
    ]
