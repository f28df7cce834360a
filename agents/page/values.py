"""What a monitoring page holds: sections of cells, all of them values."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from attrs import field, frozen

Tone: TypeAlias = Literal["good", "warning", "bad", "quiet"]


@frozen
class LinkTo:
    """A cell that leads elsewhere; a URL that is not http(s) or relative shows as plain text."""

    text: str
    url: str


@frozen
class Badge:
    """A cell that names a state; its tone colours it, its text says it all the same."""

    text: str
    tone: Tone = "quiet"


@frozen
class Progress:
    """A cell that shows how much of a long work is done; `fraction` is from 0 to 1."""

    fraction: float
    text: str = ""


Cell: TypeAlias = str | int | float | bool | LinkTo | Badge | Progress | None


@frozen
class Figures:
    """Named figures, shown large: what a person looks at first."""

    title: str
    figures: Mapping[str, Cell]


@frozen
class Table:
    """Rows of cells under named columns.

    Attributes:
        title: the caption.
        columns: names of the columns.
        rows: the cells; a shorter row leaves the rest empty.
        empty: what to say when there is no row.
        half: whether it takes half of a wide page.
        more: where the rows that come next are, or none.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    empty: str = "Nothing yet."
    half: bool = False
    more: LinkTo | None = None


@frozen
class Curve:
    """A line through points of (seconds, value), oldest first; a `Series` is one.

    Attributes:
        title: the caption.
        series: the points; those that are not finite are left out.
        unit: printed beside the figures; `bytes`, `bytes/s` and `s` are written for people.
    """

    title: str
    series: Iterable[tuple[float, float]]
    unit: str = ""


@frozen
class Bars:
    """Counts of equal spans of time, as bars side by side.

    Attributes:
        title: the caption.
        bars: name of the span and its count, the earliest first.
        unit: what is counted.
    """

    title: str
    bars: Sequence[tuple[str, float]]
    unit: str = ""


@frozen
class Strip:
    """Equal spans of time side by side, each coloured by how it was.

    Attributes:
        title: the caption.
        spans: tone of each span and what it says to who points at it, the earliest first.
        marks: what stands below, from the earliest to the latest.
        legend: what each tone means.
    """

    title: str
    spans: Sequence[tuple[Tone, str]]
    marks: Sequence[str]
    legend: Mapping[Tone, str]


@frozen
class Log:
    """Lines of text, newest last; the page shows the newest first."""

    title: str
    lines: Sequence[str]
    empty: str = "Nothing yet."


@frozen
class Branch:
    """A node of a `Tree`, and what hangs under it."""

    label: Cell
    note: str = ""
    children: Sequence["Branch"] = ()


@frozen
class Tree:
    """Agents, or anything else, one under the other."""

    title: str
    root: Branch


@frozen
class Graph:
    """Who links to whom, as a picture.

    Attributes:
        title: the caption.
        edges: how many links there are, by (from, to).
        unit: what the nodes are called.
        empty: what to say when there is no link.
    """

    title: str
    edges: Mapping[tuple[str, str], int]
    unit: str = "nodes"
    empty: str = "Nothing yet."


@frozen
class Node:
    """A node of a `Network`.

    Attributes:
        name: of it.
        url: where it leads.
        tone: its colour; none is the accent's.
        size: from 0 to 1.
        note: what is said of it beside its name.
    """

    name: str
    url: str
    tone: Tone | Literal[""] = ""
    size: float = 0.0
    note: str = ""


@frozen
class Network:
    """Who links to whom among some hundreds, as a picture to search, zoom and move.

    Attributes:
        title: the caption.
        nodes: the foremost first; some hundreds at most are drawn.
        links: source, target and weight; the first two as places in `nodes`.
        legend: what each tone means.
        path: of the page that answers for a name which is not in the picture, as `name`.
        name: of that parameter.
        value: what is searched for already.
        empty: what to say when there is no node.
    """

    title: str
    nodes: Sequence[Node]
    links: Sequence[tuple[int, int, int]]
    legend: Mapping[Tone | Literal[""], str]
    path: str
    name: str
    value: str = ""
    empty: str = "Nothing yet."


@frozen
class Field:
    """A field of a `Form`.

    Attributes:
        name: of it.
        label: what to write into it.
        value: what stands in it.
        choices: values to choose from, with what they are called; none for any text.
        hint: what an empty field means, or an example.
        required: whether it must not be empty.
    """

    name: str
    label: str
    value: str = ""
    choices: Sequence[tuple[str, str]] = ()
    hint: str = ""
    required: bool = False


@frozen
class Form:
    """Something that a person may decide or ask; decisions are sent by POST.

    Attributes:
        title: the caption.
        path: where it is sent.
        button: what is done.
        fields: what a person says.
        hidden: what goes with it besides, such as the token that shows where it comes from.
        words: what it means.
        half: whether it takes half of a wide page.
        method: post, or get for a question.
    """

    title: str
    path: str
    button: str
    fields: Sequence[Field]
    hidden: Mapping[str, str] = field(factory=dict)
    words: str = ""
    half: bool = False
    method: Literal["post", "get"] = "post"


@frozen
class Question:
    """A field for a person to ask by, which leads to another page.

    Attributes:
        title: the caption.
        path: of the page that answers; the answer comes as the parameter `name` of its query.
        name: of the parameter.
        label: what to write into the field.
        value: what stands in it.
    """

    title: str
    path: str
    name: str
    label: str
    value: str = ""


@frozen
class Note:
    """A short text that needs attention, or explains."""

    title: str
    text: str
    tone: Tone = "quiet"


Section: TypeAlias = (
    Figures | Table | Curve | Bars | Strip | Log | Tree | Graph | Network | Form | Question | Note
)


@frozen
class Page:
    """A monitoring page.

    Attributes:
        title: the heading, for people ("Site crawler").
        kind: the agent's kind on the HIP tree ("site-crawler").
        name: the agent's name ("crawler-1").
        sections: what it shows, in order.
        links: places to go from here.
        summary: one sentence that says what the agent is doing now.
        live: whether the page asks for itself again every two seconds.
        here: the URL of the link that leads to this very page.
    """

    title: str
    kind: str
    name: str
    sections: Sequence[Section] = field(factory=tuple)
    links: Sequence[LinkTo] = ()
    summary: str = ""
    live: bool = True
    here: str = ""
