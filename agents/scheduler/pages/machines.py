"""Machines and the crawlers on them."""

from agents.machines import MachineStatus
from agents.page import Cell, Field, Form, Section, Table
from agents.schedule import SchedulerStatus
from agents.scheduler.pages.cells import badge
from agents.scheduler.pages.overview import crawlers_of

_COLUMNS = ["machine", "state", "crawlers", "busy", "at most", "not deposited", "to remove"]
_COLUMNS += ["served by", "problem"]
_DECISIONS = [
    ("drain", "give it no more work"),
    ("undrain", "give it work again"),
    ("forget", "forget it: it was drained, and its agents are stopped"),
]


def sections_of(
    machines: list[MachineStatus], status: SchedulerStatus, token: dict[str, str]
) -> list[Section]:
    """Return the page's sections; `token` goes with forms to show where they come from."""
    rows: list[list[Cell]] = [
        [
            each.machine,
            badge(each.state),
            each.crawlers,
            each.busy,
            each.maximum,
            each.undeposited,
            each.folders,
            ", ".join(each.connectivity),
            each.problem,
        ]
        for each in machines
    ]
    sections: list[Section] = [
        Table("Machines", _COLUMNS, rows, "No agent has said yet where it runs."),
    ]
    if machines:
        sections.append(_form(machines, token))
    return [*sections, crawlers_of(status)]


def _form(machines: list[MachineStatus], token: dict[str, str]) -> Form:
    names = [(each.machine, each.machine) for each in machines]
    fields = [
        Field("machine", "Machine", choices=names),
        Field("decision", "Do", choices=_DECISIONS),
    ]
    return Form("Drain a machine, or take it back", "/machines", "Do so", fields, token)
