"""An archived stream at a date, for the harbor's own players: `/listen?url=…&date=…`.

A radio has its own URL through the proxy. This one is for the pages: it takes any date, reaches
streams whose names no browser can ask for (rtsp://, mms://), and works without the proxy. Nothing
of the head that was received goes out at the harbor's origin, and no type but of sound and
pictures.
"""

import re

from agents import dates
from agents.consultation.errors import Faulted, LookupFailed, NodesFailed
from agents.consultation.faults.contents import fault_answer
from agents.consultation.harbor.means import Means
from agents.consultation.streams.radio import is_of_stream
from agents.stream import canonical
from anet.http import Request, Response

_PLAYABLE = re.compile(r"(?:audio|video)/[a-z0-9.+-]{1,60}")
_ALONE = b"default-src 'none'; media-src 'self'; sandbox; frame-ancestors 'none'"


async def listen(means: Means, request: Request) -> Response:
    """Give the stream of `url` from a `date` on, in true time; without one the last piece."""
    url, date = canonical(request.query.get("url", "")), request.query.get("date", "")
    nothing = means.view(request).words.say("listen.nothing.words")
    try:
        moment = dates.parse(date) if date else ""
    except dates.InvalidDate:
        return means.say(request, 400, "listen.nothing", nothing)
    if url is None or means.radio is None or not _shows(means, request, url, moment):
        return means.say(request, 404, "listen.nothing", nothing)
    try:
        nearest = await means.retrieval.nearest(url, moment)
        if nearest is None or not is_of_stream(nearest.capture):
            return means.say(request, 404, "listen.nothing", nothing)
        tuned = await means.radio.tune(
            nearest, moment, means.reader(request), head_only=request.method == "HEAD"
        )
    except Faulted as error:
        return fault_answer(request, error.fault)
    except (LookupFailed, NodesFailed) as error:
        return means.unreachable(request, error)
    if tuned is None:
        return means.say(request, 404, "listen.nothing", nothing)
    fields = [*_fields(tuned.media_type), *tuned.fields]
    return Response(200, fields, tuned.sound)


def _shows(means: Means, request: Request, url: str, date: str) -> bool:
    """Tell whether the reader may know of a stream; at which dates, the radio asks."""
    return means.catalogue is None or means.catalogue.shows(url, date, means.reader(request))


def _fields(media_type: str) -> list[tuple[bytes, bytes]]:
    return [
        (b"Content-Type", playable(media_type).encode()),
        (b"Content-Security-Policy", _ALONE),
        (b"Cross-Origin-Resource-Policy", b"same-origin"),
        (b"X-Content-Type-Options", b"nosniff"),
        (b"Cache-Control", b"no-store"),
    ]


def playable(kind: str) -> str:
    """Return a media type if it is of sound or pictures; else one that browsers only keep."""
    if kind == "application/ogg":
        return "audio/ogg"
    return kind if _PLAYABLE.fullmatch(kind) else "application/octet-stream"
