"""Live streams: which are listened to, by which agent, what is on the air, and what one decides."""

from urllib.parse import urlencode

from agents.page import Cell, Field, Figures, Form, LinkTo, Section, Table
from agents.portion import StreamLine
from agents.scheduler.pages.cells import badge, moment, site_link
from agents.scheduler.streams.life import Hand, Phase

PAGE = 50  # streams
QUESTION = ("site", "phase", "after")
_COLUMNS = ["stream", "phase", "by hand", "site", "agent", "on the air", "what is wrong"]
_COLUMNS += ["received until", "tried again", "how", "in this phase since"]
_HANDS = {Hand.START: "started", Hand.STOP: "stopped", Hand.NOTHING: ""}
_DECISIONS = [
    ("start_stream", "listen to it, as long as its site is a member"),
    ("stop_stream", "listen to it no more"),
    ("release_stream", "leave it to the scheduler again"),
    ("move_stream", "move it to the agent"),
    ("forget_stream", "forget it, until a crawl finds it again"),
]
_WHY = Field("why", "Why", hint="for the story of its site")
_WHO = Field("who", "Your name", hint="operator")


def sections_of(
    asked: dict[str, str],
    found: list[StreamLine],
    counts: dict[str, int],
    agents: dict[str, int],
    token: dict[str, str],
) -> list[Section]:
    """Return the page's sections.

    Args:
        asked: what a person asked by; names of `QUESTION`.
        found: the answer, at most one more than `PAGE`.
        counts: streams by phase.
        agents: streams of each agent.
        token: what goes with forms to show where they come from.
    """
    shown, more = found[:PAGE], None
    if len(found) > PAGE:
        following = {name: text for name, text in asked.items() if text}
        after = {**following, "after": shown[-1].stream}
        more = LinkTo("the next ones", f"/streams?{urlencode(after)}")
    return [
        Figures("Streams", {str(phase): counts.get(phase, 0) for phase in Phase}),
        Table(
            "Agents",
            ["agent", "streams"],
            [[name, number] for name, number in agents.items()],
            "None is there.",
        ),
        _question(asked),
        table(shown, more),
        *([_decide(shown, agents, token)] if shown else []),
    ]


def table(found: list[StreamLine], more: LinkTo | None = None) -> Table:
    """Return a table of streams."""
    return Table("Live streams", _COLUMNS, [_row(each) for each in found], "None.", more=more)


def form_to_add(path: str, token: dict[str, str]) -> Form:
    """Return a form for a stream that crawls did not find; `path` is that of its site's page."""
    return Form(
        "Listen to a live stream",
        f"{path}/stream",
        "Listen",
        [
            Field("stream", "Its address", required=True, hint="https://radio.example.org/live"),
            _WHY,
            _WHO,
        ],
        token,
        half=True,
    )


def _row(line: StreamLine) -> list[Cell]:
    how = f"{line.protocol} {line.media_type}" + (f" {line.bitrate} kbit/s" * bool(line.bitrate))
    return [
        LinkTo(line.stream, line.stream),
        badge(line.phase),
        _HANDS[Hand(line.hand)],
        site_link(line.site),
        _at_its_agent(line),
        ": ".join(filter(None, (line.name, line.title))),
        _note(line),
        moment(line.heard),
        moment(line.again),
        how.strip(),
        moment(line.changed),
    ]


def _at_its_agent(line: StreamLine) -> Cell:
    """Return a link to the stream's own page, which its agent has."""
    query = urlencode({"stream": line.stream})
    return LinkTo(line.agent, f"{line.page}stream?{query}") if line.page else line.agent


def _note(line: StreamLine) -> str:
    if line.leaving:
        return f"moves from {line.leaving}"
    waits = line.phase == Phase.ORDERED and not line.agent
    return line.why or ("waits for an agent" if waits else "")


def _question(asked: dict[str, str]) -> Form:
    phases = [("", "any"), *((str(phase), str(phase)) for phase in Phase)]
    return Form(
        "Which streams",
        "/streams",
        "Show",
        [
            Field("site", "Of the site", asked.get("site", ""), hint="www.example.org"),
            Field("phase", "Phase", asked.get("phase", ""), phases),
        ],
        words="Those of a site, or those in a phase.",
        method="get",
    )


def _decide(shown: list[StreamLine], agents: dict[str, int], token: dict[str, str]) -> Form:
    streams = [(each.stream, each.stream) for each in shown]
    names = [("", "none"), *((name, name) for name in agents)]
    return Form(
        "Decide",
        "/streams/decide",
        "Decide",
        [
            Field("stream", "Stream", choices=streams),
            Field("decision", "Decision", choices=_DECISIONS),
            Field("agent", "Agent, to move it", choices=names),
            _WHY,
            _WHO,
        ],
        token,
        "What is started or stopped by hand stays so until it is left to the scheduler again.",
    )
