"""The replay engine: wabac.js, the service worker of Webrecorder's tools.

It runs in the browser and is no part of dlweb, which passes on the file that the operator has
fetched. Decision 45 says why.
"""

from pathlib import Path

FILE = "sw.js"
"""Its name in the archive's folder, where none is configured."""
WORKER = "/web/sw.js?replayPrefix=&root=$root"
"""How `frame.js` installs it; its query is its configuration, which no archived script may set."""
LIMIT = 16 << 20  # bytes; the file has 1.2 MB
POLICY = (
    b"default-src 'none'; script-src 'self' 'unsafe-eval' 'wasm-unsafe-eval'; connect-src 'self'"
)
"""What the engine may do: ask this server, and nobody else, for whatever a page wants."""


class EngineMissing(Exception):
    """There is no engine; the message says how to get one."""


def engine_of(configured: str | None, folder: Path) -> bytes | EngineMissing:
    """Return the engine, or why there is none; blocks, and is for the start of the agent.

    Args:
        configured: path of its file, or None for `FILE` in the folder.
        folder: the archive's.
    """
    try:
        return read_engine(folder / FILE if configured is None else Path(configured))
    except EngineMissing as missing:
        return missing


def read_engine(path: Path) -> bytes:
    """Return the engine; blocks.

    Raises:
        EngineMissing: it is not there, or cannot be it.
    """
    try:
        with path.open("rb") as file:
            script = file.read(LIMIT + 1)
    except OSError as error:
        raise EngineMissing(
            f"Pages are replayed by wabac.js, which is not at {path} ({error.strerror}): fetch its "
            "file sw.js, see docs/how-to/read-without-a-proxy.md, and restart this agent. Captures "
            "as they were received are at /web/DATEid_/URL without it."
        ) from None
    if len(script) > LIMIT:
        raise EngineMissing(f"{path} is too large for a replay engine.")
    return script
