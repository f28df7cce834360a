"""The replay engine: wabac.js, the service worker of Webrecorder's tools.

It runs in the browser and is no part of dlweb, which serves the file that the operator has
installed: the one of the Python package pywb, or one that is configured. Decision 45 says why.
"""

from importlib.util import find_spec
from pathlib import Path

LIMIT = 16 << 20  # bytes; the file has 1.2 MB
POLICY = (
    b"default-src 'none'; script-src 'self' 'unsafe-eval' 'wasm-unsafe-eval'; connect-src 'self'"
)
"""What the engine may do: ask this server, and nobody else, for whatever a page wants."""


class EngineMissing(Exception):
    """There is no engine; the message says how to get one."""


def engine_file(configured: str | None) -> Path:
    """Return where the engine is.

    Args:
        configured: path of the file, or None for that of the package pywb.

    Raises:
        EngineMissing: it is not there.
    """
    if configured is not None:
        path = Path(configured)
    else:
        package = find_spec("pywb")
        if package is None or package.origin is None:
            raise EngineMissing(
                "Pages are replayed by wabac.js, which is not installed here: install "
                "dlweb[replay], or name its file sw.js as `replay_engine` in the configuration. "
                "Captures as they were received are at /web/DATEid_/URL without it."
            )
        path = Path(package.origin).parent / "static" / "wabacSW.js"
    if not path.is_file():
        raise EngineMissing(f"The replay engine is not at {path}; see `replay_engine`.")
    return path


def engine_of(configured: str | None) -> bytes | EngineMissing:
    """Return the engine, or why there is none; blocks, and is for the start of the agent."""
    try:
        return read_engine(configured)
    except EngineMissing as missing:
        return missing


def read_engine(configured: str | None) -> bytes:
    """Return the engine; blocks.

    Raises:
        EngineMissing: it is not there, or cannot be it.
    """
    path = engine_file(configured)
    try:
        with path.open("rb") as file:
            script = file.read(LIMIT + 1)
    except OSError as error:
        raise EngineMissing(f"The replay engine cannot be read: {error}") from None
    if len(script) > LIMIT:
        raise EngineMissing(f"{path} is too large for a replay engine.")
    return script
