"""`dlweb storage where`: which nodes hold something."""

import argparse
import sys
from typing import Any

import msgspec

from agents import dates
from agents.archive import holdings
from agents.archive.command.agent_link import configured
from agents.archive.command.storage_master import MasterLink
from agents.capture import Capture, is_key, structure_key
from agents.configuration import Configuration
from agents.storage.stores.cluster import ClusterStore
from anet.workers import Workers


async def where(reactor: Any, options: argparse.Namespace) -> int:
    """Tell which nodes hold a URL's structure file and its content at a date, or a key.

    The status is 1 when nobody holds it.

    Raises:
        ArchiveError: what is asked for is no URL, or nobody answers.
        InvalidDate: the date is none.
    """
    configuration = configured(options)
    wanted: dict[str, str] = {}
    capture: Capture | None = None
    if is_key(options.what):
        wanted = {"content": options.what, "structure": options.what}
    else:
        url = holdings.known_as(options.what)
        date = dates.parse(options.date) if options.date else dates.now(reactor)
        wanted["structure"] = structure_key(url)
        capture = await _nearest(reactor, configuration, wanted["structure"], date)
        if capture is not None:
            wanted["content"] = capture.content
    async with MasterLink(reactor, configuration) as master:
        up = {node.name: node.up for node in (await master.status()).nodes}
        held = {
            kind: await master.call(list[str], "where", kind=f"{kind}s", key=key)
            for kind, key in wanted.items()
        }
    found = {kind: {"key": wanted[kind], "nodes": nodes} for kind, nodes in held.items() if nodes}
    if options.json:
        told = found | ({"date": capture.date} if capture else {})
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
    else:
        _show(found, up, capture)
    return 0 if found else 1


def _show(found: dict[str, dict[str, Any]], up: dict[str, bool], capture: Capture | None) -> None:
    if capture is not None:
        sys.stdout.write(f"{capture.url} at {dates.to_iso(capture.date)}\n")
    for kind, told in found.items():
        nodes = ", ".join(node if up.get(node) else f"{node} (down)" for node in told["nodes"])
        sys.stdout.write(f"{kind:<10} {told['key']}  {nodes}\n")
    if not found:
        sys.stdout.write("No node holds it.\n")


async def _nearest(
    reactor: Any, configuration: Configuration, key: str, date: str
) -> Capture | None:
    """Return the capture nearest to a date, asked of the nodes."""
    workers = Workers(reactor, 2, name="where")
    workers.startService()
    store = ClusterStore(reactor, configuration, workers)
    captures: list[Capture] = []
    try:
        await store.open()
        async for page in store.captures(key):
            nearest = holdings.nearest([*captures, *page], date)
            captures = [nearest]
    finally:
        await store.close()
        await workers.stopService()
    return captures[0] if captures else None
