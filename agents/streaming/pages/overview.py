"""All streams of an agent on a page."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from agents import dates
from agents.page import (
    Badge,
    Cell,
    Figures,
    LinkTo,
    Section,
    Table,
    human_bytes,
    human_number,
)
from agents.stream import Doing, StreamStatus

_TONES: Mapping[Doing, str] = {"receiving": "good", "following": "good", "opening": "quiet"}
_COLUMNS = ["name", "state", "on the air", "kbit/s", "buffer (s)", "ratio", "drift (s)", "gaps"]
_COLUMNS += ["received since", "what is wrong"]


def sections_of(
    values: Mapping[str, int], statuses: Sequence[StreamStatus], link: str, problem: str
) -> list[Section]:
    """Return the page's sections.

    Args:
        values: sums by name.
        statuses: how the streams stand.
        link: how the link to the scheduler stands.
        problem: why the scheduler does not take what it is told, or empty.
    """
    received = values["receiving"] + values["following"]
    return [
        Figures(
            "Streams",
            {
                "listened to": human_number(values["streams"]),
                "received now": human_number(received),
                "kbit/s": human_number(values["rate"] / 1000),
                "of at most": human_number(values["capacity"]),
            },
        ),
        Figures(
            "Since the start",
            {
                "received": human_bytes(values["received"]),
                "titles": human_number(values["titles"]),
                "breaks": human_number(values["gaps"]),
                "captures": human_number(values["captures"]),
                "directories that wait for their deposit": human_number(values["directories"]),
            },
        ),
        Table("Streams", _COLUMNS, [_row(status) for status in statuses], "None."),
        Table(
            "Place in the tree",
            ["master", "link", "does not take what it is told"],
            [["scheduler", link, problem]],
        ),
    ]


def doing_of(status: StreamStatus) -> Badge:
    """Return what is done with a stream; one that fails says so."""
    if status.doing in _TONES:
        return Badge(status.doing, "good" if _TONES[status.doing] == "good" else "quiet")
    return Badge(status.doing, "bad" if status.state.failures > 1 else "warning")


def _row(status: StreamStatus) -> list[Cell]:
    state, is_heard = status.state, bool(status.since)
    path = f"/stream?{urlencode({'stream': status.stream})}"
    return [
        LinkTo(state.name or status.stream, path),
        doing_of(status),
        state.title,
        f"{status.rate / 1000:.0f}" if is_heard else "",
        f"{status.buffered:+.1f}" if is_heard else "",
        f"{status.ratio:.6f}" if status.ratio else "",
        f"{status.skew:+.2f}" if is_heard else "",
        status.gaps,
        dates.to_words(status.since) if is_heard else "",
        state.problem,
    ]
