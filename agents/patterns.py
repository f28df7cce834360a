"""One pattern of an expression, as the regular expression it stands for (*INA §1.4.1*). Pure.

`docs/reference/delimitation.md` says what each pattern takes.
"""

import re

from agents import urls

_HOST_END = r"(?=[:/])"
_HEADS = re.compile(r"(?P<scheme>https?:)?//|(?P<subdomain>\.)|(?P<path>/)", re.IGNORECASE)
_AUTHORITY = re.compile(
    r"(?P<host>(?:\[[^\]]*\]|\\.|[^/:?$\[\]\\])*)(?::(?P<port>\d*))?(?=[/?$]|\Z)"
)


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
    pieces = [re.sub(r"\\(.)", r"\1", piece) for piece in re.split(r"(?<!\\)\*", text)]
    if text == "":
        raise Misfit(offset, "expected a host")
    if len(pieces) == 1:
        url = urls.canonical(f"http://{pieces[0]}/")
        if url is None or urls.authority(url) != urls.host(url):
            raise Misfit(offset, f"{text[:60]!r} is not a host")
        return (r"[^/:]+\." if subdomain else "") + re.escape(urls.host(url))
    if not all(re.fullmatch(r"[A-Za-z0-9_.\-]*", piece) for piece in pieces):
        raise Misfit(offset, f"{text[:60]!r}: only letters, digits, - and . go beside * in a host")
    pieces = [re.escape(piece.lower()) for piece in pieces]
    if subdomain:  # what comes after takes any characters, so its first place will do
        pieces[0] = rf"(?>[^/:]+?\.{pieces[0]})"
    return _glob(pieces, "[^/:]", _HOST_END)


def _path_regex(text: str, offset: int) -> str:
    """Return the regular expression of a pattern's text, which stands at `offset` in it."""
    end = ""
    escaped = (len(text) - 1 - len(text[:-1].rstrip("\\"))) % 2 if text else 0
    if text.endswith("$") and not escaped:
        text, end = text[:-1], r"\Z"
    pieces = [""]
    for found in re.finditer(r"\\(.?)|(\*)|([^\\*]+)", text, re.DOTALL):
        if found[2]:
            pieces.append("")
        elif found[1] == "":
            raise Misfit(offset + found.start(), "a \\ needs the character that it makes literal")
        else:
            pieces[-1] += _literal(found[1] or found[3])
    return _glob([re.escape(piece) for piece in pieces], ".", end)


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
