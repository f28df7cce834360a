"""The archive's certificate authority, offered and explained; and how the proxy is set."""

from agents import dates
from agents.consultation.harbor import frame
from agents.consultation.harbor.asked import wants_json
from agents.consultation.harbor.means import Means
from agents.consultation.harbor.offer import Offer
from agents.consultation.harbor.parts import facts, link, paragraph, section
from agents.consultation.harbor.view import View
from agents.page import text_html
from anet.http import Request, Response

BROWSERS = ("firefox", "chrome", "apple", "android")


async def certificate(means: Means, request: Request) -> Response:
    """Offer the certificate of the archive's authority, and say what trusting it means."""
    view = means.view(request)
    offer = means.offer()
    if wants_json(request):
        return frame.json({"authority": _told(offer), "proxy": view.proxy})
    say = view.words.say
    if offer is None:
        main = paragraph(say("certificate.none"), "box note quiet")
    else:
        main = _offered(view, offer)
    paths = [] if offer is None else [path for path in offer.paths if path.endswith(".pac")]
    return frame.page(view, say("certificate"), main + _proxy(view, paths), "/certificate")


def _told(offer: Offer | None) -> dict[str, object] | None:
    if offer is None:
        return None
    return {
        "name": offer.name,
        "fingerprint_sha256": offer.fingerprint_sha256,
        "not_after": dates.from_datetime(offer.not_after),
        "paths": list(offer.paths),
    }


def _offered(view: View, offer: Offer) -> str:
    say = view.words.say
    ends = dates.from_datetime(offer.not_after)
    named = facts(
        [
            (say("certificate.name"), offer.name),
            (say("certificate.until"), view.words.day(ends)),
        ]
    )
    fingerprint = (
        f'<p class="more">{text_html(say("certificate.fingerprint"))}<br>'
        f'<span class="digits">{text_html(offer.fingerprint_sha256)}</span></p>'
    )
    ways = " · ".join(
        link(path, say(f"certificate.download{'.pem' if path.endswith('.pem') else ''}"))
        for path in offer.paths
        if not path.endswith(".pac")
    )
    warning = paragraph(say("certificate.warning"), "box note warning")
    return (
        paragraph(say("certificate.why")) + f'<section aria-labelledby="meaning"><h2 id="meaning">'
        f"{text_html(say('certificate.meaning'))}</h2>{warning}</section>"
        + section(say("certificate"), f'{named}{fingerprint}<p class="more">{ways}</p>', "offer")
        + paragraph(say("certificate.check"))
        + "".join(_browser(view, name) for name in BROWSERS)
    )


def _browser(view: View, name: str) -> str:
    say = view.words.say
    steps = say(f"certificate.{name}.steps").split("\n")
    listed = "".join(f"<li>{text_html(step)}</li>" for step in steps)
    inside = f"<ol>{listed}</ol>{paragraph(say(f'certificate.{name}.remove'), 'more')}"
    return (
        f'<details class="box"><summary>{text_html(say(f"certificate.{name}"))}</summary>'
        f"{inside}</details>"
    )


def _proxy(view: View, paths: list[str]) -> str:
    say = view.words.say
    pac = "".join(f"<p>{link(path, say('certificate.pac'))}</p>" for path in paths)
    words = paragraph(say("certificate.proxy.words", proxy=view.proxy))
    inside = f'<div class="inner">{words}{pac}{paragraph(say("certificate.proxy.phone"))}</div>'
    return section(say("certificate.proxy"), inside, "proxy")
