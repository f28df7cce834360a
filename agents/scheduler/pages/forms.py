"""Forms by which a person decides of a site; `deciding` tells what they ask for."""

from typing import Any

import msgspec

from agents.page import Field, Form
from agents.portion import SiteDetails
from agents.scheduler.life import NoSuchTransition, Standing, StandingEvent, standing_after
from agents.scheduler.pages.cells import site_path
from agents.scheduler.pages.deciding import HOUR, ORDER
from agents.scheduler.pages.streams import form_to_add

_WORDS = {
    "ban": (StandingEvent.BANNED, "ban it: it is never collected, and its links are ignored"),
    "pardon": (StandingEvent.PARDONED, "pardon it: off the blacklist, to be judged anew"),
    "admit": (StandingEvent.ADMITTED, "let it in, to be judged"),
    "rest": (StandingEvent.RESTED, "put it to rest"),
    "wake": (StandingEvent.WOKEN, "take it up again"),
}
_WHO = Field("who", "Your name", hint="operator")
_WHY = Field("why", "Why", hint="for its story")


def forms_of(found: SiteDetails, token: dict[str, str]) -> list[Form]:
    """Return what may be decided of a site.

    Args:
        found: all about it.
        token: what goes with forms to show where they come from.
    """
    path = site_path(found.line.site)
    possible = [(name, words) for name, (event, words) in _WORDS.items() if _fits(found, event)]
    possible.append((ORDER, "collect it now, as a member whatever filters say"))
    return [
        Form(
            "Decide",
            f"{path}/decide",
            "Decide",
            [Field("decision", "Decision", choices=possible), _WHY, _WHO],
            token | {"start_url": found.line.start_url, "private": str(found.private_networks)},
            "A decision by hand sticks: the scheduler does not change it.",
            half=True,
        ),
        _release(found, path, token),
        _bound(found, path, token),
        _settle(found, path, token),
        _feed(path, token),
        form_to_add(path, token),
    ]


def _fits(found: SiteDetails, event: StandingEvent) -> bool:
    """Tell whether an event changes the standing that a site has."""
    standing = Standing(found.line.standing)
    try:
        return standing_after(standing, event) is not standing
    except NoSuchTransition:
        return False


def _bound(found: SiteDetails, path: str, token: dict[str, str]) -> Form:
    return Form(
        "Correct its bounds and priority",
        f"{path}/bound",
        "Correct",
        [
            Field("start_url", "Begins at", found.line.start_url, required=True),
            Field("accept", "Accepts", found.accept, required=True),
            Field("reject", "Rejects", found.reject, hint="nothing of that"),
            Field("maximum_depth", "Depth", str(found.maximum_depth), required=True),
            Field("priority", "Priority", f"{found.line.priority:g}", required=True),
            _WHY,
            _WHO,
        ],
        token | {"was": _encoded(_bounds(found))},
        half=True,
    )


def _settle(found: SiteDetails, path: str, token: dict[str, str]) -> Form:
    settings = found.settings

    def hours(name: str) -> str:
        return f"{settings[name] / HOUR:g}" if settings.get(name) else ""

    choices = [("yes", "yes"), ("no", "no: each crawl fetches all")]
    return Form(
        "Settle when it is collected",
        f"{path}/settle",
        "Settle",
        [
            Field("interval", "Every so many hours", hours("interval"), hint="by its own rhythm"),
            Field("minimum_interval", "Hours at least", hours("minimum_interval"), hint="as usual"),
            Field("maximum_interval", "Hours at most", hours("maximum_interval"), hint="as usual"),
            Field("depth", "Depth at most", _text(settings.get("maximum_depth")), hint="its own"),
            Field("weight", "Its text counts times", f"{settings.get('priority', 1):g}"),
            Field(
                "quick", "Quick updates", "yes" if settings.get("quick", True) else "no", choices
            ),
            _WHY,
            _WHO,
        ],
        token | {"was": _encoded(settings)},
        "Forbidden hours and quotas are settled by `dlweb site SITE set`.",
        half=True,
    )


def _release(found: SiteDetails, path: str, token: dict[str, str]) -> Form:
    held = [(name, name) for name in found.held] or [("", "nothing is fixed by hand")]
    return Form(
        "Leave to the scheduler again",
        f"{path}/release",
        "Release",
        [Field("names", "What was fixed by hand", choices=held), _WHY, _WHO],
        token,
        half=True,
    )


def _feed(path: str, token: dict[str, str]) -> Form:
    which = [("add_feed", "follow it from now on"), ("forget_feed", "follow it no more")]
    return Form(
        "Follow a feed",
        f"{path}/feed",
        "Do so",
        [
            Field("feed", "Its address", required=True, hint="https://www.example.org/feed.xml"),
            Field("decision", "Do", choices=which),
            _WHY,
            _WHO,
        ],
        token,
        half=True,
    )


def _bounds(found: SiteDetails) -> dict[str, Any]:
    return {
        "start_url": found.line.start_url,
        "accept": found.accept,
        "reject": found.reject,
        "maximum_depth": found.maximum_depth,
        "priority": f"{found.line.priority:g}",
    }


def _encoded(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value).decode()


def _text(value: int | None) -> str:
    return "" if value is None else str(value)
