"""Links of JavaScript files: by running them, and by reading their strings."""

from collections.abc import Iterator
from typing import ClassVar

from agents.parsers.charset import Text
from agents.parsers.javascript.engine import available
from agents.parsers.javascript.evaluate import Evaluation
from agents.parsers.javascript.likely import may_link
from agents.parsers.javascript.static import scan
from agents.parsers.link import Found, Link
from agents.parsers.parser import Extracts, Format, Source
from agents.parsers.whole import WholeParser

EVALUATED_LIMIT = 512 * 1024  # characters of a file that is run; longer ones are bundles

_NOWHERE = "http://localhost/"  # page of a script whose place is not known


class JavaScriptParser(WholeParser):
    """Parses scripts (see `agents.parsers.Parser`).

    What a script writes is relative to the page that includes it.
    """

    format = Format(
        "javascript",
        (
            "text/javascript", "application/javascript", "application/x-javascript",
            "application/ecmascript", "application/x-ecmascript", "text/ecmascript",
            "text/x-javascript", "text/jscript",
        ),
        (".js", ".mjs"),
        extracts=Extracts.LINKS,
        chunked=False,
        heavy=True,
    )  # fmt: skip
    limit: ClassVar[int] = 4 * 1024 * 1024
    partial: ClassVar[bool] = True

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._text = Text(source.charset, source.environment, source.url)
        self.base = source.referrer

    def parse(self, body: bytes) -> Iterator[Found]:
        """Yield what the script links to."""
        script = self._text.feed(body) + self._text.close()
        if not may_link(script):
            return
        script_url = self.source.url or _NOWHERE
        url = self.source.referrer or script_url
        seen: set[str] = set()
        if available() and len(script) <= EVALUATED_LIMIT:
            evaluation = Evaluation(url, script_url)
            for found in evaluation.run([script]):
                if isinstance(found, Link):
                    seen.add(found.url)
                yield found
            self.truncated = self.truncated or evaluation.truncated
        yield from unseen(scan(url, script, self.source.url), seen)


def unseen(findings: Iterator[Found], seen: set[str]) -> Iterator[Found]:
    """Yield findings without the links to URLs seen, and those only once."""
    for found in findings:
        if not isinstance(found, Link):
            yield found
        elif found.url not in seen:
            seen.add(found.url)
            yield found
