"""Answers as text for people, or as JSON.

Names and words come from agents in any state, so nothing of them reaches a terminal that it might
obey.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import yaml

from hip.builtin import Described
from hip.tree import Branch

_OBEYED = re.compile("[\x7f-\x9f]")  # control characters that JSON leaves as they are
Path = tuple[str, ...]  # the names from the root of a tree to one of its agents


def as_yaml(value: Any) -> str:
    """Return an answer as YAML."""
    text: str = yaml.safe_dump(value, allow_unicode=True, sort_keys=False)
    return text.removesuffix("...\n").rstrip("\n")


def as_json(value: Any) -> str:
    """Return an answer as one line of JSON; bytes are in base64, moments in ISO 8601."""
    text = json.dumps(msgspec.to_builtins(value, str_keys=True), ensure_ascii=False)
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def as_methods(methods: Sequence[Described]) -> str:
    """Return what methods there are, each with the first line of its documentation."""
    return "\n".join(
        f"{clean(it.signature)}\n    {clean(it.words.partition(chr(10))[0])}" for it in methods
    )


def as_tree(tree: Branch, rates: Mapping[Path, float] | None = None) -> str:
    """Return a drawing of a tree, with calls per second where they are known."""
    return "\n".join(_lines(tree, (tree.name,), rates or {}))


def _lines(branch: Branch, path: Path, rates: Mapping[Path, float]) -> Iterator[str]:
    yield f"{clean(branch.name)} ({clean(branch.kind)})  {', '.join(_facts(branch, path, rates))}"
    rows = [list(_lines(below, (*path, below.name), rates)) for below in branch.slaves]
    if branch.left_out:
        rows.append([f"… and {branch.left_out} more"])
    for number, (first, *rest) in enumerate(rows, start=1):
        is_last = number == len(rows)
        yield ("└─ " if is_last else "├─ ") + first
        for line in rest:
            yield ("   " if is_last else "│  ") + line


def _facts(branch: Branch, path: Path, rates: Mapping[Path, float]) -> Iterator[str]:
    """Yield what changes first, for a terminal may have no room for the rest."""
    if branch.error:
        yield f"does not answer: {clean(branch.error)}"
    if path in rates:
        yield f"{rates[path]:.1f} calls/s"
    if branch.pid is not None:
        yield f"{branch.in_flight} in flight"
    if branch.latency is not None:
        yield milliseconds(branch.latency)
    if branch.pid is not None:
        yield mebibytes(branch.memory)
        yield f"up {age(branch.uptime)}"
        yield f"pid {branch.pid}"
        yield clean(branch.version)


def age(seconds: float) -> str:
    """Return a time in the largest unit of which it has two: `119 s`, `2 min`, `47 h`, `2 d`."""
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size:.0f} {unit}"
    return f"{seconds:.0f} s"


def mebibytes(count: int) -> str:
    """Return a number of bytes in MiB."""
    return f"{count / 2**20:.0f} MiB"


def milliseconds(seconds: float) -> str:
    """Return a time in milliseconds."""
    return f"{seconds * 1000:.1f} ms"


def clean(text: str) -> str:
    """Return a text as one line without control characters."""
    return "".join(it if it.isprintable() else "�" for it in " ".join(text.split()))
