"""One stream on a page, as the paper's figure 4 has it, and its last day (*INA §1.6*)."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from agents import dates
from agents.page import (
    Cell,
    Curve,
    Figures,
    LinkTo,
    Section,
    Strip,
    Table,
    human_bytes,
    human_number,
    human_seconds,
)
from agents.page.values import Tone
from agents.stream import StreamStatus
from agents.streaming.history import EVERY, Event, History, Point
from agents.streaming.pages.overview import doing_of
from agents.streaming.true_time import second_in

DAY = 288  # spans of five minutes
FIGURES: Mapping[str, str] = {
    "receiving": "whether it is received now",
    "bitrate": "bits a second, over the last minute",
    "buffer_seconds": "seconds of signal that came ahead of real time",
    "ratio": "seconds of signal in a second of real time; 0 while unknown",
    "skew_seconds": "seconds by which signal and real time have come apart",
    "titles": "titles since the start",
    "gaps": "breaks since the start",
    "received_bytes": "bytes since the start",
}
"""What is measured of each stream for Prometheus, with its help."""
_WHOLE = 0.98  # of a span, above which nothing is missing that one could see
_EVEN = 1e-7  # apart from 1, below which a ratio shows no drift
_LEGEND: Mapping[Tone, str] = {
    "good": "received",
    "warning": "in part",
    "bad": "not received",
    "quiet": "not listened to, or before the agent's start",
}


def figures_of(status: StreamStatus) -> dict[str, float]:
    """Return the values of `FIGURES`."""
    return {
        "receiving": float(bool(status.since)),
        "bitrate": status.rate,
        "buffer_seconds": status.buffered,
        "ratio": status.ratio,
        "skew_seconds": status.skew,
        "titles": status.titles,
        "gaps": status.gaps,
        "received_bytes": status.received,
    }


def summary_of(status: StreamStatus) -> str:
    """Return what is done with a stream, in a sentence."""
    if not status.since:
        return f"Nothing is received: {status.state.problem or 'it is being opened'}."
    return f"Received since {dates.to_words(status.since)}."


def sections_of(
    status: StreamStatus, history: History, minute: Sequence[tuple[float, float]]
) -> list[Section]:
    """Return the page's sections.

    Args:
        status: how the stream stands.
        history: its last day.
        minute: bits a second in each second of the last minute, oldest first.
    """
    points = list(history.points())
    return [
        _station(status),
        _time(status),
        Curve("The last minute", minute, "bit/s"),
        Curve("Rate, the last day", [(each.at, each.rate) for each in points], "bit/s"),
        Curve("Drift, the last day", [(each.at, each.skew) for each in _heard(points)], "s"),
        Curve("Buffer, the last day", [(each.at, each.buffered) for each in _heard(points)], "s"),
        _day(points),
        _events("Titles", "title", history.titles),
        _gaps(history),
        _events("Attempts that brought nothing", "why", history.failures),
    ]


def _station(status: StreamStatus) -> Figures:
    state = status.state
    kind = " ".join(filter(None, [state.protocol, state.media_type]))
    figures: dict[str, Cell] = {
        "station": state.name or "–",
        "genre": state.genre or "–",
        "web site": LinkTo(state.homepage, state.homepage) if state.homepage else "–",
        "quality": f"{state.bitrate} kbit/s" if state.bitrate else "–",
        "format": kind or "–",
        "site": status.site,
        "state": doing_of(status),
        "on the air": state.title or "–",
        "address": LinkTo(status.stream, status.stream),
    }
    if state.led_to and state.led_to != status.stream:
        figures["leads to"] = LinkTo(state.led_to, state.led_to)
    return Figures("Station", figures)


def _time(status: StreamStatus) -> Figures:
    return Figures(
        "Time",
        {
            "real time code": _clock(status.real),
            "signal time code": _clock(status.signal),
            "ratio (rapport)": f"{status.ratio:.6f}" if status.ratio else "not known yet",
            "drift (décalage)": f"{status.skew:+.2f} s",
            "a second of drift in": _second_in(status.ratio),
            "buffer": f"{status.buffered:+.1f} s",
            "rate": f"{human_number(status.rate / 1000)} kbit/s",
            "titles": status.titles,
            "gaps": status.gaps,
            "contents closed": status.pieces,
            "received": human_bytes(status.received),
        },
    )


def _clock(seconds: float) -> str:
    """Return a time as clocks show it, `27:05:09`."""
    minutes, second = divmod(int(seconds), 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{second:02}"


def _second_in(ratio: float) -> str:
    """Return how long it takes until signal and real time are a second further apart."""
    seconds = second_in(ratio, _EVEN)
    return f"{'+' if seconds > 0 else '-'}1 s / {human_seconds(abs(seconds))}" if seconds else "–"


def _heard(points: Sequence[Point]) -> Iterator[Point]:
    return (each for each in points if each.heard > 0)


def _day(points: Sequence[Point]) -> Strip:
    """Return the picture of the last day: what of each five minutes was received."""
    unknown: list[tuple[Tone, str]] = [("quiet", "")] * max(0, DAY - len(points))
    spans = unknown + [_span(each) for each in points[-DAY:]]
    hours = [_hour(points[-1].at - back * 3600) if points else "" for back in range(24, -1, -4)]
    return Strip("The last day", spans, hours, _LEGEND)


def _span(point: Point) -> tuple[Tone, str]:
    words = f"{_hour(point.at - EVERY)}–{_hour(point.at)}: {point.heard:.0%}"
    if point.heard >= _WHOLE:
        return "good", words
    return ("warning" if point.heard > 0 else "bad"), words


def _hour(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%H:%M}"


def _events(title: str, column: str, events: Sequence[Event]) -> Table:
    rows = [[dates.to_words(each.date), each.text] for each in reversed(events)]
    return Table(title, ["date", column], rows, "None.", half=True)


def _gaps(history: History) -> Table:
    rows = [
        [dates.to_words(each.date), human_seconds(_length(each)), each.text]
        for each in reversed(history.gaps)
    ]
    return Table("Gaps", ["from", "how long", "why"], rows, "None.", half=True)


def _length(gap: Event) -> float:
    """Return the seconds of a gap."""
    begin, end = (dates.to_datetime(each) for each in (gap.date, gap.until or gap.date))
    return (end - begin).total_seconds()
