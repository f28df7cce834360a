"""What `dlweb site SITE set NAME=VALUE …` says, and times such as 36h; pure."""

import re
from collections.abc import Iterable
from typing import Any

import msgspec
from attrs import field, fields, frozen

from agents.archive.errors import ArchiveError
from agents.scheduler.temporal import SiteSettings

_TIMES = frozenset({"interval", "minimum_interval", "maximum_interval"})
_SETTINGS = tuple(one.name for one in fields(SiteSettings))
_BOUNDS = {
    "start_url": "start_url",
    "accept": "accept",
    "reject": "reject",
    "depth": "maximum_depth",
}
_RANK = "rank"
_SECONDS = {"": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_TIME = re.compile(r"(\d+(?:\.\d+)?)(s|min|h|d)?")


@frozen
class Wanted:
    """What is to be changed of a site.

    Attributes:
        settings: by the names of `SiteSettings`; None for what is usual.
        bounds: by the names of the method `bound`.
        rank: its priority, or none to leave it.
    """

    settings: dict[str, Any] = field(factory=dict)
    bounds: dict[str, Any] = field(factory=dict)
    rank: float | None = None


def read(words: Iterable[str]) -> Wanted:
    """Return what the words of a command line want.

    Raises:
        ArchiveError: one of them cannot be read; the message says which, and what there is.
    """
    settings: dict[str, Any] = {}
    bounds: dict[str, Any] = {}
    rank = None
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise ArchiveError(f"write NAME=VALUE instead of {word!r}")
        if name in _BOUNDS:
            bounds[_BOUNDS[name]] = _number(name, text) if name == "depth" else text
        elif name == _RANK:
            rank = float(_number(name, text))
        elif name in _SETTINGS:
            settings[name] = _setting(name, text)
        else:
            known = ", ".join((*_SETTINGS, *_BOUNDS, _RANK))
            raise ArchiveError(f"{name!r} cannot be set; there are {known}")
    return Wanted(settings, bounds, rank)


def seconds(text: str) -> float:
    """Return a time such as 90, 45min, 36h or 2d in seconds.

    Raises:
        ArchiveError: it is none.
    """
    found = _TIME.fullmatch(text.strip())
    if found is None:
        raise ArchiveError(f"{text!r} is no time: write 45min, 36h, 2d, or seconds")
    return float(found[1]) * _SECONDS[found[2] or ""]


def _setting(name: str, text: str) -> Any:
    if text == "null":
        return None
    if name in _TIMES:
        return seconds(text)
    if text in ("yes", "no"):
        return text == "yes"
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise ArchiveError(f"{name}={text} cannot be read: {error}") from None


def _number(name: str, text: str) -> Any:
    try:
        return float(text) if name == _RANK else int(text)
    except ValueError:
        raise ArchiveError(f"{name}={text}: a number is wanted") from None
