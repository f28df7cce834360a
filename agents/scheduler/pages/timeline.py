"""The schedule ahead: load of each day, and which sites are collected when."""

from agents.page import Badge, Bars, Cell, Figures, Section, Table, human_number
from agents.portion import CrawlAhead, Day, Timeline
from agents.scheduler.pages.cells import moment, site_link

DAYS, SITES = 14, 40


def sections_of(timeline: Timeline) -> list[Section]:
    """Return the page's sections."""
    return [
        _figures(timeline),
        Bars("Sites that fall due", [(_name(day), day.sites) for day in timeline.days]),
        Bars("Requests", [(_name(day), day.requests) for day in timeline.days]),
        _table(timeline),
    ]


def _figures(timeline: Timeline) -> Figures:
    today = timeline.days[0] if timeline.days else Day(timeline.begins[:8], 0, 0)
    return Figures(
        "Ahead",
        {
            "waiting since their date": _count(timeline.belated),
            "due today": _count(today),
            f"due in {len(timeline.days)} days": human_number(
                sum(day.sites for day in timeline.days)
            ),
            "requests these will take": human_number(sum(day.requests for day in timeline.days)),
        },
    )


def _table(timeline: Timeline) -> Table:
    """Return sites by days; a crawl says how deep it goes."""
    days = [day.day for day in timeline.days]
    rows: list[list[Cell]] = []
    for site in timeline.sites:
        by_day: dict[str, list[CrawlAhead]] = {}
        for crawl in site.crawls:
            by_day.setdefault(crawl.date[:8], []).append(crawl)
        first = moment(site.crawls[0].date) if site.crawls else ""
        row: list[Cell] = [site_link(site.site), first[5:]]
        rows.append(row + [_mark(by_day.get(day, [])) for day in days])
    columns = ["site", "due", *(_name(day) for day in timeline.days)]
    title = "The sites that fall due first: how deep, or how often, if nothing new is learnt"
    return Table(title, columns, rows, "No site falls due by itself.")


def _mark(crawls: list[CrawlAhead]) -> Cell:
    if not crawls:
        return None
    if len(crawls) > 1:
        return Badge(f"{len(crawls)}×", "good")
    [crawl] = crawls
    levels = "all" if crawl.maximum_depth is None else f"to {crawl.maximum_depth}"
    return Badge(levels, "quiet" if crawl.quick else "good")


def _name(day: Day) -> str:
    return f"{day.day[4:6]}-{day.day[6:8]}"


def _count(day: Day) -> str:
    return human_number(day.sites) + (" or more" if day.more else "")
