"""An engine that runs scripts where they can reach nothing, in bounded time and memory.

The engine is QuickJS, an optional dependency; `available()` tells whether it is installed.
"""

import json
import re
import time
from functools import cache
from importlib import resources
from typing import Any

from agents.parsers.javascript.modules import as_script

MEMORY_LIMIT = 64 * 1024 * 1024  # bytes that the scripts of one page take
STACK_LIMIT = 256 * 1024  # bytes of their stack
SCRIPT_SECONDS = 1.0  # processor time of one script or callback
PAGE_SECONDS = 3.0  # processor time of all of a page
WRITTEN_LIMIT = 1024 * 1024  # characters that they write
FINDINGS_LIMIT = 20_000  # links and pieces of HTML
CALLBACKS_LIMIT = 500  # timers and handlers of events
AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0"
    " Safari/537.36"
)
ASKED_LIMIT = 5_000  # uses of what is not there, by one script or callback
_SPARE = 16 * 1024 * 1024  # bytes more to tell what was found when the scripts took all
_JOBS_LIMIT = 1000  # steps of promises after one script

_LIMIT_MET = re.compile(r"InternalError|\Anull\s*\Z|too much is written|call stack size")

# A script that asks whether there is a name, or is not there in browsers, gets no stand-in for it.
_ASKED = re.compile(r"\btypeof\s*+\(?\s*+([\w$]{1,60}+)(?![\w$.\[])")
_ABSENT = "define module exports require process global Deno Bun ActiveXObject attachEvent"


@cache
def available() -> bool:
    """Tell whether there is an engine."""
    try:
        import quickjs  # noqa: F401
    except ImportError:
        return False
    return True


@cache
def _shim() -> str:
    text = resources.files(__package__).joinpath("dom.js").read_text("utf-8")
    return text.rstrip().removesuffix(";")


class Engine:
    """Runs the scripts of one page, in a world of its own.

    Args:
        url: of the page.
        script: URL of the script, when it is a file of its own.

    Attributes:
        truncated: whether a limit was met.
    """

    def __init__(self, url: str, script: str = "") -> None:
        import quickjs

        self.truncated = False
        self._left = PAGE_SECONDS
        self._callbacks_left = CALLBACKS_LIMIT + 2
        self._context = quickjs.Context()
        self._context.set_memory_limit(MEMORY_LIMIT)
        self._context.set_max_stack_size(STACK_LIMIT)
        page = {
            "url": _text(url), "script": _text(script), "room": WRITTEN_LIMIT,
            "findings": FINDINGS_LIMIT, "callbacks": CALLBACKS_LIMIT,
            "asked": ASKED_LIMIT, "agent": AGENT,
        }  # fmt: skip
        take = self._context.eval(f"{_shim()}({json.dumps(page)})")
        self._found, self._begin = take("found"), take("begin")
        self._settle, self._play, self._run = take("settle"), take("play"), take("run")
        self._begin(_ABSENT)

    def run(self, script: str) -> None:
        """Run a script; what it throws is its own affair."""
        script = _text(script)
        self._begin(" ".join(_ASKED.findall(script)))
        script = as_script(script)
        if self._call(self._run, script) == "syntax" and "await" in script:
            self._call(self._run, f"(async()=>{{{script}\n}})()")

    def play(self, code: str) -> None:
        """Run the handler of a person's act, such as a click."""
        self._call(self._play, _text(code))

    def settle(self) -> bool:
        """Run the next callback; tell whether there was one, and time is left for more."""
        self._callbacks_left -= 1
        return self._callbacks_left >= 0 < self._left and self._call(self._settle) is not False

    def found(self) -> list[tuple[str, str]]:
        """Take what was found since: kinds, see `dom.js`, and text."""
        self._context.set_memory_limit(MEMORY_LIMIT + _SPARE)
        self._context.set_time_limit(SCRIPT_SECONDS)
        try:
            told = json.loads(self._found())
            return [(kind, _text(text)) for kind, text in zip(told[::2], told[1::2], strict=True)]
        except Exception:  # the scripts took even what telling needs
            self.truncated = True
            return []
        finally:
            self._context.set_memory_limit(MEMORY_LIMIT)

    def _call(self, function: Any, *values: Any) -> object:
        """Call within the limits of time; return what comes back, or the error."""
        if self._left <= 0:
            self.truncated = True
            return None
        started = time.process_time()
        self._context.set_time_limit(min(SCRIPT_SECONDS, self._left))
        try:
            result = function(*values)
            self._run_jobs()
        except Exception as error:  # the engine's own, of memory, or of text that is not Unicode
            result = error
            self.truncated = self.truncated or _LIMIT_MET.search(str(error)) is not None
        self.truncated = self.truncated or result == "limit"
        self._left -= time.process_time() - started
        return result

    def _run_jobs(self) -> None:
        """Run what waits for promises."""
        for _ in range(_JOBS_LIMIT):
            if not self._context.execute_pending_job():
                return


def _text(text: str) -> str:
    """Return a text as the engine takes it: without lone surrogates and zeros."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
