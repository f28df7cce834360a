"""Heavy parsers at work in other processes, where a hostile document can do no harm."""

from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from attrs import field, frozen

from agents.parsers import Link, Source, worker
from agents.parsers.javascript.worker import run
from anet.processes import Processes

BODY_LIMIT = 32 * 1024 * 1024  # bytes of a document that is sent to a worker
_REMEMBERED = 2000  # sets of scripts whose links are remembered


@frozen
class Extract:
    """What a worker found in a document (see `agents.parsers.Parser`).

    Attributes:
        links: in the order of the document.
        text: of the document, when it was wanted.
        base: what links are relative to.
        encoding: of the document.
        truncated: whether links may be missing.
    """

    links: tuple[Link, ...] = ()
    text: str = field(default="", repr=False)
    base: str = ""
    encoding: str = "utf-8"
    truncated: bool = False

    @classmethod
    def of(cls, told: dict[str, Any]) -> "Extract":
        """Read what `agents.parsers.worker` tells."""
        links = tuple(Link(*fields) for fields in told["links"])
        return cls(links, told["text"], told["base"], told["encoding"], told["truncated"])


class HeavyParsers:
    """Runs parsers in worker processes.

    Args:
        processes: the workers.
        tell: takes what is being done, in words, and the seconds that it may take.
    """

    def __init__(
        self, processes: Processes, tell: Callable[[str, float], None] = lambda *_: None
    ) -> None:
        self._processes = processes
        self._tell = tell
        self._scripts: OrderedDict[bytes, Extract] = OrderedDict()

    async def parse(self, name: str, source: Source, body: bytes) -> Extract:
        """Read a document with the parser of a format.

        Raises:
            anet.errors.AnetError: it can't be read, or not within the limits.
        """
        self._tell(f"a worker reads {source.url}", 0.0)
        told = await self._processes.run(
            worker.parse,
            name, source.url, source.charset, source.text, source.referrer, body,
        )  # fmt: skip
        return Extract.of(told)

    async def run_scripts(self, url: str, scripts: list[str]) -> Extract:
        """Run the scripts of a page; the same ones in the same folder are run once.

        Raises:
            anet.errors.AnetError: they can't be run, or not within the limits.
        """
        folder = url.partition("?")[0].rpartition("/")[0]
        key = sha256("\0".join((folder, *scripts)).encode("utf-8", "replace")).digest()
        found = self._scripts.get(key)
        if found is None:
            self._tell(f"a worker runs the scripts of {url}", 0.0)
            told = await self._processes.run(run, url, scripts)
            found = self._scripts[key] = Extract.of(told)
            if len(self._scripts) > _REMEMBERED:
                self._scripts.popitem(last=False)
        return found
