"""A page as plain values, for `/status.json`."""

from typing import Any

from agents.page.values import (
    Badge,
    Bars,
    Branch,
    Cell,
    Curve,
    Figures,
    Form,
    Graph,
    LinkTo,
    Log,
    Network,
    Note,
    Page,
    Progress,
    Question,
    Section,
    Strip,
    Table,
)


def to_data(page: Page) -> dict[str, Any]:
    """Return what the page shows as values that JSON can hold."""
    return {
        "title": page.title,
        "kind": page.kind,
        "name": page.name,
        "summary": page.summary,
        "sections": [_section(section) for section in page.sections],
        "links": [_cell(link) for link in page.links],
    }


def _section(section: Section) -> dict[str, Any]:
    data: dict[str, Any] = {"section": type(section).__name__.lower(), "title": section.title}
    if isinstance(section, Figures):
        data["figures"] = {label: _cell(cell) for label, cell in section.figures.items()}
    elif isinstance(section, Table):
        data["columns"] = list(section.columns)
        data["rows"] = [[_cell(cell) for cell in row] for row in section.rows]
    elif isinstance(section, Curve):
        data["unit"] = section.unit
        data["points"] = [list(point) for point in section.series]
    elif isinstance(section, Bars):
        data["unit"] = section.unit
        data["bars"] = [list(bar) for bar in section.bars]
    elif isinstance(section, Strip):
        data["spans"] = [list(span) for span in section.spans]
        data["marks"] = list(section.marks)
    elif isinstance(section, Log):
        data["lines"] = list(section.lines)
    elif isinstance(section, Note):
        data["text"] = section.text
    elif isinstance(section, Graph):
        data["edges"] = [[*pair, count] for pair, count in section.edges.items()]
    elif isinstance(section, Network):
        data["nodes"] = [node.name for node in section.nodes]
        data["links"] = [list(link) for link in section.links]
    elif isinstance(section, Question | Form):
        data["path"] = section.path
    else:
        data["root"] = _branch(section.root)
    return data


def _branch(branch: Branch) -> dict[str, Any]:
    return {
        "label": _cell(branch.label),
        "note": branch.note,
        "children": [_branch(child) for child in branch.children],
    }


def _cell(cell: Cell) -> Any:
    if isinstance(cell, LinkTo):
        return {"text": cell.text, "url": cell.url}
    if isinstance(cell, Badge):
        return cell.text
    if isinstance(cell, Progress):
        return {"text": cell.text, "fraction": cell.fraction}
    return cell
