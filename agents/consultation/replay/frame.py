"""The page around an archived page: it starts the engine, and keeps what is shown in the archive.

The archived page is in a frame that can lead nowhere but to this server (`frame-src`), open no
window and not move the page around it (`sandbox`). What it asks for goes through the engine, which
may ask this server only (`engine.POLICY`).
"""

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

_STYLE = (files("agents.consultation.replay") / "frame.css").read_text("utf-8")
_SCRIPT = (files("agents.consultation.replay") / "frame.js").read_text("utf-8")
_HOST = re.compile(r"[A-Za-z0-9.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\]")
_SANDBOX = "allow-scripts allow-same-origin allow-forms allow-modals"
_UNSERVED = (
    "This browser replays archived pages only when they come over HTTPS or from this very "
    "machine. Ask the archive's operator for its https:// address, or use the archive's proxy."
)


def _source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


_POLICY = (
    f"default-src 'none'; script-src {_source(_SCRIPT)}; style-src {_source(_STYLE)}; "
    "img-src data:; worker-src 'self'; frame-src 'self'; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
_FIELDS = (
    (b"Content-Type", b"text/html; charset=utf-8"),
    (b"Referrer-Policy", b"same-origin"),
    (b"X-Content-Type-Options", b"nosniff"),
    (b"Cache-Control", b"no-store"),
)


def frame_fields(host: str) -> list[tuple[bytes, bytes]]:
    """Return the header fields of the page; the harbor shows two such pages side by side.

    Args:
        host: the name of this machine as the browser has it, without port: what is served there,
            and nothing else, may show the page in a frame.
    """
    by = f" http://{host}:* https://{host}:*" if _HOST.fullmatch(host) else ""
    return [(b"Content-Security-Policy", f"{_POLICY}{by}".encode()), *_FIELDS]


def frame_page(url: str, page: str) -> bytes:
    """Return the page around an archived page.

    Args:
        url: of the archived page.
        page: path at which the engine gives it.
    """
    name = escape(url)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{name}</title>'
        f'<link rel="icon" href="data:,"><style>{_STYLE}</style></head><body>'
        f"<noscript><p>Archived pages are replayed by a script.</p></noscript>"
        f'<p role="alert" hidden>{_UNSERVED}</p>'
        f'<iframe title="{name}" sandbox="{_SANDBOX}" data-page="{escape(page)}"></iframe>'
        f"<script>{_SCRIPT}</script></body></html>\n"
    ).encode("utf-8", "replace")
