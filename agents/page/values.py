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
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    empty: str = "Nothing yet."
    half: bool = False


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


Section: TypeAlias = Figures | Table | Curve | Log | Tree | Graph | Question | Note


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
    """

    title: str
    kind: str
    name: str
    sections: Sequence[Section] = field(factory=tuple)
    links: Sequence[LinkTo] = ()
    summary: str = ""
    live: bool = True
