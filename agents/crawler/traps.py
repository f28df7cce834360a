"""Robot traps: URLs that grow for ever (*INA §1.4.1*)."""

import re

from agents import urls

REPETITIONS = 5  # of a run of folders after one another, at which a path is a trap

# A run of folders, then the same run again and again: /a/b/a/b/a/b/a/b/a/b/
_REPEATED = re.compile(rf"((?:/[^/]+){{1,3}}?)\1{{{REPETITIONS - 1}}}(?=/|\Z)")


def repeats(url: str) -> bool:
    """Tell whether the path of a canonical URL repeats a run of folders.

    A relative link in a page that any path serves makes such URLs: `/a/`, `/a/a/`, `/a/a/a/`.
    """
    path = urls.target(url).partition("?")[0]
    return path.count("/") > REPETITIONS and _REPEATED.search(path) is not None
