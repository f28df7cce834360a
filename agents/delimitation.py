"""What belongs to a site: expressions such as `//tf1.fr OR .tf1.fr` (*INA §1.4.1*).

An expression is one or more patterns joined by `OR`. A pattern is a simplified regular expression
over canonical URLs (`agents.urls.canonical`); `docs/reference/delimitation.md` is its definition:

    //host/dir/    URLs of exactly this host, whose path begins with /dir/ (`https://…` fixes
                   the scheme too; `//host:81` fixes the port)
    .host/dir/     the same for every subdomain of the host, but not the host itself
    /dir/          URLs whose path begins so, on any host
    text           URLs that hold this text anywhere
    *              any characters (in a host: any within it);  \\c  the character c itself
    $              at the end of a pattern: the URL ends here

Expressions are compiled to one regular expression that answers in time linear in the URL.
"""

import re
from collections.abc import Callable, Iterator

from attrs import field, frozen

from agents import urls

LENGTH_LIMIT = 65536  # characters of an expression
PATTERN_LIMIT = 4096  # patterns in an expression
_WORD = re.compile(r"(?:\\.|\\\Z|[^\s\\])+", re.DOTALL)
_RESERVED = ("AND", "NOT", "(", ")")
_HOST_END = r"(?=[:/])"
_HEADS = re.compile(r"(?P<scheme>https?:)?//|(?P<subdomain>\.)|(?P<path>/)")
_AUTHORITY = re.compile(
    r"(?P<host>(?:\[[^\]]*\]|\\.|[^/:?$\[\]\\])*)(?::(?P<port>\d*))?(?=[/?$]|\Z)"
)


class InvalidExpression(ValueError):
    """An accept or reject expression can't be read.

    Attributes:
        position: index in the expression of what is wrong, from 0.
        reason: what is wrong there, and what was expected.
    """

    def __init__(self, expression: str, position: int, reason: str) -> None:
        shown = expression[max(0, position - 30) : position + 30]
        super().__init__(f"{reason} (at character {position + 1}, near {shown!r})")
        self.position = position
        self.reason = reason


@frozen
class Pattern:
    """One pattern: its text as written, and the regular expression it stands for."""

    text: str
    regex: str = field(repr=False)


@frozen
class Or:
    """URLs that any of the parts takes; none, when there are no parts."""

    parts: tuple[Pattern, ...]

    @property
    def regex(self) -> str:
        """The regular expression of the whole, to match from the start of a URL."""
        return "|".join(part.regex for part in self.parts) or r"(?!)"


@frozen
class Expression:
    """A parsed accept or reject expression; equal when written with the same patterns.

    Attributes:
        tree: what it means.
        matches: tells whether a canonical URL is taken.
    """

    tree: Or
    _match: Callable[[str], object] = field(eq=False, repr=False)

    def matches(self, url: str) -> bool:
        """Tell whether a canonical URL is taken."""
        return self._match(url) is not None

    def __str__(self) -> str:
        return " OR ".join(part.text for part in self.tree.parts)


def parse(expression: str) -> Expression:
    """Read an expression; the empty one takes nothing.

    Raises:
        InvalidExpression: it says where and why.
    """
    if len(expression) > LENGTH_LIMIT:
        raise InvalidExpression(
            expression, LENGTH_LIMIT, f"longer than {LENGTH_LIMIT} characters; make it shorter"
        )
    tree = _parse_or(expression, list(_words(expression)))
    return Expression(tree, re.compile(tree.regex).match)


@frozen
class Delimitation:
    """What belongs to a site: taken by `accept` and not by `reject` (*INA §1.4.1*)."""

    accept: Expression
    reject: Expression

    @classmethod
    def parse(cls, accept: str, reject: str = "") -> "Delimitation":
        """Read both expressions.

        Raises:
            InvalidExpression: one of them can't be read.
        """
        return cls(parse(accept), parse(reject))

    def internal(self, url: str) -> bool:
        """Tell whether a canonical URL belongs to the site."""
        return self.accept.matches(url) and not self.reject.matches(url)


def guess(start_url: str) -> tuple[str, str]:
    """Return the accept and reject expressions of a site known by its URL only.

    The site is the URL's host and its twin with or without `www.`; when the URL names a port,
    that port of them only.

    Raises:
        ValueError: the URL is not an absolute http or https URL.
    """
    url = urls.canonical(start_url)
    if url is None:
        raise ValueError(f"{start_url[:200]!r} is not an http or https URL")
    name, port = urls.split_port(urls.authority(url))
    suffix = "" if port is None else f":{port}"
    return " OR ".join(f"//{_quoted(one)}{suffix}" for one in _twins(name)), ""


def _twins(name: str) -> Iterator[str]:
    yield name
    if name.startswith("www.") and name.count(".") > 1:
        yield name[4:]
    elif "." in name and not urls.is_address(name):
        yield "www." + name


def _quoted(text: str) -> str:
    return re.sub(r"([\\*$()\s])", r"\\\1", text)


def _words(expression: str) -> Iterator[tuple[int, str]]:
    for found in _WORD.finditer(expression):
        yield found.start(), found[0]


def _parse_or(expression: str, words: list[tuple[int, str]]) -> Or:
    """Read `pattern (OR pattern)*`; `AND`, `NOT` and parentheses are kept for later."""
    parts: list[Pattern] = []
    for index, (position, word) in enumerate(words):
        expect_pattern = index % 2 == 0
        if word in _RESERVED:
            raise InvalidExpression(expression, position, f"{word} is not understood yet; use OR")
        if expect_pattern == (word == "OR"):
            wanted = "a pattern" if expect_pattern else "OR"
            raise InvalidExpression(expression, position, f"expected {wanted}, found {word[:40]}")
        if expect_pattern:
            parts.append(_parse_pattern(expression, position, word))
    if words and len(words) % 2 == 0:
        raise InvalidExpression(expression, len(expression), "expected a pattern after OR")
    if len(parts) > PATTERN_LIMIT:
        raise InvalidExpression(expression, 0, f"more than {PATTERN_LIMIT} patterns")
    return Or(tuple(parts))


def _parse_pattern(expression: str, position: int, word: str) -> Pattern:
    try:
        return Pattern(word, _pattern_regex(word))
    except _Misfit as misfit:
        raise InvalidExpression(expression, position + misfit.offset, misfit.reason) from None


class _Misfit(Exception):
    """What is wrong with a pattern, and where in it."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset
        self.reason = reason


def _pattern_regex(word: str) -> str:
    head = _HEADS.match(word)
    if head is None:
        return ".*?" + _path_regex(word, 0) if word[0] != "*" else _path_regex(word, 0)
    if head["path"]:
        return r"https?://[^/]*" + _path_regex(word, 0)
    found = _AUTHORITY.match(word, head.end())
    if found is None:
        raise _Misfit(head.end(), "the host or port is not one")
    scheme = head["scheme"] or "https?:"
    subdomain = r"[^/:]+\." if head["subdomain"] else ""
    host = subdomain + _host_regex(found["host"], head.end())
    rest = _path_regex(word, found.end())
    return f"{_with_port(scheme, host, found['port'])}{rest}"


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


def _host_regex(text: str, offset: int) -> str:
    """Return the regular expression of a host, in which `*` stands for characters of it."""
    pieces = [re.sub(r"\\(.)", r"\1", piece) for piece in re.split(r"(?<!\\)\*", text)]
    if text == "":
        raise _Misfit(offset, "expected a host")
    if len(pieces) == 1:
        url = urls.canonical(f"http://{pieces[0]}/")
        if url is None or urls.authority(url) != urls.host(url):
            raise _Misfit(offset, f"{text[:60]!r} is not a host")
        return re.escape(urls.host(url))
    if not all(re.fullmatch(r"[A-Za-z0-9_.\-]*", piece) for piece in pieces):
        raise _Misfit(offset, f"{text[:60]!r}: only letters, digits, - and . go beside * in a host")
    return _glob([re.escape(piece.lower()) for piece in pieces], "[^/:]", _HOST_END)


def _path_regex(word: str, start: int) -> str:
    """Return the regular expression of a pattern's text from `start` on."""
    text, end = word[start:], ""
    escaped = (len(text) - 1 - len(text[:-1].rstrip("\\"))) % 2 if text else 0
    if text.endswith("$") and not escaped:
        text, end = text[:-1], r"\Z"
    pieces = [""]
    for found in re.finditer(r"\\(.?)|(\*)|([^\\*]+)", text, re.DOTALL):
        if found[2]:
            pieces.append("")
        elif found[1] == "":
            raise _Misfit(start + found.start(), "a \\ needs the character that it makes literal")
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
