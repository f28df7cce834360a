"""`dlweb stream …`: which live streams are listened to, by which agent."""

import argparse
import sys

from agents.archive.command.scheduler_link import SchedulerLink, story
from agents.archive.command.tables import as_json, moment, table
from agents.portion import StreamLine
from agents.stream import canonical


async def stream(reactor: object, options: argparse.Namespace) -> int:
    """List streams, or decide of one and show how it is then.

    Returns:
        1 when there is none, but after it was forgotten.

    Raises:
        ArchiveError: the decision has no place, or the scheduler does not answer.
    """
    async with SchedulerLink(reactor, options) as scheduler:
        if options.action == "list":
            asked = {name: getattr(options, name) for name in ("site", "phase", "after", "limit")}
            found = await scheduler.call(list[StreamLine], "streams", **asked)
        else:
            url = canonical(options.stream) or options.stream
            named = {"stream": url} | {
                name: getattr(options, name) for name in ("site", "agent") if name in options
            }
            await scheduler.order(f"{options.action}_stream", **named, **story(options))
            found = await scheduler.call(list[StreamLine], "streams_named", streams=[url])
    is_forgotten = options.action == "forget" and not found
    lines = ["The stream is forgotten."] if is_forgotten else lines_of(found)
    lines = [as_json(found)] if options.json else lines
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0 if found or is_forgotten else 1


def lines_of(found: list[StreamLine]) -> list[str]:
    """Return streams for people."""
    if not found:
        return ["There is no such stream."]
    columns = ["stream", "phase", "by hand", "agent", "received until", "station", "what is wrong"]
    rows = [
        [
            each.stream,
            each.phase,
            each.hand or "-",
            each.agent or "-",
            moment(each.heard),
            each.name or "-",
            each.why,
        ]
        for each in found
    ]
    return table(columns, rows)
