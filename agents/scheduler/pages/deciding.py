"""What a person may decide on pages: forms, and the method of the scheduler that each calls."""

from collections.abc import Mapping
from typing import Any

import msgspec

from agents.page import Field, Form
from agents.portion import SiteDetails
from agents.scheduler.life import (
    NoSuchTransition,
    Standing,
    StandingEvent,
    standing_after,
)
from agents.scheduler.pages.cells import site_path

_HOUR = 3600.0
_WORDS = {
    "ban": (StandingEvent.BANNED, "ban it: it is never collected, and its links are ignored"),
    "pardon": (StandingEvent.PARDONED, "pardon it: off the blacklist, to be judged anew"),
    "admit": (StandingEvent.ADMITTED, "let it in, to be judged"),
    "rest": (StandingEvent.RESTED, "put it to rest"),
    "wake": (StandingEvent.WOKEN, "take it up again"),
}
ORDER = "order"
_WHO = Field("who", "Your name", hint="operator")
_WHY = Field("why", "Why", hint="for its story")

Call = tuple[str, dict[str, Any]]  # a method of the scheduler and its arguments


class NotUnderstood(ValueError):
    """A field of a form says what makes no sense; the message says which."""


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
        return f"{settings[name] / _HOUR:g}" if settings.get(name) else ""

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


def calls_of(what: str, site: str, said: Mapping[str, str]) -> list[Call]:
    """Return what a form asks for.

    Args:
        what: the last part of the form's path.
        site: the site.
        said: the form's fields.

    Raises:
        NotUnderstood: a field makes no sense.
    """
    story = {"who": said.get("who", ""), "why": said.get("why", "")}
    if what == "decide" and said.get("decision") == ORDER:
        private = said.get("private") == "True"
        return [(ORDER, {"urls": [said.get("start_url", "")], "private_networks": private})]
    if what == "decide":
        return [("decide", {"site": site, "decision": said.get("decision", "")} | story)]
    if what == "release":
        return [("release", {"site": site, "names": [said.get("names", "")]} | story)]
    if what == "feed" and said.get("decision") == "forget_feed":
        return [("forget_feed", {"feed": said.get("feed", "")} | story)]
    if what == "feed":
        return [("add_feed", {"site": site, "feed": said.get("feed", "")} | story)]
    if what == "bound":
        return _bounding(site, said, story)
    if what == "settle":
        return [("settle", {"site": site, "settings": _settings(said)} | story)]
    raise NotUnderstood("There is no such decision.")


def _bounding(site: str, said: Mapping[str, str], story: dict[str, str]) -> list[Call]:
    """Return what has been changed of bounds and priority: only that is fixed by hand."""
    was = _decoded(said.get("was", ""))
    wanted: dict[str, Any] = {
        "start_url": said.get("start_url", "").strip(),
        "accept": said.get("accept", "").strip(),
        "reject": said.get("reject", "").strip(),
        "maximum_depth": _number(said, "maximum_depth", int),
    }
    changed = {name: value for name, value in wanted.items() if value != was.get(name)}
    calls: list[Call] = [("bound", {"site": site} | changed | story)] if changed else []
    priority = _number(said, "priority", float)
    if priority is not None and f"{priority:g}" != was.get("priority"):
        calls.append(("prioritise", {"site": site, "priority": priority} | story))
    return calls


def _settings(said: Mapping[str, str]) -> dict[str, Any]:
    """Return a site's settings as a form changes them; what it does not show stays."""
    settings = _decoded(said.get("was", ""))
    hours = {
        name: _number(said, name, float)
        for name in ("interval", "minimum_interval", "maximum_interval")
    }
    settings |= {name: None if each is None else each * _HOUR for name, each in hours.items()}
    weight = _number(said, "weight", float)
    return settings | {
        "maximum_depth": _number(said, "depth", int),
        "priority": 1.0 if weight is None else weight,
        "quick": said.get("quick") != "no",
    }


def campaign_call(what: str, said: Mapping[str, str]) -> Call:
    """Return what a form about campaigns asks for.

    Args:
        what: the last part of the form's path.
        said: the form's fields.

    Raises:
        NotUnderstood: a field makes no sense.
    """
    story = {"who": said.get("who", ""), "why": said.get("why", "")}
    campaign = said.get("campaign", "")
    decision = said.get("decision", "")
    if what == "put":
        return "put_campaign", {"campaign": _campaign(said)} | story
    if what == "end":
        return "end_campaign", {"campaign": campaign} | story
    if what == "sites" and decision in ("join_campaign", "leave_campaign"):
        sites = said.get("sites", "").replace(",", " ").split()
        return decision, {"campaign": campaign, "sites": sites} | story
    raise NotUnderstood("There is no such decision.")


def _campaign(said: Mapping[str, str]) -> dict[str, Any]:
    hours, priority = _number(said, "hours", float), _number(said, "priority", float)
    return {
        "name": said.get("name", "").strip(),
        "begins": said.get("begins", ""),
        "ends": said.get("ends", ""),
        "interval": (hours or 24.0) * _HOUR,
        "maximum_depth": _number(said, "maximum_depth", int),
        "priority": 10.0 if priority is None else priority,
    }


def _number(said: Mapping[str, str], name: str, kind: type[Any]) -> Any:
    text = said.get(name, "").strip().replace(",", "")
    if not text:
        return None
    try:
        return kind(text)
    except ValueError:
        raise NotUnderstood(f"{text[:40]!r} is not a number ({name.replace('_', ' ')}).") from None


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


def _decoded(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text or "{}", type=dict[str, Any])
    except msgspec.MsgspecError:
        raise NotUnderstood("This form is damaged. Load the page again and repeat.") from None


def _text(value: int | None) -> str:
    return "" if value is None else str(value)
