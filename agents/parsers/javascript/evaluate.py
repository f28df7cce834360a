"""What scripts link to, found by running them (*INA §1.4.3*).

"Javascripts are translated into the HTML code they are supposed to produce, and send to the HTML
plug-in": what they write goes back through the HTML parser, and the scripts in it are run in turn.
"""

from collections import deque
from collections.abc import Iterable, Iterator

from agents.parsers.javascript.engine import Engine
from agents.parsers.javascript.modules import ImportMap
from agents.parsers.javascript.static import imported
from agents.parsers.javascript.written import is_followed, read_html
from agents.parsers.link import Embedded, Found, component, page

DEPTH_LIMIT = 4  # scripts that write scripts that write scripts …
PIECES_LIMIT = 500  # scripts of one page, the written ones included
ACT = "javascript:"  # begins the handler of a person's act

_REQUISITE = frozenset(["fetch", "import", "include"])


class Evaluation:
    """Runs the scripts of one page.

    Args:
        url: of the page.
        script: URL of the script, when it is a file of its own.

    Attributes:
        truncated: whether links may be missing, because a limit was met.
    """

    def __init__(self, url: str, script: str = "") -> None:
        self._url = url
        self._script = script
        self._engine = Engine(url, script)
        self._modules = ImportMap()
        self._cut = False

    @property
    def truncated(self) -> bool:
        """Whether links may be missing, because a limit was met."""
        return self._cut or self._engine.truncated

    def run(self, scripts: Iterable[str]) -> Iterator[Found]:
        """Yield what scripts link to, run in their order, and then what waits for the page."""
        left = PIECES_LIMIT
        waiting = deque((script, 0) for script in scripts)
        while waiting or self._engine.settle():
            depth = 0
            if waiting:
                left -= 1
                self._cut = self._cut or left < 0
                if left < 0:
                    return
                script, depth = waiting.popleft()
                yield from self._run(script)
            written = []
            for found in self._found():
                if isinstance(found, Embedded):
                    written.append((found.text, depth + 1))
                else:
                    yield found
            self._cut = self._cut or bool(written and depth >= DEPTH_LIMIT)
            waiting.extendleft(reversed(written) if depth < DEPTH_LIMIT else ())

    def _run(self, script: str) -> Iterator[Found]:
        modules = ImportMap.read(script)
        if modules is not None:
            self._modules = modules
            for address in modules.links():
                yield from component(address)
        elif script.lstrip()[: len(ACT)].lower() == ACT:
            self._engine.play(script.lstrip()[len(ACT) :])
        else:
            self._engine.run(script)

    def _found(self) -> Iterator[Found]:
        """Yield what the engine noted, and the scripts that were written."""
        html: list[str] = []
        for kind, text in self._engine.found():
            if kind != "write" and html:
                yield from self._read("".join(html))
                html = []
            if kind == "write":
                html.append(text)
            elif kind == "html":
                yield from self._read(text)
            elif is_followed(text):
                yield from self._link(kind, text.strip())
        yield from self._read("".join(html))

    def _link(self, kind: str, url: str) -> Iterator[Found]:
        if kind == "import":
            url = self._modules.resolve(url)
        if kind in ("import", "include"):
            url = imported(url, self._script)
        yield from page(url) if kind == "page" else component(url, kind in _REQUISITE)

    def _read(self, html: str) -> Iterator[Found]:
        return read_html(self._url, html) if html else iter(())
