"""One pattern of an expression, as the regular expression it stands for (*INA §1.4.1*). Pure.

`docs/reference/delimitation.md` says what each pattern takes.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from agents import urls

_HOST_END = r"(?=[:/])"
_HEADS = re.compile(r"(?P<scheme>https?:)?//|(?P<subdomain>\.)|(?P<path>/)", re.IGNORECASE)
_AUTHORITY = re.compile(
    r"(?P<host>(?:\[[^\]]*\]|\\.|[^/:?$\[\]\\])*)(?::(?P<port>\d*))?(?=[/?$]|\Z)"
)


class Place(NamedTuple):
    """Where the URLs lie that a pattern takes: all of them begin so.

    Attributes:
        host: canonical host, without port; empty for any.
        below: whether subdomains of the host are meant, and not the host itself.
        port: the port they have, said or implied by their scheme; None for any.
        path: how path and query begin.
        exact: whether the URL ends after `path`.
        whole: whether the pattern takes all URLs that lie there.
    """

    host: str
    below: bool
    port: int | None
    path: str
    exact: bool
    whole: bool


class Misfit(Exception):
    """What is wrong with a pattern, and where in it."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset
        self.reason = reason


def pattern_regex(word: str) -> str:
    """Return the regular expression of a pattern, to match from the start of a canonical URL.

    It is linear in the URL, and never looks back: what it took once it keeps.

    Raises:
        Misfit: the word is no pattern.
    """
    head = _HEADS.match(word)
    if head is None:
        return _path_regex("*" + word, -1)
    if head["path"]:
        return r"https?://[^/]*+" + _path_regex(word, 0)
    found = _AUTHORITY.match(word, head.end())
    if found is None:
        raise Misfit(head.end(), "the host or port is not one")
    host = _host_regex(found["host"], head.end(), subdomain=bool(head["subdomain"]))
    rest = _path_regex(word[found.end() :], found.end())
    return f"{_with_port((head['scheme'] or 'https?:').lower(), host, found['port'])}{rest}"


def pattern_place(word: str) -> Place:
    """Return where the URLs lie that a pattern takes; `word` is one that `pattern_regex` reads."""
    head = _HEADS.match(word)
    if head is None:
        return Place("", True, None, "", exact=False, whole=False)
    if head["path"]:
        return Place("", True, None, *_literal_head(word))
    found = _AUTHORITY.match(word, head.end())
    assert found is not None
    path, exact, whole = _literal_head(word[found.end() :])
    pieces = _host_pieces(found["host"])
    if len(pieces) > 1:  # of the labels after the last star, the first may go on before it
        tail = pieces[-1].lower().partition(".")[2]
        known = tail if _canonical_host(tail) == tail else ""  # not the end of an IP address
        return Place(known, True, None, path, exact, whole=False)
    host = _canonical_host(pieces[0]) or ""
    port = None if found["port"] is None else int(found["port"] or "0")
    whole = whole and head["scheme"] in ("//", None)
    if head["subdomain"]:
        return Place(host, True, None, path, exact, whole and port is None)
    return Place(host, False, port, path, exact, whole)


def _literal_head(text: str) -> tuple[str, bool, bool]:
    """Return how URLs begin that a path takes, whether they end there, and whether that is all."""
    pieces, fixed = _path_pieces(text, 0)
    whole = len(pieces) == 1
    return pieces[0], fixed and whole, whole


def _with_port(scheme: str, host: str, port: str | None) -> str:
    """Join scheme, host and port; canonical URLs do not write the port their scheme implies."""
    if port is None:
        return rf"{scheme}//{host}(?::\d+)?(?=/)"
    number = int(port or "0")
    implied = {80: "http:", 443: "https:"}.get(number)
    if implied is None or scheme not in (implied, "https?:"):
        return rf"{scheme}//{host}:{number}(?=/)"
    if scheme == implied:
        return rf"{scheme}//{host}(?=/)"
    return rf"(?:{implied}//{host}|https?://{host}:{number})(?=/)"


def _host_regex(text: str, offset: int, *, subdomain: bool) -> str:
    """Return the regular expression of a host, in which `*` stands for characters of it."""
    pieces = _host_pieces(text)
    if text == "":
        raise Misfit(offset, "expected a host")
    if len(pieces) == 1:
        host = _canonical_host(pieces[0])
        if host is None:
            raise Misfit(offset, f"{text[:60]!r} is not a host")
        return (r"[^/:]+\." if subdomain else "") + re.escape(host)
    if not all(re.fullmatch(r"[A-Za-z0-9_.\-]*", piece) for piece in pieces):
        raise Misfit(offset, f"{text[:60]!r}: only letters, digits, - and . go beside * in a host")
    pieces = [re.escape(piece.lower()) for piece in pieces]
    if subdomain:  # what comes after takes any characters, so its first place will do
        pieces[0] = rf"(?>[^/:]+?\.{pieces[0]})"
    return _glob(pieces, "[^/:]", _HOST_END)


@lru_cache(maxsize=64)  # a pattern asks twice
def _canonical_host(text: str) -> str | None:
    """Return a host as canonical URLs write it, or None when it is none."""
    url = urls.canonical(f"http://{text}/")
    if url is None or urls.authority(url) != urls.host(url):
        return None
    return urls.host(url)


def _host_pieces(text: str) -> list[str]:
    """Return the literal texts between the `*` of a host."""
    return [re.sub(r"\\(.)", r"\1", piece) for piece in re.split(r"(?<!\\)\*", text)]


def _path_regex(text: str, offset: int) -> str:
    """Return the regular expression of a pattern's text, which stands at `offset` in it."""
    pieces, fixed = _path_pieces(text, offset)
    return _glob([re.escape(piece) for piece in pieces], ".", r"\Z" if fixed else "")


def _path_pieces(text: str, offset: int) -> tuple[list[str], bool]:
    """Return the literal texts between the `*` of a path, and whether the URL ends after it."""
    if not text:
        return [""], False
    escaped = (len(text) - 1 - len(text[:-1].rstrip("\\"))) % 2
    fixed = text.endswith("$") and not escaped
    if fixed:
        text = text[:-1]
    pieces = [""]
    for found in re.finditer(r"\\(.?)|(\*)|([^\\*]+)", text, re.DOTALL):
        if found[2]:
            pieces.append("")
        elif found[1] == "":
            raise Misfit(offset + found.start(), "a \\ needs the character that it makes literal")
        else:
            pieces[-1] += _literal(found[1] or found[3])
    return pieces, fixed


def _literal(text: str) -> str:
    """Write literal text as canonical URLs do: ASCII, without spaces."""
    return "".join(
        character if "!" <= character <= "~" else _percent(character) for character in text
    )


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "replace"))


def _glob(pieces: list[str], any_character: str, end: str) -> str:
    """Join pieces by "any characters" so that matching never tries a choice twice.

    For each piece but the last its first place is as good as any other, so an atomic group may
    forget the others; the last is looked for from the end when the end is fixed. Each piece is
    thus searched once: time is linear in the URL.
    """
    first, *others = pieces
    if not others:
        return first + end
    *middle, last = others
    inner = "".join(f"(?>{any_character}*?{piece})" for piece in middle)
    reach = "*" if end else "*?"
    return f"{first}{inner}(?>{any_character}{reach}{last}{end})"
