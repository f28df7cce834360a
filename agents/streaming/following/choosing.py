"""Which forms of a channel are followed: all, or the best within a bit rate. Pure."""

from collections.abc import Sequence
from typing import TypeVar

from attrs import frozen

from anet.media.dash import Representation
from anet.media.hls import Master

Form = TypeVar("Form")


@frozen
class Choice:
    """What is followed of a channel.

    Attributes:
        variants: how many variants, renditions or representations at most.
        bitrate: bits a second; of variants beyond it none is followed, unless all are. 0: no limit.
        best: whether only the best of each kind within `bitrate` is.
    """

    variants: int = 4
    bitrate: int = 0
    best: bool = False


def playlists(master: Master, choice: Choice) -> list[str]:
    """Return the URLs of the media playlists to follow, as written; variants first.

    Variants with images alone are left out: all that is in them is in the others. Renditions are
    those that go with a chosen variant.
    """
    variants = [each for each in master.variants if not each.images]
    fitting = _within([(each.bandwidth, each) for each in variants], choice)
    if choice.best:
        fitting = fitting[:1]
    groups = {(kind, name) for each in fitting for kind, name in each.groups.items()}
    renditions = [
        each for each in master.renditions if each.url and (each.kind, each.group) in groups
    ]
    if not fitting:
        renditions = [each for each in master.renditions if each.url]
    renditions.sort(key=lambda each: not each.default)
    if choice.best:  # one of each kind
        renditions = list({each.kind: each for each in reversed(renditions)}.values())
    # The first variant and what is heard with it come before other variants.
    ordered = (
        [each.url for each in fitting[:1]]
        + [each.url for each in renditions]
        + [each.url for each in fitting[1:]]
    )
    return list(dict.fromkeys(ordered))[: choice.variants]


def representations(found: Sequence[Representation], choice: Choice) -> list[Representation]:
    """Return the representations of a period to follow, the best of each set first."""
    sets: dict[int, list[Representation]] = {}
    for each in found:
        sets.setdefault(each.set, []).append(each)
    ordered = [
        _within([(each.bandwidth, each) for each in group], choice) for group in sets.values()
    ]
    if choice.best:
        ordered = [group[:1] for group in ordered]
    depth = max(map(len, ordered), default=0)
    taken = [group[place] for place in range(depth) for group in ordered if place < len(group)]
    return taken[: choice.variants]


def _within(forms: list[tuple[int, Form]], choice: Choice) -> list[Form]:
    """Return forms within the bit rate, the best first; if none is, the smallest."""
    forms = sorted(forms, key=lambda form: -form[0])
    fitting = [each for bandwidth, each in forms if bandwidth <= choice.bitrate]
    if not choice.bitrate:
        return [each for _, each in forms]
    return fitting or [each for _, each in forms[-1:]]
