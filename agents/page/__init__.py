"""Monitoring pages: an agent says what it is doing as values, and a person reads them.

Pure: no reactor, no clock, no I/O after import. An agent builds a `Page` at each request and
answers with `render(page)` under `HEADERS`; `to_data(page)` is the same as JSON values.

    page = Page("Site crawler", "site-crawler", "crawler-1", [
        Figures("Now", {"pages": 1204, "received": human_bytes(88_123_456)}),
        Curve("Pages", pages_a_second, unit="pages/s"),
        Table("Queues", ["host", "waiting"], [[LinkTo("python.org", "/queues/7"), 312]]),
    ])
    return Response(200, HEADERS, render(page))
"""

from agents.page.cells import cell_html, table_html, text_html
from agents.page.measures import Rate, Series
from agents.page.render import (
    CONTENT_SECURITY_POLICY,
    FRAMED_POLICY,
    HEADERS,
    document,
    render,
    scriptless_policy,
)
from agents.page.status import to_data
from agents.page.text import human_bytes, human_number, human_seconds
from agents.page.values import (
    Badge,
    Bars,
    Branch,
    Cell,
    Curve,
    Field,
    Figures,
    Form,
    Graph,
    LinkTo,
    Log,
    Network,
    Node,
    Note,
    Page,
    Progress,
    Question,
    Section,
    Strip,
    Table,
    Tree,
)

__all__ = [
    "CONTENT_SECURITY_POLICY",
    "FRAMED_POLICY",
    "HEADERS",
    "Badge",
    "Bars",
    "Branch",
    "Cell",
    "Curve",
    "Field",
    "Figures",
    "Form",
    "Graph",
    "LinkTo",
    "Log",
    "Network",
    "Node",
    "Note",
    "Page",
    "Progress",
    "Question",
    "Rate",
    "Section",
    "Series",
    "Strip",
    "Table",
    "Tree",
    "cell_html",
    "document",
    "human_bytes",
    "human_number",
    "human_seconds",
    "render",
    "scriptless_policy",
    "table_html",
    "text_html",
    "to_data",
]
