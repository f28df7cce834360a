"""The name of what a form or a script has sent: a URL that holds the method and the body.

A capture is found by its URL, and an answer to POST depends on the body too. The field's convention
puts both into the query, after what the URL had: `?__wb_method=POST&name=value` (*IIPC guideline
"CDX for non-GET requests"*; pywb and cdxj-indexer do the same). Recording, reading and importing
all take the name from here, so that they agree.
"""

import json
from base64 import b64encode
from collections.abc import Iterator
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any
from urllib.parse import quote, quote_plus, unquote_to_bytes, urlencode

from agents.urls import LENGTH_LIMIT, canonical

BODY_LIMIT = 16 * 1024  # bytes of a body that is part of a name; as pywb reads
QUERY_LIMIT = 4096  # characters of it in the name; as pywb and cdxj-indexer cut
WITH_BODY = frozenset(("POST", "PUT"))
"""Methods whose body is part of the name."""

_FORM = "application/x-www-form-urlencoded"


def posted_url(url: str, method: str, content_type: str, body: bytes) -> str:
    """Return the canonical URL under which the answer to a request is kept.

    Args:
        url: canonical, as it was asked for.
        method: of the request, in capitals; the answer to GET is kept under the URL itself.
        content_type: of the body, as the request says it; empty if it does not.
        body: at most `BODY_LIMIT` bytes count.
    """
    if method == "GET":
        return url
    query = _body_query(content_type, body[:BODY_LIMIT]) if method in WITH_BODY else ""
    said = f"{url}{'&' if '?' in url else '?'}__wb_method={quote(method, safe='')}"
    named = (f"{said}&{query[:QUERY_LIMIT]}" if query else said)[:LENGTH_LIMIT]
    return canonical(named) or url


def form_as_get(url: str, content_type: str, body: bytes) -> str | None:
    """Return the URL that a form's fields would have asked for by GET; None if it is no form."""
    if _media_type(content_type) != _FORM or not body:
        return None
    fields = _form(body[:BODY_LIMIT])
    return canonical(f"{url}{'&' if '?' in url else '?'}{fields}") if fields else None


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _body_query(content_type: str, body: bytes) -> str:
    media_type = _media_type(content_type)
    if not body:
        return ""
    if media_type == _FORM:
        fields = _form(body)
    elif media_type.startswith("multipart/"):
        fields = _multipart(content_type, body)
    elif media_type == "application/json":
        return _json(body) or ""
    elif media_type == "text/plain":
        fields = _json(body)
    else:
        fields = None
    return _binary(body) if fields is None else fields


def _binary(body: bytes) -> str:
    return "__wb_post_data=" + b64encode(body).decode()


def _form(body: bytes) -> str | None:
    """Return a form's fields, each encoded in the one usual way; None if it is not text."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return "&".join("=".join(map(_recoded, field.split("=", 1))) for field in text.split("&"))


def _recoded(text: str) -> str:
    return quote_plus(unquote_to_bytes(text.replace("+", " ")))


def _multipart(content_type: str, body: bytes) -> str | None:
    """Return the fields of a form with files, or None when it is not one."""
    try:
        head = b"Content-Type: " + content_type.encode("ascii")
    except UnicodeEncodeError:
        return None
    try:
        return _parts(BytesParser(policy=HTTP).parsebytes(head + b"\r\n\r\n" + body))
    except Exception:  # the library raises whatever comes of its guesses about broken heads
        return None


def _parts(message: EmailMessage) -> str | None:
    """Return the names and values of the parts of a message, or None when it is no form."""
    if not message.is_multipart():
        return None
    fields: list[tuple[str, bytes]] = []
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        value = part.get_payload(decode=True)
        if not isinstance(name, str) or not isinstance(value, bytes):
            return None
        fields.append((name, value))
    return urlencode(fields)


def _json(body: bytes) -> str | None:
    """Return the values of a JSON text by their nearest names, or None when it is none.

    One value a line is taken too.
    """
    try:
        values = _json_values(body)
        fields: dict[str, str] = {}
        counts: dict[str, int] = {}
        for name, value in (pair for each in values for pair in _named("", each)):
            counts[name] = counts.get(name, 0) + 1
            fields[f"{name}.{counts[name]}_" if counts[name] > 1 else name] = str(value)
        return urlencode(fields, errors="surrogatepass")
    except (ValueError, RecursionError):
        return None


def _json_values(body: bytes) -> list[Any]:
    try:
        return [json.loads(body)]
    except ValueError:
        if b"\n" not in body:
            raise
        return [json.loads(line) for line in body.split(b"\n")]


def _named(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _named(key, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named(name, inner)
    elif name:
        yield name, value
