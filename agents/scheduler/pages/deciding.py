"""What forms ask for: the methods of the scheduler that they call; pure."""

from collections.abc import Mapping
from typing import Any

import msgspec

HOUR = 3600.0
ORDER = "order"
Call = tuple[str, dict[str, Any]]  # a method of the scheduler and its arguments


class NotUnderstood(ValueError):
    """A field of a form says what makes no sense; the message says which."""


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
    if what == "stream":
        return [("add_stream", {"site": site, "stream": said.get("stream", "")} | story)]
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
    settings |= {name: None if each is None else each * HOUR for name, each in hours.items()}
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


def stream_call(said: Mapping[str, str]) -> Call:
    """Return what a form about a stream asks for.

    Raises:
        NotUnderstood: a field makes no sense.
    """
    story = {"who": said.get("who", ""), "why": said.get("why", "")}
    decision, stream = said.get("decision", ""), {"stream": said.get("stream", "").strip()}
    if decision == "move_stream":
        return decision, stream | {"agent": said.get("agent", "")} | story
    if decision in ("start_stream", "stop_stream", "release_stream", "forget_stream"):
        return decision, stream | story
    raise NotUnderstood("There is no such decision.")


def _campaign(said: Mapping[str, str]) -> dict[str, Any]:
    hours, priority = _number(said, "hours", float), _number(said, "priority", float)
    return {
        "name": said.get("name", "").strip(),
        "begins": said.get("begins", ""),
        "ends": said.get("ends", ""),
        "interval": (hours or 24.0) * HOUR,
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


def _decoded(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text or "{}", type=dict[str, Any])
    except msgspec.MsgspecError:
        raise NotUnderstood("This form is damaged. Load the page again and repeat.") from None
