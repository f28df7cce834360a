"""Running the scripts within a page, in a worker process."""

from collections.abc import Iterator
from typing import Any

from agents.parsers.javascript.engine import available
from agents.parsers.javascript.evaluate import ACT, Evaluation
from agents.parsers.javascript.modules import ImportMap
from agents.parsers.javascript.parser import unseen
from agents.parsers.javascript.static import scan
from agents.parsers.link import Found, component
from agents.parsers.worker import gathered


def run(url: str, scripts: list[str]) -> dict[str, Any]:
    """Return what the scripts of a page link to (see `agents.parsers.worker.gathered`).

    Args:
        url: of the page.
        scripts: its scripts in their order. One that begins with `javascript:` is the handler of a
            person's act, so that it leads to pages; one that is an import map tells where the
            modules of the others lie.
    """
    evaluation = Evaluation(url) if available() else None
    told = gathered(_findings(url, scripts, evaluation))
    told["truncated"] = told["truncated"] or (evaluation is not None and evaluation.truncated)
    return told


def _findings(url: str, scripts: list[str], evaluation: Evaluation | None) -> Iterator[Found]:
    seen: set[str] = set()
    if evaluation is not None:
        yield from unseen(evaluation.run(scripts), seen)
    for script in scripts:
        modules = ImportMap.read(script)
        if modules is None:
            yield from unseen(scan(url, script.removeprefix(ACT)), seen)
        elif evaluation is None:
            for address in modules.links():
                yield from component(address)
