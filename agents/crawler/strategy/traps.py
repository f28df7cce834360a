"""Robot traps: URLs without end, and where following them stops (*INA §1.4.1*).

Each trap has a name, by which the report counts what was not followed; nothing is left out
silently.
"""

import re
from typing import Final

from agents import urls
from agents.compact import Counts
from agents.order import Strategy

# Of a run of folders after one another, at which a path is a trap; as many folders that were in
# the path before, in whatever order, are none yet.
REPETITIONS = 5
RUN_LIMIT = 6  # folders of such a run; four are common: `/2005/01/02/story/2005/01/02/story/…`
CHAIN_LIMIT = 20  # components of components; a frame that frames itself for ever stops here

REPEATED: Final = "the path repeats itself"
DEEP: Final = "past the maximum depth"
DYNAMIC_DEEP: Final = "past the maximum depth of dynamic contents"
DIRECTORY: Final = "too many URLs of its directory"
SCRIPT: Final = "too many sets of parameters of its script"
CHAINED: Final = f"past {CHAIN_LIMIT} components of components"
TOO_LONG: Final = f"its URL passes {urls.LENGTH_LIMIT} characters"
SITEMAPS: Final = "too many sitemaps of its server"
FULL: Final = "past the number of URLs of a crawl"
TRUNCATED: Final = "a part of the document passes a limit; it is not searched"
ENDLESS: Final = "its answer passes a limit; it is not kept"
LOST: Final = "its parser failed; its links are lost"

# A run of folders, then the same run again and again: /a/b/a/b/a/b/a/b/a/b/
_REPEATED = re.compile(rf"((?:/[^/]+){{1,{RUN_LIMIT}}}?)\1{{{REPETITIONS - 1}}}(?=/|\Z)")


class Traps:
    """Says which new URLs are not followed; it counts those it is asked about.

    Args:
        maximum_depth: levels of pages that are followed.
        strategy: the other limits.
    """

    def __init__(self, maximum_depth: int, strategy: Strategy) -> None:
        self._maximum_depth = maximum_depth
        self._strategy = strategy
        self._counts = Counts()

    def of_page(self, url: str, depth: int, dynamic: bool) -> str:
        """Return the trap that a page of a level would lead into, or nothing.

        Args:
            url: canonical, not asked about before.
            depth: the level.
            dynamic: whether it looks dynamic.
        """
        if depth > self._maximum_depth:
            return DEEP
        if dynamic and depth > self._strategy.dynamic_depth:
            return DYNAMIC_DEEP
        return REPEATED if repeats(url) else self._crowd(url)

    def of_component(self, url: str, chain: int, shown: bool) -> str:
        """Return the trap that a component would lead into, or nothing.

        Args:
            url: canonical, not asked about before.
            chain: components, one of the other, up to this one.
            shown: whether a page itself needs it to be shown; it is then never one too many of
                its directory, for the page would not be whole.
        """
        if chain > CHAIN_LIMIT:
            return CHAINED
        if repeats(url):
            return REPEATED
        return "" if shown else self._crowd(url)

    def _crowd(self, url: str) -> str:
        """Count a URL by script, and scripts and files by directory; return what is too many."""
        file, query, _ = url.partition("?")
        if query:
            sets = self._counts.add(hash(file + "?"))
            if sets > self._strategy.script_limit:
                return SCRIPT
            if sets > 1:
                return ""
        files = self._counts.add(hash(file[: file.rindex("/") + 1]))
        return DIRECTORY if files > self._strategy.directory_limit else ""


def repeats(url: str) -> bool:
    """Tell whether the path of a canonical URL repeats folders, in a run or in any order.

    A relative link in a page that any path serves makes such URLs: `/a/`, `/a/a/`, `/a/a/a/`; two
    such links make `/a/b/`, `/a/b/a/a/b/` and twice as many with each level.
    """
    if url.count("/") < REPETITIONS + 3:  # the common URL; three belong to the scheme and host
        return False
    path = urls.target(url).partition("?")[0]
    folders = path.split("/")[1:-1]
    named = [folder for folder in folders if not folder.isdigit()]  # tiles of maps are numbers
    again = len(named) - len(set(named))
    if again > REPETITIONS and 3 * again >= 2 * len(named):
        return True
    return len(folders) >= REPETITIONS and _REPEATED.search(path) is not None
