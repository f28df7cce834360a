"""Which anchors lie within, around and across a portion of the web, in the index."""

from collections.abc import Iterator
from typing import Any

from agents.scheduler.expansion.anchors import Portion
from agents.scheduler.expansion.tables import Tables, Transaction


def rows_near(txn: Transaction, tables: Tables, portion: Portion) -> Iterator[bytes]:
    """Yield the rows of all anchors that a URL of a portion may have, or that lie in the portion.

    A row is the numbers of the sites at an anchor, four bytes each; it may be empty.
    """
    path = portion.anchor[len(portion.host) :]
    above = [path[:end] for end in range(len(path)) if path[end] == "/"]
    for host in _nested(txn, tables, portion.host):
        for each in (*above, path):
            yield txn.get((host + each).encode(), b"", db=tables.anchors)
        for _, row in _range(txn, tables.anchors, f"{host}{path}/"):
            yield row


def _nested(txn: Transaction, tables: Tables, host: str) -> Iterator[str]:
    """Yield the hosts, as in anchors, that lie around one, are it, or lie within it."""
    name, _, port = host.partition("|")
    labels = name.split(" ")
    if name:
        yield "|*"
    yield from (f"{' '.join(labels[:count])}|*" for count in range(1, len(labels)))
    if port.isdigit():
        yield f"{name}|"
    yield host
    if not port:
        yield from _ports(txn, tables, name)
    if port == "*":
        yield from _below(txn, tables, name)


def _below(txn: Transaction, tables: Tables, name: str) -> Iterator[str]:
    """Yield the hosts below a name."""
    for key, levels in _range(txn, tables.names, f"{name} " if name else ""):
        inner = key.decode()
        if inner != "|":  # which is no host, but all of them
            if levels[0]:
                yield from _ports(txn, tables, inner[:-1])
            yield from (inner, f"{inner}*")


def _ports(txn: Transaction, tables: Tables, name: str) -> Iterator[str]:
    """Yield a host with each of the ports that it has anchors with."""
    cursor = txn.cursor(db=tables.anchors)
    prefix = after = f"{name}|"
    after += "0"
    while cursor.set_range(after.encode()):
        key = cursor.key().decode()
        port = key[len(prefix) :].partition("/")[0]
        if not key.startswith(prefix) or not port.isdigit():
            return
        yield prefix + port
        after = f"{prefix}{port}0"  # "/" is before "0": this passes the paths on the port


def _range(txn: Transaction, table: Any, prefix: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield the rows whose keys begin so, in order."""
    start = prefix.encode()
    cursor = txn.cursor(db=table)
    there = cursor.set_range(start) if start else cursor.first()
    while there and cursor.key().startswith(start):
        yield cursor.key(), cursor.value()
        there = cursor.next()
