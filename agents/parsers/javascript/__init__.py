"""JavaScript: what it links to, by running it in a sandbox and by reading its strings.

`tokens` cuts a script up; `static` reads its strings. `engine` runs it against a small stand-in for
a browser, `dom.js`; `evaluate` sends what it writes back through HTML. `worker.run` does both for
the scripts within a page. `may_link` tells quickly that a script needs neither.
"""

from agents.parsers.javascript.likely import may_link
from agents.parsers.javascript.parser import JavaScriptParser

__all__ = ["JavaScriptParser", "may_link"]
