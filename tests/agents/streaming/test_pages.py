"""What a streaming agent shows of its streams."""

from agents.page import render
from agents.page.values import Figures, Page, Strip, Table
from agents.stream import StreamState, StreamStatus
from agents.streaming.history import EVERY, Event, History, Point
from agents.streaming.pages import overview, stream

STATE = StreamState(
    name="Radio <404>",
    genre="mixed",
    homepage="http://radio404.example/",
    media_type="audio/mpeg",
    protocol="icy",
    bitrate=128,
    title="Raoul Petite - Fou de Toi",
)
HEARD = StreamStatus(
    "http://radio404.example:8000/live",
    "radio404.example",
    "receiving",
    STATE,
    since="20261122060000000000",
    rate=128_400.0,
    buffered=15.326,
    real=3600.0,
    signal=3589.0,
    ratio=0.996940,
    skew=-11.0,
    titles=7,
    gaps=1,
    pieces=5,
    received=57_600_000,
)
SILENT = StreamStatus(
    "http://silent.example/",
    "silent.example",
    "waiting",
    StreamState(failures=3, problem="silent.example:80: nobody answers"),
)


def history() -> History:
    """A day with an hour of silence."""
    made = History()
    for number in range(288):
        silent = 100 <= number < 112
        heard = 0.0 if silent else (0.4 if number == 112 else 1.0)
        at = 1_790_000_000 + number * EVERY
        made.add(Point(at, 128_000 * heard, 15.0, 0.997, -number / 26, heard))
    made.titles.append(Event("20261122060102000000", "Raoul Petite - Fou de Toi"))
    made.gaps.append(Event("20261122030000000000", "it broke off", "20261122040012000000"))
    return made


def figures(sections: list, title: str) -> dict:
    """Return the figures of that title."""
    [found] = [each for each in sections if isinstance(each, Figures) and each.title == title]
    return dict(found.figures)


def test_a_stream_shows_its_two_times() -> None:
    """Real and signal time, their ratio, the drift and the buffer, as the paper's figure 4."""
    time = figures(stream.sections_of(HEARD, history(), []), "Time")
    assert time["real time code"] == "01:00:00"
    assert time["signal time code"] == "00:59:49"
    assert time["ratio (rapport)"] == "0.996940"
    assert time["drift (décalage)"] == "-11.00 s"
    assert time["a second of drift in"] == "-1 s / 5 min 27 s"
    assert time["buffer"] == "+15.3 s"


def test_the_last_day_is_a_picture() -> None:
    """A span of five minutes each: received, in part, or not."""
    sections = stream.sections_of(HEARD, history(), [])
    [day] = [each for each in sections if isinstance(each, Strip)]
    tones = [tone for tone, _ in day.spans]
    assert (len(tones), tones.count("bad"), tones.count("warning")) == (288, 12, 1)
    assert tones[112] == "warning"


def test_a_young_stream_has_an_unknown_day() -> None:
    """What was before the start is said to be unknown, not silent."""
    sections = stream.sections_of(HEARD, History(), [])
    [day] = [each for each in sections if isinstance(each, Strip)]
    assert {tone for tone, _ in day.spans} == {"quiet"}


def test_gaps_say_how_long_and_why() -> None:
    """From when, how long, and what broke off."""
    sections = stream.sections_of(HEARD, history(), [])
    [gaps] = [each for each in sections if isinstance(each, Table) and each.title == "Gaps"]
    assert [row[1:] for row in gaps.rows] == [["1 h 00 min", "it broke off"]]


def test_all_streams_are_listed_with_what_is_wrong() -> None:
    """Each leads to its page; those that fail say why."""
    sums = ("streams", "capacity", "receiving", "following", "rate", "received", "titles", "gaps")
    values = dict.fromkeys((*sums, "captures", "directories"), 1)
    sections = overview.sections_of(values, [HEARD, SILENT], "linked", "")
    page = render(Page("Streaming agent", "streaming", "streaming", sections)).decode()
    assert "Radio &lt;404&gt;" in page and "Radio <404>" not in page
    assert "/stream?stream=http%3A%2F%2Fradio404.example%3A8000%2Flive" in page
    assert "nobody answers" in page


def test_the_figures_for_prometheus_are_those_described() -> None:
    """Each has a help text, and none is missing."""
    assert stream.figures_of(HEARD).keys() == stream.FIGURES.keys()
    assert stream.figures_of(SILENT)["receiving"] == 0
    assert stream.summary_of(SILENT) == "Nothing is received: silent.example:80: nobody answers."
