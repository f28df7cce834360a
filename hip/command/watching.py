"""The same question again and again: the tree as it changes, or what a method answers."""

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from hip.command.showing import Path, as_json, as_tree, clean, mebibytes, milliseconds
from hip.errors import HipError
from hip.tree import Branch

_TOP = "\x1b[H\x1b[J"  # what clears a terminal
Write = Callable[[str], None]
Agents = dict[Path, Branch]


class Watch:
    """Asks again and again, and writes down what comes of it.

    An agent that does not answer is an error the first time; later it is written down, and asked
    again.

    Args:
        ask: asks once.
        write: prints a text.
        show: gives the text of an answer; nothing when there is nothing to say of it.
        explain: gives the text of an error.
    """

    def __init__(
        self,
        ask: Callable[[], Any],
        write: Write,
        show: Callable[[Any], str],
        explain: Callable[[str], str],
    ) -> None:
        self._ask, self._write, self._show, self._explain = ask, write, show, explain
        self._problem: str | None = None  # the last error; None before the first answer

    async def once(self) -> None:
        """Ask, and write what there is to say.

        Raises:
            HipError: there is no answer, and never was.
        """
        before = self._problem
        try:
            text = self._show(await self._ask())
            self._problem = ""
            if before and not text:
                text = f"# {now()}  answers again"
        except HipError as error:
            if before is None:
                raise
            self._problem = str(error)
            text = self._explain(self._problem) if self._problem != before else ""
        if text:
            self._write(text)


def changes_of(show: Callable[[Any], str]) -> Callable[[Any], str]:
    """Return what shows an answer with its time, when it is another than the last."""
    last: list[str] = []

    def changes(answer: Any) -> str:
        text = show(answer)
        if last == [text]:
            return ""
        last[:] = [text]
        return f"# {now()}\n{text}"

    return changes


def timed_words(problem: str) -> str:
    """Return an error with its time."""
    return f"# {now()}  {clean(problem)}"


def timed_json_error(problem: str) -> str:
    """Return an error with its time, as a line of JSON."""
    return as_json({"time": now(), "error": problem})


def timed_json(answer: Any) -> str:
    """Return an answer with its time, as a line of JSON."""
    return as_json({"time": now(), "answer": answer})


class TreeView:
    """Shows a tree beside what it was before.

    Args:
        is_terminal: whether to redraw it whole, rather than to say what has changed.
    """

    def __init__(self, is_terminal: bool) -> None:
        self._is_terminal = is_terminal
        self._before: Agents = {}

    def show(self, tree: Branch) -> str:
        """Return the text for a tree."""
        before, self._before = self._before, agents_of(tree)
        rates = rates_of(before, self._before)
        if not self._is_terminal:
            said = [*changes(before, self._before), summary(self._before, rates)]
            return "\n".join(f"{now()}  {line}" for line in said)
        lines = [f"{now()}  {summary(self._before, rates)}", "", *as_tree(tree, rates).splitlines()]
        return _TOP + "\n".join(_fit(lines))


def agents_of(tree: Branch, above: Path = ()) -> Agents:
    """Return every agent of a tree by its path."""
    path = (*above, tree.name)
    found = {path: tree}
    for below in tree.slaves:
        found |= agents_of(below, path)
    return found


def rates_of(before: Agents, after: Agents) -> dict[Path, float]:
    """Return the calls per second that agents have had between two looks.

    By their own clocks, and only of those that have not been started again meanwhile.
    """
    rates = {}
    for path, agent in after.items():
        past = before.get(path)
        if past is None or past.pid is None or past.pid != agent.pid:
            continue
        seconds = agent.uptime - past.uptime
        if seconds > 0:
            rates[path] = max(0, agent.calls - past.calls) / seconds
    return rates


def changes(before: Agents, after: Agents) -> Iterator[str]:
    """Yield a line for each agent that has come, gone, fallen silent or been started again."""
    for path, agent in after.items():
        past = before.get(path)
        name = clean("/".join(path))
        if past is None:
            yield f"+ {name} ({clean(agent.kind)}) {clean(agent.version)}, pid {agent.pid}"
        elif past.pid and agent.pid and past.pid != agent.pid:
            yield f"~ {name} was started again: pid {agent.pid} after {past.pid}"
        if agent.error and (past is None or not past.error):
            yield f"! {name} does not answer: {clean(agent.error)}"
        elif past is not None and past.error and not agent.error:
            yield f"! {name} answers again"
    for path in sorted(before.keys() - after.keys()):
        yield f"- {clean('/'.join(path))}"


def summary(agents: Agents, rates: dict[Path, float]) -> str:
    """Return all agents in one line."""
    latencies = [agent.latency for agent in agents.values() if agent.latency is not None]
    slowest = f", {milliseconds(max(latencies))} the slowest" if latencies else ""
    return (
        f"{len(agents)} agents, {sum(rates.values()):.1f} calls/s, "
        f"{sum(agent.in_flight for agent in agents.values())} in flight{slowest}, "
        f"{mebibytes(sum(agent.memory for agent in agents.values()))}"
    )


def _fit(lines: list[str]) -> list[str]:
    """Return as much as a terminal shows, so that it does not scroll."""
    width, height = shutil.get_terminal_size()
    if len(lines) >= height:
        more = len(lines) - height + 2
        lines = [*lines[:-more], f"… and {more} lines more"]
    return [line[: width - 1] for line in lines]


def now() -> str:
    """Return the time of the day, UTC."""
    return f"{datetime.now(UTC):%H:%M:%S}"
